/**
 * Boxes and outlines in a sample's metadata, in the shapes in which labeling tools leave them.
 *
 * COCO: `annotations: [{ bbox: [x, y, w, h], category_id, segmentation }]`, the segmentation as outlines or as run
 * lengths. Lists of boxes: `boxes: [[x, y, w, h]]` with `labels` beside. YOLO: a text of lines `class cx cy w h`, or
 * `class x y x y x y...` for outlines, all parts of the image. Pascal VOC: corners `xmin ymin xmax ymax`, as JSON or
 * as XML.
 */
import type { Json } from "../../../lib/src/model/index.ts";
import { extent, maskOf, type Mask } from "./masks.ts";

/** A box in pixels of the image. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly label: string;
  /** Outlines of the object, each a list of x, y, x, y... */
  readonly outlines: readonly (readonly number[])[];
  /** The object's pixels, if they are known. */
  readonly mask: Mask | null;
}

type Fields = { [key: string]: Json };

const isFields = (v: unknown): v is Fields => typeof v === "object" && v !== null && !Array.isArray(v);
const isNumbers = (v: unknown, n: number): v is number[] =>
  Array.isArray(v) && v.length === n && v.every((x) => typeof x === "number" && Number.isFinite(x));
const number = (v: Json | undefined): number | undefined => {
  const n = typeof v === "string" && v.trim() !== "" ? Number(v) : v;
  return typeof n === "number" && Number.isFinite(n) ? n : undefined;
};
const word = (v: Json | undefined): string | undefined =>
  typeof v === "string" ? v : typeof v === "number" ? String(v) : undefined;

/** More boxes than any eye tells apart are not drawn. */
const MOST = 20_000;

/** What the metadata says is in the picture. */
export interface Annotations {
  /** What can be drawn. */
  readonly boxes: readonly Box[];
  /** How many cannot: they have no area, or their numbers are none. */
  readonly broken: number;
  /** How many of the boxes lie outside of the picture altogether. */
  readonly outside: number;
}

/** What was found so far. */
interface Found {
  readonly boxes: Box[];
  broken: number;
}

/** Every box that the metadata holds, for an image of this size, and what is wrong with them. */
export function findAnnotations(record: Json, width: number, height: number): Annotations {
  const found: Found = { boxes: [], broken: 0 };
  find(found, record, width, height);
  const boxes = found.boxes.slice(0, MOST);
  const sized = width > 0 && height > 0;
  const outside = boxes.filter(
    ({ x, y, w, h }) => sized && (x >= width || y >= height || x + w <= 0 || y + h <= 0),
  ).length;
  return { boxes, broken: found.broken, outside };
}

function find(found: Found, record: Json, width: number, height: number): void {
  if (!isFields(record)) return;
  const places = [record, record.json, record.metadata].filter(isFields);
  for (const place of places) {
    const names = categories(place);
    for (const key of ["boxes", "annotations", "objects", "object", "detections", "bboxes", "bbox"]) {
      const list = place[key];
      const labels = place.labels ?? place.classes ?? place.categories;
      if (isNumbers(list, 4)) push(found, list, Array.isArray(labels) ? labels[0] : place.label, names, []);
      else if (Array.isArray(list))
        list.forEach((item, i) => void one(found, item, Array.isArray(labels) ? labels[i] : undefined, names));
      else if (isFields(list)) one(found, list, undefined, names);
    }
  }
  for (const key of ["txt", "yolo", "boxes"]) {
    const text = record[key];
    if (typeof text === "string") yolo(found, text, width, height);
  }
  if (typeof record.xml === "string") pascal(found, record.xml);
}

function categories(place: Fields): Map<string, string> {
  const names = new Map<string, string>();
  if (Array.isArray(place.categories)) {
    for (const c of place.categories) {
      const [id, name] = isFields(c) ? [word(c.id), word(c.name)] : [];
      if (id !== undefined && name !== undefined) names.set(id, name);
    }
  }
  return names;
}

function push(
  found: Found,
  [x, y, w, h]: number[],
  label: Json | undefined,
  names: Map<string, string>,
  outlines: number[][],
  mask: Mask | null = null,
): void {
  if (x === undefined || y === undefined || !(w! > 0) || !(h! > 0) || !Number.isFinite(x + y + w! + h!))
    return void found.broken++;
  const name = isFields(label) ? word(label.name) : word(label);
  found.boxes.push({ x, y, w: w!, h: h!, label: name === undefined ? "" : (names.get(name) ?? name), outlines, mask });
}

