/** What is drawn, as labels of a file. */
import type { LabelAnnotation, LabelClass, LabelKeypoint } from "../../../lib/src/model/index.ts";
import type { Box } from "../../../lib/src/base/boxes.ts";

/** What is drawn, as labels: for what the package does not take for labels, and for labels that lie over a dataset. */
export class DrawnLabels {
  readonly classes: LabelClass[];
  private readonly numbers: Map<string, number>;

  constructor(classes: readonly LabelClass[] = []) {
    this.classes = [...classes];
    this.numbers = new Map(classes.map(({ name }, k) => [name, k]));
  }
  /** The boxes as annotations. */
  of(boxes: readonly Box[]): LabelAnnotation[] {
    return boxes.map(({ x, y, w, h, label, outlines, mask, keypoints, from }) => {
      if (from) return this.named(from, label);
      return {
        shape: mask ? "mask" : outlines.length > 0 ? "polygon" : "box",
        box: [x, y, x + w, y + h],
        ...(label !== "" && { class: this.numberOf(label) }),
        ...(outlines.length > 0 && { outlines: outlines.map(pairs) }),
        ...(keypoints && { keypoints: triples(keypoints) }),
        ...(mask && { mask: { width: mask.width, height: mask.height, counts: [...mask.runs] } }),
      };
    });
  }
  /** An annotation of other labels, with what its class is called there. */
  named({ class: _, ...one }: LabelAnnotation, label: string): LabelAnnotation {
    return { ...one, ...(label !== "" && { class: this.numberOf(label) }) };
  }
  private numberOf(label: string): number {
    let number = this.numbers.get(label);
    if (number === undefined) {
      number = this.classes.push({ name: label }) - 1;
      this.numbers.set(label, number);
    }
    return number;
  }
}

const triples = (all: readonly number[]): LabelKeypoint[] =>
  Array.from({ length: all.length / 3 }, (_, k) => {
    const [x, y, visibility] = all.slice(3 * k, 3 * k + 3) as [number, number, 0 | 1 | 2];
    return { x, y, visibility };
  });
const pairs = (outline: readonly number[]): [number, number][] =>
  Array.from({ length: outline.length >> 1 }, (_, k) => [outline[2 * k]!, outline[2 * k + 1]!]);
