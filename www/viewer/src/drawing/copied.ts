/** Shapes of one picture beside those of another. */
import { boxAt, moved, polygonOf, type Shape } from "./shape.ts";

/** Equal shapes have equal places. */
export const placeOf = ({ label, x, y, w, h, outlines }: Shape): string =>
  [label, x, y, w, h, ...outlines.flat()].join();

/** A shape of another picture as far as it lies in this one; what is left of it may be nothing. */
export function within(shape: Shape, { width, height }: { readonly width: number; readonly height: number }): Shape[] {
  const [left, top] = [Math.max(0, shape.x), Math.max(0, shape.y)];
  const [right, bottom] = [Math.min(width, shape.x + shape.w), Math.min(height, shape.y + shape.h)];
  if (right <= left || bottom <= top) return [];
  if (shape.kind === "box") return [boxAt({ left, top, right, bottom }, shape.label)];
  if (shape.kind !== "polygon") return shape.kind === "mask" ? [] : [moved(shape, 0, 0)];
  const clamp = (v: number, k: number): number => Math.min(k % 2 ? height : width, Math.max(0, v));
  return [
    polygonOf(
      shape.outlines.map((outline) => outline.map(clamp)),
      shape.label,
    ),
  ];
}
