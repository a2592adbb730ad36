/** What two journals say differently: both versions of each image side by side, and whose word counts. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { Thumbs } from "../samples/thumbs.ts";
import { drawTile } from "../samples/tile-picture.ts";
import { framed, showModal } from "../ui/modal.ts";
import { choiceStyles, controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import type { Conflict, Side, Sides } from "./conflicts.ts";
import type { Clash, DrawingController } from "./drawing-controller.ts";
import { shapesOf, type Shape } from "./shape.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/drawing.ts";

/** Images that are shown; of the others one side counts as a whole. */
const SHOWN = 200;
const SIDES = ["mine", "theirs"] as const;

/** `<forebay-clash>`: there while a journal is to be taken over that says something else than this one. */
@customElement("forebay-clash")
export class ClashDialog extends LitElement {
  static override styles = [
    controls,
    choiceStyles,
    css`
      dialog { width: min(760px, calc(100vw - 24px)); }
      .sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; margin: 6px 0 10px; }
      .side {
        padding: 8px; border: 1px solid var(--line); border-radius: 9px; font-size: 13px; overflow-wrap: anywhere;
      }
      .side.on { border-color: var(--accent); background: var(--accent-soft); }
      canvas {
        display: block; width: 100%; aspect-ratio: 4 / 3; margin-bottom: 6px; border-radius: 6px;
        background: var(--soft);
      }
      .all { margin-inline-end: auto; }
    `,
  ];
  @property({ attribute: false }) drawing!: DrawingController;
  @property({ attribute: false }) clash!: Clash;
  @query("dialog") private dialog!: HTMLDialogElement;
  private readonly sides = new Map<number | null, Side | "both">();
  private thumbs: Thumbs | null = null;

  override firstUpdated(): void {
    this.thumbs = new Thumbs(this.drawing.of.data()!, () => this.draw());
    showModal(this.dialog);
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.thumbs?.close();
  }
  private get disputed(): ReadonlyMap<number | null, readonly Conflict[]> {
    const all = new Map<number | null, Conflict[]>();
    for (const one of this.clash.conflicts) all.set(one.sample, [...(all.get(one.sample) ?? []), one]);
    return all;
  }
  override updated(_changed: PropertyValues): void {
    this.thumbs?.want([...this.disputed.keys()].filter((i) => i !== null).slice(0, SHOWN));
    this.draw();
  }
  /** What one side has drawn, on its image. */
  private draw(): void {
    const { disputed } = this;
    for (const canvas of this.renderRoot.querySelectorAll("canvas")) {
      const sample = Number(canvas.dataset.sample);
      const thumb = this.thumbs?.get(sample);
      const side = canvas.dataset.side as Side;
      const boxes = disputed.get(sample)?.find(({ what }) => what === "boxes");
      if (thumb?.state !== "ready" || !boxes) continue;
      [canvas.width, canvas.height] = [canvas.clientWidth * 2, canvas.clientHeight * 2];
      const annotations = { boxes: drawnIn(boxes[side]), broken: 0, outside: 0 };
      drawTile(canvas, thumb, { annotations, asStored: false }, true, 2);
    }
  }
  private settle(sides: Sides | null): void {
    this.drawing.settle(sides);
  }

  override render(): TemplateResult {
    const { conflicts } = this.clash;
    const samples = [...this.disputed];
    const body = html`<p>${msg("bothJournalsChanged", { conflicts: conflicts.length })}</p>
      ${samples.slice(0, SHOWN).map(([sample, some]) => this.renderSample(sample, some))}
      ${samples.length > SHOWN ? html`<p class="muted">${common("andMore", { rest: samples.length - SHOWN })}</p>` : nothing}`;
    const foot = html`<span class="all"><button @click=${() => this.settle("mine")}>${msg("mineCount")}</button>
        <button @click=${() => this.settle("theirs")}>${msg("theirsCount")}</button></span>
      <button @click=${() => this.settle(null)}>${common("cancel")}</button>
      <button class="primary" @click=${() => this.settle(this.sides)}>${msg("takeAsChosen")}</button>`;
    return framed(common("twoJournals"), () => this.settle(null), body, { foot });
  }
  private renderSample(sample: number | null, conflicts: readonly Conflict[]): TemplateResult {
    const name = sample === null ? msg("theDocument") : `${common("sample")} ${sample}`;
    const chosen = this.sides.get(sample) ?? "mine";
    const drawn = conflicts.some(({ what }) => what === "boxes");
    const titles = { mine: msg("mine"), theirs: msg("theirs"), both: msg("both") };
    const choice = (side: Side | "both"): TemplateResult => html`<label><input type="radio" name=${`s${sample}`}
      .checked=${chosen === side} @change=${() => {
        this.sides.set(sample, side);
        this.requestUpdate();
      }} />${titles[side]}</label>`;
    return html`<fieldset><legend>${name}</legend>
      <div class="sides">${SIDES.map(
        (side) => html`<div class="side ${chosen === side || chosen === "both" ? "on" : ""}">
          ${drawn ? html`<canvas aria-hidden="true" data-sample=${sample} data-side=${side}></canvas>` : nothing}
          <b>${titles[side]}</b> ${conflicts.map((one) => wordsOf(one, side)).join("; ")}</div>`,
      )}</div>
      <div class="choices">${choice("mine")}${choice("theirs")}${drawn ? choice("both") : nothing}</div></fieldset>`;
  }
}

const drawnIn = (text: string): readonly Shape[] => shapesOf(JSON.parse(text) as unknown[]).shapes;
/** What one side says, in words. */
const wordsOf = ({ what, ...said }: Conflict, side: Side): string =>
  what === "boxes" ? msg("boxes", { shapes: drawnIn(said[side]).length }) : `${visible(what)}: ${visible(said[side])}`;
