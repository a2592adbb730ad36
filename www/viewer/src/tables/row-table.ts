/** Rows of a table, a page of them read at a time. */
import { css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { TableBatch } from "../../../lib/src/model/table-batch.ts";
import type { Table } from "../../../lib/src/model/index.ts";
import { cellText, isNumeric, wholeText, widthOf } from "./cells.ts";
import { Collection, windowStyles } from "../ui/collection.ts";
import { ColumnGrips, gripStyles } from "../ui/column-grips.ts";
import { copyUnmarked, inTabs, isMarked } from "../ui/copied.ts";
import { controls, rowStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { count, isAbort, trouble, type Trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/tables.ts";

const ROW = 30;
/** Pixels of the column of numbers. */
const NUMBERS = 104;
/** What stays beside the others takes at most this much of the page. */
const STAYS = 0.4;
/** Rows read at once. */
const PAGE = 128;
/** Pages kept. */
const KEPT = 48;
/** Milliseconds of rest after which what is in sight is read: a scrollbar that flies past reads nothing. */
const REST = 60;

type Page = TableBatch | Trouble | "reading";

/** `<forebay-rows>`: a window over up to ten million rows. */
@customElement("forebay-rows")
export class RowTable extends Collection<Table> {
  static override styles = [
    controls,
    windowStyles,
    rowStyles,
    gripStyles,
    css`
      .layer { min-width: 100%; contain: strict; }
      .row { height: ${ROW}px; display: flex; }
      .row > span { flex: none; }
      .head { height: 44px; }
      .head small {
        display: block; font-weight: 400; font-size: 11.5px; color: var(--ink-2); font-family: var(--mono);
        overflow: hidden; text-overflow: ellipsis;
      }
      .position { width: ${NUMBERS}px; color: var(--ink-2); }
      .null { color: var(--ink-2); font-style: italic; }
      .waiting { color: var(--ink-2); }
    `,
  ];

  /** The columns that are shown, by number. */
  @property({ attribute: false }) columns: readonly number[] = [];
  private pages = new Map<number, Page>();
  private reading = new AbortController();
  private timer = 0;
  private readonly grips = new ColumnGrips(this);
  private widths: readonly number[] = [];
  private fitted = false;

  protected override get picks(): boolean {
    return false;
  }
  protected get perRow(): number {
    return 1;
  }
  protected get rowHeight(): number {
    return ROW;
  }
  protected override get headHeight(): number {
    return 44;
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("data") || changed.has("rows") || changed.has("columns")) {
      this.reading.abort();
      this.reading = new AbortController();
      this.pages = new Map();
      if (changed.has("data")) this.grips.of(keyOf(this.data));
      if (changed.has("data") || changed.has("columns")) {
        this.widths = this.columns.map((c) => widthOf(this.data.schema[c]!));
        this.fitted = false;
      }
    }
  }
  override updated(changed: PropertyValues): void {
    super.updated(changed);
    const [first, end] = this.window(0);
    const lacking = Array.from(
      { length: Math.ceil(end / PAGE) - Math.floor(first / PAGE) },
      (_, k) => Math.floor(first / PAGE) + k,
    ).some((page) => !this.pages.has(page));
    if (!lacking) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.readPages(), this.pages.size === 0 ? 0 : REST);
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.reading.abort();
    this.reading = new AbortController();
    this.pages = new Map();
  }

  private readPages(): void {
    const [first, end] = this.window(0);
    for (let page = Math.floor(first / PAGE); page * PAGE < end; page++)
      if (!this.pages.has(page)) void this.readPage(page);
  }
  private async readPage(page: number): Promise<void> {
    const { data: table, rows, columns, pages } = this;
    const { signal } = this.reading;
    const [start, end] = [page * PAGE, Math.min(rows.length, (page + 1) * PAGE)];
    this.keep(page, "reading");
    try {
      const batch = rows.kept
        ? await table.take(rows.kept.subarray(start, end), columns, { signal })
        : await table.columns(start, end, columns, { signal });
      if (pages === this.pages) {
        this.keep(page, batch);
        this.fit(batch);
      }
    } catch (e) {
      if (pages === this.pages && !isAbort(e)) this.keep(page, trouble(e));
      else pages.delete(page);
    }
    if (pages === this.pages) this.redraw();
  }
  /** The first page says how wide the columns are. */
  private fit(batch: TableBatch): void {
    if (this.fitted || batch.length === 0) return;
    this.fitted = true;
    this.widths = this.columns.map((c, k) => {
      const field = this.data.schema[c]!;
      const column = batch.columns[k]!;
      let longest = Math.max(field.name.length * 1.1, field.type.length * 0.95);
      for (let i = 0; i < Math.min(batch.length, 64); i++)
        longest = Math.max(longest, cellText(column.get(i), field.type).length);
      return Math.round(Math.min(320, Math.max(56, 26 + 8.3 * longest)));
    });
  }
  /** Pixels of a column. */
  private widthAt(k: number): number {
    return this.grips.get(this.idOf(k)) ?? this.widths[k]!;
  }
  /** Columns may have the same name. */
  private idOf(k: number): string {
    const c = this.columns[k]!;
    return `${c} ${this.data.schema[c]!.name}`;
  }
  /** Whether the first column stays where it is while the others move. */
  private get stays(): boolean {
    return this.columns.length > 1 && NUMBERS + this.widthAt(0) <= STAYS * this.width;
  }
  private keep(page: number, what: Page): void {
    this.pages.delete(page);
    this.pages.set(page, what);
    for (const old of this.pages.keys()) {
      if (this.pages.size <= KEPT) break;
      this.pages.delete(old);
    }
  }

  override render(): TemplateResult {
    const { top, height, viewport } = this.track;
    const wide = this.columns.reduce((sum, _, k) => sum + this.widthAt(k), NUMBERS);
    const ids = this.columns.map((_, k) => this.idOf(k));
    return html`
      <div class="scroll" role="grid" tabindex="0" aria-label=${common("rows")} aria-rowcount=${this.rows.length + 1}
        aria-colcount=${this.data.schema.length + 1}
        aria-activedescendant=${this.rows.length > 0 ? `p${this.current}` : nothing} @keydown=${this.onKey} @copy=${this.onCopy}>
        <div role="presentation" .style=${`height:${height}px;width:${wide}px;min-width:100%`}>
          <div class="layer" role="rowgroup" .style=${`height:${Math.min(viewport, height)}px`}>
            <div class="row head" role="row" aria-rowindex="1">
              <span role="columnheader" class="number position frozen ${this.stays ? "" : "last"}" .style=${"inset-inline-start:0"} aria-colindex="1">${msg("row2")}</span>
              ${this.columns.map((c, k) => {
                const field = this.data.schema[c]!;
                const gripped = { id: ids[k]!, title: visible(field.name), fitted: this.widths[k]! };
                return html`<span role="columnheader" class="${isNumeric(field) ? "number" : ""} ${this.frozen(k)}" aria-colindex=${c + 2}
                  aria-label="${visible(field.name)} ${field.type}" title="${visible(field.name)}: ${field.type}"
                  .style=${this.place(k)}><bdi>${visible(field.name)}</bdi><small>${field.type}</small>${this.grips.grip(gripped, ids)}</span>`;
              })}
            </div>
            ${this.slots().map((p) => (p < 0 ? nothing : this.renderRow(p, top)))}
          </div>
        </div>
      </div>`;
  }

  private frozen(k: number): string {
    return k === 0 && this.stays ? "frozen last" : "";
  }
  private place(k: number): string {
    return `width:${this.widthAt(k)}px${k === 0 && this.stays ? `;inset-inline-start:${NUMBERS}px` : ""}`;
  }
  /** Who marks a part of a cell does not want to open the row. */
  private clicked(position: number): void {
    if (!isMarked(this.renderRoot)) this.open(position);
  }
  /** The current row, whole, as tables of other programs take it. */
  private readonly onCopy = (e: ClipboardEvent): void =>
    copyUnmarked(e, this.renderRoot, () => {
      const page = this.pages.get(Math.floor(this.current / PAGE));
      if (!page || page === "reading" || !("columns" in page)) return null;
      const cells = this.columns.map((c, k) => {
        const cell = page.columns[k]?.get(this.current % PAGE) ?? null;
        return cell === null ? "" : wholeText(cell, this.data.schema[c]!.type);
      });
      return inTabs(cells);
    });

  private renderRow(position: number, top: number): TemplateResult {
    const page = this.pages.get(Math.floor(position / PAGE));
    const batch = page && page !== "reading" && "columns" in page ? page : null;
    const failed = page && page !== "reading" && "message" in page ? page : null;
    const at = position % PAGE;
    return html`
      <div id="p${position}" class="row ${position === this.current ? "current" : ""}" role="row"
        aria-rowindex=${position + 2}
        .style=${`transform:translateY(${this.headHeight + position * ROW - top}px)`}
          @click=${() => this.clicked(position)}>
        <span role="gridcell" class="number position frozen ${this.stays ? "" : "last"}" .style=${"inset-inline-start:0"} aria-colindex="1">${count(this.rows.at(position))}</span>
        ${this.columns.map((c, k) => {
          const field = this.data.schema[c]!;
          const cell = batch?.columns[k]?.get(at) ?? null;
          const missing = batch !== null && cell === null;
          const text = batch ? cellText(cell, field.type) : failed && k === 0 ? failed.message : failed ? "" : "…";
          return html`<span role="gridcell" aria-colindex=${c + 2}
            class="${isNumeric(field) ? "number" : ""} ${this.frozen(k)} ${missing ? "null" : batch ? "" : failed ? "bad" : "waiting"}"
            .style=${this.place(k)}>${text}</span>`;
        })}
      </div>`;
  }
}

/** What tells tables of one kind from others: their columns, whatever the file is called. */
const keyOf = ({ schema }: Table): string =>
  schema
    .map(({ name, type }) => `${name} ${type}`)
    .join("\n")
    .slice(0, 2000);
