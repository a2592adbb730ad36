/** Samples as pictures. */
import { css, html, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Warehouse } from "../../../lib/src/model/index.ts";
import { Collection, windowStyles } from "../ui/collection.ts";
import { controls } from "../ui/styles.ts";
import type { FindBoxes } from "./box-source.ts";
import { ClassColors, colorOf, learnColors } from "./colors.ts";
import { classOf, classesOf, meant, type Meant } from "./meaning.ts";
import { Records } from "./records.ts";
import { Thumbs, isUnreached, type Ready } from "./thumbs.ts";
import { drawTile } from "./tile-picture.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/pictures.ts";

const GAP = 10;
const CAPTION = 26;
/** Pixels of a page below which tiles become smaller than was asked for. */
const NARROW = 420;
/** Windows of samples a second over which nothing is decoded: they would be gone before they are drawn. */
const FAST = 3;
/** Milliseconds of rest after which decoding goes on. */
const REST = 90;

/** Classes of boxes that a caption names. */
const CLASSES = 2;

/** What a canvas shows. */
interface Drawn {
  readonly bitmap: ImageBitmap;
  readonly width: number;
  readonly height: number;
  readonly known: Meant | null;
  readonly boxes: boolean;
  /** The version of the colors. */
  readonly colors: number;
}

/** `<forebay-gallery>`: a window over up to ten million pictures. Sends `drawn` once the first are there. */
@customElement("forebay-gallery")
export class Gallery extends Collection {
  static override styles = [
    controls,
    windowStyles,
    css`
      .line { position: absolute; inset-inline: 0; top: 0; contain: layout size style; }
      .tile {
        position: absolute;
        /* In every language a tile's neighbor is where the arrow of its key points. */
        left: 0;
        contain: strict;
        display: grid;
        grid-template-rows: 1fr ${CAPTION}px;
        border-radius: 10px;
        background: var(--card);
        border: 1px solid var(--line);
        overflow: hidden;
        cursor: pointer;
      }
      .tile:hover { border-color: var(--accent); }
      .tile.current { border-color: var(--accent); box-shadow: 0 0 0 2px var(--accent); }
      .tile[aria-selected="true"] { background: var(--accent-soft); }
      @media (forced-colors: active) {
        /* Inside, its picture would lie over it. */
        .tile.current, .tile[aria-selected="true"] { outline-offset: 1px; }
      }
      .picture {
        position: relative; display: grid; place-items: center; min-width: 0; min-height: 0; background: var(--soft);
      }
      canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
      canvas:not([data-ready]) { display: none; }
      .why { padding: 6px; font-size: 12px; text-align: center; color: var(--ink-2); overflow-wrap: anywhere; }
      .why.bad { color: var(--bad); }
      .part, .lost {
        position: absolute; z-index: 1; background: var(--warn-soft); color: var(--warn); font-size: 12px;
      }
      .part { right: 6px; top: 6px; padding: 1px 7px; border-radius: 6px; }
      .verdict {
        inset: auto 6px 6px; width: fit-content; max-width: calc(100% - 12px); background: var(--bad-soft);
        color: var(--bad); overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
      }
      .lost {
        inset: auto 12px 12px; width: fit-content; margin: 0 auto; display: flex; flex-wrap: wrap; align-items: center;
        gap: 4px 10px; padding: 8px 14px; border: 1px solid var(--warn); border-radius: 9px; box-shadow: var(--shadow);
        font-size: 13px;
      }
      .caption {
        display: flex; justify-content: space-between; gap: 8px; align-items: center; padding: 0 8px; font-size: 12px;
        white-space: nowrap; overflow: hidden;
      }
      :host([strip]) .tile { grid-template-rows: 1fr; border-radius: 6px; }
      :host([strip]) .caption { display: none; }
      .caption > :last-child {
        unicode-bidi: plaintext; color: var(--ink-2); overflow: hidden; text-overflow: ellipsis;
      }
      .caption .number { font-weight: 600; font-variant-numeric: tabular-nums; }
      .caption .classes { display: flex; gap: 8px; flex: 0 1 auto; max-width: 72%; overflow: hidden; }
      .caption .class { flex: 0 1 auto; min-width: 0; overflow: hidden; text-overflow: ellipsis; font-weight: 600; }
      .tick {
        position: absolute; top: 6px; left: 6px; z-index: 1; width: 22px; height: 22px; display: none;
        place-items: center; border-radius: 6px; border: 1px solid var(--line); background: var(--card);
        color: var(--accent); font-weight: 700;
      }
      .tile:hover .tick, .tile[aria-selected="true"] .tick { display: grid; }
    `,
  ];

