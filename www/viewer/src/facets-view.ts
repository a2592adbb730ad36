/**
 * Facets and histograms at the side.
 *
 * The histograms are a few rectangles each with a brush over whole buckets: a charting library would bring a
 * hundred times their code for axes and animations that nothing here uses.
 */
import { LitElement, css, html, nothing, svg, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { rangeExpression, quote, type Facets, type Histogram } from "./facets.ts";
import { controls } from "./styles.ts";
import { bytes, count, plural, short } from "./words.ts";

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

const WIDTH = 240;
const HEIGHT = 54;
const SHOWN = 12;

/** `<forebay-facets>`: sends `clause` with `{ key, clause }`; a clause of `null` takes it away. */
@customElement("forebay-facets")
export class FacetsView extends LitElement {
  static override styles = [controls, css`
    :host {
      display: block;
      padding: 14px;
      overflow-y: auto;
    }
    section + section {
      margin-top: 18px;
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
    .bar {
      position: relative;
      display: flex;
      justify-content: space-between;
      width: 100%;
      min-height: 28px;
      margin-bottom: 3px;
      padding: 0 8px;
      border-color: transparent;
      border-radius: 6px;
      background: transparent;
      font-size: 13px;
      overflow: hidden;
    }
    .bar i {
      position: absolute;
      inset: 0 auto 0 0;
      background: var(--soft);
      border-radius: 6px;
    }
    .bar i + i {
      background: var(--accent-soft);
    }
    .bar span {
      position: relative;
      overflow: hidden;
      text-overflow: ellipsis;
    }
    .bar span:last-child {
      font-variant-numeric: tabular-nums;
    }
    svg {
      display: block;
      width: 100%;
      height: ${HEIGHT}px;
      touch-action: none;
      cursor: crosshair;
      border-radius: 6px;
    }
    .all {
      fill: var(--line);
    }
    .kept {
      fill: var(--accent);
    }
    .brush {
      fill: var(--accent);
      opacity: 0.18;
    }
    .hit {
      fill: transparent;
    }
    .ends {
      display: flex;
      justify-content: space-between;
      font-size: 11.5px;
      color: var(--ink-2);
      font-variant-numeric: tabular-nums;
    }
    .note {
      font-size: 12px;
      color: var(--ink-2);
    }
    .row {
      display: flex;
      gap: 6px;
    }
    .row input {
      min-width: 0;
      flex: 1;
    }
  `];

  @property({ attribute: false }) facets: Facets | null = null;
  @property({ attribute: false }) clauses: ReadonlyMap<string, Clause> = new Map();
  @property({ attribute: false }) classes: Classes | null = null;
  @property() classField = "";
  @property({ type: Boolean }) counting = false;
  @state() private brush: { measure: string; from: number; to: number } | null = null;
  /** The bucket that the keyboard stands on. */
  @state() private cursor: { measure: string; from: number; to: number } | null = null;

  override render(): TemplateResult {
    const { facets } = this;
    if (!facets) return html`<p class="note">Counting…</p>`;
    const most = Math.max(1, ...facets.formats.map((f) => f.all));
    return html`
      <section aria-label="Formats">
        <h2>Format</h2>
        ${facets.formats.map((f) => this.bar("format", f.format, f.all, f.kept, most, `format == ${quote(f.format)}`))}
        ${facets.damaged > 0 ? html`<p class="note bad">${count(facets.damaged)} entries of the index are damaged</p>` : nothing}
      </section>
      ${this.renderClasses()}
      ${facets.histograms.map((h) => this.renderHistogram(h))}
      ${facets.histograms[0]?.unknown && !facets.histograms.some((h) => h.measure === "width")
        ? html`<p class="note">This file's headers know no width and height.</p>` : nothing}`;
  }

  private send(key: string, clause: Clause | null): void {
    this.dispatchEvent(new CustomEvent("clause", { detail: { key, clause } }));
  }

  private bar(key: string, label: string, all: number, kept: number, most: number, expression: string): TemplateResult {
    const on = this.clauses.get(key)?.expression === expression;
    return html`
      <button class="bar" aria-pressed=${on} title=${label} @click=${() => this.send(key, on ? null : { label: `${key}: ${label}`, expression })}>
        <i .style=${`width:${(100 * all) / most}%`}></i><i .style=${`width:${(100 * kept) / most}%`}></i>
        <span>${label}</span><span>${count(kept)}</span>
      </button>`;
  }

  private renderClasses(): TemplateResult {
    const { classes } = this;
    const most = Math.max(1, ...(classes?.top.slice(0, SHOWN).map((c) => c.all) ?? []));
    return html`
      <section aria-label="Classes">
        <h2>Class ${classes ? html`<span>${count(classes.distinct)} of <code>${classes.field}</code></span>` : nothing}</h2>
        ${classes
          ? classes.top.slice(0, SHOWN).map((c) => {
              const literal = /^-?\d{1,15}$/.test(c.label) ? `(${classes.field} == ${c.label} || ${classes.field} == ${quote(c.label)})` : `${classes.field} == ${quote(c.label)}`;
              return this.bar("class", c.label, c.all, c.kept, most, literal);
            })
          : html`
            <div class="row">
              <input aria-label="The field that holds the class" placeholder="cls" .value=${this.classField} ?disabled=${this.counting} />
              <button ?disabled=${this.counting} @click=${this.countClasses}>${this.counting ? "Counting…" : "Count"}</button>
            </div>
            <p class="note">Reads the metadata of every sample.</p>`}
        ${classes && classes.distinct > SHOWN ? html`<p class="note">and ${count(classes.distinct - SHOWN)} more</p>` : nothing}
      </section>`;
  }
  private countClasses(): void {
    const field = this.renderRoot.querySelector("input")?.value.trim() || "cls";
    this.dispatchEvent(new CustomEvent("classes", { detail: field }));
  }

  private renderHistogram(h: Histogram): TemplateResult {
    const most = Math.max(1, ...h.all);
    const n = h.all.length;
    const step = WIDTH / n;
    const on = this.clauses.get(h.measure);
    const brush = this.brush?.measure === h.measure ? this.brush : null;
    const cursor = this.cursor?.measure === h.measure ? this.cursor : { measure: h.measure, from: 0, to: 0 };
    const shown = brush ?? (this.cursor?.measure === h.measure ? this.cursor : null);
    const name = { width: "Width", height: "Height", aspect: "Aspect", bytes: "Size" }[h.measure];
    const tall = (v: number): number => (v === 0 ? 0 : Math.max(1.5, (v / most) * (HEIGHT - 4)));
    const end = h.edges[n]!;
    const format = h.measure === "bytes" ? bytes : short;
    const at = (e: PointerEvent): number => {
      const box = (e.currentTarget as Element).getBoundingClientRect();
      return Math.min(n - 1, Math.max(0, Math.floor(((e.clientX - box.left) / box.width) * n)));
    };
    return html`
      <section aria-label=${name}>
        <h2>${name} ${on ? html`<button class="bare" @click=${() => this.send(h.measure, null)}>clear</button>` : h.unknown ? html`<span>${count(h.unknown)} unknown</span>` : nothing}</h2>
        <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" tabindex="0" role="slider" aria-label="Histogram of ${name.toLowerCase()}, from ${format(h.edges[0]!)} to ${format(end)}"
          aria-valuemin="0" aria-valuemax=${n - 1} aria-valuenow=${cursor.to} aria-valuetext="${format(h.edges[Math.min(cursor.from, cursor.to)]!)} to ${format(h.edges[Math.max(cursor.from, cursor.to) + 1]!)}: ${count(h.kept[cursor.to] ?? 0)} of ${plural(h.all[cursor.to] ?? 0, "sample")}"
          @keydown=${(e: KeyboardEvent) => this.onKey(e, h, cursor)} @focus=${() => (this.cursor = cursor)} @blur=${() => (this.cursor = null)}
          @pointerdown=${(e: PointerEvent) => { (e.currentTarget as Element).setPointerCapture(e.pointerId); this.brush = { measure: h.measure, from: at(e), to: at(e) }; }}
          @pointermove=${(e: PointerEvent) => { if (brush) this.brush = { ...brush, to: at(e) }; }}
          @pointerup=${() => this.brushed(h)} @pointercancel=${() => (this.brush = null)}>
          <rect class="hit" width=${WIDTH} height=${HEIGHT}></rect>
          ${h.all.map((v, k) => svg`
            <rect class="all" x=${k * step + 0.5} width=${Math.max(1, step - 1)} y=${HEIGHT - tall(v)} height=${tall(v)}></rect>
            <rect class="kept" x=${k * step + 0.5} width=${Math.max(1, step - 1)} y=${HEIGHT - tall(h.kept[k]!)} height=${tall(h.kept[k]!)}>
              <title>${format(h.edges[k]!)} to ${format(h.edges[k + 1]!)}: ${count(h.kept[k]!)} of ${count(v)}</title></rect>`)}
          ${shown ? svg`<rect class="brush" x=${Math.min(shown.from, shown.to) * step} width=${(Math.abs(shown.to - shown.from) + 1) * step} y="0" height=${HEIGHT}></rect>` : nothing}
        </svg>
        <div class="ends"><span>${format(h.edges[0]!)}</span><span>${end >= 1e9 && h.measure === "aspect" ? "∞" : format(end)}</span></div>
      </section>`;
  }
  /** Arrows move over the buckets, with Shift they take in more of them; Enter filters, Escape takes it back. */
  private onKey(e: KeyboardEvent, h: Histogram, { from, to }: { from: number; to: number }): void {
    const last = h.all.length - 1;
    const moves: Record<string, number> = { ArrowLeft: to - 1, ArrowDown: to - 1, ArrowRight: to + 1, ArrowUp: to + 1, Home: 0, End: last };
    const at = moves[e.key];
    if (at !== undefined) {
      const next = Math.min(last, Math.max(0, at));
      this.cursor = { measure: h.measure, from: e.shiftKey ? from : next, to: next };
    } else if (e.key === "Enter" || e.key === " ") this.brushed(h, { from, to });
    else if (e.key === "Escape" && this.clauses.has(h.measure)) this.send(h.measure, null);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
  private brushed(h: Histogram, brush: { from: number; to: number } | null = this.brush): void {
    this.brush = null;
    if (!brush) return;
    const [from, to] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];
    const expression = rangeExpression(h, from, to);
    const on = this.clauses.get(h.measure)?.expression === expression;
    this.send(h.measure, on ? null : { label: expression, expression });
  }
}
