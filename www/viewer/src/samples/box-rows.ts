/** The boxes of a dataset as rows of numbers, so that a million of them takes tens of megabytes. */
import type { Box } from "../../../lib/src/base/boxes.ts";

/** Boxes that are listed; of more the rest is only counted. */
const MOST = 4_000_000;
/** Numbers of a row: the sample, which of its boxes it is, its class, its place and size, and its score. */
const STRIDE = 8;

/** A list that grows, and whose rows keep their numbers. */
export class BoxRows {
  /** How many there are, with those that were removed. */
  length = 0;
  private numbers = new Float64Array(STRIDE * 1024);
  private readonly labels: string[] = [];
  private readonly known = new Map<string, number>();

  add(sample: number, boxes: readonly Box[]): void {
    for (const [nth, { x, y, w, h, label, score, from }] of boxes.entries()) {
      if (this.length === MOST) return;
      if ((this.length + 1) * STRIDE > this.numbers.length) {
        const larger = new Float64Array(2 * this.numbers.length);
        larger.set(this.numbers);
        this.numbers = larger;
      }
      let number = this.known.get(label);
      if (number === undefined) this.known.set(label, (number = this.labels.push(label) - 1));
      this.numbers.set([sample, nth, number, x, y, w, h, score ?? from?.score ?? Number.NaN], STRIDE * this.length++);
    }
  }
  /** Removes those of a sample, whose boxes were changed. */
  remove(sample: number): void {
    for (let row = 0; row < this.length; row++) if (this.sample(row) === sample) this.numbers[STRIDE * row] = -1;
  }
  /** The number of its sample; -1 once it is removed. */
  sample(row: number): number {
    return this.numbers[STRIDE * row] ?? -1;
  }
  /** Which of the boxes of its image it is. */
  nth(row: number): number {
    return this.numbers[STRIDE * row + 1]!;
  }
  label(row: number): string {
    return this.labels[this.numbers[STRIDE * row + 2]!]!;
  }
  /** Left, top, width and height in pixels. */
  place(row: number): readonly [x: number, y: number, w: number, h: number] {
    const [x, y, w, h] = this.numbers.subarray(STRIDE * row + 3, STRIDE * row + 7);
    return [x!, y!, w!, h!];
  }
  /** How sure its maker is; `null` where nobody says. */
  score(row: number): number | null {
    const score = this.numbers[STRIDE * row + 7]!;
    return Number.isNaN(score) ? null : score;
  }
  /** The rows of the samples that a mask keeps, in the order of the samples. */
  of(mask: Uint8Array | null): Uint32Array {
    const rows = new Uint32Array(this.length);
    let [many, last, ordered] = [0, -1, true];
    for (let row = 0; row < this.length; row++) {
      const sample = this.sample(row);
      if (sample < 0 || (mask && !mask[sample])) continue;
      ordered &&= last <= sample;
      last = sample;
      rows[many++] = row;
    }
    const kept = rows.subarray(0, many);
    return ordered ? kept : kept.sort((a, b) => this.sample(a) - this.sample(b) || a - b);
  }
}
