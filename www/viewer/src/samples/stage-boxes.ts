/** Draws what the metadata says is in a picture: over the stage, as large as that, however large the picture is. */
import type { Box } from "../../../lib/src/base/boxes.ts";
import { NAMED, namesOf, paintNames, spotOf, type Name, type Placed } from "./box-names.ts";
import { DARK_INK, colorOf, inkOn, rgbOf } from "./colors.ts";
import { walkMask, type Mask } from "../../../lib/src/base/masks.ts";

const NONE: ReadonlySet<Box> = new Set();
/** The longest edge at which a mask is drawn. */
const EDGE = 2048;

/** Adds outlines to a path; `on` says where an x, or a y if `k` is odd, is on the canvas. */
export function outlinePath(
  g: CanvasRenderingContext2D,
  outlines: readonly (readonly number[])[],
  on: (v: number, k: number) => number,
): void {
  for (const outline of outlines) {
    for (let k = 0; k + 1 < outline.length; k += 2)
      k === 0 ? g.moveTo(on(outline[0]!, 0), on(outline[1]!, 1)) : g.lineTo(on(outline[k]!, 0), on(outline[k + 1]!, 1));
    g.closePath();
  }
}
/** Key points: full where they are seen, empty where they are hidden. */
export function dots(
  g: CanvasRenderingContext2D,
  keypoints: readonly number[],
  color: string,
  on: (v: number, k: number) => number,
): void {
  for (let k = 0; k < keypoints.length; k += 3) {
    const seen = keypoints[k + 2];
    if (seen === 0) continue;
    g.beginPath();
    g.arc(on(keypoints[k]!, 0), on(keypoints[k + 1]!, 1), 4, 0, 2 * Math.PI);
    [g.fillStyle, g.strokeStyle, g.lineWidth] = [color, DARK_INK, 3];
    g.stroke();
    if (seen === 1) [g.strokeStyle, g.lineWidth] = [color, 1.5];
    seen === 1 ? g.stroke() : g.fill();
    [g.strokeStyle, g.lineWidth] = [color, 2];
  }
}

/** All boxes are one canvas, however many: a page with a thousand elements over a picture stalls. */
export class StageBoxes {
  private names: ReadonlyMap<Box, Name> = new Map();
  private readonly masks = new WeakMap<Mask, { readonly color: string; readonly drawn: HTMLCanvasElement }>();

  /** Draws all that is not hidden; what is held in a hand is not drawn here, and the place of its name is left free. */
  draw(
    canvas: HTMLCanvasElement,
    boxes: readonly Box[],
    hidden: ReadonlySet<string>,
    marked: Box | null,
    placed: Placed,
    held: ReadonlySet<Box> = NONE,
  ): void {
    const { x: left, y: top, scale, width, height } = placed;
    const sharp = devicePixelRatio;
    const [wide, tall] = [Math.round(canvas.clientWidth * sharp), Math.round(canvas.clientHeight * sharp)];
    if (canvas.width !== wide || canvas.height !== tall) [canvas.width, canvas.height] = [wide, tall];
    const g = canvas.getContext("2d");
    if (!g) return;
    g.setTransform(sharp, 0, 0, sharp, 0, 0);
    g.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    const [right, bottom] = [left + width * scale, top + height * scale];
    const colors = new Map<string, string>();
    const seen: Box[] = [];
    // A line between two of the other light is seen on any picture; of thousands that would take too long.
    const edged = boxes.length <= NAMED;
    for (const box of boxes) {
      if (hidden.has(box.label)) continue;
      let color = colors.get(box.label);
      if (!color) colors.set(box.label, (color = colorOf(box.label)));
      g.lineWidth = box === marked ? 5 : 2;
      const [x, y, w, h] = [left + box.x * scale, top + box.y * scale, box.w * scale, box.h * scale];
      const named = box.label && x < right && y < bottom && x + w > left && y + h > top;
      if (x > canvas.clientWidth || y > canvas.clientHeight || x + w < 0 || y + h < 0) continue;
      if (named) seen.push(box);
      if (held.has(box)) continue;
      g.strokeStyle = color;
      if (box.mask) g.drawImage(this.maskOf(box.mask, box.label, color), left, top, width * scale, height * scale);
      if (box.outlines.length > 0) {
        g.beginPath();
        outlinePath(g, box.outlines, (v, k) => (k % 2 ? top : left) + v * scale);
        g.globalAlpha = 0.3;
        g.fillStyle = color;
        g.fill("evenodd");
        g.globalAlpha = 1;
        g.stroke();
      }
      if (box.keypoints) dots(g, box.keypoints, color, (v, k) => (k % 2 ? top : left) + v * scale);
      if (edged) {
        g.strokeStyle = inkOn(box.label);
        g.globalAlpha = 0.45;
        g.lineWidth += 2;
        g.strokeRect(x, y, w, h);
        g.globalAlpha = 1;
        g.lineWidth -= 2;
        g.strokeStyle = color;
      }
      g.strokeRect(x, y, w, h);
    }
    this.names = new Map();
    // Over all lines: one through a name makes both unreadable.
    if (seen.length <= NAMED) this.names = namesOf(g, seen, placed);
    const shown = [...this.names].filter(([box]) => box !== marked && !held.has(box)).map(([, name]) => name);
    if (marked && seen.includes(marked)) shown.push(this.names.get(marked) ?? spotOf(g, marked, placed));
    paintNames(g, shown);
  }
  /** Where the name of a box was drawn, if there was room for it. */
  nameOf(box: Box): Name | undefined {
    return this.names.get(box);
  }

  /** A mask is drawn once and then only scaled. */
  maskOf(mask: Mask, label: string, color: string): HTMLCanvasElement {
    const known = this.masks.get(mask);
    // It may have been given another class, and then has its color.
    if (known?.color === color) return known.drawn;
    const image = drawMask(mask, [...rgbOf(label), 115]);
    const drawn = document.createElement("canvas");
    [drawn.width, drawn.height] = [image.width, image.height];
    drawn.getContext("2d")?.putImageData(image, 0, 0);
    this.masks.set(mask, { color, drawn });
    return drawn;
  }
}

/** The mask as a picture of one color, no larger than what is worth drawing. */
function drawMask(mask: Mask, [r, g, b, a]: readonly [number, number, number, number]): ImageData {
  const scale = Math.max(1, Math.ceil(Math.max(mask.width, mask.height) / EDGE));
  const [width, height] = [Math.ceil(mask.width / scale), Math.ceil(mask.height / scale)];
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const little = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
  const color = little ? ((a << 24) | (b << 16) | (g << 8) | r) >>> 0 : ((r << 24) | (g << 16) | (b << 8) | a) >>> 0;
  walkMask(mask, (x, from, to) => {
    if (x % scale !== 0) return;
    const column = x / scale;
    for (let y = Math.ceil(from / scale); y * scale < to; y++) pixels[y * width + column] = color;
  });
  return image;
}
