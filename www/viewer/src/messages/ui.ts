/** What the room `ui` says. */
import { speaker } from "./language.ts";

export const ui = {
  remove: "Remove {label}",
  equal: "equal",
  notEqual: "not equal",
  atLeast: "at least",
  atMost: "at most",
  more: "more",
  less: "less",
  oneOf: "one of",
  likePattern: "like a pattern",
  value: "value",
  filter: "Filter",
  filterSuch: "Filter, such as {example}",
  widthOfColumn: "Width of {title}",
  pullForWidth:
    "Pull to change the width; a double click fits it. Keys: left and right, up and down for other columns, Enter fits",
  clearFilter: "Clear the filter",
  keepFilter: "Give this filter a name, and keep it",
  whatCouldComeHere: "Suggestions",
  firstSampleHasNoEnter: "The first sample has no {unknown}. Enter filters all the same.",
  enterFiltersWhatWrittenSo: "Enter filters by what is written so far.",
  firstRow: "the first row",
  lastRow: "the last row",
  firstSample: "the first sample",
  lastSample: "the last sample",
  deeperThanShown: "deeper than is shown",
  andMore: "and {total} more",
  row: "row {value}",
  sample: "sample {value}",
  column: 'column "{column}"',
  bytes: "{n} B",
} as const;

export const { msg, rich } = speaker("ui", ui);
