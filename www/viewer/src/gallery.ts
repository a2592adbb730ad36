/** Samples as pictures. */
import { css, html, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { Collection, windowStyles } from "./collection.ts";
import { controls } from "./styles.ts";
import { Thumbs } from "./thumbs.ts";
import { bytes, count } from "./words.ts";

const GAP = 10;
const CAPTION = 26;

/** `<forebay-gallery>`: a window over up to ten million pictures. */
@customElement("forebay-gallery")
export class Gallery extends Collection {
  static override styles = [controls, windowStyles, css`
    .tile {
      position: absolute;
      display: grid;
      grid-template-rows: 1fr ${CAPTION}px;
      border-radius: 10px;
      background: var(--card);
      border: 1px solid var(--line);
      overflow: hidden;
      cursor: pointer;
    }
    .tile:hover {
      border-color: var(--accent);
    }
    .tile.current {
      border-color: var(--accent);
      box-shadow: 0 0 0 2px var(--accent);
    }
    .tile[aria-selected="true"] {
      background: var(--accent-soft);
    }
    .picture {
      position: relative;
      display: grid;
      place-items: center;
      min-width: 0;
      min-height: 0;
      background: var(--soft);
    }
    canvas {
      position: absolute;
      inset: 0;
      width: 100%;
      height: 100%;
      object-fit: contain;
    }
    .why {
      padding: 6px;
      font-size: 12px;
      text-align: center;
      color: var(--ink-2);
      overflow-wrap: anywhere;
    }
    .why.bad {
      color: var(--bad);
    }
    .caption {
      display: flex;
      justify-content: space-between;
      gap: 8px;
      align-items: center;
      padding: 0 8px;
      font-size: 12px;
      white-space: nowrap;
      overflow: hidden;
    }
    .caption span:first-child {
      font-weight: 600;
      font-variant-numeric: tabular-nums;
    }
    .caption span:last-child {
      color: var(--ink-2);
      overflow: hidden;
      text-overflow: ellipsis;
    }
    .tick {
      position: absolute;
      top: 6px;
      left: 6px;
      z-index: 1;
      width: 22px;
      height: 22px;
      display: none;
      place-items: center;
      border-radius: 6px;
      border: 1px solid var(--line);
      background: var(--card);
      color: var(--accent);
      font-weight: 700;
    }
    .tile:hover .tick,
    .tile[aria-selected="true"] .tick {
      display: grid;
    }
  `];

  /** Pixels that a tile is wide, at least. */
  @property({ type: Number }) size = 168;
  private thumbs: Thumbs | undefined;
  private drawn = new WeakMap<HTMLCanvasElement, ImageBitmap>();

  protected get perRow(): number {
    return Math.max(1, Math.floor((this.width - GAP) / (this.size + GAP)));
  }
  private get tile(): number {
    return Math.max(40, Math.floor((this.width - GAP) / this.perRow) - GAP);
  }
  protected get rowHeight(): number {
    return Math.round(this.tile * 0.8) + CAPTION + GAP;
  }
  protected override get headHeight(): number {
    return GAP;
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has("data")) {
      this.thumbs?.close();
      this.thumbs = new Thumbs(this.data, () => this.redraw());
    }
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.thumbs?.close();
    this.thumbs = undefined;
  }
  override connectedCallback(): void {
    super.connectedCallback();
    if (this.data && !this.thumbs) this.thumbs = new Thumbs(this.data, () => this.redraw());
  }

  override render(): TemplateResult {
    const [first, end] = this.window();
    const { top, height, viewport } = this.track;
    const positions = Array.from({ length: Math.max(0, end - first) }, (_, k) => first + k);
    return html`
      <div class="scroll" role="listbox" tabindex="0" aria-label="Samples" aria-multiselectable="true"
        aria-activedescendant=${this.rows.length > 0 ? `p${this.current}` : nothing} @keydown=${this.onKey}>
        <div role="presentation" .style=${`height:${height}px`}>
          <div class="layer" role="presentation" .style=${`height:${Math.min(viewport, height)}px`}>
            ${repeat(positions, (p) => this.rows.at(p), (p) => this.renderTile(p, top))}
          </div>
        </div>
      </div>`;
  }

  private renderTile(position: number, top: number): TemplateResult {
    const i = this.rows.at(position);
    const info = this.data.info(i);
    const thumb = this.thumbs?.get(i);
    const [column, row] = [position % this.perRow, Math.floor(position / this.perRow)];
    const x = GAP + column * (this.tile + GAP);
    const y = GAP + row * this.rowHeight - top;
    const size = info.width > 0 ? `${info.width} × ${info.height}` : bytes(info.bytes);
    const name = this.data.nameOf(i);
    const label = `Sample ${count(i)}${name ? `, ${name}` : ""}, ${info.damaged ? "damaged" : `${info.format}, ${size}`}`;
    return html`
      <div id="p${position}" class="tile ${position === this.current ? "current" : ""}" role="option"
        aria-selected=${this.picked.has(i)} aria-posinset=${position + 1} aria-setsize=${this.rows.length} title=${name ?? label}
        .style=${`width:${this.tile}px;height:${this.rowHeight - GAP}px;transform:translate(${x}px,${y}px)`}
        @click=${(e: MouseEvent) => this.onClick(e, position)}>
        <span class="visually-hidden">${label}</span>
        <div class="picture" aria-hidden="true">
          <span class="tick" aria-hidden="true">${this.picked.has(i) ? "✓" : ""}</span>
          ${thumb?.state === "ready" ? html`<canvas aria-hidden="true" data-sample=${i}></canvas>` : nothing}
          ${thumb && thumb.state !== "ready" ? html`<span class="why ${thumb.state === "broken" ? "bad" : ""}">${thumb.why}</span>` : nothing}
        </div>
        <div class="caption" aria-hidden="true"><span>${count(i)}</span><span>${name ?? size}</span></div>
      </div>`;
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    super.updated(changed);
    const [first, end] = this.window(0);
    this.thumbs?.want(Array.from({ length: Math.max(0, end - first) }, (_, k) => this.rows.at(first + k)));
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) {
      const thumb = this.thumbs?.get(Number(canvas.dataset.sample));
      if (thumb?.state !== "ready" || this.drawn.get(canvas) === thumb.bitmap) continue;
      canvas.width = thumb.bitmap.width;
      canvas.height = thumb.bitmap.height;
      canvas.getContext("2d")?.drawImage(thumb.bitmap, 0, 0);
      this.drawn.set(canvas, thumb.bitmap);
    }
  }
}
