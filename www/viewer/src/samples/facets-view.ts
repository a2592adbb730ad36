/** Facets and histograms at the side. */
import "./histogram.ts";
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { bar, barStyles, type BarOf } from "../ui/bars.ts";
import { rangeExpression, quote, type Facets, type Histogram } from "../ui/facets.ts";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { colorOf } from "./colors.ts";
import { bytes, count, plural, short, type Trouble } from "../ui/wording.ts";

/** A part of the filter that was clicked together. */
export interface Clause {
  readonly label: string;
  readonly expression: string;
}
/** Samples by class, and the field that holds it. */
export interface Classes {
  readonly field: string;
  readonly top: readonly { readonly label: string; readonly all: number; readonly kept: number }[];
  readonly distinct: number;
}

/** Classes that are shown at first, */
const SHOWN = 12;
/** and how many more each time. */
const MORE = 100;

/** `<forebay-facets>`: sends `clause` with `{ key, clause }`, a clause of `null` takes it away; `classes` and `sizes` where these are to be read. */
@customElement("forebay-facets")
export class FacetsView extends LitElement {
  static override styles = [
    controls,
    barStyles,
    css`
    :host {
      display: block;
      padding: 14px;
      overflow-y: auto;
    }
    section + section {
      margin-top: 18px;
    }
    h2 button {
      font-weight: 400;
      min-height: 22px;
      padding: 0 6px;
      font-size: 12px;
    }
    h2 {
      display: flex;
      justify-content: space-between;
      margin-bottom: 6px;
    }
    h2 span {
      font-weight: 400;
      color: var(--ink-2);
    }
    .note {
      font-size: 12px;
      color: var(--ink-2);
    }
    .note.bad {
      color: var(--bad);
    }
    .row {
      display: flex;
      gap: 6px;
    }
    .row input {
      min-width: 0;
      flex: 1;
    }
    h2 .row {
      min-width: 0;
      align-items: baseline;
    }
    h2 .row span {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .more {
      min-height: 28px;
      font-size: 12px;
    }
  `,
  ];

  @property({ attribute: false }) facets: Facets | null = null;
  @property({ attribute: false }) clauses: ReadonlyMap<string, Clause> = new Map();
  @property({ attribute: false }) classes: Classes | null = null;
  @property() classField = "";
  @property({ type: Boolean }) counting = false;
  /** The file's index has no sizes; its pictures have. */
  @property({ type: Boolean }) sizeless = false;
  /** The fields of the metadata, as far as they are known. */
  @property({ attribute: false }) fields: readonly string[] = [];
  /** Why classes or sizes could not be read. */
  @property({ attribute: false }) trouble: { readonly of: "classes" | "sizes"; readonly why: Trouble } | null = null;
  /** Another field is being chosen. */
  @state() private choosing = false;
  @state() private shown = SHOWN;
  @query(".row input") private field!: HTMLInputElement | null;

  override render(): TemplateResult {
    const { facets } = this;
    if (!facets) return html`<p class="note">Counting…</p>`;
    const most = Math.max(1, ...facets.formats.map((f) => f.all));
    return html`
      <section aria-label="Formats">
        <h2>Format</h2>
        ${facets.formats.map((f) => this.bar("format", { label: f.format, all: f.all, kept: f.kept, most }, `format == ${quote(f.format)}`))}
        ${facets.damaged > 0 ? html`<p class="note bad">${plural(facets.damaged, "sample")} cannot be read</p>` : nothing}
      </section>
      ${this.renderClasses()}
      ${facets.histograms.map((h) => this.renderHistogram(h))}
      ${this.sizeless && facets.unsized > 0 ? this.renderUnsized(facets.unsized) : nothing}`;
  }
  private renderUnsized(unsized: number): TemplateResult {
    return html`
      <section aria-label="Width and height">
        <h2>Width and height</h2>
        <p class="note">The headers of a TAR know neither; of ${count(unsized)} ${unsized === 1 ? "sample" : "samples"} they are not read yet.</p>
        <button ?disabled=${this.counting}
          @click=${() => this.dispatchEvent(new CustomEvent("sizes"))}>${this.counting ? "Reading…" : "Read them"}</button>
        <p class="note">Reads the beginning of every picture.</p>
        ${this.renderTrouble("sizes")}
      </section>`;
  }

  private send(key: string, clause: Clause | null): void {
    this.dispatchEvent(new CustomEvent("clause", { detail: { key, clause } }));
  }

