/** Draws a thumbnail, and the boxes that are in its picture, into the canvas of a tile. */
import type { Box } from "../../../lib/src/base/boxes.ts";
import { colorOf, inkOn } from "./colors.ts";
import type { Meant } from "./meaning.ts";
import { isOnItsSide } from "../../../lib/src/base/picture-header.ts";
import { unturned } from "./orientation.ts";
import { outlinePath } from "./stage-boxes.ts";
import type { Ready } from "./thumbs.ts";

/** More boxes than these are not told apart on a tile. */
const DRAWN = 400;

/** Draws a picture whole, in the middle, as its boxes are meant; and these too, if they are wanted. */
export function drawTile(
  canvas: HTMLCanvasElement,
  thumb: Ready,
  known: Meant | null,
  boxes: boolean,
  sharp: number,
): void {
  const g = canvas.getContext("2d");
  if (!g) return;
  const { bitmap, orientation } = thumb;
  const asStored = known?.asStored ?? false;
  const side = asStored && isOnItsSide(orientation);
  const [wide, tall] = side ? [bitmap.height, bitmap.width] : [bitmap.width, bitmap.height];
  const scale = Math.min(canvas.width / wide, canvas.height / tall);
  const [w, h] = [wide * scale, tall * scale];
  const [x, y] = [(canvas.width - w) / 2, (canvas.height - h) / 2];
  g.clearRect(0, 0, canvas.width, canvas.height);
  g.imageSmoothingQuality = "medium";
  g.save();
  g.translate(x, y);
  g.scale(scale, scale);
  if (asStored) g.transform(...unturned(orientation, wide, tall));
  g.drawImage(bitmap, 0, 0);
  g.restore();
  if (!known || !boxes) return;
  const [width, height] = side ? [thumb.height, thumb.width] : [thumb.width, thumb.height];
  g.save();
  g.beginPath();
  g.rect(x, y, w, h);
  g.clip();
  for (const box of known.annotations.boxes.slice(0, DRAWN)) outline(g, box, [x, y, w / width, h / height], sharp);
  g.restore();
}

/** A line that is seen on light and on dark: a dark one between light ones, or the other way round. */
function outline(
  g: CanvasRenderingContext2D,
  box: Box,
  [left, top, across, down]: [number, number, number, number],
  sharp: number,
): void {
  g.beginPath();
  outlinePath(g, box.outlines, (v, k) => (k % 2 ? top + v * down : left + v * across));
  if (box.outlines.length === 0) g.rect(left + box.x * across, top + box.y * down, box.w * across, box.h * down);
  g.strokeStyle = inkOn(box.label);
  g.globalAlpha = 0.45;
  g.lineWidth = 3 * sharp;
  g.stroke();
  g.globalAlpha = 1;
  g.strokeStyle = colorOf(box.label);
  g.lineWidth = 1.5 * sharp;
  g.stroke();
}
