/** The names of boxes over a picture: each beside or in its own box, and none over another. */
import { visible } from "../ui/visible.ts";
import type { Box } from "../../../lib/src/base/boxes.ts";
import { colorOf, inkOn } from "./colors.ts";

/** More boxes in sight than these are not named: names would hide the picture. What is pointed at is. */
export const NAMED = 200;
/** Pixels of a name from top to bottom. */
export const HIGH = 17;

/** Where the picture stands: its corner and its scale, in pixels of the stage. */
export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly width: number;
  readonly height: number;
}

/** A name, and where it stands: its corner and how broad it is, in pixels of the stage. */
export interface Name {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly broad: number;
}

/** What of a canvas is needed to tell how broad a name is. */
type Measured = Pick<CanvasRenderingContext2D, "font" | "measureText">;
type Spot = readonly [x: number, y: number];

const FONT = "600 12px system-ui, sans-serif";

function broadOf(g: Measured, label: string): number {
  g.font = FONT;
  return g.measureText(visible(label)).width + 7;
}

/** Where a name can stand, the best place first: over its box, in it, under it, beside it. All of them are on the picture. */
function spots(box: Box, broad: number, { x: left, y: top, scale, width, height }: Placed): Spot[] {
  const [right, bottom] = [left + width * scale, top + height * scale];
  const [x, y, w, h] = [left + box.x * scale, top + box.y * scale, box.w * scale, box.h * scale];
  // Of a box that reaches over the edge the name stands inside.
  const beside = (at: number): number => Math.max(left, Math.min(at, right - broad));
  const [first, last] = [beside(x - 1), beside(x + w + 1 - broad)];
  const inside = w >= broad && h >= HIGH;
  const all: Spot[] = [
    [first, y - HIGH],
    ...(inside ? [[first, y] as const] : []),
    [first, y + h],
    ...(inside ? [[first, y + h - HIGH] as const] : []),
    [last, y - HIGH],
    [last, y + h],
    // Of a small box that lies under the name of another.
    [x + w + 1, y],
    [x - 1 - broad, y],
  ];
  const fitting = all.filter(
    ([across, down]) =>
      across >= left && across <= Math.max(left, right - broad) && down >= top && down <= bottom - HIGH,
  );
  return fitting.length > 0 ? fitting : [[first, Math.max(top, Math.min(y, bottom - HIGH))]];
}

/** Where the name of a box stands if nothing else is named. */
export function spotOf(g: Measured, box: Box, placed: Placed): Name {
  const broad = broadOf(g, box.label);
  const [x, y] = spots(box, broad, placed)[0]!;
  return { label: box.label, x, y, broad };
}

/** The names of boxes, as many as find a place of their own: where none is left, no name is better than one over another. */
export function namesOf(g: Measured, boxes: readonly Box[], placed: Placed): ReadonlyMap<Box, Name> {
  const breadths = new Map<string, number>();
  const names = new Map<Box, Name>();
  for (const box of boxes) {
    const { label } = box;
    let broad = breadths.get(label);
    if (broad === undefined) breadths.set(label, (broad = broadOf(g, label)));
    const own = broad;
    const free = ([x, y]: Spot): boolean => {
      for (const other of names.values())
        if (x < other.x + other.broad && other.x < x + own && y < other.y + HIGH && other.y < y + HIGH) return false;
      return true;
    };
    const spot = spots(box, own, placed).find(free);
    if (spot) names.set(box, { label, x: spot[0], y: spot[1], broad: own });
  }
  return names;
}

/** Draws names. */
export function paintNames(g: CanvasRenderingContext2D, names: Iterable<Name>): void {
  g.font = FONT;
  g.textBaseline = "top";
  // On a page from right to left texts would end where they are put.
  g.textAlign = "left";
  for (const { label, x, y, broad } of names) {
    g.fillStyle = colorOf(label);
    g.fillRect(x, y, broad, HIGH);
    g.fillStyle = inkOn(label);
    g.fillText(visible(label), x + 3, y + 2.5);
  }
}
