/** The columns of a table: which are shown, what they hold, and what a look through one of them finds. */
import "../samples/histogram.ts";
import { Work } from "../ui/work.ts";
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { ColumnSummary, Table, TableField } from "../../../lib/src/model/index.ts";
import { bar, barStyles } from "../ui/bars.ts";
import { LOOKED_AT, bucketExpression, numberText, usualOf } from "./column-stats.ts";
import type { Clause } from "../ui/clause.ts";
import { controls, factStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { count, short } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/tables.ts";

/** Different numbers of a column up to which each is named. */
const NAMED = 12;
/** Columns that are listed; the box above finds the others. */
const LISTED = 300;

/** `<forebay-schema>`: sends `clause` as the facets do, `columns` with numbers, and `stats` with what was found. */
@customElement("forebay-schema")
export class SchemaPanel extends LitElement {
  static override styles = [
    controls,
    barStyles,
    factStyles,
    css`
      :host { display: block; padding: 14px; overflow-y: auto; }
      h2 { display: flex; justify-content: space-between; margin-bottom: 8px; }
      h2 span { font-weight: 400; color: var(--ink-2); }
      .find { width: 100%; margin-bottom: 8px; }
      ul { list-style: none; margin: 0; padding: 0; }
      li { border-top: 1px solid var(--line); padding: 2px 0; }
      .column { display: flex; align-items: center; gap: 8px; }
      .column button { flex: 1; min-width: 0; justify-content: space-between; padding: 0 6px; border-radius: 6px; }
      .column .name { overflow: hidden; text-overflow: ellipsis; font-size: 13px; }
      .column .type {
        unicode-bidi: plaintext; flex: none; max-width: 55%; overflow: hidden; text-overflow: ellipsis;
        font-family: var(--mono); font-size: 11.5px; color: var(--ink-2);
      }
      .found { padding: 2px 0 10px 22px; font-size: 12.5px; }
      dl { gap: 2px 12px; margin: 0 0 8px; }
      .note { font-size: 12px; color: var(--ink-2); }
    `,
  ];
  @property({ attribute: false }) data!: Table;
  @property({ attribute: false }) shown: readonly number[] = [];
  @property({ attribute: false }) clauses: ReadonlyMap<string, Clause> = new Map();
  @state() private sought = "";
  @state() private open: number | null = null;
  @state() private stats: ReadonlyMap<number, ColumnSummary> = new Map();
  private readonly work = new Work(this);

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has("data")) return;
    this.work.reset();
    this.stats = new Map();
    this.open = null;
    this.sought = "";
  }

  override render(): TemplateResult {
    const { schema } = this.data;
    const sought = this.sought.trim().toLowerCase();
    const found = schema
      .map((field, k) => ({ field, k }))
      .filter(({ field }) => field.name.toLowerCase().includes(sought));
    return html`
      <h2>${common("columns")} <span>${this.shown.length < schema.length ? msg("shownColumns", { shown: this.shown.length, all: schema.length }) : count(schema.length)}</span></h2>
      ${
        schema.length > 12
          ? html`<input class="find" type="search" aria-label=${msg("findColumn")}
        placeholder=${msg("findColumn")} .value=${this.sought}
        @input=${(e: Event) => (this.sought = (e.target as HTMLInputElement).value)} />`
          : nothing
      }
      <ul>${found.slice(0, LISTED).map(({ field, k }) => this.renderColumn(field, k))}</ul>
      ${found.length > LISTED ? html`<p class="note">${msg("andMore", { found: found.length - LISTED })}</p>` : nothing}`;
  }

  private renderColumn(field: TableField, k: number): TemplateResult {
    const on = this.shown.includes(k);
    const open = this.open === k;
    const notes = [field.type, field.nullable ? msg("mayMissing") : "", field.encoding ?? "", ...field.annotations]
      .filter(Boolean)
      .join(", ");
    return html`
      <li>
        <div class="column">
          <input type="checkbox" aria-label=${msg("show", { field: visible(field.name) })} .checked=${on} @change=${() => this.toggle(k)}
            />
          <button class="bare" aria-expanded=${open} title="${visible(`${field.name}: ${notes}`)}"
            @click=${() => this.look(k)}><span class="name">${visible(field.name)}</span><span class="type">${field.type}${field.nullable ? "?" : ""}</span></button>
        </div>
        ${open ? html`<div class="found">${this.renderFound(field, k)}</div>` : nothing}
      </li>`;
  }
  private toggle(k: number): void {
    const shown = this.shown.includes(k) ? this.shown.filter((c) => c !== k) : [...this.shown, k].sort((a, b) => a - b);
    this.dispatchEvent(new CustomEvent("columns", { detail: shown }));
  }

  private look(k: number): void {
    this.work.reset();
    this.open = this.open === k ? null : k;
    if (this.open === null || this.stats.has(k)) return;
    void this.work.run(async (signal, onProgress) => {
      const { columns } = await this.data.stats({ columns: [k], first: LOOKED_AT, signal, onProgress });
      const [stats] = columns;
      if (signal.aborted || !stats) return;
      this.stats = new Map(this.stats).set(k, stats);
      this.dispatchEvent(new CustomEvent("stats", { detail: stats }));
    });
  }

  private renderFound(field: TableField, k: number): TemplateResult {
    const stats = this.stats.get(k);
    const { failure, progress: p } = this.work;
    if (failure) return html`<p class="bad">${failure.message}</p>`;
    if (!stats)
      return html`<progress aria-label=${msg("lookingThrough", { field: visible(field.name) })} max="1"
        .value=${p?.totalSamples ? p.samples / p.totalSamples : 0}></progress>`;
    const key = `column ${k}`;
    const on = this.clauses.get(key);
    const send = (clause: Clause | null): void =>
      void this.dispatchEvent(new CustomEvent("clause", { detail: { key, clause } }));
    const { histogram = [] } = stats;
    const usual = usualOf(stats, field);
    const most = Math.max(1, ...usual.map((u) => u.rows));
    const brushed = ({ detail: { from, to } }: CustomEvent<{ from: number; to: number }>): void => {
      const expression = bucketExpression(stats, from, to);
      send(on?.expression === expression ? null : { label: expression, expression });
    };
    // Texts have no range that says much; of few numbers each is named, of many the spread is shown.
    const ranged = stats.min !== null && field.type !== "string";
    const spread = histogram.length > 1 && (stats.distinct ?? Infinity) > NAMED;
    const counts = histogram.map((b) => b.count);
    const edges = [...histogram.map((b) => b.from), ...histogram.slice(-1).map((b) => b.to)].map(short);
    return html`
      <dl>
        ${field.encoding ? html`<dt>${msg("storedAs")}</dt><dd>${field.encoding}</dd>` : nothing}
        ${ranged ? html`<dt>${msg("fromTo")}</dt><dd>${msg("toMinMax", { min: visible(numberText(stats.min)), max: visible(numberText(stats.max)) })}</dd>` : nothing}
        ${stats.mean === null ? nothing : html`<dt>${msg("mean")}</dt><dd>${numberText(stats.mean)}</dd>`}
        <dt>${msg("different")}</dt><dd>${stats.distinct === null ? msg("moreThan", { distinctAtLeast: stats.distinctAtLeast ?? 0 }) : count(stats.distinct)}</dd>
        ${field.nullable ? html`<dt>${msg("missing")}</dt><dd>${count(stats.nulls)}</dd>` : nothing}
        ${stats.nan ? html`<dt>${msg("notNumber")}</dt><dd>${count(stats.nan)}</dd>` : nothing}
      </dl>
      ${
        spread || (histogram.length > 1 && usual.length === 0)
          ? html`
        <forebay-histogram .label=${visible(field.name)} .all=${counts} .kept=${counts} .edges=${edges}
          @brush=${brushed} @clear=${() => send(null)}></forebay-histogram>`
          : nothing
      }
      ${
        spread
          ? nothing
          : usual.map(({ text, rows, expression }) =>
              bar(
                { label: text, all: rows, kept: rows, most, on: expression !== null && on?.expression === expression },
                expression === null
                  ? null
                  : () => send(on?.expression === expression ? null : { label: `${field.name}: ${text}`, expression }),
              ),
            )
      }
      ${this.data.length > LOOKED_AT ? html`<p class="note">${msg("firstRows", { lookedAt: LOOKED_AT })}</p>` : nothing}`;
  }
}
