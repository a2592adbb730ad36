/** What is drawn, as labels of a file. */
import type { LabelAnnotation, LabelClass } from "../../../lib/src/model/index.ts";
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
    return boxes.map(({ x, y, w, h, label, outlines, mask, from }) => {
      if (from) return this.named(from, label);
      return {
        shape: mask ? "mask" : outlines.length > 0 ? "polygon" : "box",
        box: [x, y, x + w, y + h],
        ...(label !== "" && { class: this.numberOf(label) }),
        ...(outlines.length > 0 && { outlines: outlines.map(pairs) }),
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

const pairs = (outline: readonly number[]): [number, number][] =>
  Array.from({ length: outline.length >> 1 }, (_, k) => [outline[2 * k]!, outline[2 * k + 1]!]);
