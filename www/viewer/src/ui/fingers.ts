/**
 * What pointers do to something that can be moved and zoomed: one moves it, two zoom it, and a finger that strokes it
 * sideways while it is seen whole goes on to its neighbor.
 */

/** Pixels that a stroke is long, at least; and how many times longer than it is high. */
const STROKE = { length: 60, slope: 2 };

interface Point {
  readonly x: number;
  readonly y: number;
}

/** What is moved. */
export interface Moved {
  /** It is larger than what shows it: then a finger moves it, and strokes nothing. */
  readonly zoomed: () => boolean;
  readonly moveBy: (x: number, y: number) => void;
  /** Zooms about a point, counted from the middle. */
  readonly zoomBy: (factor: number, x: number, y: number) => void;
  readonly step: (by: -1 | 1) => void;
}

/** The pointers that are down on an element. */
export class Fingers {
  private readonly down = new Map<number, Point>();
  private start: Point | null = null;

  constructor(
    private readonly element: HTMLElement,
    private readonly moved: Moved,
  ) {
    element.addEventListener("pointermove", (e) => this.move(e));
    element.addEventListener("pointerup", (e) => this.lift(e, true));
    element.addEventListener("pointercancel", (e) => this.lift(e, false));
    element.addEventListener("lostpointercapture", (e) => this.lift(e, false));
  }

  /** A pointer went down; from now on it is heard wherever it goes. */
  add(e: PointerEvent): void {
    this.element.setPointerCapture(e.pointerId);
    // Only one finger alone strokes, and a mouse or pen drags.
    const strokes = this.down.size === 0 && e.pointerType === "touch" && !this.moved.zoomed();
    this.start = strokes ? pointOf(e) : null;
    this.down.set(e.pointerId, pointOf(e));
  }

  private move(e: PointerEvent): void {
    if (!this.down.has(e.pointerId)) return;
    const before = this.spread();
    this.down.set(e.pointerId, pointOf(e));
    if (this.start) return;
    const after = this.spread();
    this.moved.moveBy(after.x - before.x, after.y - before.y);
    if (before.apart === 0 || after.apart === 0) return;
    const box = this.element.getBoundingClientRect();
    this.moved.zoomBy(
      after.apart / before.apart,
      after.x - box.left - box.width / 2,
      after.y - box.top - box.height / 2,
    );
  }
  private lift(e: PointerEvent, done: boolean): void {
    if (!this.down.delete(e.pointerId)) return;
    const { start } = this;
    this.start = null;
    if (!start || !done) return;
    const [x, y] = [e.clientX - start.x, e.clientY - start.y];
    if (Math.abs(x) < STROKE.length || Math.abs(x) < STROKE.slope * Math.abs(y)) return;
    // What comes next stands where lines of text go.
    const forward = getComputedStyle(this.element).direction === "rtl" ? x > 0 : x < 0;
    this.moved.step(forward ? 1 : -1);
  }

  /** The middle of all pointers, and how far the first two are apart. */
  private spread(): Point & { apart: number } {
    const points = [...this.down.values()];
    const sum = (of: (p: Point) => number): number => points.reduce((all, p) => all + of(p), 0) / points.length;
    const [a, b] = points;
    return { x: sum((p) => p.x), y: sum((p) => p.y), apart: a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0 };
  }
}

const pointOf = (e: PointerEvent): Point => ({ x: e.clientX, y: e.clientY });
