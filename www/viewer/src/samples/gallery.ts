/** Samples as pictures. */
import { css, html, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { Collection, windowStyles } from "../ui/collection.ts";
import { controls } from "../ui/styles.ts";
import { Thumbs, isUnreached } from "./thumbs.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count, plural } from "../ui/wording.ts";

const GAP = 10;
const CAPTION = 26;
/** Pixels of a page below which tiles become smaller than was asked for. */
const NARROW = 420;
/** Windows of samples a second over which nothing is decoded: they would be gone before they are drawn. */
const FAST = 3;
/** Milliseconds of rest after which decoding goes on. */
const REST = 90;

/** `<forebay-gallery>`: a window over up to ten million pictures. Sends `drawn` once the first are there. */
@customElement("forebay-gallery")
export class Gallery extends Collection {
  static override styles = [
    controls,
    windowStyles,
    css`
    .tile {
      position: absolute;
      contain: strict;
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
    @media (forced-colors: active) {
      /* Inside, its picture would lie over it. */
      .tile.current,
      .tile[aria-selected="true"] {
        outline-offset: 1px;
      }
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
    }
    canvas:not([data-ready]) {
      display: none;
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
    .part,
    .lost {
      position: absolute;
      z-index: 1;
      background: var(--warn-soft);
      color: var(--warn);
      font-size: 12px;
    }
    .part {
      right: 6px;
      top: 6px;
      padding: 1px 7px;
      border-radius: 6px;
    }
    .lost {
      inset: auto 12px 12px;
      width: fit-content;
      margin: 0 auto;
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 4px 10px;
      padding: 8px 14px;
      border: 1px solid var(--warn);
      border-radius: 9px;
      box-shadow: var(--shadow);
      font-size: 13px;
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
  `,
  ];

  /** Pixels that a tile is wide, at least, if the page is not narrow. */
  @property({ type: Number }) size = 168;
  private thumbs: Thumbs | undefined;
  /** What each canvas shows: a picture at a size. */
  private drawn = new WeakMap<HTMLCanvasElement, { bitmap: ImageBitmap; width: number; height: number }>();
  /** Nothing of this file was drawn yet. */
  private pristine = true;
  /** The index knows the names of all samples. */
  private named = false;
  private timer = 0;
  private seen = { top: 0, at: 0 };

  protected get perRow(): number {
    // On a phone tiles shrink with the page, so that several stand side by side.
    const size = this.size * Math.min(1, this.width / NARROW);
    return Math.max(1, Math.floor((this.width - GAP) / (size + GAP)));
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
      this.pristine = true;
      this.named = this.data.schema.find((field) => field.name === "name")?.indexed ?? false;
    }
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.thumbs?.close();
    this.thumbs = undefined;
  }
  override connectedCallback(): void {
    super.connectedCallback();
    if (this.data && !this.thumbs) this.thumbs = new Thumbs(this.data, () => this.redraw());
  }

  override render(): TemplateResult {
    const { top, height, viewport } = this.track;
    return html`
      <div class="scroll" role="listbox" tabindex="0" aria-label="Samples" aria-multiselectable="true"
        aria-activedescendant=${this.rows.length > 0 ? `p${this.current}` : nothing} @keydown=${this.onKey}>
        <div role="presentation" .style=${`height:${height}px`}>
          <div class="layer" role="presentation" .style=${`height:${Math.min(viewport, height)}px`}>
            ${this.slots().map((p) => (p < 0 ? nothing : this.renderTile(p, top)))}
          </div>
        </div>
      </div>
      ${this.renderLost()}`;
  }
  /** One word for all that the network lost. */
  private renderLost(): TemplateResult | typeof nothing {
    const lost = this.thumbs?.lost;
    if (!lost) return nothing;
    return html`
      <div class="lost"
        role="status"><span>The server was not reached for ${plural(lost.pictures, "picture")}; they are asked for again in a moment.</span> <code>${lost.code}</code>
        <button @click=${() => this.thumbs?.again()}>Now</button></div>`;
  }

  private renderTile(position: number, top: number): TemplateResult {
    const i = this.rows.at(position);
    const info = this.data.info(i);
    const thumb = this.thumbs?.get(i);
    const [column, row] = [position % this.perRow, Math.floor(position / this.perRow)];
    const x = GAP + column * (this.tile + GAP);
    const y = GAP + row * this.rowHeight - top;
    const size = info.width > 0 ? `${info.width} × ${info.height}` : bytes(info.bytes);
    // If names are in the metadata only those are known whose sample was opened: a caption would mean now this, now that.
    const stored = this.named ? this.data.nameOf(i) : undefined;
    const name = stored && visible(stored);
    const label = `Sample ${count(i)}${name ? `, ${name}` : ""}, ${info.damaged ? "damaged" : `${info.format}, ${size}`}`;
    return html`
      <div id="p${position}" class="tile ${position === this.current ? "current" : ""}" role="option"
        aria-selected=${this.picked.has(i)} aria-posinset=${position + 1} aria-setsize=${this.rows.length}
          title=${name ?? label}
        .style=${`width:${this.tile}px;height:${this.rowHeight - GAP}px;transform:translate(${x}px,${y}px)`}
        @click=${(e: MouseEvent) => this.onClick(e, position)}>
        <span class="visually-hidden">${label}</span>
        <div class="picture" aria-hidden="true">
          <span class="tick" aria-hidden="true">${this.picked.has(i) ? "✓" : ""}</span>
          <canvas aria-hidden="true" data-sample=${i}></canvas>
          ${!thumb || thumb.state === "ready" ? nothing : isUnreached(thumb) ? html`<span class="why">not reached</span>` : html`<span class="why ${thumb.state === "broken" ? "bad" : ""}">${thumb.why}</span>`}
          ${thumb?.state === "ready" && thumb.partial ? html`<span class="part">damaged</span>` : nothing}
        </div>
        <div class="caption" aria-hidden="true"><span>${count(i)}</span><span>${name ?? size}</span></div>
      </div>`;
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    super.updated(changed);
    this.decode();
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) this.draw(canvas);
    if (this.pristine && this.renderRoot.querySelector("canvas[data-ready]")) {
      this.pristine = false;
      this.dispatchEvent(new CustomEvent("drawn"));
    }
  }

  /** Asks for the pictures in sight; while they fly past, only once they have come to rest. */
  private decode(): void {
    const { top, viewport } = this.track;
    const now = performance.now();
    const moved = Math.abs(top - this.seen.top);
    const fast = moved > 0 && viewport > 0 && moved / viewport > (FAST * Math.max(16, now - this.seen.at)) / 1000;
    this.seen = { top, at: moved > 0 ? now : this.seen.at };
    if (fast || this.timer) {
      if (!moved && this.timer) return;
      clearTimeout(this.timer);
      this.thumbs?.want([]);
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        this.ask();
      }, REST);
    } else this.ask();
  }
  private ask(): void {
    const [first, end] = this.window(0);
    this.thumbs?.want(Array.from({ length: Math.max(0, end - first) }, (_, k) => this.rows.at(first + k)));
  }

  /** Draws a picture whole, in the middle. A canvas keeps its size, so that drawing allocates nothing. */
  private draw(canvas: HTMLCanvasElement): void {
    const thumb = this.thumbs?.get(Number(canvas.dataset.sample));
    const was = this.drawn.get(canvas);
    if (thumb?.state !== "ready") {
      if (was) delete canvas.dataset.ready;
      this.drawn.delete(canvas);
      return;
    }
    const sharp = Math.min(2, devicePixelRatio);
    const width = Math.round((this.tile - 2) * sharp);
    const height = Math.round((this.rowHeight - GAP - CAPTION - 2) * sharp);
    const { bitmap } = thumb;
    if (was?.bitmap === bitmap && was.width === width && was.height === height) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const g = canvas.getContext("2d");
    if (!g) return;
    const scale = Math.min(width / bitmap.width, height / bitmap.height);
    const [w, h] = [bitmap.width * scale, bitmap.height * scale];
    g.clearRect(0, 0, width, height);
    g.imageSmoothingQuality = "medium";
    g.drawImage(bitmap, (width - w) / 2, (height - h) / 2, w, h);
    canvas.dataset.ready = "";
    this.drawn.set(canvas, { bitmap, width, height });
  }
}
