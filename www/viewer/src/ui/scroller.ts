/**
 * Windowing over millions of rows.
 *
 * A browser caps the height of an element near 17 million pixels, so ten million rows cannot simply be stacked:
 * the scrolled element stands for a longer, imaginary one. The scrollbar then moves in steps of many rows, while
 * wheel, touch and keys move the imaginary position itself and stay exact to the pixel. The general virtualisers
 * for the web stack their rows in a real element and end at that cap, which is why this is done here.
 *
 * Rows are drawn into a layer that stays in sight (`position: sticky`), so nothing in the page is ever far away.
 */

/** The tallest element that is made. Half of the lowest cap of the browsers. */
export const TALLEST = 8_000_000;

/** The arithmetic, apart from the page. */
export class Track {
  /** Pixels of all rows. */
  content = 0;
  /** Pixels in sight. */
  viewport = 0;
  /** The imaginary position: the first pixel in sight. */
  top = 0;

  /** The height of the element that is scrolled. */
  get height(): number {
    return Math.min(this.content, TALLEST);
  }
  /** True if the element is shorter than what it stands for. */
  get scaled(): boolean {
    return this.content > TALLEST;
  }
  /** The last position. */
  get end(): number {
    return Math.max(0, this.content - this.viewport);
  }
  /** Where the scrollbar stands for the position. */
  get scrollTop(): number {
    if (!this.scaled) return this.top;
    const room = this.height - this.viewport;
    return this.end > 0 ? (this.top / this.end) * room : 0;
  }
  /** Moves to a position. */
  moveTo(top: number): void {
    this.top = Math.min(Math.max(0, top), this.end);
  }
  /** Moves to where the scrollbar was dragged. A scrollbar that stands where it was put says nothing new. */
  dragTo(scrollTop: number): void {
    if (!this.scaled) return this.moveTo(scrollTop);
    if (Math.abs(scrollTop - this.scrollTop) < 1.5) return;
    const room = this.height - this.viewport;
    this.moveTo(room > 0 ? (scrollTop / room) * this.end : 0);
  }
  /** The rows in sight, `more` beyond each edge included: `[first, end)`. */
  rows(rowHeight: number, count: number, more = 1): [number, number] {
    const first = Math.max(0, Math.floor(this.top / rowHeight) - more);
    const end = Math.min(count, Math.ceil((this.top + this.viewport) / rowHeight) + more);
    return [Math.min(first, end), end];
  }
  /** The position from which a row is wholly in sight, as near as possible to the present one. */
  reveal(row: number, rowHeight: number): void {
    const start = row * rowHeight;
    if (start < this.top) this.moveTo(start);
    else if (start + rowHeight > this.top + this.viewport) this.moveTo(start + rowHeight - this.viewport);
  }
}

/** Binds a track to an element that scrolls. */
export class Scroller {
  readonly track = new Track();
  private frame = 0;
  private touchY = 0;

  constructor(
    private readonly element: HTMLElement,
    private readonly changed: () => void,
  ) {
    element.addEventListener(
      "scroll",
      () => {
        this.track.dragTo(element.scrollTop);
        this.schedule();
      },
      { passive: true },
    );
    element.addEventListener(
      "wheel",
      (e) => {
        if (!this.track.scaled || e.ctrlKey || e.deltaY === 0) return;
        e.preventDefault();
        const unit =
          e.deltaMode === WheelEvent.DOM_DELTA_LINE
            ? 40
            : e.deltaMode === WheelEvent.DOM_DELTA_PAGE
              ? this.track.viewport
              : 1;
        this.moveTo(this.track.top + e.deltaY * unit);
      },
      { passive: false },
    );
    element.addEventListener("touchstart", (e) => (this.touchY = e.touches[0]?.clientY ?? 0), { passive: true });
    element.addEventListener(
      "touchmove",
      (e) => {
        const y = e.touches[0]?.clientY ?? 0;
        if (!this.track.scaled || e.touches.length > 1) return;
        e.preventDefault();
        this.moveTo(this.track.top + this.touchY - y);
        this.touchY = y;
      },
      { passive: false },
    );
  }

  /** Tells how tall everything is. */
  measure(content: number, viewport: number): void {
    const { track } = this;
    track.content = content;
    track.viewport = viewport;
    track.moveTo(track.top);
  }
  /** Moves, and the scrollbar with it. */
  moveTo(top: number): void {
    this.track.moveTo(top);
    this.sync();
    this.schedule();
  }
  /** Puts the scrollbar where the track is. */
  sync(): void {
    const wanted = this.track.scrollTop;
    if (Math.abs(this.element.scrollTop - wanted) >= 1) this.element.scrollTop = wanted;
  }
  private schedule(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.changed();
    });
  }
}
