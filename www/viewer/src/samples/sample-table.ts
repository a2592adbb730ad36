/** Samples as rows of the index. */
import { css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement } from "lit/decorators.js";
import { Collection, windowStyles } from "../ui/collection.ts";
import { controls, rowStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count } from "../ui/wording.ts";

const ROW = 32;
/** Milliseconds of rest after which the names in sight are read. */
const REST = 120;
const COLUMNS = ["Sample", "Name", "Format", "Width", "Height", "Aspect", "Bytes", "Stored", "Offset", "Codec"];

/** `<forebay-table>`: a window over up to ten million rows. */
@customElement("forebay-table")
export class Table extends Collection {
  static override styles = [
    controls,
    windowStyles,
    rowStyles,
    css`
    .layer {
      min-width: 940px;
    }
    .row {
      height: ${ROW}px;
      display: grid;
      grid-template-columns: 120px minmax(140px, 1fr) 84px 72px 72px 72px 100px 100px 130px 70px;
    }
    .row[aria-selected="true"] {
      background: var(--accent-soft);
    }
    .head {
      color: var(--ink-2);
    }
    .tick {
      padding: 0 6px 0 0;
      color: var(--accent);
    }
  `,
  ];

  private reading: AbortController | undefined;
  private timer = 0;

  override updated(changed: PropertyValues): void {
    super.updated(changed);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.readNames(), REST);
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.reading?.abort();
  }
  /** A TBL keeps names in the samples' metadata, so those of the rows in sight are read once scrolling rests. */
  private async readNames(): Promise<void> {
    this.reading?.abort();
    const { signal } = (this.reading = new AbortController());
    const [first, end] = this.window(0);
    const unnamed = Array.from({ length: Math.max(0, end - first) }, (_, k) => this.rows.at(first + k)).filter(
      (i) => !this.asked.has(i) && this.data.nameOf(i) === undefined,
    );
    if (unnamed.length === 0) return;
    await Promise.all(
      unnamed.map((i) =>
        this.data.record(i, { signal }).then(
          () => this.asked.add(i),
          () => undefined,
        ),
      ),
    );
    if (!signal.aborted) this.redraw();
  }
  /** Samples whose metadata was read: those without a name are not asked again. */
  private asked = new Set<number>();
  override willUpdate(changed: PropertyValues): void {
    if (changed.has("data")) this.asked = new Set();
  }

  protected get perRow(): number {
    return 1;
  }
  protected get rowHeight(): number {
    return ROW;
  }
  protected override get headHeight(): number {
    return ROW;
  }

  override render(): TemplateResult {
    const { top, height, viewport } = this.track;
    return html`
      <div class="scroll" role="grid" tabindex="0" aria-label="Samples" aria-multiselectable="true"
        aria-rowcount=${this.rows.length + 1}
        aria-colcount=${COLUMNS.length} aria-activedescendant=${this.rows.length > 0 ? `p${this.current}` : nothing}
          @keydown=${this.onKey} @mousedown=${this.onDown}>
        <div role="presentation" .style=${`height:${height}px`}>
          <div class="layer" role="rowgroup" .style=${`height:${Math.min(viewport, height)}px`}>
            <div class="row head" role="row" aria-rowindex="1">
              ${COLUMNS.map(
                (name, c) => html`<span role="columnheader"
                class=${c === 0 || (c > 2 && c < 9) ? "number" : ""}>${name}</span>`,
              )}
            </div>
            ${this.slots().map((p) => (p < 0 ? nothing : this.renderRow(p, top)))}
          </div>
        </div>
      </div>`;
  }

  private renderRow(position: number, top: number): TemplateResult {
    const i = this.rows.at(position);
    const info = this.data.info(i);
    const known = info.width > 0 && info.height > 0;
    const cell = (text: string, number = true): TemplateResult =>
      html`<span role="gridcell" class=${number ? "number" : ""}>${text}</span>`;
    return html`
      <div id="p${position}" class="row ${position === this.current ? "current" : ""}" role="row"
        aria-rowindex=${position + 2}
        aria-selected=${this.picked.has(i)} .style=${`transform:translateY(${ROW + position * ROW - top}px)`}
        @click=${(e: MouseEvent) => this.onClick(e, position)}>
        <span role="gridcell"
          class="number">${this.picked.has(i) ? html`<span class="tick">✓</span>` : nothing}${count(i)}</span>
        ${cell(visible(this.data.nameOf(i) ?? ""), false)}
        ${
          info.damaged
            ? html`<span role="gridcell" class="bad">damaged</span>${[1, 2, 3, 4, 5, 6, 7].map(() => cell(""))}`
            : html`${cell(info.format, false)}${cell(known ? count(info.width) : "–")}${cell(known ? count(info.height) : "–")}
            ${cell(known ? (info.width / info.height).toFixed(2) : "–")}${cell(bytes(info.bytes))}${cell(bytes(info.storedBytes))}
            ${cell(count(info.offset))}${cell(info.codec, false)}`
        }
      </div>`;
  }
}
