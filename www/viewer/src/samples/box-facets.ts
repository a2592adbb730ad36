/** Facets of the boxes: their classes, how many a picture has, and what is wrong. */
import "./histogram.ts";
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { bar, barStyles } from "../ui/bars.ts";
import type { Rows } from "../ui/rows.ts";
import { controls, facetStyles } from "../ui/styles.ts";
import { count, percent, type Trouble } from "../ui/wording.ts";
import { SHARES, maskOfRows, spread, withBoxes, type BoxCounts } from "./box-counts.ts";
import { ClassColors, colorOf, learnColors } from "./colors.ts";
import type { Clause } from "../ui/clause.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/pictures.ts";

/** Classes that are shown at first, and how many more each time. */
const SHOWN = 12;
const MORE = 100;

const NONE = new Uint32Array();

/** What a bar stands for: its samples, how many the longest has, and how its samples are found in other counts. */
interface Counted {
  readonly samples: Uint32Array;
  readonly most: number;
  readonly again: (counts: BoxCounts) => Uint32Array;
}

/** `<forebay-box-facets>`: sends `clause` as the other facets do, and `boxes` where counting is to begin or to end. */
@customElement("forebay-box-facets")
export class BoxFacets extends LitElement {
  static override styles = [
    controls,
    barStyles,
    facetStyles,
    css`
      h3 { margin: 10px 0 4px; font-size: 12px; font-weight: 400; color: var(--ink-2); }
    `,
  ];
  /** It stands on a page that has landmarks of its own. */
  @property({ type: Boolean }) within = false;
  @property({ attribute: false }) counts: BoxCounts | null = null;
  @property({ attribute: false }) rows!: Rows;
  @property({ attribute: false }) clauses: ReadonlyMap<string, Clause> = new Map();
  /** How far the counting is; `null` while nobody counts. */
  @property({ attribute: false }) progress: { done: number; total: number } | null = null;
  @property({ attribute: false }) trouble: Trouble | null = null;
  @state() private shown = SHOWN;
  readonly colors = new ClassColors(this);
  private mask: Uint8Array | null = null;

  override willUpdate(changed: PropertyValues): void {
    if (this.counts && (changed.has("counts") || changed.has("rows")))
      this.mask = maskOfRows(this.counts.perPicture.length, this.rows.kept);
  }
  private send(key: string, clause: Clause | null): void {
    this.dispatchEvent(new CustomEvent("clause", { detail: { key, clause }, bubbles: true, composed: true }));
  }
  private kept(samples: Uint32Array): number {
    const { mask } = this;
    return mask ? samples.reduce((sum, i) => sum + (mask[i] ?? 0), 0) : samples.length;
  }
  private toggle(key: string, label: string, again: (counts: BoxCounts) => Uint32Array): void {
    const { counts } = this;
    if (this.clauses.has(key)) this.send(key, null);
    else if (counts) this.send(key, { label, expression: "", samples: again(counts), again });
  }

