/** A table, opened: its columns, its rows, a filter, one row in full. */
import "../curating/saved-filters.ts";
import "../ui/filter-box.ts";
import "./row-panel.ts";
import "./row-table.ts";
import "./schema-panel.ts";
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { ColumnSummary, Json, Table } from "../../../lib/src/model/index.ts";
import { fieldName } from "./cells.ts";
import type { FilterField, Values } from "../ui/complete.ts";
import type { SavedFilters } from "../curating/saved-filters.ts";
import { FilterController } from "../samples/filter-controller.ts";
import { renderChips, type Clause } from "../ui/clause.ts";
import type { FilterBox } from "../ui/filter-box.ts";
import type { RowTable } from "./row-table.ts";
import { controls } from "../ui/styles.ts";
import type { TextSource } from "../files/open-any.ts";
import { tree, treeStyles } from "../ui/tree.ts";
import { viewerStyles } from "../ui/viewer-styles.ts";
import { RowCursor } from "../ui/row-cursor.ts";
import { visible } from "../ui/visible.ts";
import { count, trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/tables.ts";

/** Columns that are shown unasked. */
const SHOWN = 24;

/** The state of a table in the page's address. */
export interface TableLink {
  readonly i?: number;
  readonly q?: string;
}

/** What is shown of a table. */
export interface ShownTable {
  /** The numbers of the columns. */
  readonly columns: readonly number[];
  /** The filter, and the rows that it keeps. */
  readonly filter: { readonly where: string; readonly kept: Uint32Array } | null;
}

/** A document; what is not JSON is shown as the text that it is. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** `<forebay-table-view>`: sends `shown` with a {@link ShownTable}, `link` with a {@link TableLink}, and `say` with a text for those who listen. */
@customElement("forebay-table-view")
export class TableView extends LitElement {
  static override styles = [controls, treeStyles, viewerStyles];
  @property({ attribute: false }) data!: Table;
  /** It stands on a page that has landmarks of its own. */
  @property({ type: Boolean }) within = false;
  /** The text that the table was made of. */
  @property({ attribute: false }) text: TextSource | null = null;
  @state() private columns: readonly number[] = [];
  private readonly filtering: FilterController = new FilterController(this, {
    data: () => this.data,
    words: (kept, table) => (kept === null ? msg("allRows", { table }) : msg("rowsMatch", { kept, table })),
    growing: () => false,
    say: (text) => this.say(text),
    begun: () => undefined,
    applied: () => {
      this.cursor.current = 0;
      this.tell();
    },
    failed: () => undefined,
  });
  private readonly cursor = new RowCursor(this, {
    unit: "row",
    rows: () => this.filtering.rows,
    list: () => this.list,
    say: (text) => this.say(text),
    moved: () => this.tell(),
  });
  @state() private panelShown = false;
  @state() private values: Values = new Map();
  @state() private document_: Json | undefined = undefined;
  @query("forebay-filter") private filterBox!: FilterBox | null;
  @query("forebay-saved") private saved!: SavedFilters | null;
  @query("forebay-rows") private list!: RowTable | null;
  private fields: readonly FilterField[] = [];
  /** What was last said to be shown. */
  private told: ShownTable = { columns: [], filter: null };

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("data")) return;
    const { data: table } = this;
    this.filtering.reset();
    this.filtering.showAll(table.length);
    this.columns = table.schema.map((_, k) => k).slice(0, SHOWN);
    this.fields = table.schema.map(({ name, type }) => ({
      name: fieldName(name),
      type: /^([iu]\d|f\d|u?int|float)/.test(type) ? "number" : type,
    }));
    this.values = new Map();
    this.cursor.reset();
    this.document_ = undefined;
    if (!table.metadata.document) return;
    table.document().then(
      (text) => {
        if (this.data === table && text !== null) this.document_ = parsed(text);
      },
      (e: unknown) => this.say(trouble(e).message),
    );
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.filtering.stop();
  }

  override updated(): void {
    const { kept, where } = this.filtering.rows;
    if (this.told.columns === this.columns && (this.told.filter?.kept ?? null) === kept) return;
    this.told = { columns: this.columns, filter: kept && { where, kept } };
    this.dispatchEvent(new CustomEvent<ShownTable>("shown", { detail: this.told }));
  }

  /** Gives the keys to the list. */
  override focus(): void {
    void this.updateComplete
      .then(() => this.list?.updateComplete)
      .then(() => this.list?.renderRoot.querySelector<HTMLElement>(".scroll")?.focus());
  }
  /** Goes where a link says. */
  async follow({ i, q = "" }: TableLink): Promise<void> {
    await this.updateComplete;
    if (q !== this.filtering.expression) await this.filtering.setText(q, new Map());
    if (i !== undefined && i < this.data.length) this.cursor.show(i);
    else if (i === undefined) this.cursor.clear();
  }
  /** Keys that are not for the rows; true if one was used. `idle` says that nothing has the focus. */
  key(key: string, idle: boolean): boolean {
    if (key !== "/") return this.cursor.key(key) || (idle && this.cursor.begin(key));
    this.filterBox?.focus();
    return true;
  }

  private say(text: string): void {
    this.dispatchEvent(new CustomEvent("say", { detail: text }));
  }
  private tell(): void {
    const { expression } = this.filtering;
    const row = this.cursor.open;
    this.dispatchEvent(
      new CustomEvent<TableLink>("link", {
        detail: { ...(row !== null && { i: row }), ...(expression && { q: expression }) },
      }),
    );
  }
  private learn(stats: ColumnSummary): void {
    const texts = (stats.top ?? []).map(([value]) => String(value));
    this.values = new Map(this.values).set(fieldName(stats.name), texts);
  }

  override render(): TemplateResult {
    const { data: table, filtering } = this;
    const { rows, running, done, text, error, expression, clauses } = filtering;
    if (table.metadata.document) return this.renderDocument();
    return html`
      <div class="work ${this.cursor.open === null ? "" : "row-open"}">
        <forebay-schema class="side ${this.panelShown ? "shown" : ""}" role=${this.landmark("complementary")} aria-label=${common("columns")}
          .data=${table} .shown=${this.columns} .clauses=${clauses}
          @columns=${(e: CustomEvent<number[]>) => (this.columns = e.detail)}
            @stats=${(e: CustomEvent<ColumnSummary>) => this.learn(e.detail)}
          @clause=${(e: CustomEvent<{ key: string; clause: Clause | null }>) => filtering.setClause(e.detail.key, e.detail.clause)}></forebay-schema>
        <div class="main" role=${this.landmark("main")} aria-label=${this.within ? common("rows") : nothing}>
          <div class="bar">
            <button class="narrow-only" aria-expanded=${this.panelShown}
              @click=${() => (this.panelShown = !this.panelShown)}>${common("columns")}</button>
            <forebay-filter .value=${text} .fields=${this.fields} .values=${this.values}
              .error=${error} .example=${this.example}
              ?keepable=${!this.within && !error && expression !== ""}
              @keep=${() => void this.saved?.ask()}
              @filter=${(e: CustomEvent<string>) => void filtering.setText(e.detail)}></forebay-filter>
            <span class="counts">${running ? (done > 0 ? msg("filteringSoFar", { count: done }) : common("filtering")) : rows.kept ? msg("ofRowsTable", { rows: rows.length, table: table.length }) : count(table.length)}</span>
          </div>
          ${this.within ? nothing : this.renderSaved()}
          <div class="chips">${this.renderSkipped()}${renderChips(clauses, (key, clause) => filtering.setClause(key, clause))}</div>
          ${
            rows.length === 0
              ? html`<div class="empty">${rows.kept ? msg("noRowMatchesFilter") : msg("thereNoRowsFile")}</div>`
              : html`<forebay-rows .data=${table} .rows=${rows} .columns=${this.columns} .current=${this.cursor.current}
                @current=${(e: CustomEvent<number>) => this.cursor.move(e.detail)}
                  @step=${(e: CustomEvent<number>) => this.cursor.follow(e.detail)}
                  @open=${(e: CustomEvent<number>) => this.cursor.show(e.detail)}></forebay-rows>`
          }
        </div>
        ${
          this.cursor.open === null
            ? nothing
            : html`
          <forebay-row class="panel" role=${this.landmark("complementary")} aria-label=${msg("row2")} .data=${table} .index=${this.cursor.open}
            @step=${(e: CustomEvent<number>) => this.cursor.step(e.detail)}
              @say=${(e: CustomEvent<string>) => this.say(e.detail)}
              @close=${() => this.cursor.close()}></forebay-row>`
        }
      </div>`;
  }
  private renderSaved(): TemplateResult {
    const { name = "", byteLength: bytes, length: samples } = this.data;
    return html`<forebay-saved .of=${{ name, bytes, samples }} .expression=${this.filtering.expression}
      @done=${() => this.filterBox?.focus()}
      @filter=${(e: CustomEvent<string>) => void this.filtering.setText(e.detail, new Map())}></forebay-saved>`;
  }
  private renderSkipped(): TemplateResult | typeof nothing {
    const skipped = this.text?.skipped ?? 0;
    if (skipped === 0) return nothing;
    return html`<div class="notice"
      role="alert"><span><b>${msg("rowsCouldNotReadLeft", { skipped })}</b> ${visible(this.text?.notes.find((note) => note.includes("line ")) ?? "")}</span></div>`;
  }
  private landmark(role: "main" | "complementary"): string {
    return this.within ? "group" : role;
  }
  private get example(): string {
    const number = this.fields.find((f) => f.type === "number");
    const text = this.fields.find((f) => f.type === "string");
    return number ? `${number.name} >= 10` : text ? `${text.name} ~ "a*"` : "";
  }
  private renderDocument(): TemplateResult {
    return html`<div class="document" role=${this.landmark("main")} aria-label=${this.within ? msg("document") : nothing}
      tabindex="0">${this.document_ === undefined ? html`<p class="muted">${msg("reading")}</p>` : tree("document", this.document_)}</div>`;
  }
}
