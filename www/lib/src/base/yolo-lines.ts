/** Lines of YOLO: a class, and shares of the picture. */

/** How far outside of the picture a part of it may lie, in pictures: beyond, its numbers mean something else. */
const BEYOND = 1;

/** The words of each line that has any. */
const columns = (text: string): string[][] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => line.split(/\s+/));
/** Words that are numbers, or what tools write where a number went wrong. */
const numeric = (word: string): boolean => !Number.isNaN(Number(word)) || /^[+-]?(nan|inf)$/i.test(word);
const like = (line: string[]): boolean =>
  /^\d+$/.test(line[0]!) &&
  (line.length === 5 || line.length === 6 || (line.length >= 7 && line.length % 2 === 1)) &&
  line.every(numeric);
/** The numbers of a line behind its class. */
const parts = (line: string[]): number[] => line.slice(1).map(Number);
/** Whether the numbers of a line can be shares of a picture. */
const within = (line: string[]): boolean => parts(line).every((v) => v >= -BEYOND && v <= 1 + BEYOND);

/** Whether all lines are such, at least one of them good: a text that has any other line is a caption. */
export function isYolo(text: string): boolean {
  const lines = columns(text);
  return lines.length > 0 && lines.every(like) && lines.some(within);
}

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
