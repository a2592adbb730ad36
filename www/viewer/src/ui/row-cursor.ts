/** What samples and rows have in common when one of them is open: which it is, which is next, and where the list stands. */
import type { ReactiveControllerHost } from "lit";
import type { Rows } from "./rows.ts";
import { msg } from "../messages/ui.ts";

/** What the cursor needs to know and to say. */
export interface CursorHost {
  /** `sample` or `row`. */
  readonly unit: "sample" | "row";
  /** What the filter keeps. */
  readonly rows: () => Rows;
  /** The list, if it is on the page. */
  readonly list: () => { reveal(position: number): void; readonly renderRoot: ParentNode } | null;
  readonly say: (text: string) => void;
  /** Another one is open now, or none. */
  readonly moved: () => void;
}

/** Keys that a list understands. */
const MOVES: ReadonlySet<string> = new Set([
  "ArrowDown",
  "ArrowUp",
  "ArrowLeft",
  "ArrowRight",
  "PageDown",
  "PageUp",
  "Home",
  "End",
]);

/** That there is nothing further on. */
const endOf = (unit: "sample" | "row", by: number): string =>
  unit === "row" ? (by < 0 ? msg("firstRow") : msg("lastRow")) : by < 0 ? msg("firstSample") : msg("lastSample");

/** Steps through rows, one of which may be open. */
export class RowCursor {
  /** The number of the one that is open. */
  open: number | null = null;
  /** The position of the current one. */
  current = 0;
  /** The one that is to be opened once a growing file is known to have it. */
  private awaited: number | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: CursorHost,
  ) {}

  /** Nothing is open, and the list stands at its beginning. */
  reset(): void {
    this.open = null;
    this.current = 0;
    this.awaited = null;
  }
  /** Opens one as soon as there are that many, unless another is opened or asked for before. */
  await(i: number | null): void {
    this.awaited = i;
  }
  /** How many there are by now. */
  grown(length: number): void {
    if (this.awaited !== null && this.awaited < length) this.show(this.awaited);
  }
  /** Makes a position the current one. */
  move(position: number): void {
    this.current = position;
    this.host.requestUpdate();
  }
  /** Closes what is open, without a word. */
  clear(): void {
    this.open = null;
    this.host.requestUpdate();
  }

  /** The list moved to one: while one is open, that one is open now. */
  follow(i: number): void {
    if (this.open !== null) this.show(i);
  }

  /** Opens one by its number. */
  show(i: number): void {
    this.open = i;
    this.awaited = null;
    const position = this.of.rows().find(i);
    if (position >= 0) {
      this.current = position;
      this.reveal();
    }
    this.host.requestUpdate();
    this.of.moved();
  }
  /** Opens the one that lies this many further. */
  step(by: number): void {
    if (this.open === null) return;
    const [rows, unit] = [this.of.rows(), this.of.unit];
    const position = rows.find(this.open);
    const to = position < 0 ? this.current : position + by;
    if (to < 0 || to >= rows.length) return this.of.say(endOf(unit, by));
    this.show(rows.at(to));
  }
  /** Closes what is open; the keys go to the list. */
  close(): void {
    this.clear();
    this.awaited = null;
    this.of.moved();
    void this.host.updateComplete.then(() => this.of.list()?.renderRoot.querySelector<HTMLElement>(".scroll")?.focus());
  }
  /** Scrolls the list to the current one, once it is drawn. */
  reveal(): void {
    void this.host.updateComplete.then(() => requestAnimationFrame(() => this.of.list()?.reveal(this.current)));
  }
  /** Those that are likely opened next. */
  get following(): number[] {
    const rows = this.of.rows();
    const position = this.open === null ? -1 : rows.find(this.open);
    if (position < 0) return [];
    return [position + 1, position + 2, position - 1].filter((p) => p >= 0 && p < rows.length).map((p) => rows.at(p));
  }
  /** Keys that move through the list do so also while nothing has the focus; true if one was used. */
  begin(key: string): boolean {
    const list = this.of.list()?.renderRoot.querySelector<HTMLElement>(".scroll");
    if (!list || !MOVES.has(key)) return false;
    list.focus();
    list.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    return true;
  }
  /** A key that steps or closes, while one is open; true if it was used. */
  key(key: string): boolean {
    if (this.open === null) return false;
    if (key === "ArrowLeft" || key === "k") this.step(-1);
    else if (key === "ArrowRight" || key === "j") this.step(1);
    else if (key === "Escape") this.close();
    else return false;
    return true;
  }
}
