/** Samples that differ, each with its two pictures side by side. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { drawPictures, pictureListStyles } from "../samples/picture-list.ts";
import type { Thumbs } from "../samples/thumbs.ts";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import type { Entry } from "./groups.ts";
import { msg as common } from "../messages/common.ts";
import { titleOf } from "./kinds.ts";

/** Pixels of a side of a picture. */
const SIDE = 84;

/** `<forebay-pairs>`: sends `choose` with the entry that is clicked. */
@customElement("forebay-pairs")
export class PairList extends LitElement {
  static override styles = [
    controls,
    pictureListStyles(SIDE),
    css`
      button { grid-template-rows: ${SIDE}px auto; width: ${2 * SIDE + 18}px; }
      button[aria-pressed="true"] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
      .sides { display: flex; gap: 4px; }
      .none {
        display: grid; width: ${SIDE}px; height: ${SIDE}px; border-radius: 6px; background: var(--soft);
        place-items: center; color: var(--ink-2);
      }
      .words { overflow-wrap: anywhere; }
    `,
  ];
  @property({ attribute: false }) entries: readonly Entry[] = [];
  @property({ attribute: false }) chosen: Entry | null = null;
  /** The pictures of both sides. */
  @property({ attribute: false }) thumbs: { readonly a: Thumbs; readonly b: Thumbs } | null = null;

  override updated(): void {
    this.thumbs?.a.want(this.entries.flatMap(({ a }) => (a === null ? [] : [a])));
    this.thumbs?.b.want(this.entries.flatMap(({ b }) => (b === null ? [] : [b])));
    this.draw();
  }
  /** Draws what has come. */
  draw(): void {
    drawPictures(this.renderRoot, SIDE, ({ dataset }) => this.thumbs?.[dataset.side === "a" ? "a" : "b"]);
  }
  private side(side: "a" | "b", sample: number | null): TemplateResult {
    return sample === null
      ? html`<span class="none" aria-hidden="true">–</span>`
      : html`<canvas aria-hidden="true" data-side=${side} data-sample=${sample}></canvas>`;
  }
  override render(): TemplateResult {
    return html`<ul>${this.entries.map((entry) => {
      const name = entry.name?.split("/").pop();
      return html`<li><button aria-pressed=${entry === this.chosen}
        @click=${() => this.dispatchEvent(new CustomEvent("choose", { detail: entry }))}>
        <span class="sides">${this.side("a", entry.a)}${this.side("b", entry.b)}</span>
        <span class="words"><span class="visually-hidden">${common("sample")} </span>${entry.a ?? entry.b}
          ${name ? html`<span class="muted">${visible(name)}</span>` : nothing}
          <b>${entry.kinds.map(titleOf).join(", ")}</b></span></button></li>`;
    })}</ul>`;
  }
}
