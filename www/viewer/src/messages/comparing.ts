/** What the room `comparing` says. */
import { speaker } from "./language.ts";

export const comparing = {
  title: "Compare",
  why: "What differs between this dataset and another version of it: samples that came or went, other images, boxes or metadata. Nothing leaves this machine.",
  choose: "Choose the other version…",
  drop: "or drop it here",
  address: "or its address",
  every: "Compare every byte of the images",
  everyWhy: "Otherwise images of TBL files are compared by the checksums that are stored with them.",
  again: "Another file…",
  opening: "Opening {name}…",
  names: "Reading the names…",
  done: "{done} of {total, plural, one {# pair} other {# pairs}}",
  progress: "Compared",
  notSamples: "This is a table, and not another version of the samples that are open.",
  warehouse: "Warehouses are compared by what their manifests say: drop the other one on this one.",
  same: "Both have the same {equal, plural, one {# sample} other {# samples}}.",
  found:
    "{entries, plural, one {# sample differs} other {# samples differ}}; {equal, plural, one {# is} other {# are}} the same.",
  byNumber: "Names are missing or stand twice, so samples are compared by their numbers.",
  added: "added",
  removed: "removed",
  picture: "image",
  boxes: "boxes",
  metadata: "metadata",
  filter: "What differs",
  showThem: "Show these samples",
  label: "differs: {kind}",
  save: "Save as JSON",
  here: "This file",
  there: "The other",
  none: "not there",
  unread: "The image cannot be shown",
  pick: "Choose a sample to see both sides.",
  field: "Field",
  jump: "Open this sample",
} as const;

export const { msg, rich } = speaker("comparing", comparing);
