/** What people draw on a picture. A shape never changes: another one takes its place, so that what was undone is still there. */
import type { EditBox, Json } from "../../../lib/src/model/index.ts";
import { keypointsIn, type Annotations, type Box } from "../../../lib/src/base/boxes.ts";
import { recorded } from "../samples/recorded.ts";
import { extent, isOn, maskOf, packed, turned, type Mask } from "../../../lib/src/base/masks.ts";

export type Point = readonly [x: number, y: number];
type Fields = { [key: string]: Json | undefined };

/** What can be done with it: a turned box is moved, a mask is painted, and what has lines is only deleted and named. */
export type Kind = "box" | "polygon" | "turned" | "mask" | "points";

/** A box or an outline that can be changed. */
export interface Shape extends Box {
  readonly kind: Kind;
  /** What else its annotation says, which stays as it is. */
  readonly more: Fields;
  /** Its annotation, while nobody has changed it. */
  readonly raw: EditBox | null;
}

/** The corners of a box, in any order. */
export interface Corners {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A hundredth of a pixel is what a hand can mean. */
const fine = (v: number): number => Math.round(v * 100) / 100;
/** Sums have digits that nobody wrote. */
const plain = (v: number): number => Math.round(v * 1e6) / 1e6;
const isNumber = (v: unknown): v is number => typeof v === "number" && Number.isFinite(v);
const isFields = (v: unknown): v is Fields => typeof v === "object" && v !== null && !Array.isArray(v);
const isPairs = (v: unknown): boolean => Array.isArray(v) && v.length > 0 && v.length % 2 === 0 && v.every(isNumber);
const isOutline = (v: unknown): v is number[] =>
  Array.isArray(v) && v.length >= 6 && v.length % 2 === 0 && v.every(isNumber);

export const rightOf = (shape: Box): number => shape.x + shape.w;
export const bottomOf = (shape: Box): number => shape.y + shape.h;

/** A new box of a class. */
export function boxAt({ left, top, right, bottom }: Corners, label: string): Shape {
  const [x, y] = [fine(Math.min(left, right)), fine(Math.min(top, bottom))];
  const [w, h] = [fine(Math.max(left, right)) - x, fine(Math.max(top, bottom)) - y];
  return { kind: "box", x, y, w, h, label, outlines: [], mask: null, more: {}, raw: null };
}

/** What a shape keeps that is drawn otherwise: its key points, and what else its annotation says. */
type Rest = Pick<Shape, "more" | "keypoints">;
const restOf = ({ more, keypoints }: Rest): Rest => ({ more, ...(keypoints && { keypoints }) });

/** A new outline of a class; an outline in it is a hole. */
export function polygonOf(outlines: readonly (readonly number[])[], label: string, rest: Rest = { more: {} }): Shape {
  const fined = outlines.map((outline) => outline.map(fine));
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const outline of fined) {
    for (let k = 0; k < outline.length; k += 2) {
      [left, right] = [Math.min(left, outline[k]!), Math.max(right, outline[k]!)];
      [top, bottom] = [Math.min(top, outline[k + 1]!), Math.max(bottom, outline[k + 1]!)];
    }
  }
  const size = { x: left, y: top, w: right - left, h: bottom - top };
  return { kind: "polygon", ...size, label, outlines: fined, mask: null, ...restOf(rest), raw: null };
}
/** A mask of a class; nothing where it has no pixel. */
export function maskShape(mask: Mask, label: string, rest: Rest = { more: {} }): Shape | null {
  const [x, y, w, h] = extent(mask) ?? [0, 0, 0, 0];
  const { segmentation: _, ...more } = rest.more;
  const place = { x, y, w, h, label, outlines: [], mask };
  return w > 0 ? { kind: "mask", ...place, ...restOf({ ...rest, more }), raw: null } : null;
}
/** Key points of a class and the box around them; nothing where none is marked. */
export function pointsOf(
  keypoints: readonly number[],
  label: string,
  more: Fields = { shape: "points" },
): Shape | null {
  const fined = keypoints.map(fine);
  const marked = markedOf(fined);
  if (marked.length === 0) return null;
  const around = polygonOf([marked.flatMap((k) => fined.slice(3 * k, 3 * k + 2))], label, { more, keypoints: fined });
  return { ...around, kind: "points", outlines: [] };
}
/** Which key points are marked. */
export const markedOf = (keypoints: readonly number[] = []): number[] =>
  Array.from({ length: keypoints.length / 3 }, (_, k) => k).filter((k) => keypoints[3 * k + 2] !== 0);

