/** What belongs to the picture that is drawn on: tools, what a reviewer says, classes, and the list of what is there. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import "../samples/box-list.ts";
import type { Box } from "../samples/boxes.ts";
import { controls } from "../ui/styles.ts";
import type { DrawingActions } from "./actions.ts";
import "./class-list.ts";
import type { ClassList } from "./class-list.ts";
import type { Review } from "./history.ts";
import { keptWords } from "./kept-words.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/drawing.ts";

/** Milliseconds between two looks at what is drawn. */
const PAUSE = 150;

/** `<forebay-drawing-page>`. */
@customElement("forebay-drawing-page")
export class DrawingPage extends LitElement {
  static override styles = [
    controls,
    css`
    :host {
      display: grid;
      gap: 12px;
      grid-template-columns: minmax(0, 1fr);
    }
    .tools {
      display: flex;
      flex-wrap: wrap;
      gap: 6px;
    }
    .tools button {
      min-height: 30px;
      padding: 0 10px;
    }
    p {
      margin: 0;
    }
    /* The bar with the same lies under the sample there. */
    .narrow {
      display: none;
    }
    @media (max-width: 760px) {
      .narrow {
        display: block;
      }
      .tools.narrow {
        display: flex;
        align-items: center;
      }
    }
    .remark {
      padding: 6px 10px;
      border-radius: 8px;
      background: var(--warn-soft);
      color: var(--warn);
    }
  `,
  ];
  @property({ attribute: false }) drawing!: DrawingActions;
  @query("forebay-classes") private list!: ClassList;
  private unlisten: (() => void) | undefined;
  private later: ReturnType<typeof setTimeout> | undefined;
  private shownAt = 0;

  override connectedCallback(): void {
    super.connectedCallback();
    this.unlisten = this.drawing.listen(() => this.soon());
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.unlisten?.();
    clearTimeout(this.later);
    this.later = undefined;
  }
  /** At once, and then no more often than one reads: a list of hundreds of boxes must not slow the hand down. */
  private soon(): void {
    if (this.later !== undefined) return;
    const rest = this.shownAt + PAUSE - performance.now();
    if (rest <= 0) return this.requestUpdate();
    this.later = setTimeout(() => {
      this.later = undefined;
      this.requestUpdate();
    }, rest);
  }
  override updated(): void {
    this.shownAt = performance.now();
  }
  search(): void {
    this.list.search();
  }

  override render(): TemplateResult {
    const { drawing: d } = this;
    const { sketch } = d;
    const shapes = sketch.shapes ?? [];
    const boxes = new Map<string, number>();
    for (const { label } of shapes) boxes.set(label, (boxes.get(label) ?? 0) + 1);
    const [one] = sketch.selected;
    const drawable = sketch.shapes !== null;
    const judge = (review: Review, title: string, key: string): TemplateResult => html`
      <button aria-pressed=${d.review === review} title=${msg("goOnNext", { title, key })}
        @click=${() => d.judge(d.review === review ? null : review)}>${title}</button>`;
    return html`
      ${d.remark ? html`<p class="remark" role="alert">${d.remark} ${d.guessed ? html`<button @click=${() => d.mean()}>${common("change")}</button>` : nothing}</p>` : nothing}
      ${
        d.unkept
          ? html`<p class="remark narrow"><b>${msg("notKept")}</b> ${d.unkept.message} <button
            @click=${() => d.retry()}>${common("tryAgain")}</button></p>`
          : nothing
      }
      <div class="tools" role="group" aria-label=${msg("tools")}>
        <button aria-pressed=${sketch.tool === "box"} ?disabled=${!drawable} title=${msg("drawBoxesNPutsMiddle")}
          @click=${() => sketch.take("box")}>${msg("box")}</button>
        <button aria-pressed=${sketch.tool === "polygon"} ?disabled=${!drawable}
          title=${msg("drawOutlinesPClickSets")}
          @click=${() => sketch.take("polygon")}>${msg("outline")}</button>
        <button ?disabled=${sketch.selected.size === 0} title=${msg("deleteSelected")} @click=${() => sketch.remove()}>${msg("deleteSelected")}</button>
        <button ?disabled=${!drawable} title=${msg("boxesPictureBeforeF")}
          @click=${() => d.copy()}>${msg("copyPrevious")}</button>
      </div>
      <div class="tools narrow" role="group" aria-label=${msg("editing")}>
        <button ?disabled=${!d.canUndo} title=${common("undoCtrlZ")} @click=${() => d.undo()}>${common("undo")}</button>
        <button ?disabled=${!d.canRedo} title=${common("doAgainCtrlShiftZ")} @click=${() => d.redo()}>${common("redo")}</button>
        <button class="primary" ?disabled=${!d.canUndo} title=${msg("writeNewFileEdits")} @click=${() => d.save()}>${msg("save")}</button>
        <span class="kept muted">${keptWords(d)}</span>
      </div>
      <div class="tools" role="group" aria-label=${msg("review")}>
        ${judge("accepted", msg("accept"), "a")}${judge("rejected", msg("reject"), "r")}
      </div>
      <forebay-classes .classes=${d.classes} .version=${d.classVersion} .label=${sketch.label} .boxes=${boxes}
        @choose=${(e: CustomEvent<string>) => d.name(e.detail)}
        @give=${(e: CustomEvent<{ key: number; name: string }>) => d.give(e.detail.key, e.detail.name)}
        @leave=${() => d.focus()}></forebay-classes>
      <section aria-label=${msg("drawn")}><h3>${shapes.length === 0 ? msg("nothingDrawnHere") : msg("boxes", { shapes: shapes.length })}</h3>
        ${
          shapes.length > 0
            ? html`<forebay-boxes still .boxes=${shapes} .marked=${one === undefined ? null : (shapes[one] ?? null)}
          @mark=${(e: CustomEvent<Box | null>) => d.point(e.detail ? shapes.indexOf(e.detail as never) : null)}
          @choose=${(e: CustomEvent<Box>) => sketch.select([shapes.indexOf(e.detail as never)])}></forebay-boxes>`
            : html`<p class="muted">${msg("drawMousePressNAll")}</p>`
        }</section>`;
  }
}
