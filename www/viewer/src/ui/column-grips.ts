/** Columns that people make wider or narrower: by a drag, by keys, and so at the next visit too. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { css, html, type TemplateResult } from "lit";
import { keep, recall } from "./remembered.ts";
import { msg } from "../messages/ui.ts";

/** Pixels of a column, at least and at most, and of a step by keys. */
const LEAST = 40;
const MOST = 1200;
const STEP = 10;
/** Tables whose widths are kept, the last used ones. */
const TABLES = 40;

export const gripStyles = css`
  .head > * { position: relative; }
  .grip {
    position: absolute; inset-block: 4px; inset-inline-end: 0; width: 9px; padding: 0; cursor: col-resize;
    touch-action: none; border-inline-end: 2px solid transparent;
  }
  .head > *:hover .grip, .grip:hover, .grip:focus-visible { border-inline-end-color: var(--line); }
  .grip:hover, .grip:focus-visible { border-inline-end-color: var(--accent); }
  @media (forced-colors: active) {
    .grip { border-inline-end-color: CanvasText; }
  }
  /* Not hidden: columns that stay stick to what is scrolled, and this would be that. */
  .layer { overflow: clip; }
  /* Columns that stay where the others move beneath them. */
  .row { background: var(--card); }
  .row:not(.head) > .frozen, .head > .frozen { position: sticky; z-index: 1; background: inherit; }
  /* As tall as the row, so that nothing shows above or below what stands in it. */
  .frozen { align-self: stretch; align-content: center; }
  .frozen.last { border-inline-end: 1px solid var(--line); }
  .row.current > .frozen:first-child { box-shadow: inset 3px 0 0 var(--accent); }
  .row.current > .frozen:first-child:dir(rtl), .row.current:dir(rtl) { box-shadow: inset -3px 0 0 var(--accent); }
  @media (forced-colors: active) {
    /* What stays lies over the line around its row. */
    .row.current > .frozen { border-block: 2px solid Highlight; }
    .row.current > .frozen:first-child { border-inline-start: 2px solid Highlight; }
  }
`;

/** A column as grips see it. */
export interface Gripped {
  readonly id: string;
  readonly title: string;
  /** Pixels that it has now, if nobody chose others. */
  readonly fitted: number;
}

type Widths = Readonly<Record<string, number>>;

/** Which columns have which width. */
export class ColumnGrips implements ReactiveController {
  private widths: Widths = {};
  private key = "";
  /** The one that the Tab key comes to. */
  private reached = "";

  constructor(private readonly host: ReactiveControllerHost & HTMLElement & { readonly renderRoot: ParentNode }) {
    host.addController(this);
  }
  hostConnected(): void {}

  /** Of another table: its widths are those that were chosen before. */
  of(key: string): void {
    if (this.key === key) return;
    this.key = key;
    this.widths = all().find(([one]) => one === key)?.[1] ?? {};
  }
  /** The width that was chosen for a column. */
  get(id: string): number | undefined {
    return this.widths[id];
  }
  private set(id: string, width: number | undefined): void {
    const { [id]: _, ...others } = this.widths;
    const within = width === undefined ? {} : { [id]: Math.round(Math.min(MOST, Math.max(LEAST, width))) };
    this.widths = { ...others, ...within };
    this.host.requestUpdate();
  }
  private remember(): void {
    const rest = all().filter(([one]) => one !== this.key);
    const mine: [string, Widths][] = Object.keys(this.widths).length > 0 ? [[this.key, this.widths]] : [];
    keep("widths", JSON.stringify([...mine, ...rest].slice(0, TABLES)));
  }

  /** The edge of a column that is pulled; `columns` are all that are shown. */
  grip({ id, title, fitted }: Gripped, columns: readonly string[]): TemplateResult {
    const width = this.get(id) ?? fitted;
    const reached = columns.includes(this.reached) ? this.reached : columns[0];
    return html`<span class="grip" role="separator" aria-orientation="vertical" data-column=${id} tabindex=${id === reached ? 0 : -1}
      aria-label=${msg("widthOfColumn", { title })} title=${msg("pullForWidth")} aria-valuenow=${Math.round(width)} aria-valuemin=${LEAST}
      aria-valuemax=${MOST} @click=${(e: Event) => e.stopPropagation()} @dblclick=${() => this.fit(id)}
      @focus=${() => (this.reached = id)}
      @pointerdown=${(e: PointerEvent) => this.pull(e, id)} @keydown=${(e: KeyboardEvent) => this.onKey(e, id, width, columns)}></span>`;
  }
  /** As wide as what it holds. */
  private fit(id: string): void {
    this.set(id, undefined);
    this.remember();
  }
  private get turned(): number {
    return getComputedStyle(this.host).direction === "rtl" ? -1 : 1;
  }
  private pull(e: PointerEvent, id: string): void {
    if (e.button !== 0) return;
    e.preventDefault();
    e.stopPropagation();
    const grip = e.currentTarget as HTMLElement;
    const from = grip.parentElement!.getBoundingClientRect().width;
    grip.setPointerCapture(e.pointerId);
    grip.focus();
    const pulled = (to: PointerEvent): void => {
      const by = (to.clientX - e.clientX) * this.turned;
      if (by !== 0) this.set(id, from + by);
    };
    const end = (): void => {
      grip.removeEventListener("pointermove", pulled);
      this.remember();
    };
    grip.addEventListener("pointermove", pulled);
    grip.addEventListener("pointerup", end, { once: true });
    grip.addEventListener("pointercancel", end, { once: true });
  }
  private onKey(e: KeyboardEvent, id: string, width: number, columns: readonly string[]): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const step = (e.shiftKey ? 5 : 1) * STEP * this.turned;
    const at = columns.indexOf(id);
    if (e.key === "ArrowRight") this.set(id, width + step);
    else if (e.key === "ArrowLeft") this.set(id, width - step);
    else if (e.key === "Enter" || e.key === "Home") this.set(id, undefined);
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") this.reach(columns[at + (e.key === "ArrowDown" ? 1 : -1)]);
    else return;
    this.remember();
    e.preventDefault();
    e.stopPropagation();
  }
  private reach(id: string | undefined): void {
    const grips = [...this.host.renderRoot.querySelectorAll<HTMLElement>(".grip")];
    grips.find(({ dataset }) => dataset.column === id)?.focus();
    this.host.requestUpdate();
  }
}

/** What is kept: tables by what tells them apart, the last used first. */
function all(): [string, Widths][] {
  try {
    const kept: unknown = JSON.parse(recall("widths") ?? "[]");
    return Array.isArray(kept)
      ? kept.filter((one): one is [string, Widths] => Array.isArray(one) && one.length === 2)
      : [];
  } catch {
    return [];
  }
}
