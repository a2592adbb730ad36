/** What gallery and table have in common: a window over many samples, one of them current, some picked. */
import { LitElement, css, type PropertyValues } from "lit";
import { property, query, state } from "lit/decorators.js";
import type { Dataset } from "../../../lib/src/model/index.ts";
import { onLongPress } from "./long-press.ts";
import type { Rows } from "./rows.ts";
import { Scroller } from "./scroller.ts";

/** The part of the styles that windows share. */
export const windowStyles = css`
  :host { display: block; position: relative; min-height: 0; }
  .scroll {
    position: absolute; inset: 0; overflow-y: scroll; overflow-x: hidden; overscroll-behavior: contain;
    outline-offset: -2px;
  }
  @media (pointer: coarse) {
    /* A finger that rests picks, and marks no text. */
    .scroll { -webkit-touch-callout: none; -webkit-user-select: none; user-select: none; }
  }
  .layer { position: sticky; top: 0; overflow: hidden; }
`;

/** A window over rows. A row of the gallery holds several samples. */
export abstract class Collection<D = Dataset> extends LitElement {
  @property({ attribute: false }) data!: D;
  @property({ attribute: false }) rows!: Rows;
  @property({ attribute: false }) picked: ReadonlySet<number> = new Set();
  /** Position of the current sample. */
  @property({ attribute: false }) current = 0;
  @state() protected tick = 0;
  @query(".scroll") protected scrollElement!: HTMLElement;
  protected scroller: Scroller | undefined;
  protected width = 0;
  private viewHeight = 0;
  /** How the rows were laid out when they were measured last. */
  private laid = { perRow: 0, rowHeight: 0 };
  private readonly observer = new ResizeObserver(() => this.resized());

  /** Pixels of a row. */
  protected abstract get rowHeight(): number;
  /** Samples in a row. */
  protected abstract get perRow(): number;
  /** Pixels above the rows that do not scroll. */
  protected get headHeight(): number {
    return 0;
  }

  /** What it shows can be picked. */
  protected get picks(): boolean {
    return true;
  }

