/** The boxes of a picture as a list, linked with what is drawn: what one points at here is marked there, and the other way round. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { short } from "../ui/wording.ts";
import type { Box } from "../../../lib/src/base/boxes.ts";
import { ClassColors, colorOf } from "./colors.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/pictures.ts";

/** Boxes that are listed. */
const LISTED = 300;

/** `<forebay-boxes>`: sends `mark` with a box, or `null`, and `choose` with one that is clicked. */
@customElement("forebay-boxes")
export class BoxList extends LitElement {
  static override styles = [
    controls,
    css`
      ol {
        display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: 2px 8px; margin: 6px 0 0;
        padding: 0; list-style: none;
      }
      button {
        /* What is only read out stays where its box is: elsewhere it would make the page longer. */
        position: relative;
        width: 100%;
        min-height: 28px;
        justify-content: flex-start;
        padding: 0 8px;
        border-color: transparent;
        background: transparent;
        font-size: 13px;
      }
      button.on { background: var(--accent-soft); border-color: var(--accent); }
      bdi { overflow: hidden; text-overflow: ellipsis; }
      .muted { margin-inline-start: auto; font-variant-numeric: tabular-nums; font-size: 12px; }
    `,
  ];
  @property({ attribute: false }) boxes: readonly Box[] = [];
  @property({ attribute: false }) marked: Box | null = null;
  /** What is marked need not come into sight: there is more on the page that people look at. */
  @property({ type: Boolean }) still = false;

  readonly colors = new ClassColors(this);

  private mark(box: Box | null): void {
    this.dispatchEvent(new CustomEvent("mark", { detail: box }));
  }
  private choose(box: Box): void {
    this.mark(box);
    this.dispatchEvent(new CustomEvent("choose", { detail: box }));
  }
  /** What is marked in the picture is in sight here. */
  override updated(changed: PropertyValues): void {
    if (changed.has("marked") && this.marked && !this.still && !this.matches(":hover, :focus-within"))
      this.renderRoot.querySelector(".on")?.scrollIntoView({ block: "nearest" });
  }
  override render(): TemplateResult {
    const more = this.boxes.length - LISTED;
    return html`
      <ol aria-label=${common("boxes")} @pointerleave=${() => this.mark(null)}>${this.boxes
        .slice(0, LISTED)
        .map((box) => {
          const size = `${short(Math.round(box.w))} × ${short(Math.round(box.h))}`;
          const place = msg("atXY", { x: short(Math.round(box.x)), y: short(Math.round(box.y)) });
          return html`<li><button class=${box === this.marked ? "on" : ""} aria-pressed=${this.still ? box === this.marked : nothing} title=${msg("pixels", { size, place })}
          @pointerenter=${() => this.mark(box)} @focus=${() => this.mark(box)} @blur=${() => this.mark(null)}
          @click=${() => this.choose(box)}><i class="dot" .style=${`background:${colorOf(box.label)}`}></i><bdi>${visible(box.label) || msg("box")}</bdi><span class="muted" dir="ltr">${size}<span class="visually-hidden"> ${place}</span></span></button></li>`;
        })}</ol>
      ${more > 0 ? html`<p class="muted">${msg("moreBoxes", { more })}</p>` : nothing}`;
  }
}
