/** Draws what is in hand: over the picture and all that stands still on it. */
import { DARK_INK, colorOf } from "../samples/colors.ts";
import { paintNames, spotOf, type Name, type Placed } from "../samples/box-names.ts";
import { dots, outlinePath, type StageBoxes } from "../samples/stage-boxes.ts";
import { handlesOf, type Point, type Shape } from "./shape.ts";
import type { Sketch } from "./sketch.ts";

/** Pixels of a handle. */
const HANDLE = 8;

/** More of what is selected is not named: names would hide what is moved. */
const NAMED = 20;

/** Draws on a canvas that is as large as the stage; `drawing` knows where the name of what stands still is, and masks. */
export function paintHand(canvas: HTMLCanvasElement, sketch: Sketch, placed: Placed, drawing: StageBoxes): void {
  const g = fitted(canvas);
  if (!g || !sketch.shapes) return;
  const { x: left, y: top, scale } = placed;
  const on = ([x, y]: Point): Point => [left + x * scale, top + y * scale];
  const put = (v: number, k: number): number => (k % 2 ? top : left) + v * scale;
  const outlined = (shape: Shape, width: number, filled = false): void => {
    const color = colorOf(shape.label);
    const [x, y] = on([shape.x, shape.y]);
    if (filled && shape.mask) {
      const { width: wide, height } = placed;
      g.drawImage(drawing.maskOf(shape.mask, shape.label, color), left, top, wide * scale, height * scale);
    }
    const path = (): void => {
      outlinePath(g, shape.outlines, put);
      if (shape.outlines.length === 0) g.rect(x, y, shape.w * scale, shape.h * scale);
    };
    if (filled && !shape.mask) {
      g.beginPath();
      path();
      g.globalAlpha = 0.22;
      g.fillStyle = color;
      g.fill("evenodd");
      g.globalAlpha = 1;
    }
    twice(g, color, width, path);
    if (shape.keypoints) dots(g, shape.keypoints, color, put);
  };
  const hovered = sketch.over.hit?.at;
  if (hovered !== undefined && !sketch.selected.has(hovered) && sketch.shapes[hovered]) {
    const shape = sketch.shapes[hovered]!;
    outlined(shape, 4);
    named(g, shape, placed, drawing.nameOf(shape));
  }
  for (const at of sketch.selected) {
    const shape = sketch.shape(at);
    if (!shape) continue;
    outlined(shape, 2.5, true);
    if (sketch.selected.size <= NAMED) named(g, shape, placed, drawing.nameOf(shape));
    if (sketch.selected.size === 1 && !sketch.paints) handles(g, shape, on, sketch.handle);
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
  dots(g, sketch.keypoints, color, put);
  if (sketch.paints && sketch.cursor) {
    const [[x, y], wide] = [on(sketch.cursor), Math.max(1, sketch.brush * scale)];
    const { stroke } = sketch;
    if (stroke.length > 0) {
      g.beginPath();
      // A stroke of one point is a dab.
      g.moveTo(put(stroke[0]!, 0) - 0.01, put(stroke[1]!, 1));
      for (let k = 0; k < stroke.length; k += 2) g.lineTo(put(stroke[k]!, 0), put(stroke[k + 1]!, 1));
      g.lineCap = g.lineJoin = "round";
      [g.lineWidth, g.globalAlpha, g.strokeStyle] = [wide, 0.5, sketch.tool === "eraser" ? "#ffffff" : color];
      g.stroke();
      g.globalAlpha = 1;
    }
    twice(g, color, 1.5, () => g.ellipse(x, y, wide / 2, wide / 2, 0, 0, 2 * Math.PI));
  } else if (sketch.tool !== "box" && sketch.cursor) {
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