/** What a picture has, so that it can be changed; `lost` are annotations that are none, and that go when it is. */
export interface Found {
  readonly shapes: readonly Shape[];
  readonly lost: number;
}

/** The shapes of a record: as they are written where its annotations say what they are, else as they are drawn. */
export function shapesIn(record: Json | undefined, drawn: Annotations): Found {
  const root = record as Fields | null | undefined;
  const marked = [isFields(root) ? root.json : undefined, root].find((at) => isFields(at) && at.annotations_format);
  if (isFields(marked)) return shapesOf(Array.isArray(marked.annotations) ? marked.annotations : []);
  return { shapes: drawn.boxes.map(fromBox), lost: drawn.broken };
}

/** Annotations as the journal has them. */
export function shapesOf(annotations: readonly unknown[]): Found {
  const shapes = annotations.map(fromAnnotation).filter((shape): shape is Shape => shape !== null);
  return { shapes, lost: annotations.length - shapes.length };
}

function fromBox({ x, y, w, h, label, outlines, mask, keypoints, from }: Box): Shape {
  // Of a label file all that it says is kept, whether or not anybody can draw it.
  const said = from && fromAnnotation(recorded(from, label));
  if (said) return said;
  const kind = mask ? "mask" : outlines.length > 0 ? "polygon" : "box";
  return { kind, x, y, w, h, label, outlines, mask, ...(keypoints && { keypoints }), more: {}, raw: null };
}

function fromAnnotation(one: unknown): Shape | null {
  if (!isFields(one)) return null;
  const { class: name, xmin, ymin, xmax, ymax, segmentation, ...more } = one;
  const keypoints = keypointsIn(more.keypoints);
  if (keypoints) delete more.keypoints;
  if (![xmin, ymin, xmax, ymax].every(isNumber)) return null;
  const [x, y] = [xmin as number, ymin as number];
  const [w, h] = [(xmax as number) - x, (ymax as number) - y];
  if (w < 0 || h < 0 || (name !== undefined && (typeof name !== "string" || name.trim() === ""))) return null;
  const { score } = more;
  const place = {
    ...{ x, y, w, h, label: name ?? "", raw: one as unknown as EditBox },
    ...(isNumber(score) && { score }),
    ...(keypoints && { keypoints }),
  };
  const mask = maskOf(segmentation as Json);
  if (mask) return { kind: "mask", ...place, outlines: [], mask, more: { segmentation, ...more } };
  if (Array.isArray(segmentation)) {
    const outlined = segmentation.length > 0 && segmentation.every(isOutline);
    if (outlined) return { kind: "polygon", ...place, outlines: segmentation as number[][], mask: null, more };
    // Lines of less than three points enclose nothing that can be pulled: they stay as they are.
    if (!segmentation.every(isPairs)) return null;
    return { kind: "mask", ...place, outlines: [], mask: null, more: { segmentation, ...more } };
  }
  if (segmentation !== undefined) return null;
  const { unturned, rotation } = more;
  if (Array.isArray(unturned) && unturned.length === 4 && unturned.every(isNumber) && isNumber(rotation)) {
    const outlines = [turned(unturned as unknown as [number, number, number, number], rotation)];
    return { kind: "turned", ...place, outlines, mask: null, more };
  }
  const kind = more.shape === "points" && keypoints ? "points" : "box";
  return { kind, ...place, outlines: [], mask: null, more };
}

/** The shape as a line of the journal has it. */
export function annotationOf({ kind, label, x, y, w, h, outlines, mask, keypoints, more, raw }: Shape): EditBox {
  if (raw) return raw;
  const name = label.trim();
  return {
    ...(name !== "" && { class: name }),
    xmin: x,
    ymin: y,
    xmax: Math.max(x, plain(x + w)),
    ymax: Math.max(y, plain(y + h)),
    ...(kind === "polygon" && { segmentation: outlines as Json }),
    ...(mask && !more.segmentation && { segmentation: { size: [mask.height, mask.width], counts: packed(mask) } }),
    ...(keypoints && { keypoints: keypoints as Json }),
    ...more,
  };
}

/** Another class; everything else stays as it was written. */
export const relabeled = (shape: Shape, label: string): Shape => ({
  ...shape,
  label,
  raw: shape.raw && { ...shape.raw, class: label },
});

export const isMovable = ({ kind }: Shape): boolean => kind !== "mask";
export const isResizable = ({ kind }: Shape): boolean => kind === "box" || kind === "polygon";

const shifted = (points: readonly number[], dx: number, dy: number): number[] =>
  points.map((v, k) => fine(v + (k % 2 === 0 ? dx : dy)));

