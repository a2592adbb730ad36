/** What part of the map is in sight: places from 0 to 1 become pixels, and what lies where is found. */

/** The largest magnification. */
const CLOSEST = 400;
/** Pixels around everything, beside half a tile. */
const MARGIN = 12;
/** Pixels of a side of a tile, at least and at most. */
const TILE = { least: 5, most: 132 } as const;

export type Point = readonly [x: number, y: number];

/** The view of a map. */
export class Camera {
  zoom = 1;
  /** The place in the middle of the page. */
  private x = 0.5;
  private y = 0.5;
  private wide = 1;
  private tall = 1;
  private many = 1;

  /** The page's size, and how many tiles there are. */
  measure(wide: number, tall: number, many: number): void {
    [this.wide, this.tall, this.many] = [Math.max(1, wide), Math.max(1, tall), Math.max(1, many)];
  }
  /** Everything is in sight. */
  fit(): void {
    [this.zoom, this.x, this.y] = [1, 0.5, 0.5];
  }
  /** Pixels of all places, across or down. */
  private get scale(): number {
    return Math.max(40, Math.min(this.wide, this.tall) - 2 * this.margin) * this.zoom;
  }
  private get margin(): number {
    return MARGIN + this.smallest / 2;
  }
  /** Pixels of a tile where everything is in sight. */
  private get smallest(): number {
    return Math.min(64, Math.max(TILE.least, 0.62 * Math.sqrt((this.wide * this.tall) / this.many)));
  }
  /** How wide a map may be drawn: a page that is wider than tall is filled. */
  private get stretch(): Point {
    const side = Math.max(40, Math.min(this.wide, this.tall) - 2 * this.margin);
    const along = (length: number): number => Math.min(1.8, Math.max(1, (length - 2 * this.margin) / side));
    return [along(this.wide), along(this.tall)];
  }
  /** Pixels of a tile's longer side. */
  get tile(): number {
    return Math.min(TILE.most, this.smallest * this.zoom ** 0.75);
  }
  /** Where a place is on the page. */
  at(x: number, y: number): Point {
    const [along, down] = this.stretch;
    return [this.wide / 2 + (x - this.x) * this.scale * along, this.tall / 2 + (y - this.y) * this.scale * down];
  }
  /** Whether a place is on the page, or within these pixels beside it. */
  sees([x, y]: Point, beside = 0): boolean {
    return x >= -beside && y >= -beside && x <= this.wide + beside && y <= this.tall + beside;
  }
  /** Moves everything by pixels. */
  pan(dx: number, dy: number): void {
    const [along, down] = this.stretch;
    this.x = Math.min(1.1, Math.max(-0.1, this.x - dx / (this.scale * along)));
    this.y = Math.min(1.1, Math.max(-0.1, this.y - dy / (this.scale * down)));
  }
  /** Magnifies around a point of the page; without one, around its middle. */
  magnify(by: number, [px, py]: Point = [this.wide / 2, this.tall / 2]): void {
    const to = Math.min(CLOSEST, Math.max(1, this.zoom * by));
    const [along, down] = this.stretch;
    const moved = 1 / this.scale;
    this.zoom = to;
    const rest = moved - 1 / this.scale;
    this.x += ((px - this.wide / 2) * rest) / along;
    this.y += ((py - this.tall / 2) * rest) / down;
    if (to === 1) this.fit();
  }
  /** Moves as little as possible, so that a place is well within the page. */
  reveal(x: number, y: number): void {
    const [px, py] = this.at(x, y);
    const edge = Math.min(this.tile / 2 + 12, this.wide / 3, this.tall / 3);
    const over = (at: number, length: number): number =>
      at < edge ? edge - at : at > length - edge ? length - edge - at : 0;
    const [dx, dy] = [over(px, this.wide), over(py, this.tall)];
    if (dx !== 0 || dy !== 0) this.pan(dx, dy);
  }
}

/** Whether a point lies within a line that ends where it began. */
export function isWithin([x, y]: Point, line: readonly Point[]): boolean {
  let inside = false;
  for (let k = 0, before = line.length - 1; k < line.length; before = k++) {
    const [[ax, ay], [bx, by]] = [line[k]!, line[before]!];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** How far another point is in the direction of a key: what lies aside counts double; `Infinity` behind. */
export function farness(from: Point, to: Point, [dx, dy]: Point): number {
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  const ahead = x * dx + y * dy;
  const aside = Math.abs(x * dy - y * dx);
  return ahead > 0.5 && aside <= ahead * 2 ? ahead + 2 * aside : Infinity;
}
