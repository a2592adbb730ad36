/** Samples as rows: with their pictures, what the index knows, and what of the metadata was asked for. */
import { css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { Collection, windowStyles } from "../ui/collection.ts";
import { ColumnGrips, gripStyles } from "../ui/column-grips.ts";
import { copyUnmarked, inTabs, isMarked } from "../ui/copied.ts";
import { controls, rowStyles } from "../ui/styles.ts";
import { count } from "../ui/wording.ts";
import type { FindBoxes } from "./box-source.ts";
import { ClassColors, colorOf } from "./colors.ts";
import { USUAL_COLUMNS, allColumns, type Column, type Row } from "./columns.ts";
import { Records } from "./records.ts";
import { Thumbs, type Load } from "./thumbs.ts";
import { drawTile } from "./tile-picture.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/pictures.ts";

const ROW = 40;
/** Pixels of a row's picture. */
export const PICTURE = { width: 52, height: 36 } as const;
/** Milliseconds of rest after which what is in sight is read. */
const REST = 120;

/** Columns that stay where they are, and how much of the page they take at most. */
const STAYING: ReadonlySet<string> = new Set(["index", "picture"]);
const STAYS = 0.5;
/** The pixels that a column has at least. */
const leastOf = (width: string): number => Number(/\d+/.exec(width)![0]);

/** Keys that press a button do nothing else to the list around it. */
const pressed = (e: KeyboardEvent): void => {
  if (e.key === "Enter" || e.key === " ") e.stopPropagation();
};

/** `<forebay-table>`: a window over up to ten million rows. Sends `sort` with a column's name. */
@customElement("forebay-table")
export class Table extends Collection {
  static override styles = [
    controls,
    windowStyles,
    rowStyles,
    gripStyles,
    css`
      .row { height: ${ROW}px; display: grid; }
      .row[aria-selected="true"] { background: var(--accent-soft); }
      .head { color: var(--ink-2); }
      .head button {
        min-height: 30px; max-width: 100%; padding: 0; border: 0; background: transparent; font-weight: 600;
        color: inherit; overflow: hidden;
      }
      .head button:hover { color: var(--ink); text-decoration: underline; }
      .none { position: absolute; inset: ${ROW + 24}px 0 auto; text-align: center; color: var(--ink-2); }
      .tick { padding: 0 6px 0 0; color: var(--accent); }
      .row > .cell-picture { padding: 0 6px; display: grid; place-items: center; }
      canvas { width: ${PICTURE.width}px; height: ${PICTURE.height}px; border-radius: 4px; background: var(--soft); }
      /* A cell is written as its text is, so that it stands before a Latin word on such a page too. */
      .row .dot:dir(rtl) { margin-inline: 4px; }
    `,
  ];

  /** The columns to show, by their names. */
  @property({ attribute: false }) columns: readonly string[] = USUAL_COLUMNS;
  /** The fields of the metadata that there are. */
  @property({ attribute: false }) fields: readonly string[] = [];
  @property() classField = "";
  /** Where boxes come from. */
  @property({ attribute: false }) find!: FindBoxes;
  /** By which column it is sorted. */
  @property({ attribute: false }) sorting: { readonly by: string; readonly down: boolean } | null = null;
  readonly colors = new ClassColors(this);
  private readonly grips = new ColumnGrips(this);
  private shown: readonly Column[] = [];
  private thumbs: Thumbs | undefined;
  private records: Records | undefined;
  private drawn = new WeakMap<HTMLCanvasElement, ImageBitmap>();
  private timer = 0;

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("data")) this.begin();
    this.grips.of(this.kind);
    if (changed.has("columns") || changed.has("fields") || this.shown.length === 0) {
      const { all } = this;
      this.shown = this.columns.flatMap((id) => all.find((column) => column.id === id) ?? []);
    }
  }
  /** What tells its widths of columns from those of other tables. */
  protected readonly kind: string = "samples";
  protected get all(): readonly Column[] {
    return allColumns(this.fields);
  }
  /** The sample of a row. */
  protected sampleOf(row: number): number {
    return row;
  }
  /** What is drawn of a row, if that is no thumbnail. */
  protected get load(): Load | undefined {
    return undefined;
  }
  protected sortBy(id: string): void {
    this.dispatchEvent(new CustomEvent("sort", { detail: id }));
  }
  protected begin(): void {
    this.letGo();
    this.thumbs = new Thumbs(this.data, () => this.redraw(), this.load);
    this.records = new Records(this.data, () => this.redraw());
  }
  private letGo(): void {
    this.thumbs?.close();
    this.records?.close();
    this.thumbs = this.records = undefined;
  }
  override connectedCallback(): void {
    super.connectedCallback();
    if (this.data && !this.thumbs) this.begin();
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.letGo();
  }
  override updated(changed: PropertyValues): void {
    super.updated(changed);
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) this.draw(canvas);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.ask(), REST);
  }
  /** Names of a TBL, classes and fields are in the metadata, so it is read of the rows in sight once scrolling rests. */
  private ask(): void {
    const [first, end] = this.window(0);
    const inSight = Array.from({ length: Math.max(0, end - first) }, (_, k) => this.rows.at(first + k));
    this.records?.want(inSight.map((row) => this.sampleOf(row)));
    if (this.columns.includes("picture")) this.thumbs?.want(inSight);
  }
  private draw(canvas: HTMLCanvasElement): void {
    const thumb = this.thumbs?.get(Number(canvas.dataset.row));
    const was = this.drawn.get(canvas);
    if (thumb?.state !== "ready") {
      if (was) canvas.getContext("2d")?.clearRect(0, 0, canvas.width, canvas.height);
      this.drawn.delete(canvas);
    } else if (was !== thumb.bitmap) {
      drawTile(canvas, thumb, null, false, 1);
      this.drawn.set(canvas, thumb.bitmap);
    }
  }

  protected get perRow(): number {
    return 1;
  }
  protected get rowHeight(): number {
    return ROW;
  }
  protected override get headHeight(): number {
    return ROW;
  }

  override render(): TemplateResult {
    const { top, height, viewport } = this.track;
    const template = this.shown.map((column) => this.widthOf(column)).join(" ");
    const least = this.shown.reduce((sum, column) => sum + leastOf(this.widthOf(column)), 0);
    return html`
      <div class="scroll" role="grid" tabindex="0" aria-label=${common("samples")} aria-multiselectable="true"
        aria-rowcount=${this.rows.length + 1}
        aria-colcount=${this.shown.length} aria-activedescendant=${this.rows.length > 0 ? `p${this.current}` : nothing}
        @keydown=${this.onKey} @mousedown=${this.onDown} @copy=${this.onCopy}>
        <div role="presentation" .style=${`height:${height}px;min-width:${least}px`}>
          <div class="layer" role="rowgroup" .style=${`height:${Math.min(viewport, height)}px`}>
            <div class="row head" role="row" aria-rowindex="1" .style=${`grid-template-columns:${template}`}>
              ${this.shown.map((column, k) => this.renderHead(column, k))}
            </div>
            ${this.slots().map((p) => (p < 0 ? nothing : this.renderRow(p, top, template)))}
          </div>
        </div>
      </div>`;
  }
  private widthOf({ id, width }: Column): string {
    const chosen = this.grips.get(id);
    return chosen === undefined ? width : `${chosen}px`;
  }
  /** Number and picture stay where they are while the other columns move, if there is room for that. */
  private frozen(k: number): string {
    if (!this.stays(k)) return "";
    return this.stays(k + 1) ? "frozen" : "frozen last";
  }
  private stays(k: number): boolean {
    const staying = this.shown.slice(0, k + 1);
    const pixels = staying.reduce((sum, column) => sum + leastOf(this.widthOf(column)), 0);
    return k < this.shown.length - 1 && staying.every(({ id }) => STAYING.has(id)) && pixels <= STAYS * this.width;
  }
  private place(k: number): string {
    if (!this.stays(k)) return "";
    const before = this.shown.slice(0, k).reduce((sum, column) => sum + leastOf(this.widthOf(column)), 0);
    return `inset-inline-start:${before}px`;
  }
  /** The current row as tables of other programs take it. */
  private readonly onCopy = (e: ClipboardEvent): void =>
    copyUnmarked(e, this.renderRoot, () => {
      if (this.rows.length === 0) return null;
      const row = this.rowAt(this.current);
      return inTabs(this.shown.filter(({ id }) => id !== "picture").map(({ text }) => text(row)));
    });
  private rowAt(position: number): Row {
    const at = this.rows.at(position);
    const i = this.sampleOf(at);
    return {
      at,
      i,
      info: this.data.info(i),
      name: this.data.nameOf(i),
      record: this.records?.get(i),
      classField: this.classField,
      find: this.find,
    };
  }
  private renderHead(column: Column, k: number): TemplateResult {
    const { id, title, number } = column;
    const gripped = { id, title, fitted: leastOf(column.width) };
    const ids = this.shown.map((one) => one.id);
    const on = this.sorting?.by === id;
    return html`<span role="columnheader" aria-label=${title} class="${number ? "number" : ""} ${this.frozen(k)}" .style=${this.place(k)}
      aria-sort=${on ? (this.sorting!.down ? "descending" : "ascending") : "none"}>${
        id === "picture"
          ? html`<span class="visually-hidden">${title}</span>`
          : html`<button title=${msg("sortBy", { title })} @keydown=${pressed}
            @click=${() => this.sortBy(id)}>${title}${on ? (this.sorting!.down ? " ↓" : " ↑") : ""}</button>`
      }${this.grips.grip(gripped, ids)}</span>`;
  }
  private renderRow(position: number, top: number, template: string): TemplateResult {
    const row = this.rowAt(position);
    const { i } = row;
    return html`
      <div id="p${position}" class="row ${position === this.current ? "current" : ""}" role="row"
        aria-rowindex=${position + 2} aria-selected=${this.picked.has(i)}
        .style=${`grid-template-columns:${template};transform:translateY(${ROW + position * ROW - top}px)`}
        @click=${(e: MouseEvent) => (e.shiftKey || !isMarked(this.renderRoot) ? this.onClick(e, position) : undefined)}>
        ${this.shown.map((column, k) => this.renderCell(column, row, k))}
      </div>`;
  }
  private renderCell({ id, number, text, label: labelOf }: Column, row: Row, k: number): TemplateResult {
    if (id === "picture")
      return html`<span role="gridcell" class="cell-picture ${this.frozen(k)}" .style=${this.place(k)}><canvas width=${PICTURE.width * 2}
        height=${PICTURE.height * 2} aria-hidden="true" data-row=${row.at}></canvas></span>`;
    if (id === "index")
      return html`<span role="gridcell" .style=${this.place(k)}
        class="number ${this.frozen(k)}">${this.picked.has(row.i) ? html`<span class="tick">✓</span>` : nothing}${count(row.i)}</span>`;
    if (row.info.damaged)
      return html`<span role="gridcell" class="bad">${id === "format" ? msg("damaged") : ""}</span>`;
    const label = labelOf?.(row);
    return html`<span role="gridcell"
      class=${number ? "number" : ""}>${label ? html`<i class="dot" .style=${`background:${colorOf(label)}`}></i>` : nothing}${text(row)}</span>`;
  }
}