/** The smallest box around outlines. */
function around(outlines: readonly (readonly number[])[]): number[] | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const outline of outlines) {
    for (let k = 0; k + 1 < outline.length; k += 2) {
      [left, right] = [Math.min(left, outline[k]!), Math.max(right, outline[k]!)];
      [top, bottom] = [Math.min(top, outline[k + 1]!), Math.max(bottom, outline[k + 1]!)];
    }
  }
  return right > left ? [left, top, right - left, bottom - top] : null;
}

function one(found: Found, item: Json | undefined, label: Json | undefined, names: Map<string, string>): void {
  if (isNumbers(item, 4)) return push(found, item, label, names, []);
  if (!isFields(item)) return;
  const named = item.label ?? item.name ?? item.category ?? item.class ?? item.cls ?? item.category_id ?? label;
  const outlines = Array.isArray(item.segmentation)
    ? item.segmentation.filter((s): s is number[] => Array.isArray(s) && s.length >= 6 && isNumbers(s, s.length))
    : [];
  const mask = maskOf(item.segmentation ?? item.rle ?? item.mask);
  const box = item.bbox ?? item.box ?? item.rect;
  if (isNumbers(box, 4)) return push(found, box, named, names, outlines, mask);
  const corners = isFields(item.bndbox) ? item.bndbox : item;
  const [x1, y1, x2, y2] = [corners.xmin, corners.ymin, corners.xmax, corners.ymax].map(number);
  if (x1 !== undefined && y1 !== undefined && x2 !== undefined && y2 !== undefined) {
    return push(found, [x1, y1, x2 - x1, y2 - y1], named, names, outlines, mask);
  }
  const [x, y, w, h] = [item.x, item.y, item.w ?? item.width, item.h ?? item.height].map(number);
  if (x !== undefined && y !== undefined && w !== undefined && h !== undefined)
    return push(found, [x, y, w, h], named, names, outlines, mask);
  const alone = around(outlines) ?? (mask && extent(mask));
  if (alone) push(found, alone, named, names, outlines, mask);
  // It says that it has a place, and that is none.
  else if (box !== undefined || item.bndbox !== undefined || item.segmentation !== undefined || item.xmin !== undefined)
    found.broken++;
}

/** How far outside of the picture a part of it may lie: tools round, and boxes reach over the edge. */
const BEYOND = 1;

/** Lines of YOLO. A text in which any line is something else is a caption, not boxes. */
function yolo(found: Found, text: string, width: number, height: number): void {
  if (!(width > 0 && height > 0)) return;
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trim().split(/\s+/));
  // Words that are numbers, or what tools write where a number went wrong.
  const numeric = (word: string): boolean =>
    word !== "" && (!Number.isNaN(Number(word)) || /^[+-]?(nan|inf)$/i.test(word));
  const like = (line: string[]): boolean =>
    /^\d+$/.test(line[0]!) &&
    (line.length === 5 || line.length === 6 || (line.length >= 7 && line.length % 2 === 1)) &&
    line.every(numeric);
  const parts = (line: string[]): number[] => line.slice(1).map(Number);
  const within = (line: string[]): boolean => parts(line).every((v) => v >= -BEYOND && v <= 1 + BEYOND);
  // Without one good line they are numbers that mean something else.
  if (!lines.every(like) || !lines.some(within)) return;
  for (const line of lines) {
    const label = line[0]!;
    if (!within(line)) found.broken++;
    else if (line.length <= 6) {
      const [cx, cy, w, h] = parts(line) as [number, number, number, number];
      push(
        found,
        [(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height],
        String(Number(label)),
        new Map(),
        [],
      );
    } else {
      const outline = parts(line).map((v, k) => v * (k % 2 === 0 ? width : height));
      push(found, around([outline]) ?? [], String(Number(label)), new Map(), [outline]);
    }
  }
}

function pascal(found: Found, xml: string): void {
  // The parsed document is only asked for texts; it never becomes a part of the page.
  for (const object of new DOMParser().parseFromString(xml, "text/xml").getElementsByTagName("object")) {
    const text = (name: string): string => object.getElementsByTagName(name)[0]?.textContent ?? "";
    const [x1, y1, x2, y2] = [text("xmin"), text("ymin"), text("xmax"), text("ymax")].map((t) => number(t));
    if (x1 !== undefined && y1 !== undefined && x2 !== undefined && y2 !== undefined) {
      push(found, [x1, y1, x2 - x1, y2 - y1], text("name"), new Map(), []);
    } else found.broken++;
  }
}
