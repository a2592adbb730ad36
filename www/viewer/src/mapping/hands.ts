/** Mouse, fingers and pen on the map: a line around pictures, moving it, zooming it, a click. */
import type { Point } from "./camera.ts";

/** Pixels that a pointer may move and still be a click. */
const STILL = 5;
/** How much a notch of the wheel zooms. */
const NOTCH = 0.0016;

/** What comes of it. */
export interface Handled {
  /** A drag moves the map. */
  readonly moves: () => boolean;
  readonly pan: (dx: number, dy: number) => void;
  readonly magnify: (by: number, at: Point) => void;
  /** The line has another point, or is gone. */
  readonly line: () => void;
  /** The line was drawn around something. */
  readonly around: (line: readonly Point[]) => void;
  /** `more` with a key that picks. */
  readonly click: (at: Point, more: boolean) => void;
  readonly hover: (at: Point | null) => void;
}

/** Follows pointers on one element. */
export class Hands {
  /** The line that is being drawn. */
  line: readonly Point[] | null = null;
  private element: HTMLElement | null = null;
  private readonly down = new Map<number, Point>();
  private begun: Point = [0, 0];
  private dragged = false;
  /** It moves the map, whatever a drag does else. */
  private moving = false;

  constructor(private readonly of: Handled) {}

  /** Hears an element, once. */
  hold(element: HTMLElement): void {
    if (this.element === element) return;
    this.element = element;
    this.down.clear();
    this.line = null;
    element.addEventListener("pointerdown", (e) => this.pressed(e));
    element.addEventListener("pointermove", (e) => this.moved(e));
    element.addEventListener("pointerup", (e) => this.lifted(e, true));
    element.addEventListener("pointercancel", (e) => this.lifted(e, false));
    element.addEventListener("pointerleave", () => this.of.hover(null));
    element.addEventListener("wheel", (e) => this.wheeled(e), { passive: false });
  }

  private at(e: MouseEvent): Point {
    const { left, top } = this.element!.getBoundingClientRect();
    return [e.clientX - left, e.clientY - top];
  }
  private pressed(e: PointerEvent): void {
    if (e.button > 1) return;
    const at = this.at(e);
    this.element!.setPointerCapture(e.pointerId);
    this.down.set(e.pointerId, at);
    if (this.down.size > 1) {
      // A second finger: they zoom, and what the first began is none.
      this.dragged = true;
      return this.draw(null);
    }
    this.begun = at;
    this.dragged = false;
    this.moving = this.of.moves() || e.button === 1;
    if (e.button === 1) e.preventDefault();
  }
  private moved(e: PointerEvent): void {
    const at = this.at(e);
    const before = this.down.get(e.pointerId);
    if (!before) {
      if (e.pointerType === "mouse") this.of.hover(at);
      return;
    }
    this.down.set(e.pointerId, at);
    if (this.down.size > 1) return this.pinched(e.pointerId, before, at);
    const far = Math.hypot(at[0] - this.begun[0], at[1] - this.begun[1]);
    if (!this.dragged && far < STILL) return;
    if (this.moving) this.of.pan(at[0] - before[0], at[1] - before[1]);
    else if (!this.dragged) this.draw([this.begun, at]);
    else if (this.line) this.draw([...this.line, at]);
    this.dragged = true;
  }
  private pinched(id: number, before: Point, at: Point): void {
    const other = [...this.down].find(([one]) => one !== id)![1];
    const apart = (a: Point): number => Math.max(8, Math.hypot(a[0] - other[0], a[1] - other[1]));
    const middle: Point = [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2];
    this.of.pan((at[0] - before[0]) / 2, (at[1] - before[1]) / 2);
    this.of.magnify(apart(at) / apart(before), middle);
  }
  private lifted(e: PointerEvent, done: boolean): void {
    if (!this.down.delete(e.pointerId) || this.down.size > 0) return;
    const { line } = this;
    this.draw(null);
    if (!done) return;
    if (line && line.length > 2) this.of.around(line);
    else if (!this.dragged && e.button === 0) this.of.click(this.at(e), e.ctrlKey || e.metaKey || e.shiftKey);
  }
  private draw(line: readonly Point[] | null): void {
    if (this.line === line) return;
    this.line = line;
    this.of.line();
  }
  private wheeled(e: WheelEvent): void {
    e.preventDefault();
    const lines = e.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
    this.of.magnify(Math.exp(-e.deltaY * lines * NOTCH * (e.ctrlKey ? 4 : 1)), this.at(e));
  }
}
