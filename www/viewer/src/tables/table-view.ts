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
import { Rows } from "../ui/rows.ts";
import type { FilterField, Values } from "../ui/complete.ts";
import type { SavedFilters } from "../curating/saved-filters.ts";
import type { Clause } from "../ui/clause.ts";
import type { FilterBox } from "../ui/filter-box.ts";
import type { RowTable } from "./row-table.ts";
import { controls } from "../ui/styles.ts";
import type { TextSource } from "../files/open-any.ts";
import { tree, treeStyles } from "../ui/tree.ts";
import { viewerStyles } from "../ui/viewer-styles.ts";
import { RowCursor } from "../ui/row-cursor.ts";
import { visible } from "../ui/visible.ts";
import { count, isAbort, trouble, type Trouble } from "../ui/wording.ts";
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
  @state() private rows = new Rows(0, null);
  @state() private columns: readonly number[] = [];
  @state() private typed = "";
  @state() private clauses: ReadonlyMap<string, Clause> = new Map();
  @state() private filterError: Trouble | null = null;
  @state() private filtering: number | null = null;
  private readonly cursor = new RowCursor(this, {
    unit: "row",
    rows: () => this.rows,
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
  private work = new AbortController();

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("data")) return;
    const { data: table } = this;
    this.work.abort();
    this.rows = new Rows(table.length, null);
    this.columns = table.schema.map((_, k) => k).slice(0, SHOWN);
    this.fields = table.schema.map(({ name, type }) => ({
      name: fieldName(name),
      type: /^([iu]\d|f\d|u?int|float)/.test(type) ? "number" : type,
    }));
    this.typed = "";
    this.clauses = this.values = new Map();
    this.filterError = this.filtering = null;
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
    this.work.abort();
  }

  override updated(changed: PropertyValues): void {
    if (!changed.has("rows" as never) && !changed.has("columns" as never)) return;
    const { rows, columns } = this;
    this.dispatchEvent(
      new CustomEvent<ShownTable>("shown", {
        detail: { columns, filter: rows.kept ? { where: rows.filter, kept: rows.kept } : null },
      }),
    );
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
    if (q !== this.expression) {
      this.typed = q;
      this.clauses = new Map();
      await this.refilter();
    }
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
    const { expression } = this;
    const row = this.cursor.open;
    this.dispatchEvent(
      new CustomEvent<TableLink>("link", {
        detail: { ...(row !== null && { i: row }), ...(expression && { q: expression }) },
      }),
    );
  }
  private get expression(): string {
    const clauses = [...this.clauses.values()].map((c) => c.expression);
    const text = this.typed.trim();
    return clauses.length === 0 ? text : [...(text ? [`(${text})`] : []), ...clauses].join(" && ");
  }
  private async refilter(): Promise<void> {
    const { data: table, expression } = this;
    this.work.abort();
    const { signal } = (this.work = new AbortController());
    this.filtering = 0;
    try {
      const onProgress = (p: { samples: number }): void => {
        if (!signal.aborted) this.filtering = p.samples;
      };
      const kept = expression ? await table.matches(expression, { signal, onProgress }) : null;
      if (signal.aborted) return;
      this.filterError = null;
      this.rows = new Rows(table.length, kept, expression);
      this.cursor.current = 0;
      this.say(
        kept ? msg("rowsMatch", { kept: kept.length, table: table.length }) : msg("allRows", { table: table.length }),
      );
      this.tell();
    } catch (e) {
      if (!signal.aborted && !isAbort(e)) this.filterError = trouble(e);
    } finally {
      if (!signal.aborted) this.filtering = null;
    }
  }
  private setClause(key: string, clause: Clause | null): void {
    const clauses = new Map(this.clauses);
    if (clause) clauses.set(key, clause);
    else clauses.delete(key);
    this.clauses = clauses;
    void this.refilter();
  }
  private learn(stats: ColumnSummary): void {
    const texts = (stats.top ?? []).map(([value]) => String(value));
    this.values = new Map(this.values).set(fieldName(stats.name), texts);
  }

  override render(): TemplateResult {
    const { data: table, rows } = this;
    if (table.metadata.document) return this.renderDocument();
    return html`
      <div class="work ${this.cursor.open === null ? "" : "row-open"}">
        <forebay-schema class="side ${this.panelShown ? "shown" : ""}" role=${this.landmark("complementary")} aria-label=${common("columns")}
          .data=${table} .shown=${this.columns} .clauses=${this.clauses}
          @columns=${(e: CustomEvent<number[]>) => (this.columns = e.detail)}
            @stats=${(e: CustomEvent<ColumnSummary>) => this.learn(e.detail)}
          @clause=${(e: CustomEvent<{ key: string; clause: Clause | null }>) => this.setClause(e.detail.key, e.detail.clause)}></forebay-schema>
        <div class="main" role=${this.landmark("main")} aria-label=${this.within ? common("rows") : nothing}>
          <div class="bar">
            <button class="narrow-only" aria-expanded=${this.panelShown}
              @click=${() => (this.panelShown = !this.panelShown)}>${common("columns")}</button>
            <forebay-filter .value=${this.typed} .fields=${this.fields} .values=${this.values}
              .error=${this.filterError} .example=${this.example}
              ?keepable=${!this.within && !this.filterError && this.expression !== ""}
              @keep=${() => void this.saved?.ask()}
              @filter=${(e: CustomEvent<string>) => {
                this.typed = e.detail;
                void this.refilter();
              }}></forebay-filter>
            <span class="counts">${this.filtering !== null ? (this.filtering > 0 ? msg("filteringSoFar", { count: this.filtering }) : msg("filtering")) : rows.kept ? msg("ofRowsTable", { rows: rows.length, table: table.length }) : count(table.length)}</span>
          </div>
          ${this.within ? nothing : this.renderSaved()}
          <div class="chips">${this.renderSkipped()}${[...this.clauses].map(
            ([key, clause]) => html`<button aria-label=${msg("remove", { label: visible(clause.label) })}
            @click=${() => this.setClause(key, null)}><bdi>${visible(clause.label)}</bdi> ✕</button>`,
          )}</div>
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
    return html`<forebay-saved .of=${{ name, bytes, samples }} .expression=${this.expression}
      @done=${() => this.filterBox?.focus()}
      @filter=${(e: CustomEvent<string>) => {
        this.typed = e.detail;
        this.clauses = new Map();
        void this.refilter();
      }}></forebay-saved>`;
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
