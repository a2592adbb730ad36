/**
 * Finds boxes that other programs wrote, in the places where `forebay labels` looks for them: whether there are any, as the
 * rule of the core has it (`annotations::record::find`). The same records hold both to it (`tests/fixtures/boxes.json`).
 */
import { isYolo } from "../base/yolo-lines.js";
import type { Json } from "../model/index.js";

type Fields = { readonly [field: string]: Json };

const LISTS = ["boxes", "annotations", "objects", "object", "detections", "bboxes", "bbox"];
/** What says in an object where something is. */
const PLACES = ["bbox", "box", "rect", "bndbox", "xmin", "x1", "left", "x", "segmentation", "points"];
/** Fields that may hold lines of YOLO. */
const LINES = ["txt", "yolo", "boxes"];

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNumbers = (value: Json): boolean =>
  Array.isArray(value) && value.length >= 4 && value.every((one) => typeof one === "number");
const hasPlace = (value: Json): boolean =>
  isFields(value) &&
  PLACES.some((place) => (Array.isArray(value[place]) ? value[place].length > 0 : value[place] != null));

/** The field of a record that has boxes of no convention of Forebay's; nothing where there is none. */
export function foreignBoxes(record: Json): string | null {
  if (!isFields(record)) return null;
  for (const [path, at] of [
    ["", record],
    ["json.", record.json],
    ["metadata.", record.metadata],
  ] as const) {
    const found = isFields(at) ? LISTS.find((name) => isBoxes(at[name])) : undefined;
    if (found) return `${path}${found}`;
  }
  for (const name of LINES) {
    const text = record[name];
    if (typeof text === "string" && isYolo(text)) return name;
  }
  return typeof record.xml === "string" && record.xml.includes("<bndbox") ? "xml" : null;
}

/** One, a list of them, or an object of lists. */
function isBoxes(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (isNumbers(value) || hasPlace(value)) return true;
  return Array.isArray(value) && value.some((one) => isNumbers(one) || hasPlace(one));
}