  override render(): TemplateResult {
    const { counts } = this;
    return html`<section role=${this.within ? "group" : nothing} aria-label=${common("boxes")}>
      <h2>${common("boxes")} ${counts ? html`<span>${msg("ofClasses", { boxes: counts.boxes, classes: counts.classes.length })}</span>` : nothing}</h2>
      ${counts ? this.renderCounts(counts) : this.renderAsk()}
      ${this.trouble ? html`<p class="note bad" role="alert">${this.trouble.message}${this.trouble.code ? html` <code>${this.trouble.code}</code>` : nothing}</p>` : nothing}
    </section>`;
  }
  private renderAsk(): TemplateResult {
    const { progress: p } = this;
    const ask = (detail: boolean): unknown =>
      this.dispatchEvent(new CustomEvent("boxes", { detail, bubbles: true, composed: true }));
    if (p)
      return html`<progress aria-label=${msg("samplesRead")} max=${p.total} .value=${p.done}></progress>
        <p class="note">${msg("readingOf", { done: p.done, total: p.total })}</p>
        <button @click=${() => ask(false)}>${common("cancel")}</button>`;
    return html`<button @click=${() => ask(true)}>${msg("countBoxes")}</button>
      <p class="note">${msg("readsMetadataEverySample")}</p>`;
  }
  private renderCounts(counts: BoxCounts): TemplateResult {
    if (counts.boxes === 0 && counts.broken.length === 0)
      return html`<p class="note">${msg("metadataHoldsNoBoxes")}</p>`;
    const most = Math.max(1, counts.classes[0]?.samples.length ?? 0);
    const rest = counts.classes.length - this.shown;
    learnColors(counts.classes.map(({ label }) => label));
    return html`
      <h3>${msg("imagesByClass")}</h3>
      ${counts.classes.slice(0, this.shown).map(({ label, samples }) => {
        const name = label || msg("withoutClass");
        const again = (of: BoxCounts): Uint32Array => of.classes.find((one) => one.label === label)?.samples ?? NONE;
        return this.bar(`box:${label}`, name, { samples, most, again }, msg("boxesOfClass", { name }), colorOf(label));
      })}
      ${rest > 0 ? html`<button class="bare more" @click=${() => (this.shown += MORE)}>${msg("showMore", { rest: Math.min(rest, MORE) })}</button>` : nothing}
      ${this.renderSpread(counts)}
      ${this.renderSizes(counts)}
      ${counts.outside.length > 0 ? this.bar("boxes outside", msg("outsidePicture"), { samples: counts.outside, most: counts.outside.length, again: (of) => of.outside }, msg("boxesOutsidePicture")) : nothing}
      ${counts.broken.length > 0 ? this.bar("boxes broken", msg("withoutAreaNumber"), { samples: counts.broken, most: counts.broken.length, again: (of) => of.broken }, msg("boxesWithoutAreaNumber")) : nothing}`;
  }
  private bar(
    key: string,
    label: string,
    { samples, most, again }: Counted,
    words: string,
    color?: string,
  ): TemplateResult {
    const of = {
      label,
      all: samples.length,
      kept: this.kept(samples),
      most,
      on: this.clauses.has(key),
      ...(color && { color }),
    };
    return bar(of, () => this.toggle(key, words, again));
  }
  /** By how much of their picture they take: small ones are what detectors miss. */
  private renderSizes({ sizes }: BoxCounts): TemplateResult | typeof nothing {
    const most = Math.max(0, ...sizes.map(({ length }) => length));
    if (most === 0) return nothing;
    return html`<h3>${msg("sizeOfBoxes")}</h3>
      ${sizes.map((samples, k) => {
        if (samples.length === 0) return nothing;
        const [low, high] = [SHARES[k - 1], SHARES[k]].map((share) => share && percent(share, 1));
        const share = !low
          ? msg("underShare", { share: high! })
          : high
            ? msg("shareToShare", { share: low, share2: high })
            : msg("overShare", { share: low });
        const again = (of: BoxCounts): Uint32Array => of.sizes[k] ?? NONE;
        return this.bar(`boxes of size ${k}`, share, { samples, most, again }, msg("boxesOfSize", { share }));
      })}`;
  }
  private renderSpread({ perPicture }: BoxCounts): TemplateResult {
    const { edges, all, kept } = spread(perPicture, this.mask);
    const key = "boxes per image";
    const clear = (): void => this.send(key, null);
    const brushed = ({ from, to }: { from: number; to: number }): void => {
      const [low, high] = [edges[from]!, edges[to + 1]!];
      const label =
        high === low + 1
          ? low === 0
            ? msg("noBoxes")
            : msg("boxes", { low })
          : msg("toBoxes", { low, rest: high > 1e6 ? "∞" : high - 1 });
      if (this.clauses.get(key)?.label === label) clear();
      else {
        const again = (of: BoxCounts): Uint32Array => withBoxes(of.perPicture, low, high);
        this.send(key, { label, expression: "", samples: withBoxes(perPicture, low, high), again });
      }
    };
    const none = all[0] ?? 0;
    const none0 = msg("noBoxes");
    return html`
      <h3>${msg("inAPicture")}</h3>
      <forebay-histogram label=${msg("boxesPicture")} .all=${all} .kept=${kept}
        .edges=${edges.map((edge) => (edge > 1e6 ? "∞" : count(edge)))}
        @brush=${(e: CustomEvent<{ from: number; to: number }>) => brushed(e.detail)} @clear=${clear}></forebay-histogram>
      ${
        edges[0] === 0 && none > 0
          ? bar(
              {
                label: none0,
                all: none,
                kept: kept[0]!,
                most: none,
                on: this.clauses.get(key)?.label === none0,
              },
              () => brushed({ from: 0, to: 0 }),
            )
          : nothing
      }`;
  }
}
