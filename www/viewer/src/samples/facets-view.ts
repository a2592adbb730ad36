/** Facets and histograms at the side. */
import "./box-facets.ts";
import "./histogram.ts";
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { bar, barStyles, type BarOf } from "../ui/bars.ts";
import type { Clause } from "../ui/clause.ts";
import { rangeExpression, quote, type Facets, type Histogram } from "../ui/facets.ts";
import { controls, facetStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import type { Rows } from "../ui/rows.ts";
import type { BoxCounts } from "./box-counts.ts";
import { colorOf } from "./colors.ts";
import { bytes, count, plural, short, type Trouble } from "../ui/wording.ts";

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

/** The last part of a run's folder, if that tells it from the others. */
function lastPart(run: string, all: readonly { readonly label: string }[]): string {
  const last = (text: string): string => text.split("/").pop() || text;
  return all.filter(({ label }) => last(label) === last(run)).length === 1 ? last(run) : run;
}

/** The last part of a path, as a title. */
const titleOf = (field: string): string => {
  const last = field.split(".").pop() || field;
  return last.slice(0, 1).toUpperCase() + last.slice(1);
};

/** `<forebay-facets>`: sends `clause` with `{ key, clause }`, a clause of `null` takes it away; `classes` with `{ field, instead }`, `uncount` with a field, `boxes` and `sizes` where these are to be read. */
@customElement("forebay-facets")
export class FacetsView extends LitElement {
  static override styles = [
    controls,
    barStyles,
    facetStyles,
    css`
    :host {
      display: block;
      padding: 14px;
      overflow-y: auto;
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
    .add {
      margin-top: 10px;
      font-size: 12.5px;
    }
    forebay-box-facets {
      display: block;
    }
    section + .add,
    forebay-box-facets,
    forebay-box-facets + section {
      margin-top: 18px;
    }
  `,
  ];

  /** It stands on a page that has landmarks of its own. */
  @property({ type: Boolean }) within = false;
  @property({ attribute: false }) facets: Facets | null = null;
  @property({ attribute: false }) clauses: ReadonlyMap<string, Clause> = new Map();
  @property({ attribute: false }) classes: readonly Classes[] = [];
  @property({ attribute: false }) boxes: BoxCounts | null = null;
  @property({ attribute: false }) boxProgress: { done: number; total: number } | null = null;
  @property({ attribute: false }) boxTrouble: Trouble | null = null;
  @property({ attribute: false }) rows!: Rows;
  /** All samples are alike, as a warehouse's are: what they have in common is not counted. */
  @property({ type: Boolean }) alike = false;
  @property() classField = "";
  @property({ type: Boolean }) counting = false;
  /** The file's index has no sizes; its pictures have. */
  @property({ type: Boolean }) sizeless = false;
  /** The fields of the metadata, as far as they are known. */
  @property({ attribute: false }) fields: readonly string[] = [];
  /** Why classes or sizes could not be read. */
  @property({ attribute: false }) trouble: { readonly of: "classes" | "sizes"; readonly why: Trouble } | null = null;
  /** The field in whose place another is being chosen; an empty one for one more. */
  @state() private choosing: string | null = null;
  /** Classes that are shown of each field. */
  @state() private shown: ReadonlyMap<string, number> = new Map();
  @query(".row input") private field!: HTMLInputElement | null;

  override render(): TemplateResult {
    const { facets } = this;
    if (!facets) return html`<p class="note">Counting…</p>`;
    const most = Math.max(1, ...facets.formats.map((f) => f.all));
    const formats = html`
      <section role=${this.within ? "group" : nothing} aria-label="Formats">
        <h2>Format</h2>
        ${facets.formats.map((f) => this.bar("format", { label: f.format, all: f.all, kept: f.kept, most }, `format == ${quote(f.format)}`))}
        ${facets.damaged > 0 ? html`<p class="note bad">${plural(facets.damaged, "sample")} cannot be read</p>` : nothing}
      </section>`;
    return html`
      ${this.alike ? nothing : formats}
      ${this.renderClasses()}
      <forebay-box-facets ?within=${this.within} .counts=${this.boxes} .progress=${this.boxProgress} .trouble=${this.boxTrouble}
        .rows=${this.rows} .clauses=${this.clauses}></forebay-box-facets>
      ${facets.histograms.filter((h) => !this.alike || h.all.length > 1).map((h) => this.renderHistogram(h))}
      ${this.sizeless && facets.unsized > 0 ? this.renderUnsized(facets.unsized) : nothing}
      <slot></slot>`;
  }
  private renderUnsized(unsized: number): TemplateResult {
    return html`
      <section role=${this.within ? "group" : nothing} aria-label="Width and height">
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

  private bar(key: string, of: Omit<BarOf, "on">, expression: string, name = key): TemplateResult {
    const { label } = of;
    const on = this.clauses.get(key)?.expression === expression;
    return bar({ ...of, on }, () => this.send(key, on ? null : { label: `${name}: ${label}`, expression }));
  }

  /** The classes by every field that is counted, and the way to one more. */
  private renderClasses(): TemplateResult {
    const first = this.classes.length === 0;
    return html`
      ${this.classes.map((classes, k) => this.renderField(classes, k))}
      ${
        first || this.choosing === ""
          ? html`<section role=${this.within ? "group" : nothing} aria-label=${first ? "Classes" : "One more field"}>
        <h2>${first ? "Class" : "One more field"} ${first ? nothing : html`<button class="bare" @click=${() => (this.choosing = null)}>cancel</button>`}</h2>
        ${this.renderAsk()}${this.renderTrouble("classes")}</section>`
          : html`<button class="add" @click=${() => this.choose("")}>+ Count by another field</button>`
      }`;
  }
  private renderField(classes: Classes, k: number): TemplateResult {
    const { field } = classes;
    const asked = this.choosing === field;
    const shown = this.shown.get(field) ?? SHOWN;
    const top = classes.top.slice(0, shown);
    const most = Math.max(1, ...top.map((c) => c.all));
    const rest = classes.distinct - top.length;
    const offered = Math.min(MORE, classes.top.length - top.length);
    const more = (): void => void (this.shown = new Map(this.shown).set(field, shown + MORE));
    return html`
      <section role=${this.within ? "group" : nothing} aria-label=${k === 0 ? "Classes" : `Classes by ${field}`}>
        <h2>${k === 0 && field !== "run" ? "Class" : visible(titleOf(field))} ${
          asked
            ? nothing
            : html`<div class="row"><span>${count(classes.distinct)} of <code title=${visible(field)}>${visible(field)}</code></span>${
                k === 0
                  ? html`<button class="bare"
          aria-label="Change the field that is counted" @click=${() => this.choose(field)}>change</button>`
                  : html`<button class="bare" aria-label="Count by ${visible(field)} no more"
          @click=${() => this.uncount(field)}>remove</button>`
              }</div>`
        }</h2>
        ${asked ? this.renderAsk() : nothing}
        ${k === 0 && this.choosing !== "" ? this.renderTrouble("classes") : nothing}
        ${top.map((c) => {
          const literal = /^-?\d{1,15}$/.test(c.label)
            ? `(${field} == ${c.label} || ${field} == ${quote(c.label)})`
            : `${field} == ${quote(c.label)}`;
          return this.bar(
            `class:${field}`,
            { ...c, most, ...(field === "run" ? { short: lastPart(c.label, top) } : { color: colorOf(c.label) }) },
            literal,
            field,
          );
        })}
        ${
          rest > 0 && offered > 0
            ? html`<button class="bare more"
          @click=${more}>Show ${count(offered)} more${offered < rest ? ` of ${count(rest)}` : ""}</button>`
            : nothing
        }
        ${rest > 0 && offered <= 0 ? html`<p class="note">and ${count(rest)} more</p>` : nothing}
      </section>`;
  }
  private renderAsk(): TemplateResult {
    return html`
      <div class="row">
        <input aria-label="The field that holds the class" placeholder="cls" list="fields"
          .value=${this.choosing === "" ? "" : this.classField} ?disabled=${this.counting}
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
  private async choose(field: string): Promise<void> {
    this.choosing = field;
    await this.updateComplete;
    this.field?.select();
  }
  private uncount(field: string): void {
    this.send(`class:${field}`, null);
    this.dispatchEvent(new CustomEvent("uncount", { detail: field }));
  }
  private countClasses(): void {
    const field = this.field?.value.trim() || "cls";
    const instead = this.choosing || undefined;
    this.choosing = null;
    this.dispatchEvent(new CustomEvent("classes", { detail: { field, instead } }));
  }

  private renderHistogram(h: Histogram): TemplateResult {
    const on = this.clauses.get(h.measure);
    const name = { width: "Width", height: "Height", aspect: "Aspect", bytes: "Size" }[h.measure];
    const text = (edge: number): string => (h.measure === "bytes" ? bytes(edge) : edge >= 1e9 ? "∞" : short(edge));
    return html`
      <section role=${this.within ? "group" : nothing} aria-label=${name}>
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
