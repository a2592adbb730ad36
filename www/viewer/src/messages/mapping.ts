/** What the room `mapping` says. */
import { speaker } from "./language.ts";

export const mapping = {
  map: "Map of the pictures",
  why: "Pictures that look alike are put near each other, by their light and colors: no model is needed for that, and nothing leaves this machine.",
  readsAll: "Every picture is read and decoded for it.",
  readsSome: "{many} of them are read and decoded for it, at even distances.",
  make: "Make the map of {all, plural, one {# sample} other {# samples}}",
  growing: "The rest of the headers is still being read: the map comes after that.",
  reading: "{done} of {all, plural, one {# picture} other {# pictures}} read",
  placing: "Finding places for {all, plural, one {# picture} other {# pictures}}",
  nothing: "None of the samples has a picture that the browser draws, so there is no map.",
  failed: "The map could not be made.",
  shown: "{shown, plural, one {# picture} other {# pictures}}",
  shownOf: "{shown} of {all, plural, one {# picture} other {# pictures}}",
  some: "{many} of {all}, at even distances",
  without: "{without} without a picture",
  again: "Make it anew",
  againWhy: "Make the map anew, of what the filter keeps now",
  lasso: "Select",
  lassoWhy: "A drag around pictures selects them; a click opens one",
  move: "Move",
  moveWhy: "A drag moves the map",
  zoomIn: "Zoom in (+)",
  zoomOut: "Zoom out (-)",
  all: "All",
  allWhy: "Show all of the map (0)",
  inSight: "Select what is in sight",
  keys: "Arrow keys go to the next picture in their direction, Enter opens it, Space selects it; plus, minus and zero zoom, and Shift with arrows moves the map.",
  sample: "sample {i}",
  named: "sample {i}, {name}",
  nothingThere: "no picture further on",
  noneWithin: "no picture within the line",
} as const;

export const { msg, rich } = speaker("mapping", mapping);
