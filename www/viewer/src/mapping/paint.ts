/** Draws the map: small pictures out of one large one, larger ones where they have come, what is picked, and the line around them. */
import type { Thumb } from "../samples/thumbs.ts";
import type { Point } from "./camera.ts";
import type { Similarity } from "./similarity.ts";
import { SIDE } from "./small.ts";

/** What is drawn. */
export interface Painted {
  readonly map: Similarity;
  /** Places in the map of those in sight. */
  readonly points: readonly number[];
  readonly at: (k: number) => Point;
  /** Pixels of a tile's longer side. */
  readonly tile: number;
  /** Pixels of the canvas for each of the page. */
  readonly sharp: number;
  readonly picked: ReadonlySet<number>;
  /** The number of the current sample. */
  readonly current: number;
  readonly thumb: (i: number) => Thumb | undefined;
  readonly line: readonly Point[] | null;
  /** Its color is that of what is picked, its border's color that of a tile's edge. */
  readonly style: CSSStyleDeclaration;
}

export function paint(canvas: HTMLCanvasElement, painted: Painted): void {
  const g = canvas.getContext("2d");
  if (!g) return;
  const { map, points, at, tile, sharp, picked, current, thumb, line, style } = painted;
  g.setTransform(sharp, 0, 0, sharp, 0, 0);
  g.clearRect(0, 0, canvas.width, canvas.height);
  g.imageSmoothingEnabled = tile > 8;
  const accent = style.color;
  const edge = style.borderTopColor;
  const last: number[] = [];
  const draw = (k: number): void => {
    const i = map.samples[k]!;
    const [x, y] = at(k);
    const aspect = map.aspects[k]!;
    // Of a few pixels a shape says less than what is in them.
    const [w, h] =
      tile < 10
        ? [tile, tile]
        : aspect >= 1
          ? [tile, tile / Math.min(4, aspect)]
          : [tile * Math.max(0.25, aspect), tile];
    const [left, top] = [x - w / 2, y - h / 2];
    const large = thumb(i);
    if (large?.state === "ready") g.drawImage(large.bitmap, left, top, w, h);
    else {
      const [column, row] = [k % map.across, Math.floor(k / map.across)];
      g.drawImage(map.atlas, column * SIDE, row * SIDE, SIDE, SIDE, left, top, w, h);
    }
    if (tile > 14) {
      g.strokeStyle = edge;
      g.lineWidth = 1;
      g.strokeRect(left, top, w, h);
    }
    if (picked.has(i)) frame(g, [left, top, w, h], accent, edge, 2.5);
    if (i === current) frame(g, [left - 3, top - 3, w + 6, h + 6], accent, edge, 3);
  };
  for (const k of points) {
    // What is picked or current lies above the others.
    if (picked.has(map.samples[k]!) || map.samples[k] === current) last.push(k);
    else draw(k);
  }
  for (const k of last) draw(k);
  if (!line || line.length < 2) return;
  g.beginPath();
  for (const [n, [x, y]] of line.entries()) {
    if (n === 0) g.moveTo(x, y);
    else g.lineTo(x, y);
  }
  g.closePath();
  g.globalAlpha = 0.12;
  g.fillStyle = accent;
  g.fill();
  g.globalAlpha = 1;
  g.strokeStyle = accent;
  g.lineWidth = 2;
  g.setLineDash([5, 4]);
  g.stroke();
  g.setLineDash([]);
}

/** A line that is seen on whatever lies below it. */
function frame(
  g: CanvasRenderingContext2D,
  [x, y, w, h]: readonly [number, number, number, number],
  color: string,
  edge: string,
  width: number,
): void {
  g.strokeStyle = edge;
  g.lineWidth = width + 2;
  g.strokeRect(x, y, w, h);
  g.strokeStyle = color;
  g.lineWidth = width;
  g.strokeRect(x, y, w, h);
}
