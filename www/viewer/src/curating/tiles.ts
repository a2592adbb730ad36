/** Small pictures in a row, decoded when they come into sight. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Dataset } from "../../../lib/src/model/index.ts";
import { drawPictures, pictureListStyles } from "../samples/picture-list.ts";
import type { Thumbs } from "../samples/thumbs.ts";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { msg } from "../messages/curating.ts";

/** Pixels of a side. */
const SIDE = 104;

/** A picture, what is said of it, and whether it is the one to keep. */
export interface Tile {
  readonly index: number;
  readonly words: readonly string[];
  readonly best?: boolean;
}

/** `<forebay-tiles>`: sends `jump` with the number of the sample that is clicked. */
@customElement("forebay-tiles")
export class Tiles extends LitElement {
  static override styles = [
    controls,
    pictureListStyles(SIDE),
    css`
      button { grid-template-rows: ${SIDE}px; justify-items: start; align-content: start; width: ${SIDE + 14}px; }
      button.best { border-color: var(--good); box-shadow: inset 0 0 0 1px var(--good); }
      button > span { display: block; overflow-wrap: anywhere; }
      b { color: var(--good); font-weight: 650; }
    `,
  ];
  @property({ attribute: false }) data!: Dataset;
  @property({ attribute: false }) tiles: readonly Tile[] = [];
  /** Shared by all rows of one list, and told what all of them show. */
  @property({ attribute: false }) thumbs!: Thumbs;

  override updated(): void {
    this.draw();
  }
  /** Draws what has come. */
  draw(): void {
    drawPictures(this.renderRoot, SIDE, () => this.thumbs);
  }
  override render(): TemplateResult {
    return html`<ul>${this.tiles.map(
      ({ index, words, best = false }) => html`<li><button class=${best ? "best" : ""}
        @click=${() => this.dispatchEvent(new CustomEvent("jump", { detail: index }))}>
        <canvas aria-hidden="true" data-sample=${index}></canvas>
        <span><span class="visually-hidden">${msg("sample", { index })}</span><span aria-hidden="true">${index}</span>${best ? html` <b>${msg("keep")}</b>` : nothing}</span>
        ${words.map((word) => html`<span class="muted">${visible(word)}</span>`)}</button></li>`,
    )}</ul>`;
  }
}
