/** Facets and histograms at the side. */
import "./box-facets.ts";
import "./histogram.ts";
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { bar, barStyles, type BarOf } from "../ui/bars.ts";
import type { Clause } from "../ui/clause.ts";
import { keep, recall } from "../ui/remembered.ts";
import { rangeExpression, type Facets, type Histogram } from "../ui/facets.ts";
import { hasLabel, quote, type ValueKind } from "../ui/literals.ts";
import { FILE_ICONS } from "../ui/file-icons.ts";
import { controls, facetStyles } from "../ui/styles.ts";
import { isEnter } from "../ui/typing.ts";
import { visible } from "../ui/visible.ts";
import type { Rows } from "../ui/rows.ts";
import type { BoxCounts } from "./box-counts.ts";
import { ClassColors, colorOf, learnColors } from "./colors.ts";
import { bytes, short, type Trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/pictures.ts";

/** Samples by class, and the field that holds it. */
export interface Classes {
  readonly field: string;
  readonly top: readonly { readonly label: string; readonly all: number; readonly kept: number }[];
  readonly distinct: number;
  /** What the field holds, as far as it was looked at. */
  readonly kinds: ReadonlySet<ValueKind>;
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

/** What a histogram is of. */
const measureTitle = (measure: Histogram["measure"]): string =>
  ({ width: common("width"), height: common("height"), aspect: msg("aspect"), bytes: common("size") })[measure];

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
      :host { display: block; padding: 14px; overflow-y: auto; }
      .row { display: flex; gap: 6px; }
      .row input { min-width: 0; flex: 1; }
      h2 .row { min-width: 0; align-items: baseline; }
      h2 .row span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      .add { margin-top: 10px; font-size: 12.5px; }
      forebay-box-facets { display: block; }
      section + .add, forebay-box-facets, forebay-box-facets + section { margin-top: 18px; }
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
  /** It is a list of pictures. */
  @property({ type: Boolean }) listed = false;
  /** The fields of the metadata, as far as they are known. */
  @property({ attribute: false }) fields: readonly string[] = [];
  /** Why classes or sizes could not be read. */
  @property({ attribute: false }) trouble: { readonly of: "classes" | "sizes"; readonly why: Trouble } | null = null;
  /** The field in whose place another is being chosen; an empty one for one more. */
  @state() private choosing: string | null = null;
  /** Classes that are shown of each field. */
  @state() private shown: ReadonlyMap<string, number> = new Map();
  readonly colors = new ClassColors(this);
  /** What is folded to its title; on a page of the viewer's own that is remembered. */
  @state() private folded: ReadonlySet<string> = new Set(recall("folded")?.split("\n").filter(Boolean));
  @query(".row input") private field!: HTMLInputElement | null;

  override render(): TemplateResult {
    const { facets } = this;
    if (!facets) return html`<p class="note">${msg("counting")}</p>`;
    const most = Math.max(1, ...facets.formats.map((f) => f.all));
    const formats = html`
      <section role=${this.within ? "group" : nothing} aria-label=${msg("formats")}>
        <h2>${this.renderTitle("format", common("format"))}</h2>
        ${this.folded.has("format") ? nothing : facets.formats.map((f) => this.bar("format", { label: f.format, all: f.all, kept: f.kept, most }, `format == ${quote(f.format)}`))}
        ${facets.damaged > 0 ? html`<p class="note bad">${msg("samplesCannotRead", { damaged: facets.damaged })}</p>` : nothing}
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
  /** A title, and the button that folds what stands below it. */
  private renderTitle(key: string, title: string): TemplateResult {
    const folded = this.folded.has(key);
    const name = folded ? msg("unfold", { title }) : msg("fold", { title });
    return html`<span class="title"><button class="bare icon fold ${folded ? "folded" : ""}" aria-expanded=${!folded} aria-label=${name} title=${name}
      @click=${() => this.fold(key)}>${FILE_ICONS.fold}</button>${title}</span>`;
  }
  private fold(key: string): void {
    const folded = new Set(this.folded);
    if (!folded.delete(key)) folded.add(key);
    this.folded = folded;
    keep("folded", [...folded].join("\n"));
  }
  private renderUnsized(unsized: number): TemplateResult {
    return html`
      <section role=${this.within ? "group" : nothing} aria-label=${msg("widthHeight")}>
        <h2>${msg("widthHeight")}</h2>
        <p class="note">${this.listed ? msg("listKnowsNeither", { unsized }) : msg("headersTarKnowNeitherSamples", { unsized })}</p>
        <button ?disabled=${this.counting}
          @click=${() => this.dispatchEvent(new CustomEvent("sizes"))}>${this.counting ? msg("reading") : msg("readThem")}</button>
        <p class="note">${msg("readsBeginningEveryPicture")}</p>
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
          ? html`<section role=${this.within ? "group" : nothing} aria-label=${first ? common("classes") : msg("moreField")}>
        <h2>${first ? common("class") : msg("moreField")} ${first ? nothing : html`<button class="bare" @click=${() => (this.choosing = null)}>${msg("cancel")}</button>`}</h2>
        ${this.renderAsk()}${this.renderTrouble("classes")}</section>`
          : html`<button class="add" @click=${() => this.choose("")}>${msg("countAnotherField")}</button>`
      }`;
  }
  private renderField(classes: Classes, k: number): TemplateResult {
    const { field } = classes;
    const asked = this.choosing === field;
    const shown = this.shown.get(field) ?? SHOWN;
    const top = classes.top.slice(0, shown);
    const most = Math.max(1, ...top.map((c) => c.all));
    const rest = classes.distinct - top.length;
    if (k === 0 && field !== "run") learnColors(classes.top.map(({ label }) => label));
    const offered = Math.min(MORE, classes.top.length - top.length);
    const more = (): void => void (this.shown = new Map(this.shown).set(field, shown + MORE));
    return html`
      <section role=${this.within ? "group" : nothing} aria-label=${k === 0 ? common("classes") : msg("classesBy", { field })}>
        <h2>${this.renderTitle(`class:${field}`, k === 0 && field !== "run" ? common("class") : visible(titleOf(field)))} ${
          asked || this.folded.has(`class:${field}`)
            ? nothing
            : html`<div class="row"><span>${msg("ofDistinct", { distinct: classes.distinct })} <code title=${visible(field)}>${visible(field)}</code></span>${
                k === 0
                  ? html`<button class="bare"
          aria-label=${msg("changeFieldCounted")} @click=${() => this.choose(field)}>${msg("change")}</button>`
                  : html`<button class="bare" aria-label=${msg("countNoMore", { field: visible(field) })}
          @click=${() => this.uncount(field)}>${msg("remove")}</button>`
              }</div>`
        }</h2>
        ${asked ? this.renderAsk() : nothing}
        ${k === 0 && this.choosing !== "" ? this.renderTrouble("classes") : nothing}
        ${(this.folded.has(`class:${field}`) ? [] : top).map((c) =>
          this.bar(
            `class:${field}`,
            { ...c, most, ...(field === "run" ? { short: lastPart(c.label, top) } : { color: colorOf(c.label) }) },
            hasLabel(field, c.label, classes.kinds),
            field,
          ),
        )}
        ${
          rest > 0 && offered > 0 && !this.folded.has(`class:${field}`)
            ? html`<button class="bare more"
          @click=${more}>${offered < rest ? msg("showMore2", { offered, rest }) : msg("showMore3", { offered })}</button>`
            : nothing
        }
        ${rest > 0 && offered <= 0 && !this.folded.has(`class:${field}`) ? html`<p class="note">${common("andMore", { rest })}</p>` : nothing}
      </section>`;
  }
  private renderAsk(): TemplateResult {
    return html`
      <div class="row">
        <input aria-label=${msg("fieldHoldsClass")} placeholder="cls" list="fields"
          .value=${this.choosing === "" ? "" : this.classField} ?disabled=${this.counting}
          @keydown=${(e: KeyboardEvent) => {
            if (isEnter(e)) this.countClasses();
          }} />
        <datalist id="fields">${this.fields.map((name) => html`<option value=${name}></option>`)}</datalist>
        <button ?disabled=${this.counting} @click=${this.countClasses}>${this.counting ? msg("counting") : msg("count")}</button>
      </div>
      <p class="note">${msg("readsMetadataEverySample")}</p>`;
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
    const name = measureTitle(h.measure);
    const text = (edge: number): string => (h.measure === "bytes" ? bytes(edge) : edge >= 1e9 ? "∞" : short(edge));
    return html`
      <section role=${this.within ? "group" : nothing} aria-label=${name}>
        <h2>${this.renderTitle(h.measure, name)} ${
          on
            ? html`<button class="bare"
          @click=${() => this.send(h.measure, null)}>${msg("clear")}</button>`
            : h.unknown
              ? html`<span>${msg("unknown", { unknown: h.unknown })}</span>`
              : nothing
        }</h2>
        ${
          this.folded.has(h.measure)
            ? nothing
            : html`<forebay-histogram .label=${name.toLowerCase()} .all=${h.all} .kept=${h.kept} .edges=${h.edges.map(text)}
          @brush=${(e: CustomEvent<{ from: number; to: number }>) => this.brushed(h, e.detail)}
            @clear=${() => on && this.send(h.measure, null)}></forebay-histogram>`
        }
      </section>`;
  }
  private brushed(h: Histogram, { from, to }: { from: number; to: number }): void {
    const expression = rangeExpression(h, from, to);
    const on = this.clauses.get(h.measure)?.expression === expression;
    this.send(h.measure, on ? null : { label: expression, expression });
  }
}
