/** Boxes and outlines of lines of YOLO. */
import { columns, parts, within } from "../../../lib/src/base/yolo-lines.ts";

/** A line: a box (left, top, width, height) or an outline, in pixels. */
export interface YoloLine {
  readonly label: string;
  readonly rect: readonly number[] | null;
  readonly outlines: readonly (readonly number[])[];
  /** Whether a number is left over. */
  readonly more: boolean;
}

/** Every line of such a text, in pixels of a picture of this size; `null` for one whose numbers are none. */
export function* yoloLines(text: string, width: number, height: number): Generator<YoloLine | null> {
  for (const line of columns(text)) {
    const label = String(Number(line[0]!));
    if (!within(line)) yield null;
    else if (line.length <= 6) {
      const [cx, cy, w, h] = parts(line) as [number, number, number, number];
      const rect = [(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height];
      yield { label, rect, outlines: [], more: line.length === 6 };
    } else {
      const outline = parts(line).map((v, k) => v * (k % 2 === 0 ? width : height));
      yield { label, rect: null, outlines: [outline], more: false };
    }
  }
}