  /** Pixels that a tile is wide, at least, if the page is not narrow. */
  @property({ type: Number }) size = 168;
  /** One beside the other without captions, for going on from one image to the next. */
  @property({ type: Boolean, reflect: true }) strip = false;
  /** The field of the metadata that holds the class. */
  @property() classField = "";
  /** Boxes are drawn into the pictures. */
  @property({ type: Boolean }) boxes = false;
  /** What reviewers said against a sample, in words. */
  @property({ attribute: false }) verdict: ((i: number) => string | null) | null = null;
  /** Where boxes come from. */
  @property({ attribute: false }) find!: FindBoxes;
  readonly colors = new ClassColors(this);
  private thumbs: Thumbs | undefined;
  private records: Records | undefined;
  /** What each canvas shows: a picture at a size, with or without boxes. */
  private drawn = new WeakMap<HTMLCanvasElement, Drawn>();
  /** What the metadata of each picture says, once both are there. */
  private meanings = new WeakMap<Ready, Meant>();
  /** Nothing of this file was drawn yet. */
  private pristine = true;
  /** The index knows the names of all samples. */
  private named = false;
  private timer = 0;
  /** The network had lost something when it was looked last. */
  private wasLost = false;
  private seen = { top: 0, at: 0 };

  protected get perRow(): number {
    if (this.strip) return 1;
    // On a phone tiles shrink with the page, so that several stand side by side.
    const size = this.size * Math.min(1, this.width / NARROW);
    return Math.max(1, Math.floor((this.width - GAP) / (size + GAP)));
  }
  private get tile(): number {
    return Math.max(40, Math.floor((this.width - GAP) / this.perRow) - GAP);
  }
  protected get rowHeight(): number {
    return Math.round(this.tile * 0.8) + this.caption + GAP;
  }
  private get caption(): number {
    return this.strip ? 0 : CAPTION;
  }
  protected override get headHeight(): number {
    return GAP;
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has("find")) this.meanings = new WeakMap();
    if (changed.has("data")) {
      this.begin();
      this.pristine = true;
      if (this.data.format === "warehouse") learnColors((this.data as Warehouse).manifest.classes ?? []);
      this.named = this.data.schema.find((field) => field.name === "name")?.indexed ?? false;
    }
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.thumbs?.close();
    this.records?.close();
    this.thumbs = this.records = undefined;
  }
  override connectedCallback(): void {
    super.connectedCallback();
    if (this.data && !this.thumbs) this.begin();
  }
  private begin(): void {
    this.thumbs?.close();
    this.records?.close();
    this.thumbs = new Thumbs(this.data, () => this.redraw());
    this.records = new Records(this.data, () => this.redraw());
  }

  override render(): TemplateResult {
    const { top, height, viewport } = this.track;
    return html`
      <div class="scroll" role="grid" tabindex="0" aria-label=${common("samples")} aria-multiselectable="true"
        aria-rowcount=${this.rowCount} aria-colcount=${Math.min(this.perRow, this.rows.length)}
        aria-activedescendant=${this.rows.length > 0 ? `p${this.current}` : nothing} @keydown=${this.onKey} @mousedown=${this.onDown}>
        <div role="presentation" .style=${`height:${height}px`}>
          <div class="layer" role="rowgroup" .style=${`height:${Math.min(viewport, height)}px`}>
            ${this.slots().map((row) => (row < 0 ? nothing : this.renderLine(row, top)))}
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
        role="status"><span>${msg("serverWasNotReachedPictures", { pictures: lost.pictures })}</span> <code>${lost.code}</code>
        <button @click=${() => this.again()}>${msg("now")}</button></div>`;
  }

  private again(): void {
    this.records?.again();
    this.thumbs?.again();
  }

  /** A row of tiles: of all rows only those in sight are on the page, so each says which one it is. */
  private renderLine(row: number, top: number): TemplateResult {
    const first = row * this.perRow;
    const tiles = Math.min(this.perRow, this.rows.length - first);
    return html`
      <div class="line" role="row" aria-rowindex=${row + 1}
        .style=${`height:${this.rowHeight - GAP}px;transform:translateY(${GAP + row * this.rowHeight - top}px)`}>
        ${Array.from({ length: tiles }, (_, column) => this.renderTile(first + column, column))}
      </div>`;
  }
  private renderTile(position: number, column: number): TemplateResult {
    const i = this.rows.at(position);
    const info = this.data.info(i);
    const thumb = this.thumbs?.get(i);
    const size = info.width > 0 ? `${info.width} × ${info.height}` : bytes(info.bytes);
    const record = this.records?.get(i);
    // If names are in the metadata, one that was read for something else says nothing before its caption is read.
    const stored = this.named || record !== undefined ? this.data.nameOf(i) : undefined;
    const name = stored && visible(stored);
    const known = thumb?.state === "ready" ? this.meaning(i, thumb) : null;
    const classes = this.classes(i, known);
    const verdict = this.verdict?.(i);
    const told = [
      msg("sample", { i }),
      name,
      classes.length > 0 && msg("class", { map: classes.map(visible).join(", ") }),
      known && known.annotations.boxes.length > 0 && msg("boxes2", { boxes: known.annotations.boxes.length }),
      verdict,
      info.damaged ? msg("damaged") : `${info.format}, ${size}`,
    ];
    const label = told.filter(Boolean).join(", ");
    return html`
      <div id="p${position}" class="tile ${position === this.current ? "current" : ""}" role="gridcell"
        aria-selected=${this.picked.has(i)} aria-colindex=${column + 1}
        title=${label}
        .style=${`width:${this.tile}px;height:${this.rowHeight - GAP}px;transform:translateX(${GAP + column * (this.tile + GAP)}px)`}
        @click=${(e: MouseEvent) => this.onClick(e, position)}>
        <span class="visually-hidden">${label}</span>
        <div class="picture" aria-hidden="true">
          <span class="tick" aria-hidden="true">${this.picked.has(i) ? "✓" : ""}</span>
          <canvas aria-hidden="true" data-sample=${i}></canvas>
          ${!thumb || thumb.state === "ready" ? nothing : isUnreached(thumb) ? html`<span class="why">${msg("notReached")}</span>` : html`<span class="why ${thumb.state === "broken" ? "bad" : ""}">${thumb.why}</span>`}
          ${thumb?.state === "ready" && thumb.partial ? html`<span class="part">${msg("damaged")}</span>` : nothing}
          ${verdict ? html`<span class="part verdict">${this.strip ? "✕" : visible(verdict)}</span>` : nothing}
        </div>
        <div class="caption" aria-hidden="true">
          ${
            classes.length > 0
              ? html`<span class="classes">${classes
                  .slice(0, CLASSES)
                  .map(
                    (one) =>
                      html`<span class="class"><i class="dot" .style=${`background:${colorOf(one)}`}></i>${visible(one)}</span>`,
                  )}${classes.length > CLASSES ? html`<span>+${classes.length - CLASSES}</span>` : nothing}</span>`
              : html`<span class="number">${count(i)}</span>`
          }
          <span>${name ? name.split("/").pop() : classes.length > 0 ? count(i) : size}</span></div>
      </div>`;
  }
  /** The class of a sample, else those of its boxes. */
  private classes(i: number, known: Meant | null): readonly string[] {
    const own = classOf(this.records?.get(i), this.classField);
    if (own !== undefined && own !== "") return [own];
    return known
      ? classesOf(known.annotations.boxes)
          .map(({ label }) => label)
          .filter(Boolean)
      : [];
  }
  /** What the metadata says of a picture, once it is read. */
  private meaning(i: number, thumb: Ready): Meant | null {
    const record = this.records?.get(i);
    if (record === undefined) return null;
    let known = this.meanings.get(thumb);
    if (!known) this.meanings.set(thumb, (known = meant(this.find, i, record, thumb)));
    return known;
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
      this.records?.want([]);
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        this.ask();
      }, REST);
    } else this.ask();
  }
  private ask(): void {
    const [first, end] = this.window(0);
    const inSight = Array.from({ length: Math.max(0, end - first) }, (_, k) => this.rows.at(first + k));
    this.thumbs?.want(inSight);
    // The first pictures come before anything that is said of them.
    // And what the network lost comes back before anything else is asked of it.
    const lost = this.thumbs?.lost != null;
    if (this.wasLost && !lost) this.records?.again();
    this.wasLost = lost;
    if (!this.pristine) this.records?.want(lost ? [] : inSight);
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
    const height = Math.round((this.rowHeight - GAP - this.caption - 2) * sharp);
    const { bitmap } = thumb;
    const known = this.meaning(Number(canvas.dataset.sample), thumb);
    // Whether it lies as it is stored is a matter of its boxes, also where these are not drawn.
    const boxes = known && (this.boxes || known.asStored) ? known : null;
    if (
      was?.bitmap === bitmap &&
      was.width === width &&
      was.height === height &&
      was.known === boxes &&
      was.boxes === this.boxes &&
      was.colors === ClassColors.version
    )
      return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    drawTile(canvas, thumb, boxes, this.boxes, sharp);
    canvas.dataset.ready = "";
    this.drawn.set(canvas, { bitmap, width, height, known: boxes, boxes: this.boxes, colors: ClassColors.version });
  }
}
