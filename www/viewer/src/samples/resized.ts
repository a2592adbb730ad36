/** Annotations of label files, as large as another copy of their picture. */
import type { LabelAnnotation } from "../../../lib/src/model/index.ts";

/** The same on a picture that is this many times as wide and as tall; a mask has its own size. */
export function resized(one: LabelAnnotation, x: number, y: number): LabelAnnotation {
  const box = ([left, top, right, bottom]: LabelAnnotation["box"]): LabelAnnotation["box"] => [
    left * x,
    top * y,
    right * x,
    bottom * y,
  ];
  return {
    ...one,
    box: box(one.box),
    ...(one.unturned && { unturned: box(one.unturned) }),
    ...(one.outlines && { outlines: one.outlines.map((part) => part.map(([px, py]) => [px * x, py * y])) }),
    ...(one.keypoints && { keypoints: one.keypoints.map((point) => ({ ...point, x: point.x * x, y: point.y * y })) }),
  };
}