/** The same somewhere else. */
export function moved(shape: Shape, dx: number, dy: number): Shape {
  if (!isMovable(shape)) return shape;
  const { more, outlines } = shape;
  const place = { x: fine(shape.x + dx), y: fine(shape.y + dy), raw: null };
  const rest: Fields = { ...more };
  if (Array.isArray(more.unturned)) rest.unturned = shifted(more.unturned as number[], dx, dy);
  const step = [dx, dy, 0];
  // Three zeros are a point that nobody has seen.
  const keypoints = shape.keypoints?.map((v, k, all) => (all[k - (k % 3) + 2] === 0 ? v : fine(v + step[k % 3]!)));
  const lines = outlines.map((outline) => shifted(outline, dx, dy));
  return { ...shape, ...place, ...(keypoints && { keypoints }), outlines: lines, more: rest };
}

/** The same with other corners; outlines are stretched. */
export function stretched(shape: Shape, to: Corners): Shape {
  if (!isResizable(shape)) return shape;
  const box = { ...boxAt(to, shape.label), ...restOf(shape) };
  if (shape.kind === "box") return box;
  const [sx, sy] = [shape.w > 0 ? box.w / shape.w : 1, shape.h > 0 ? box.h / shape.h : 1];
  const put = (v: number, k: number): number => (k % 2 ? box.y + (v - shape.y) * sy : box.x + (v - shape.x) * sx);
  return polygonOf(
    shape.outlines.map((outline) => outline.map(put)),
    shape.label,
    shape,
  );
}

/** Whether it encloses anything: none of its outlines is a line. Key points need not. */
export const hasArea = ({ kind, w, h, outlines }: Shape): boolean =>
  kind === "points" || (w > 0 && h > 0 && !outlines.some(isLine));

/** Whether all points lie on one line. */
function isLine(outline: readonly number[]): boolean {
  const [x = 0, y = 0] = outline;
  let [dx, dy] = [0, 0];
  for (let k = 2; k < outline.length; k += 2) {
    const [ex, ey] = [outline[k]! - x, outline[k + 1]! - y];
    if (dx === 0 && dy === 0) [dx, dy] = [ex, ey];
    // Points are kept to a hundredth, so what is less is nothing.
    else if (Math.abs(dx * ey - dy * ex) > 0.01 * Math.hypot(dx, dy)) return false;
  }
  return true;
}

/** Points by which a shape is taken: corners and sides of a box, points of an outline, and then its key points. */
export function handlesOf(shape: Shape): Point[] {
  const { keypoints = [] } = shape;
  return [...ownHandles(shape), ...markedOf(keypoints).map((k): Point => [keypoints[3 * k]!, keypoints[3 * k + 1]!])];
}
function ownHandles(shape: Shape): Point[] {
  if (shape.kind === "polygon")
    return shape.outlines.flatMap((o) =>
      Array.from({ length: o.length / 2 }, (_, k): Point => [o[2 * k]!, o[2 * k + 1]!]),
    );
  if (shape.kind !== "box") return [];
  const { x, y, w, h } = shape;
  return SIDES.map(([right, down]) => [x + (w * right) / 2, y + (h * down) / 2]);
}
/** Handles of a box, around it from its first corner: how many halves they lie to the right and down. */
const SIDES: readonly Point[] = [
  [0, 0],
  [1, 0],
  [2, 0],
  [2, 1],
  [2, 2],
  [1, 2],
  [0, 2],
  [0, 1],
];

/** Which of its key points a handle is. */
export function keypointAt(shape: Shape, handle: number): number | null {
  return markedOf(shape.keypoints)[handle - ownHandles(shape).length] ?? null;
}
/** The same with a key point somewhere else, hidden, seen or not marked; as it was where no other is marked. */
export function withKeypoint(shape: Shape, k: number, to: readonly [x: number, y: number, seen: number]): Shape {
  const keypoints = shape.keypoints!.toSpliced(3 * k, 3, ...to.map(fine));
  if (shape.kind === "points") return pointsOf(keypoints, shape.label, shape.more) ?? shape;
  return { ...shape, keypoints, raw: null };
}

/** One of its handles somewhere else. */
export function pulled(shape: Shape, handle: number, [px, py]: Point): Shape {
  const at = keypointAt(shape, handle);
  if (at !== null) return withKeypoint(shape, at, [px, py, shape.keypoints![3 * at + 2]!]);
  if (shape.kind === "polygon") {
    let first = 0;
    const outlines = shape.outlines.map((outline) => {
      const at = 2 * (handle - first);
      first += outline.length / 2;
      return at < 0 || at >= outline.length ? outline : outline.map((v, k) => (k === at ? px : k === at + 1 ? py : v));
    });
    return polygonOf(outlines, shape.label, shape);
  }
  const [right, down] = SIDES[handle] ?? [1, 1];
  return stretched(shape, {
    left: right === 0 ? px : shape.x,
    right: right === 2 ? px : rightOf(shape),
    top: down === 0 ? py : shape.y,
    bottom: down === 2 ? py : bottomOf(shape),
  });
}

