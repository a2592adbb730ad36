/** Annotations of label files, as records of samples have them. */
import type { EditBox, Json, LabelAnnotation } from "../../../lib/src/model/index.ts";

/** An annotation with its class, as `forebay convert --labels` writes it into a record. */
export function recorded(one: LabelAnnotation, label: string): EditBox {
  const [xmin, ymin, xmax, ymax] = one.box;
  const { unturned, mask, keypoints, score, source, id, track, attributes } = one;
  return {
    ...(label !== "" && { class: label }),
    ...{ xmin, ymin, xmax, ymax },
    ...(one.shape === "points" && { shape: "points" }),
    ...(unturned && { rotation: one.degrees ?? 0, unturned: [...unturned] }),
    ...(one.outlines && { segmentation: one.outlines.map((points) => points.flat()) }),
    ...(mask && { segmentation: { size: [mask.height, mask.width], counts: [...mask.counts] } }),
    ...(keypoints?.length && { keypoints: keypoints.flatMap(({ x, y, visibility }) => [x, y, visibility]) }),
    ...(score !== undefined && { score }),
    ...(source && { source }),
    ...Object.fromEntries(FLAGS.filter((flag) => one[flag]).map((flag) => [flag, true])),
    ...(id !== undefined && { id: plain(id) }),
    // A record has no room for a number that it would not tell exactly.
    ...(track !== undefined && Number.isSafeInteger(Number(track)) && { track: Number(track) }),
    ...(attributes?.length && { attributes: Object.fromEntries(attributes) as Json }),
  };
}

const FLAGS = ["crowd", "difficult", "truncated", "occluded", "outside"] as const;

const plain = (id: number | bigint | string): number | string =>
  typeof id !== "bigint" ? id : Number.isSafeInteger(Number(id)) ? Number(id) : String(id);
