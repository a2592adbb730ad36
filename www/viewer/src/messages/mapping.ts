/** What the room `mapping` says. */
import { speaker } from "./language.ts";

export const mapping = {
  map: "Map of the images",
  why: "Images that look alike are put near each other, by their light and colors: no model is needed for that, and nothing leaves this machine.",
  readsAll: "Every image is read and decoded for it.",
  readsSome: "{many} of them are read and decoded for it, at even distances.",
  make: "Make the map of {all, plural, one {# sample} other {# samples}}",
  growing: "The rest of the headers is still being read: the map comes after that.",
  reading: "{done} of {all, plural, one {# image} other {# images}} read",
  placing: "Finding places for {all, plural, one {# image} other {# images}}",
  nothing: "None of the samples has an image that the browser draws, so there is no map.",
  failed: "The map could not be made.",
  shown: "{shown, plural, one {# image} other {# images}}",
  shownOf: "{shown} of {all, plural, one {# image} other {# images}}",
  some: "{many} of {all}, at even distances",
  without: "{without} without an image",
  again: "Make it again",
  againWhy: "Make the map again, of what the filter keeps now",
  lasso: "Select",
  lassoWhy: "A drag around images selects them; a click opens one",
  move: "Move",
  moveWhy: "A drag moves the map",
  all: "All",
  allWhy: "Show all of the map (0)",
  inSight: "Select what is in sight",
  keys: "Arrow keys go to the next image in their direction, Enter opens it, Space selects it; plus, minus and zero zoom, and Shift with arrows moves the map.",
  sample: "sample {i}",
  named: "sample {i}, {name}",
  nothingThere: "no image further on",
  noneWithin: "no image within the line",
} as const;

export const { msg, rich } = speaker("mapping", mapping);