/** An outline with one point more, behind this one. */
export function withPoint(shape: Shape, handle: number, point: Point): Shape {
  return respaced(shape, handle, (outline, at) => outline.toSpliced(at + 2, 0, ...point));
}
/** The same with one point less: a hole of three points goes, and the last outline stays. A key point is not marked then. */
export function withoutPoint(shape: Shape, handle: number): Shape {
  const k = keypointAt(shape, handle);
  if (k !== null) return withKeypoint(shape, k, [0, 0, 0]);
  const last = shape.outlines.length === 1;
  return respaced(shape, handle, (outline, at) =>
    outline.length > 6 ? outline.toSpliced(at, 2) : last ? [...outline] : [],
  );
}
function respaced(shape: Shape, handle: number, change: (outline: number[], at: number) => number[]): Shape {
  let first = 0;
  const outlines = shape.outlines.map((outline) => {
    const at = 2 * (handle - first);
    first += outline.length / 2;
    return at >= 0 && at < outline.length ? change([...outline], at) : outline;
  });
  const whole = outlines.filter((outline) => outline.length > 0);
  return polygonOf(whole, shape.label, shape);
}

/** Whether a point is in it, and not in a hole. */
export function holds({ outlines, mask, ...shape }: Shape, [x, y]: Point): boolean {
  if (x < shape.x || y < shape.y || x > shape.x + shape.w || y > shape.y + shape.h) return false;
  if (mask) return isOn(mask, x, y);
  return outlines.length === 0 || outlines.filter((outline) => isInside(outline, x, y)).length % 2 === 1;
}
function isInside(outline: readonly number[], x: number, y: number): boolean {
  let inside = false;
  for (let k = 0, before = outline.length - 2; k < outline.length; before = k, k += 2) {
    const [ax, ay, bx, by] = [outline[k]!, outline[k + 1]!, outline[before]!, outline[before + 1]!];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** How far a point is from its border, squared. */
export function fromBorder(shape: Shape, [x, y]: Point): number {
  const { x: left, y: top } = shape;
  const [right, bottom] = [rightOf(shape), bottomOf(shape)];
  if (shape.kind === "points") return Math.min(...handlesOf(shape).map(([px, py]) => (px - x) ** 2 + (py - y) ** 2));
  const outlines = shape.outlines.length > 0 ? shape.outlines : [[left, top, right, top, right, bottom, left, bottom]];
  let least = Infinity;
  for (const outline of outlines) {
    for (let k = 0, before = outline.length - 2; k < outline.length; before = k, k += 2)
      least = Math.min(least, toLine(x, y, outline[before]!, outline[before + 1]!, outline[k]!, outline[k + 1]!));
  }
  return least;
}
/** How far a point is from a line between two others, squared. */
export function toLine(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const long = dx * dx + dy * dy;
  const part = long === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / long));
  return (x - ax - part * dx) ** 2 + (y - ay - part * dy) ** 2;
}

/** Equal shapes have equal places. */
export const placeOf = ({ label, x, y, w, h, outlines, mask, keypoints = [] }: Shape): string =>
  [label, x, y, w, h, ...outlines.flat(), mask?.runs.join(" "), ...keypoints].join();

/** A shape of another picture as far as it lies in this one; what is left of it may be nothing. */
export function within(shape: Shape, { width, height }: { readonly width: number; readonly height: number }): Shape[] {
  const [left, top] = [Math.max(0, shape.x), Math.max(0, shape.y)];
  const [right, bottom] = [Math.min(width, shape.x + shape.w), Math.min(height, shape.y + shape.h)];
  if (right <= left || bottom <= top) return [];
  if (shape.kind === "box") return [boxAt({ left, top, right, bottom }, shape.label)];
  if (shape.mask) {
    const same = shape.mask.width === width && shape.mask.height === height ? maskShape(shape.mask, shape.label) : null;
    return same ? [same] : [];
  }
  if (shape.kind !== "polygon") return shape.kind === "mask" ? [] : [moved(shape, 0, 0)];
  const clamp = (v: number, k: number): number => Math.min(k % 2 ? height : width, Math.max(0, v));
  return [
    polygonOf(
      shape.outlines.map((outline) => outline.map(clamp)),
      shape.label,
    ),
  ];
}
