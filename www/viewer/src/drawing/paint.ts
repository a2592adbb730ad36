/** Draws what is in hand: over the picture and all that stands still on it. */
import { DARK_INK, colorOf } from "../samples/colors.ts";
import { paintNames, spotOf, type Name, type Placed } from "../samples/box-names.ts";
import { handlesOf, isResizable, type Point, type Shape } from "./shape.ts";
import type { Sketch } from "./sketch.ts";

/** Pixels of a handle. */
const HANDLE = 8;

/** More of what is selected is not named: names would hide what is moved. */
const NAMED = 20;

/** Draws on a canvas that is as large as the stage; `nameOf` says where the name of what stands still is. */
export function paintHand(
  canvas: HTMLCanvasElement,
  sketch: Sketch,
  placed: Placed,
  nameOf: (shape: Shape) => Name | undefined,
): void {
  const g = fitted(canvas);
  if (!g || !sketch.shapes) return;
  const { x: left, y: top, scale } = placed;
  const on = ([x, y]: Point): Point => [left + x * scale, top + y * scale];
  const hovered = sketch.over.hit?.at;
  if (hovered !== undefined && !sketch.selected.has(hovered) && sketch.shapes[hovered]) {
    const shape = sketch.shapes[hovered]!;
    outlined(g, shape, on, scale, 4);
    named(g, shape, placed, nameOf(shape));
  }
  for (const at of sketch.selected) {
    const shape = sketch.shape(at);
    if (!shape) continue;
    outlined(g, shape, on, scale, 2.5, true);
    if (sketch.selected.size <= NAMED) named(g, shape, placed, nameOf(shape));
    if (sketch.selected.size === 1 && isResizable(shape)) handles(g, shape, on, sketch.handle);
  }
  const color = colorOf(sketch.label);
  if (sketch.box) {
    const { left: x0, top: y0, right, bottom } = sketch.box;
    const [[ax, ay], [bx, by]] = [on([x0, y0]), on([right, bottom])];
    twice(g, color, 2, () => g.rect(ax, ay, bx - ax, by - ay));
  }
  if (sketch.outline.length > 0) {
    const points = pairs(sketch.outline).map(on);
    const end = sketch.cursor && on(sketch.cursor);
    twice(g, color, 2, () => [...points, ...(end ? [end] : [])].forEach(([x, y]) => void g.lineTo(x, y)));
    points.forEach((point, k) => void handle(g, point, color, k === 0));
  }
  if (sketch.tool === "polygon" && sketch.cursor) {
    const [x, y] = on(sketch.cursor);
    twice(g, color, 1.5, () => {
      for (const [dx, dy] of [
        [1, 0],
        [0, 1],
      ] as const) {
        g.moveTo(x - 12 * dx, y - 12 * dy);
        g.lineTo(x + 12 * dx, y + 12 * dy);
      }
    });
  }
}

/** The canvas in the stage's size, empty. */
function fitted(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const sharp = devicePixelRatio;
  const [wide, tall] = [canvas.clientWidth, canvas.clientHeight];
  const [width, height] = [Math.round(wide * sharp), Math.round(tall * sharp)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const g = canvas.getContext("2d");
  g?.setTransform(sharp, 0, 0, sharp, 0, 0);
  g?.clearRect(0, 0, wide, tall);
  return g;
}

const pairs = (outline: readonly number[]): Point[] =>
  Array.from({ length: outline.length / 2 }, (_, k): Point => [outline[2 * k]!, outline[2 * k + 1]!]);

function outlined(
  g: CanvasRenderingContext2D,
  shape: Shape,
  on: (point: Point) => Point,
  scale: number,
  width: number,
  filled = false,
): void {
  const color = colorOf(shape.label);
  const path = (): void => {
    for (const outline of shape.outlines) {
      pairs(outline)
        .map(on)
        .forEach(([x, y], k) => void (k === 0 ? g.moveTo(x, y) : g.lineTo(x, y)));
      g.closePath();
    }
    const [x, y] = on([shape.x, shape.y]);
    if (shape.outlines.length === 0) g.rect(x, y, shape.w * scale, shape.h * scale);
  };
  if (filled) {
    g.beginPath();
    path();
    g.globalAlpha = 0.22;
    g.fillStyle = color;
    g.fill();
    g.globalAlpha = 1;
  }
  twice(g, color, width, path);
}

/** What is in hand says what it is, also where the picture is too full for names. */
function named(g: CanvasRenderingContext2D, shape: Shape, placed: Placed, at?: Name): void {
  if (shape.label) paintNames(g, [at ?? spotOf(g, shape, placed)]);
}

/** A line with a dark edge: it is seen on any picture. */
function twice(g: CanvasRenderingContext2D, color: string, width: number, path: () => void): void {
  g.beginPath();
  path();
  g.lineJoin = "round";
  g.strokeStyle = DARK_INK;
  g.lineWidth = width + 2;
  g.stroke();
  g.strokeStyle = color;
  g.lineWidth = width;
  g.stroke();
}

function handles(g: CanvasRenderingContext2D, shape: Shape, on: (p: Point) => Point, held: number | null): void {
  handlesOf(shape).forEach((point, k) => void handle(g, on(point), colorOf(shape.label), k === held));
}
function handle(g: CanvasRenderingContext2D, [x, y]: Point, color: string, held: boolean): void {
  const side = held ? HANDLE + 5 : HANDLE;
  g.fillStyle = held ? color : "#ffffff";
  g.strokeStyle = DARK_INK;
  g.lineWidth = 1.5;
  g.beginPath();
  g.rect(x - side / 2, y - side / 2, side, side);
  g.fill();
  g.stroke();
}
