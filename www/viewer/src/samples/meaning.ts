/** What a sample's metadata says of its picture: its class, and its boxes as they are meant. */
import type { Json } from "../../../lib/src/model/index.ts";
import { valueAt } from "../ui/fields.ts";
import type { FindBoxes } from "./box-source.ts";
import type { Annotations, Box } from "../../../lib/src/base/boxes.ts";
import { isOnItsSide } from "../../../lib/src/base/picture-header.ts";

/** The class of a sample, where its field holds a single value. */
export function classOf(record: Json | undefined, field: string): string | undefined {
  const value = valueAt(record, field);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/** Classes of boxes with how many there are of each, the most frequent first. */
export function classesOf(boxes: readonly Box[]): { label: string; boxes: number }[] {
  const found = new Map<string, number>();
  for (const { label } of boxes) found.set(label, (found.get(label) ?? 0) + 1);
  return [...found].map(([label, boxes]) => ({ label, boxes })).sort((a, b) => b.boxes - a.boxes);
}

/** Annotations of a picture that a browser turned as its EXIF says. */
export interface Meant {
  readonly annotations: Annotations;
  /** They fit the picture only as it is stored: they were made by code which knows no EXIF. */
  readonly asStored: boolean;
}

/** Finds out which way the boxes are meant; `width` and `height` are those of the turned picture. */
export function meant(
  find: FindBoxes,
  i: number,
  record: Json,
  { width, height, orientation }: { width: number; height: number; orientation: number },
): Meant {
  const turned = find(i, record, width, height);
  if (orientation <= 1) return { annotations: turned, asStored: false };
  const [w, h] = isOnItsSide(orientation) ? [height, width] : [width, height];
  const stored = find(i, record, w, h);
  const [wide, tall] = stored.raster ?? [];
  // Boxes that say in which picture they count are believed, unless it could be both.
  const said = wide === undefined || (w === width && h === height) ? null : wide === w && tall === h;
  const asStored = said ?? beyond(stored.boxes, w, h) < beyond(turned.boxes, width, height);
  return { annotations: asStored ? stored : turned, asStored };
}

/** How many boxes reach over the edge. */
const beyond = (boxes: readonly Box[], width: number, height: number): number =>
  boxes.filter(({ x, y, w, h }) => x < -1 || y < -1 || x + w > width + 1 || y + h > height + 1).length;