  private bar(key: string, of: Omit<BarOf, "on">, expression: string): TemplateResult {
    const { label } = of;
    const on = this.clauses.get(key)?.expression === expression;
    return bar({ ...of, on }, () => this.send(key, on ? null : { label: `${key}: ${label}`, expression }));
  }

  private renderClasses(): TemplateResult {
    const { classes } = this;
    const asked = !classes || this.choosing;
    const top = classes?.top.slice(0, this.shown) ?? [];
    const most = Math.max(1, ...top.map((c) => c.all));
    const rest = (classes?.distinct ?? 0) - top.length;
    const offered = Math.min(MORE, (classes?.top.length ?? 0) - top.length);
    return html`
      <section aria-label="Classes">
        <h2>Class ${
          classes && !asked
            ? html`<div class="row"><span>${count(classes.distinct)} of <code title=${visible(classes.field)}>${visible(classes.field)}</code></span><button class="bare"
          aria-label="Change the field that is counted" @click=${this.choose}>change</button></div>`
            : nothing
        }</h2>
        ${asked ? this.renderAsk() : nothing}
        ${this.renderTrouble("classes")}
        ${top.map((c) => {
          const literal = /^-?\d{1,15}$/.test(c.label)
            ? `(${classes!.field} == ${c.label} || ${classes!.field} == ${quote(c.label)})`
            : `${classes!.field} == ${quote(c.label)}`;
          return this.bar("class", { ...c, most, color: colorOf(c.label) }, literal);
        })}
        ${
          rest > 0 && offered > 0
            ? html`<button class="bare more"
          @click=${() => (this.shown += MORE)}>Show ${count(offered)} more${offered < rest ? ` of ${count(rest)}` : ""}</button>`
            : nothing
        }
        ${rest > 0 && offered <= 0 ? html`<p class="note">and ${count(rest)} more</p>` : nothing}
      </section>`;
  }
  private renderAsk(): TemplateResult {
    return html`
      <div class="row">
        <input aria-label="The field that holds the class" placeholder="cls" list="fields" .value=${this.classField}
          ?disabled=${this.counting}
          @keydown=${(e: KeyboardEvent) => {
            if (e.key === "Enter") this.countClasses();
          }} />
        <datalist id="fields">${this.fields.map((name) => html`<option value=${name}></option>`)}</datalist>
        <button ?disabled=${this.counting} @click=${this.countClasses}>${this.counting ? "Counting…" : "Count"}</button>
      </div>
      <p class="note">Reads the metadata of every sample.</p>`;
  }
  private renderTrouble(of: "classes" | "sizes"): TemplateResult | typeof nothing {
    if (this.trouble?.of !== of) return nothing;
    const { message, code } = this.trouble.why;
    return html`<p class="note bad" role="alert">${message}${code ? html` <code>${code}</code>` : nothing}</p>`;
  }
  private async choose(): Promise<void> {
    this.choosing = true;
    await this.updateComplete;
    this.field?.select();
  }
  private countClasses(): void {
    const field = this.field?.value.trim() || "cls";
    this.choosing = false;
    this.shown = SHOWN;
    this.dispatchEvent(new CustomEvent("classes", { detail: field }));
  }

  private renderHistogram(h: Histogram): TemplateResult {
    const on = this.clauses.get(h.measure);
    const name = { width: "Width", height: "Height", aspect: "Aspect", bytes: "Size" }[h.measure];
    const text = (edge: number): string => (h.measure === "bytes" ? bytes(edge) : edge >= 1e9 ? "∞" : short(edge));
    return html`
      <section aria-label=${name}>
        <h2>${name} ${
          on
            ? html`<button class="bare"
          @click=${() => this.send(h.measure, null)}>clear</button>`
            : h.unknown
              ? html`<span>${count(h.unknown)} unknown</span>`
              : nothing
        }</h2>
        <forebay-histogram .label=${name.toLowerCase()} .all=${h.all} .kept=${h.kept} .edges=${h.edges.map(text)}
          @brush=${(e: CustomEvent<{ from: number; to: number }>) => this.brushed(h, e.detail)}
            @clear=${() => on && this.send(h.measure, null)}></forebay-histogram>
      </section>`;
  }
  private brushed(h: Histogram, { from, to }: { from: number; to: number }): void {
    const expression = rangeExpression(h, from, to);
    const on = this.clauses.get(h.measure)?.expression === expression;
    this.send(h.measure, on ? null : { label: expression, expression });
  }
}
