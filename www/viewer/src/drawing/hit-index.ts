/** Finds what lies under a point among thousands of shapes. */
import Flatbush from "flatbush";
import { bottomOf, fromBorder, holds, rightOf, type Point, type Shape } from "./shape.ts";

/** What was hit. */
export interface Hit {
  readonly at: number;
  /** Its border, not only what is inside. */
  readonly border: boolean;
}

/** A tree over the boxes of shapes; made anew when they change, which takes less time than a frame has. */
export class HitIndex {
  private readonly tree: Flatbush | null;

  constructor(private readonly shapes: readonly Shape[]) {
    this.tree = shapes.length > 0 ? new Flatbush(shapes.length) : null;
    for (const shape of shapes) this.tree?.add(shape.x, shape.y, rightOf(shape), bottomOf(shape));
    this.tree?.finish();
  }

  /** The smallest shape of which the border or the inside is there; borders come first. `reach` is how near is there. */
  at([x, y]: Point, reach: number): Hit | null {
    const near = this.tree?.search(x - reach, y - reach, x + reach, y + reach) ?? [];
    let [best, least, border] = [-1, Infinity, false];
    for (const at of near) {
      const shape = this.shapes[at]!;
      const onBorder = fromBorder(shape, [x, y]) <= reach * reach;
      if ((!onBorder && !holds(shape, [x, y])) || (border && !onBorder)) continue;
      const size = shape.w * shape.h;
      if (size < least || (onBorder && !border)) [best, least, border] = [at, size, onBorder];
    }
    return best < 0 ? null : { at: best, border };
  }

  /** The smallest shape around a point, whatever borders are near. */
  inside([x, y]: Point): number | null {
    let [best, least] = [-1, Infinity];
    for (const at of this.tree?.search(x, y, x, y) ?? []) {
      const shape = this.shapes[at]!;
      if (holds(shape, [x, y]) && shape.w * shape.h < least) [best, least] = [at, shape.w * shape.h];
    }
    return best < 0 ? null : best;
  }
}
