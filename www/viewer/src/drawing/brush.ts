/** What a brush covers, and masks with that added or taken away. Ranges of pixels are counted down the columns, as in a mask. */
import type { Mask } from "../../../lib/src/base/masks.ts";

/** A brush of less covers no pixel where four meet. */
const LEAST = Math.SQRT1_2;

/** A mask after a stroke through these points, x, y, x, y...; a stroke that erases takes away. */
export function painted(mask: Mask, stroke: readonly number[], radius: number, erases: boolean): Mask {
  const [own, covered] = [edgesOf(mask), covers(mask, stroke, Math.max(LEAST, radius))];
  const edges: number[] = [];
  let [a, b, on] = [0, 0, false];
  while (a < own.length || b < covered.length) {
    const at = Math.min(own[a] ?? Infinity, covered[b] ?? Infinity);
    while (own[a] === at) a++;
    while (covered[b] === at) b++;
    // An edge begins or ends a range in turn.
    const now = erases ? a % 2 === 1 && b % 2 === 0 : a % 2 === 1 || b % 2 === 1;
    if (now !== on) edges.push(at);
    on = now;
  }
  const ends = [...edges, mask.width * mask.height];
  return { ...mask, runs: ends.map((end, k) => end - (ends[k - 1] ?? 0)) };
}

/** Where the ranges of a mask begin and end. */
function edgesOf({ runs }: Mask): number[] {
  let at = 0;
  return runs.map((run) => (at += run)).slice(0, runs.length - (runs.length % 2));
}

/** Where the ranges begin and end that round dabs along a stroke cover. */
function covers({ width, height }: Mask, stroke: readonly number[], radius: number): number[] {
  const ranges: [from: number, to: number][] = [];
  const dab = (cx: number, cy: number): void => {
    const last = Math.min(width - 1, Math.floor(cx + radius));
    for (let x = Math.max(0, Math.floor(cx - radius)); x <= last; x++) {
      const half = Math.sqrt(radius * radius - (x + 0.5 - cx) ** 2);
      const from = Math.max(0, Math.ceil(cy - half - 0.5));
      const to = Math.min(height, Math.floor(cy + half - 0.5) + 1);
      if (from < to) ranges.push([x * height + from, x * height + to]);
    }
  };
  for (let k = 0; k + 1 < stroke.length; k += 2) {
    const [x, y] = [stroke[k]!, stroke[k + 1]!];
    const [fromX, fromY] = [stroke[k - 2] ?? x, stroke[k - 1] ?? y];
    const steps = Math.max(1, Math.ceil(Math.hypot(x - fromX, y - fromY) / Math.max(0.5, radius / 3)));
    for (let n = k === 0 ? steps : 1; n <= steps; n++)
      dab(fromX + ((x - fromX) * n) / steps, fromY + ((y - fromY) * n) / steps);
  }
  ranges.sort(([a], [b]) => a - b);
  const edges: number[] = [];
  for (const [from, to] of ranges)
    if (edges.length > 0 && from <= edges.at(-1)!) edges[edges.length - 1] = Math.max(edges.at(-1)!, to);
    else edges.push(from, to);
  return edges;
}
