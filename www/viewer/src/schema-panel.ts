/** The columns of a table: which are shown, what they hold, and what a look through one of them finds. */
import "./histogram.ts";
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Table, TableField } from "../../lib/src/types.ts";
import { bar, barStyles } from "./bars.ts";
import { LOOKED_AT, bucketExpression, lookAt, type ColumnStats } from "./column-stats.ts";
import type { Clause } from "./facets-view.ts";
import { controls } from "./styles.ts";
import { count, isAbort, plural, short, trouble } from "./words.ts";

/** Columns that are listed; the box above finds the others. */
const LISTED = 300;

/** `<forebay-schema>`: sends `clause` as the facets do, `columns` with numbers, and `stats` with what was found. */
@customElement("forebay-schema")
export class SchemaPanel extends LitElement {
  static override styles = [controls, barStyles, css`
    :host {
      display: block;
      padding: 14px;
      overflow-y: auto;
    }
    h2 {
      display: flex;
      justify-content: space-between;
      margin-bottom: 8px;
    }
    h2 span {
      font-weight: 400;
      color: var(--ink-2);
    }
    .find {
      width: 100%;
      margin-bottom: 8px;
    }
    ul {
      list-style: none;
      margin: 0;
      padding: 0;
    }
    li {
      border-top: 1px solid var(--line);
      padding: 2px 0;
    }
    .column {
      display: flex;
      align-items: center;
      gap: 8px;
    }
    .column button {
      flex: 1;
      min-width: 0;
      justify-content: space-between;
      padding: 0 6px;
      border-radius: 6px;
    }
    .column .name {
      overflow: hidden;
      text-overflow: ellipsis;
      font-size: 13px;
    }
    .column .type {
      flex: none;
      max-width: 55%;
      overflow: hidden;
      text-overflow: ellipsis;
      font-family: var(--mono);
      font-size: 11.5px;
      color: var(--ink-2);
    }
    .found {
      padding: 2px 0 10px 22px;
      font-size: 12.5px;
    }
    dl {
      display: grid;
      grid-template-columns: max-content 1fr;
      gap: 2px 12px;
      margin: 0 0 8px;
    }
    dt {
      color: var(--ink-2);
    }
    dd {
      margin: 0;
      overflow-wrap: anywhere;
      font-variant-numeric: tabular-nums;
    }
    .note {
      font-size: 12px;
      color: var(--ink-2);
    }
  `];
  @property({ attribute: false }) data!: Table;
  @property({ attribute: false }) shown: readonly number[] = [];
  @property({ attribute: false }) clauses: ReadonlyMap<string, Clause> = new Map();
  @state() private sought = "";
  @state() private open: number | null = null;
  @state() private stats: ReadonlyMap<number, ColumnStats> = new Map();
  @state() private lookedAt = 0;
  @state() private failure = "";
  private work = new AbortController();

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has("data")) return;
    this.work.abort();
    this.stats = new Map();
    this.open = null;
    this.sought = "";
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.work.abort();
  }

  override render(): TemplateResult {
    const { schema } = this.data;
    const sought = this.sought.trim().toLowerCase();
    const found = schema.map((field, k) => ({ field, k })).filter(({ field }) => field.name.toLowerCase().includes(sought));
    return html`
      <h2>Columns <span>${count(schema.length)}</span></h2>
      ${schema.length > 12 ? html`<input class="find" type="search" aria-label="Find a column" placeholder="Find a column" .value=${this.sought} @input=${(e: Event) => (this.sought = (e.target as HTMLInputElement).value)} />` : nothing}
      <ul>${found.slice(0, LISTED).map(({ field, k }) => this.renderColumn(field, k))}</ul>
      ${found.length > LISTED ? html`<p class="note">and ${count(found.length - LISTED)} more</p>` : nothing}`;
  }

  private renderColumn(field: TableField, k: number): TemplateResult {
    const on = this.shown.includes(k);
    const open = this.open === k;
    const notes = [field.type, field.nullable ? "may be missing" : "", field.encoding ?? "", ...field.annotations].filter(Boolean).join(", ");
    return html`
      <li>
        <div class="column">
          <input type="checkbox" aria-label="Show ${field.name}" .checked=${on} @change=${() => this.toggle(k)} />
          <button class="bare" aria-expanded=${open} title="${field.name}: ${notes}" @click=${() => this.look(k)}><span class="name">${field.name}</span><span class="type">${field.type}${field.nullable ? "?" : ""}</span></button>
        </div>
        ${open ? html`<div class="found">${this.renderFound(field, k)}</div>` : nothing}
      </li>`;
  }
  private toggle(k: number): void {
    const shown = this.shown.includes(k) ? this.shown.filter((c) => c !== k) : [...this.shown, k].sort((a, b) => a - b);
    this.dispatchEvent(new CustomEvent("columns", { detail: shown }));
  }

  private look(k: number): void {
    this.work.abort();
    this.failure = "";
    this.open = this.open === k ? null : k;
    if (this.open === null || this.stats.has(k)) return;
    const work = (this.work = new AbortController());
    this.lookedAt = 0;
    lookAt(this.data, k, work.signal, (part) => { if (!work.signal.aborted) this.lookedAt = part; }).then(
      (stats) => {
        if (work.signal.aborted) return;
        this.stats = new Map(this.stats).set(k, stats);
        this.dispatchEvent(new CustomEvent("stats", { detail: stats }));
      },
      (e: unknown) => { if (!isAbort(e) && !work.signal.aborted) this.failure = trouble(e).message; },
    );
  }

  private renderFound(field: TableField, k: number): TemplateResult {
    const stats = this.stats.get(k);
    if (this.failure) return html`<p class="bad">${this.failure}</p>`;
    if (!stats) return html`<progress aria-label="Looking through ${field.name}" max="1" .value=${this.lookedAt}></progress>`;
    const key = `column ${k}`;
    const on = this.clauses.get(key);
    const send = (clause: Clause | null): void => void this.dispatchEvent(new CustomEvent("clause", { detail: { key, clause } }));
    const most = Math.max(1, ...stats.top.map((t) => t.rows));
    const text = (n: number): string => (Number.isInteger(n) && Math.abs(n) < 1e15 ? count(n) : String(Number(n.toPrecision(6))));
    const step = stats.buckets.length > 0 ? (stats.max! - stats.min!) / stats.buckets.length : 0;
    return html`
      <dl>
        ${field.encoding ? html`<dt>Stored as</dt><dd>${field.encoding}</dd>` : nothing}
        ${stats.min === null ? nothing : html`<dt>From, to</dt><dd>${text(stats.min)} to ${text(stats.max!)}</dd><dt>Mean</dt><dd>${text(Number(stats.mean!.toPrecision(6)))}</dd>`}
        <dt>Different</dt><dd>${stats.distinct === null ? "many" : count(stats.distinct)}</dd>
        ${field.nullable ? html`<dt>Missing</dt><dd>${count(stats.missing)}</dd>` : nothing}
      </dl>
      ${stats.buckets.length > 0 ? html`
        <forebay-histogram .label=${field.name} .all=${stats.buckets} .kept=${stats.buckets} .edges=${Array.from({ length: stats.buckets.length + 1 }, (_, b) => short(stats.min! + step * b))}
          @brush=${(e: CustomEvent<{ from: number; to: number }>) => {
            const expression = bucketExpression(stats, e.detail.from, e.detail.to);
            send(on?.expression === expression ? null : { label: expression, expression });
          }} @clear=${() => send(null)}></forebay-histogram>` : nothing}
      ${stats.buckets.length > 0 && (stats.distinct ?? Infinity) > 12 ? nothing : stats.top.map((t) => bar({ label: t.text, all: t.rows, kept: t.rows, most, on: on?.expression === t.expression },
        () => send(on?.expression === t.expression ? null : { label: `${field.name}: ${t.text}`, expression: t.expression })))}
      ${stats.whole ? nothing : html`<p class="note">Of the first ${plural(LOOKED_AT, "row")}.</p>`}`;
  }
}
