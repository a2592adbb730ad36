/** The two sides of a sample: its pictures with the boxes of each, and the fields that differ. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import { boxesOf } from "../samples/box-source.ts";
import { ClassColors } from "../samples/colors.ts";
import { meant, type Meant } from "../samples/meaning.ts";
import { decode, type Decoded } from "../samples/picture.ts";
import { drawTile } from "../samples/tile-picture.ts";
import { valueAt } from "../ui/fields.ts";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { isAbort, plural } from "../ui/wording.ts";
import type { Entry } from "./groups.ts";
import { msg } from "../messages/comparing.ts";

/** Pixels of the longer edge that pictures are decoded to. */
const EDGE = 900;
/** Characters of a value that are shown. */
const LONGEST = 300;

/** One side of a sample, as far as it is read. */
interface Side {
  readonly dataset: Dataset;
  readonly sample: number;
  picture: Decoded | null;
  record: Json | undefined;
  boxes: Meant | null;
  failed: boolean;
}

const SIDES = ["a", "b"] as const;

/** `<forebay-pair>`: sends `jump` with the number of the sample in the dataset that is open. */
@customElement("forebay-pair")
export class PairView extends LitElement {
  static override styles = [
    controls,
    css`
      :host { display: block; }
      .sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
      figure { margin: 0; min-width: 0; }
      figcaption { margin-top: 4px; color: var(--ink-2); font-size: 12.5px; overflow-wrap: anywhere; }
      canvas, .none {
        display: block; width: 100%; height: min(46vh, 380px); border-radius: 8px; background: var(--soft);
      }
      .none { display: grid; place-items: center; color: var(--ink-2); }
      table { width: 100%; margin-top: 10px; border-collapse: collapse; table-layout: fixed; font-size: 13px; }
      th, td {
        padding-block: 4px; padding-inline-end: 8px; border-top: 1px solid var(--line); text-align: start;
        vertical-align: top; overflow-wrap: anywhere;
      }
      @media (max-width: 560px) {
        .sides { grid-template-columns: 1fr; }
      }
    `,
  ];
  @property({ attribute: false }) a!: Dataset;
  @property({ attribute: false }) b!: Dataset;
  @property({ attribute: false }) entry: Entry | null = null;
  @state() private sides: { a: Side | null; b: Side | null } = { a: null, b: null };
  readonly colors = new ClassColors(this);
  private work = new AbortController();
  private readonly sized = new ResizeObserver(() => this.draw());

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.free();
    this.sized.disconnect();
  }
  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("entry")) return;
    this.free();
    const { entry } = this;
    const side = (dataset: Dataset, sample: number | null): Side | null =>
      sample === null ? null : { dataset, sample, picture: null, record: undefined, boxes: null, failed: false };
    this.sides = { a: side(this.a, entry?.a ?? null), b: side(this.b, entry?.b ?? null) };
    const { signal } = (this.work = new AbortController());
    for (const name of SIDES) {
      const one = this.sides[name];
      if (one) void this.read(one, signal);
    }
  }
  private free(): void {
    this.work.abort();
    for (const name of SIDES) this.sides[name]?.picture?.bitmap.close();
    this.sides = { a: null, b: null };
  }
  private async read(side: Side, signal: AbortSignal): Promise<void> {
    const { dataset, sample } = side;
    try {
      side.record = await dataset.record(sample, { signal }).catch((e: unknown) => {
        if (isAbort(e)) throw e;
        return null;
      });
      this.requestUpdate();
      const picture = await decode(dataset, sample, { signal, edge: EDGE, sized: true });
      if (signal.aborted) return picture.bitmap.close();
      side.picture = picture;
      side.boxes = meant(boxesOf(dataset), sample, side.record, picture);
    } catch (e) {
      if (signal.aborted || isAbort(e)) return;
      side.failed = true;
    }
    this.requestUpdate();
  }

  override updated(): void {
    this.sized.disconnect();
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) this.sized.observe(canvas);
    this.draw();
  }
  private draw(): void {
    const sharp = Math.min(2, devicePixelRatio || 1);
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) {
      const side = this.sides[canvas.dataset.side as "a" | "b"];
      if (!side?.picture) continue;
      const [width, height] = [Math.round(canvas.clientWidth * sharp), Math.round(canvas.clientHeight * sharp)];
      if (width === 0 || height === 0) continue;
      [canvas.width, canvas.height] = [width, height];
      drawTile(canvas, { state: "ready", ...side.picture }, side.boxes, true, sharp);
      canvas.dataset.drawn = String(side.sample);
    }
  }

  override render(): TemplateResult {
    const { entry } = this;
    if (!entry) return html`<p class="muted">${msg("pick")}</p>`;
    return html`
      <div class="sides">${this.renderSide("a", msg("here"))}${this.renderSide("b", msg("there"))}</div>
      ${entry.fields.length > 0 ? this.renderFields(entry.fields) : nothing}
      ${entry.a === null ? nothing : html`<p><button @click=${() => this.dispatchEvent(new CustomEvent("jump", { detail: entry.a }))}>${msg("jump")}</button></p>`}`;
  }
  private renderSide(name: "a" | "b", title: string): TemplateResult {
    const side = this.sides[name];
    if (!side) return html`<figure><span class="none">${msg("none")}</span><figcaption>${title}</figcaption></figure>`;
    const { picture, sample, boxes, dataset, failed } = side;
    const size = picture ? `, ${picture.width} × ${picture.height}` : "";
    const drawn = boxes ? `, ${plural(boxes.annotations.boxes.length, "box", "boxes")}` : "";
    return html`<figure>
      ${failed ? html`<span class="none">${msg("unread")}</span>` : html`<canvas aria-hidden="true" data-side=${name}></canvas>`}
      <figcaption>${title}: ${visible(dataset.name ?? "")}, ${sample}${size}${drawn}</figcaption></figure>`;
  }
  private renderFields(fields: readonly string[]): TemplateResult {
    const text = (side: Side | null, field: string): string => {
      const value = valueAt(side?.record, field);
      return value === undefined ? "–" : visible(JSON.stringify(value).slice(0, LONGEST));
    };
    return html`<table>
      <thead><tr><th scope="col">${msg("field")}</th><th scope="col">${msg("here")}</th><th scope="col">${msg("there")}</th></tr></thead>
      <tbody>${fields.map(
        (field) =>
          html`<tr><th scope="row">${visible(field)}</th><td>${text(this.sides.a, field)}</td><td>${text(this.sides.b, field)}</td></tr>`,
      )}</tbody></table>`;
  }
}
