/**
 * A histogram that is brushed, by pointer or by keys.
 *
 * It is a few rectangles with a brush over whole buckets: a charting library would bring a hundred times their code
 * for axes and animations that nothing here uses.
 */
import { LitElement, css, html, nothing, svg, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { msg } from "../messages/pictures.ts";

const WIDTH = 240;
const HEIGHT = 54;

/** `<forebay-histogram>`: sends `brush` with `{ from, to }`, buckets both; and `clear`. */
@customElement("forebay-histogram")
export class HistogramView extends LitElement {
  static override styles = css`
    :host { display: block; }
    svg { display: block; width: 100%; height: ${HEIGHT}px; touch-action: none; cursor: crosshair; border-radius: 6px; }
    svg:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    .all { fill: var(--line); }
    .kept { fill: var(--accent); }
    .brush { fill: var(--accent); opacity: 0.18; }
    @media (forced-colors: active) {
      .all { fill: GrayText; }
      .kept { fill: Highlight; }
      .brush { fill: CanvasText; }
    }
    .hit { fill: transparent; }
    .ends {
      display: flex;
      /* As the bars above it, which begin with the least at the left. */
      direction: ltr;
      justify-content: space-between;
      font-size: 11.5px;
      color: var(--ink-2);
      font-variant-numeric: tabular-nums;
      white-space: nowrap;
    }
    .of { overflow: hidden; text-overflow: ellipsis; }
  `;
  @property() label = "";
  @property({ attribute: false }) all: readonly number[] = [];
  @property({ attribute: false }) kept: readonly number[] = [];
  /** The edges of the buckets as texts: one more than there are buckets. */
  @property({ attribute: false }) edges: readonly string[] = [];
  /** The bucket under the pointer. */
  @state() private over: number | null = null;
  @state() private brush: { from: number; to: number } | null = null;
  /** Where the keyboard stands. */
  @state() private cursor: { from: number; to: number } | null = null;

  override render(): TemplateResult {
    const { all, kept, edges } = this;
    const n = Math.max(1, all.length);
    const step = WIDTH / n;
    const most = Math.max(1, ...all);
    const tall = (v: number): number => (v === 0 ? 0 : Math.max(1.5, (v / most) * (HEIGHT - 4)));
    const cursor = this.cursor ?? { from: 0, to: 0 };
    const shown = this.brush ?? this.cursor;
    const [low, high] = [Math.min(cursor.from, cursor.to), Math.max(cursor.from, cursor.to)];
    return html`
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" tabindex="0" role="slider"
        aria-label=${msg("histogramFrom", { label: this.label, edges: edges[0], edges2: edges[n] })}
        aria-valuemin="0" aria-valuemax=${n - 1} aria-valuenow=${cursor.to}
          aria-valuetext=${msg("toOfItems", { edges: edges[low], edges2: edges[high + 1], kept: kept[cursor.to] ?? 0, all: all[cursor.to] ?? 0 })}
        @keydown=${this.onKey} @focus=${this.onFocus} @blur=${() => (this.cursor = null)}
        @pointerdown=${(e: PointerEvent) => {
          (e.currentTarget as Element).setPointerCapture(e.pointerId);
          this.brush = { from: this.at(e), to: this.at(e) };
        }}
        @pointermove=${(e: PointerEvent) => {
          this.over = this.at(e);
          if (this.brush) this.brush = { ...this.brush, to: this.over };
        }} @pointerleave=${() => (this.over = null)}
        @pointerup=${() => this.done(this.brush)} @pointercancel=${() => (this.brush = null)}>
        <rect class="hit" width=${WIDTH} height=${HEIGHT}></rect>
        ${all.map(
          (v, k) => svg`
          <rect class="all" x=${k * step + 0.5} width=${Math.max(1, step - 1)} y=${HEIGHT - tall(v)} height=${tall(v)}></rect>
          <rect class="kept" x=${k * step + 0.5} width=${Math.max(1, step - 1)} y=${HEIGHT - tall(kept[k] ?? 0)} height=${tall(kept[k] ?? 0)}>
            <title>${msg("toOfEdgesEdges2Kept", { edges: edges[k], edges2: edges[k + 1], kept: kept[k] ?? 0, v })}</title></rect>`,
        )}
        ${shown ? svg`<rect class="brush" x=${Math.min(shown.from, shown.to) * step} width=${(Math.abs(shown.to - shown.from) + 1) * step} y="0" height=${HEIGHT}></rect>` : nothing}
      </svg>
      <div class="ends" aria-hidden="true"><span>${edges[0]}</span><span class="of">${this.words(this.over ?? this.cursor?.to ?? null)}</span><span>${edges[n]}</span></div>`;
  }
  /** What a bucket holds; of none, how much the tallest does. */
  private words(k: number | null): string {
    const { all, kept, edges } = this;
    if (k === null || all[k] === undefined) return msg("tallest", { most: Math.max(0, ...all) });
    return msg("toOfEdgesEdges2Kept", { edges: edges[k], edges2: edges[k + 1], kept: kept[k] ?? 0, v: all[k] });
  }

  private at(e: PointerEvent): number {
    const box = (e.currentTarget as Element).getBoundingClientRect();
    return Math.min(
      this.all.length - 1,
      Math.max(0, Math.floor(((e.clientX - box.left) / box.width) * this.all.length)),
    );
  }
  private done(brush: { from: number; to: number } | null): void {
    this.brush = null;
    if (!brush) return;
    this.dispatchEvent(
      new CustomEvent("brush", {
        detail: { from: Math.min(brush.from, brush.to), to: Math.max(brush.from, brush.to) },
      }),
    );
  }
  private onFocus(e: FocusEvent): void {
    // A pointer shows where it is by itself.
    if ((e.currentTarget as Element).matches(":focus-visible")) this.cursor = { from: 0, to: 0 };
  }
  /** Arrows move over the buckets, with Shift they take in more of them; Enter filters, Escape takes it back. */
  private onKey(e: KeyboardEvent): void {
    const { from, to } = this.cursor ?? { from: 0, to: 0 };
    const last = this.all.length - 1;
    const moves: Record<string, number> = {
      ArrowLeft: to - 1,
      ArrowDown: to - 1,
      ArrowRight: to + 1,
      ArrowUp: to + 1,
      Home: 0,
      End: last,
    };
    const at = moves[e.key];
    if (at !== undefined) {
      const next = Math.min(last, Math.max(0, at));
      this.cursor = { from: e.shiftKey ? from : next, to: next };
    } else if (e.key === "Enter" || e.key === " ") this.done({ from, to });
    else if (e.key === "Escape") this.dispatchEvent(new CustomEvent("clear"));
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
}
