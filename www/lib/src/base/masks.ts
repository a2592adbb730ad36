/** Masks as COCO leaves them, run lengths down the columns, as numbers or packed into a text; and boxes that were turned. */
import type { Json } from "../model/index.js";

/** Which pixels belong to an object: runs down the columns, outside and inside in turn, outside first. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly runs: readonly number[];
}

/** More pixels than this are not a mask of a picture that anybody looks at. */
const MOST_PIXELS = 64_000_000;
/** More runs than this would stall the page. */
const MOST_RUNS = 4_000_000;

/** The mask in a COCO `segmentation` of the form `{ size: [height, width], counts }`; `null` for anything else. */
export function maskOf(value: Json | undefined): Mask | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { size, counts } = value;
  if (!Array.isArray(size) || size.length !== 2) return null;
  const [height, width] = size;
  if (!isWhole(height) || !isWhole(width) || height === 0 || width === 0 || height * width > MOST_PIXELS) return null;
  const runs = typeof counts === "string" ? unpack(counts) : Array.isArray(counts) ? counts : null;
  if (!runs || runs.length > MOST_RUNS || !runs.every(isWhole)) return null;
  return runs.reduce((a, b) => a + b, 0) === width * height ? { width, height, runs } : null;
}
const isWhole = (v: unknown): v is number => typeof v === "number" && Number.isSafeInteger(v) && v >= 0;

/** Six bits a character, five of them value, the lowest first; from the third number on the difference to the one before the last. */
function unpack(text: string): number[] | null {
  const runs: number[] = [];
  for (let at = 0; at < text.length; ) {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const c = text.charCodeAt(at++) - 48;
      if (!(c >= 0 && c < 64) || shift > 30) return null;
      value |= (c & 31) << shift;
      if (c & 32) continue;
      if (c & 16 && shift + 5 < 32) value |= -1 << (shift + 5);
      break;
    }
    runs.push(runs.length > 2 ? value + runs[runs.length - 2]! : value);
    if (runs.length > MOST_RUNS) return null;
  }
  return runs;
}

/** The runs as COCO's text, which {@link maskOf} reads. */
export function packed({ runs }: Mask): string {
  let text = "";
  runs.forEach((run, k) => {
    let value = k > 2 ? run - runs[k - 2]! : run;
    for (let more = true; more; ) {
      const bits = value & 31;
      value >>= 5;
      more = bits & 16 ? value !== -1 : value !== 0;
      text += String.fromCharCode(48 + bits + (more ? 32 : 0));
    }
  });
  return text;
}

/** Whether a pixel belongs to the object. */
export function isOn({ width, height, runs }: Mask, x: number, y: number): boolean {
  const at = Math.floor(x) * height + Math.floor(y);
  let [end, k] = [0, 0];
  if (!(x >= 0 && y >= 0 && x < width && y < height)) return false;
  while (k < runs.length && (end += runs[k]!) <= at) k++;
  return k % 2 === 1;
}

/** Calls `inside` for every run that belongs to the object: column, first row, end. */
export function walkMask({ height, runs }: Mask, inside: (x: number, from: number, to: number) => void): void {
  let at = 0;
  runs.forEach((run, k) => {
    const end = at + run;
    if (k % 2 === 1) {
      for (let from = at; from < end; ) {
        const x = Math.floor(from / height);
        const to = Math.min(end, (x + 1) * height);
        inside(x, from - x * height, to - x * height);
        from = to;
      }
    }
    at = end;
  });
}

/** The smallest box around a mask; `null` where it is empty. */
export function extent(mask: Mask): [number, number, number, number] | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  walkMask(mask, (x, from, to) => {
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, from);
    bottom = Math.max(bottom, to);
  });
  return right < 0 ? null : [left, top, right - left, bottom - top];
}

/** The corners of a box that was turned about its center, clockwise as it is seen: x, y, x, y... */
export function turned(
  [left, top, right, bottom]: readonly [number, number, number, number],
  degrees: number,
): number[] {
  const [cx, cy] = [(left + right) / 2, (top + bottom) / 2];
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ].flatMap(([x, y]) => [cx + (x! - cx) * cos - (y! - cy) * sin, cy + (x! - cx) * sin + (y! - cy) * cos]);
}
