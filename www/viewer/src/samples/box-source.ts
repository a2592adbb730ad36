/** Where the boxes of samples come from: their metadata, a warehouse's records, or a label file that lies beside them. */
import type { Dataset, Json, LabelAnnotation, LabelClass, LabelPicture } from "../../../lib/src/model/index.ts";
import {
  findAnnotations,
  type Annotations,
  type Box,
  type Layout,
  type Meaning,
  type Question,
} from "../../../lib/src/base/boxes.ts";
import { resized } from "./resized.ts";
import { turned } from "../../../lib/src/base/masks.ts";
import { msg } from "../messages/samples.ts";

/** The boxes of a sample in a picture of this size, in its pixels. */
export type FindBoxes = (i: number, record: Json, width: number, height: number) => Annotations;

/** What the metadata says, in the shapes of labeling tools, read as people said. */
const inMetadata =
  (meaning: Meaning): FindBoxes =>
  (_, record, width, height) =>
    findAnnotations(record, width, height, meaning);

const isNumber = (v: unknown): v is number => typeof v === "number" && Number.isFinite(v);

/** A warehouse keeps left, top, right and bottom, from 0 to 1 of the stored picture. */
const inWarehouse: FindBoxes = (_, record, width, height) => {
  const list = (record as { boxes?: unknown } | null)?.boxes;
  const boxes: Box[] = [];
  let broken = 0;
  for (const item of Array.isArray(list) ? (list as { box?: unknown; class?: unknown; label?: unknown }[]) : []) {
    const corners = Array.isArray(item?.box) ? item.box : [];
    if (
      corners.length !== 4 ||
      !corners.every(isNumber) ||
      !(corners[2]! > corners[0]!) ||
      !(corners[3]! > corners[1]!)
    ) {
      broken++;
      continue;
    }
    const [left, top, right, bottom] = corners as [number, number, number, number];
    const label = typeof item.label === "string" ? item.label : isNumber(item.class) ? String(item.class) : "";
    const [x, y, w, h] = [left * width, top * height, (right - left) * width, (bottom - top) * height];
    boxes.push({ x, y, w, h, label, outlines: [], mask: null });
  }
  return { boxes, broken, outside: outsideOf(boxes, width, height), looked: true };
};

/** What four numbers are, in words. */
export const layoutText = (layout: Layout): string => msg(layout);

/** How boxes are read, as a sentence. */
export function questionText({ about, taken }: Question): string {
  if (about === "layout") return msg("boxesReadAs", { layout: layoutText(taken as Layout) });
  if (about === "field") return msg("boxesReadFrom", { path: taken });
  if (about === "vocBase") return msg("firstPixelIs", { base: taken });
  return about === "task" ? msg("linesReadAsOutlines") : msg("sixthNumberScore");
}

/** Where a dataset has its boxes. */
export const boxesOf = (dataset: Dataset, meaning: Meaning = {}): FindBoxes =>
  dataset.format === "warehouse" ? inWarehouse : inMetadata(meaning);

/** How many lie outside of the picture altogether. */
function outsideOf(boxes: readonly Box[], width: number, height: number): number {
  if (!(width > 0 && height > 0)) return 0;
  return boxes.filter(({ x, y, w, h }) => x >= width || y >= height || x + w <= 0 || y + h <= 0).length;
}

/** Boxes of labels that were read, by the number of the sample. */
export function inLabels(pictures: ReadonlyMap<number, LabelPicture>, classes: readonly LabelClass[]): FindBoxes {
  return (i, _, width, height) => {
    const picture = pictures.get(i);
    const boxes: Box[] = [];
    let broken = 0;
    const fit = fitOf(picture, width, height);
    for (const one of picture?.annotations ?? []) {
      if (one.outside) continue;
      const box = boxOf(fit?.by ? resized(one, ...fit.by) : one, classes);
      if (box) boxes.push(box);
      else broken++;
    }
    const notes = fit && boxes.length > 0 ? [fit.note] : [];
    const looked = picture !== undefined && !picture.unlabelled;
    return { boxes, broken, outside: outsideOf(boxes, width, height), notes, looked };
  };
}

/** Labels that were made on a larger or smaller copy of the picture: how many times as large it is, and what is to be said of it. */
function fitOf(picture: LabelPicture | undefined, width: number, height: number) {
  const [wide, tall] = [picture?.width ?? 0, picture?.height ?? 0];
  // A picture that EXIF turns has the same sides the other way round.
  const same = (wide === width && tall === height) || (wide === height && tall === width);
  if (same || ![wide, tall, width, height].every((side) => side > 0)) return null;
  const [x, y] = [width / wide, height / tall];
  // Sides are whole pixels, so that copies of one picture differ by half of one.
  const alike = Math.abs(wide * y - width) <= 1 + y || Math.abs(tall * x - height) <= 1 + x;
  const sizes = { wide, tall, width, height };
  return alike
    ? { by: [x, y] as const, note: msg("labelsOfOtherSize", sizes) }
    : { by: null, note: msg("labelsOfOtherPicture", sizes) };
}

function boxOf(one: LabelAnnotation, classes: readonly LabelClass[]): Box | null {
  const [left, top, right, bottom] = one.box;
  const [w, h] = [right - left, bottom - top];
  if (![left, top, w, h].every(isNumber) || !(w > 0) || !(h > 0)) return null;
  const label = one.class === undefined ? "" : (classes[one.class]?.name ?? String(one.class));
  const outlines =
    one.outlines?.map((points) => points.flat()) ?? (one.unturned ? [turned(one.unturned, one.degrees ?? 0)] : []);
  const mask = one.mask ? { width: one.mask.width, height: one.mask.height, runs: one.mask.counts } : null;
  return { x: left, y: top, w, h, label, outlines, mask, from: one };
}