  override firstUpdated(): void {
    this.scroller = new Scroller(this.scrollElement, () => this.redraw());
    if (this.picks) onLongPress(this.scrollElement, (on) => this.hold(on));
    this.observer.observe(this.scrollElement);
    this.resized();
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer.disconnect();
  }
  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.scrollElement) return;
    this.observer.observe(this.scrollElement);
    this.requestUpdate();
  }
  /** What was taken off the page draws no file that may be closed. */
  protected override shouldUpdate(_changed: PropertyValues): boolean {
    return this.isConnected;
  }
  override updated(changed: PropertyValues): void {
    if (!this.scroller) return;
    this.measure();
    const before = changed.get("rows") as Rows | undefined;
    const other = before && (before.filter !== this.rows.filter || before.sort !== this.rows.sort);
    if (before && (other || before.length > this.rows.length)) this.scroller.moveTo(0);
    this.scroller.sync();
  }

  protected get rowCount(): number {
    return Math.ceil(this.rows.length / this.perRow);
  }
  protected get track(): { top: number; height: number; viewport: number } {
    this.measure();
    const track = this.scroller?.track;
    return track
      ? { top: track.top, height: track.height, viewport: this.viewHeight }
      : { top: 0, height: 0, viewport: 0 };
  }
  protected measure(): void {
    if (!this.scroller) return;
    const { track } = this.scroller;
    const { laid, perRow, rowHeight, headHeight } = this;
    const content = this.rowCount * rowHeight + headHeight;
    this.laid = { perRow, rowHeight };
    if (laid.perRow === 0 || (laid.perRow === perRow && laid.rowHeight === rowHeight))
      return this.scroller.measure(content, this.viewHeight);
    // Laid out anew, the list stays where it stood: at the current one where that was in sight, else at the first that was.
    const at = Math.floor(this.current / laid.perRow) * laid.rowHeight - track.top;
    const kept = at > -laid.rowHeight && at < track.viewport - headHeight;
    const held = kept ? this.current : Math.floor(track.top / laid.rowHeight) * laid.perRow;
    const above = Math.floor(held / laid.perRow) * laid.rowHeight - track.top;
    this.scroller.measure(content, this.viewHeight);
    track.moveTo(Math.floor(held / perRow) * rowHeight - above);
    // The scrollbar follows once the page is as tall as that.
    if (kept) this.bringIn(held);
  }
  protected redraw(): void {
    this.tick++;
  }
  private resized(): void {
    this.width = this.scrollElement.clientWidth;
    this.viewHeight = this.scrollElement.clientHeight;
    this.measure();
    this.redraw();
  }
  /** Positions in sight: `[first, end)`. */
  protected window(more = 1): [number, number] {
    if (!this.scroller) return [0, 0];
    this.measure();
    const [first, end] = this.scroller.track.rows(this.rowHeight, this.rowCount, more);
    return [first * this.perRow, Math.min(this.rows.length, end * this.perRow)];
  }

  /**
   * The rows to draw, each in the place of one that went out of sight: an element then keeps its place in the
   * page while its contents change, and scrolling by a row touches one row. -1 stands for an empty place.
   */
  protected slots(more = 1): number[] {
    if (!this.scroller) return [];
    this.measure();
    const [first, end] = this.scroller.track.rows(this.rowHeight, this.rowCount, more);
    const size = Math.max(this.slotCount, end - first);
    // As many places as were ever needed, so that rows keep theirs.
    this.slotCount = size;
    const slots = new Array<number>(size).fill(-1);
    for (let row = first; row < end; row++) slots[row % size] = row;
    return slots;
  }
  private slotCount = 0;

  /** Makes a position current and brings it into sight. */
  go(position: number, reveal = true): void {
    const to = Math.min(Math.max(0, position), this.rows.length - 1);
    if (to < 0) return;
    this.dispatchEvent(new CustomEvent("current", { detail: to }));
    this.current = to;
    if (reveal) this.bring(to);
  }
  /** Brings what elsewhere stands at a position into sight. */
  reveal(position: number): void {
    this.bring(position);
  }
  /** Brings a position into sight. */
  protected bring(position: number): void {
    if (!this.scroller) return;
    this.measure();
    this.bringIn(position);
    this.scroller.moveTo(this.scroller.track.top);
  }
  /** Moves the track, as little as possible, to where a position is in sight. */
  private bringIn(position: number): void {
    const track = this.scroller!.track;
    // What stands above the rows hides as many pixels of them.
    track.viewport = this.viewHeight - this.headHeight;
    track.reveal(Math.floor(position / this.perRow), this.rowHeight);
    track.viewport = this.viewHeight;
  }
  protected open(position: number): void {
    this.go(position, false);
    this.dispatchEvent(new CustomEvent("open", { detail: this.rows.at(position) }));
  }
  protected pick(position: number): void {
    this.dispatchEvent(new CustomEvent("pick", { detail: this.rows.at(position) }));
  }
  /** Where a range begins: what was last gone to without Shift. */
  private anchor = 0;
  /** Picks everything between the anchor and a position. */
  private extend(position: number): void {
    this.dispatchEvent(new CustomEvent("range", { detail: [this.anchor, position] }));
  }
  /** With Shift a click picks, so that no text is to be marked. */
  protected readonly onDown = (e: MouseEvent): void => {
    if (!e.shiftKey) return;
    e.preventDefault();
    this.scrollElement.focus();
  };
  protected onClick(e: MouseEvent, position: number): void {
    if (e.shiftKey) {
      this.go(position, false);
      return this.extend(position);
    }
    this.anchor = position;
    if (e.ctrlKey || e.metaKey || (e.target as HTMLElement).closest?.(".tick")) {
      this.go(position, false);
      this.pick(position);
    } else this.open(position);
  }
  /** A finger rests on something: it is picked. */
  private hold(on: Element): boolean {
    const position = Number(/^p(\d+)$/.exec(on.closest("[id^=p]")?.id ?? "")?.[1] ?? Number.NaN);
    if (!(position < this.rows.length)) return false;
    this.anchor = position;
    this.go(position, false);
    this.pick(position);
    return true;
  }
  protected onKey(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    // With the first key that extends, what is current begins the range.
    if (e.shiftKey && this.anchor >= this.rows.length) this.anchor = this.current;
    const page = Math.max(1, Math.floor((this.viewHeight - this.headHeight) / this.rowHeight)) * this.perRow;
    const last = this.rows.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: this.current + this.perRow,
      ArrowUp: this.current - this.perRow,
      PageDown: this.current + page,
      PageUp: this.current - page,
      Home: 0,
      End: last,
      ...(this.perRow > 1 && { ArrowRight: this.current + 1, ArrowLeft: this.current - 1 }),
    };
    const to = moves[e.key];
    if (to !== undefined) {
      this.go(to);
      if (e.shiftKey) this.extend(this.current);
      else this.anchor = this.current;
      this.dispatchEvent(new CustomEvent("step", { detail: this.rows.at(this.current) }));
    } else if (e.key === "Enter") this.open(this.current);
    else if (e.key === " " && e.shiftKey) this.extend(this.current);
    else if (e.key === " ") this.pick(this.current);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}
