/** What belongs to the picture that is drawn on: tools, what a reviewer says, classes, and the list of what is there. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import "../samples/box-list.ts";
import type { Box } from "../samples/boxes.ts";
import { controls } from "../ui/styles.ts";
import { plural } from "../ui/wording.ts";
import type { DrawingActions } from "./actions.ts";
import "./class-list.ts";
import type { ClassList } from "./class-list.ts";
import type { Review } from "./history.ts";

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
    .narrow {
      display: none;
    }
    @media (max-width: 760px) {
      .narrow {
        display: block;
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
      <button aria-pressed=${d.review === review} title="${title} (${key}), and go on to the next"
        @click=${() => d.judge(d.review === review ? null : review)}>${title}</button>`;
    return html`
      ${d.remark ? html`<p class="remark" role="alert">${d.remark}</p>` : nothing}
      ${
        d.unkept
          ? html`<p class="remark narrow"><b>Not kept.</b> ${d.unkept.message} <button
            @click=${() => d.retry()}>Try again</button></p>`
          : nothing
      }
      <div class="tools" role="group" aria-label="Tools">
        <button aria-pressed=${sketch.tool === "box"} ?disabled=${!drawable} title="Draw boxes; n puts one in the middle"
          @click=${() => sketch.take("box")}>Box</button>
        <button aria-pressed=${sketch.tool === "polygon"} ?disabled=${!drawable}
          title="Draw outlines (p): a click sets a point, a click on the first one ends"
          @click=${() => sketch.take("polygon")}>Outline</button>
        <button ?disabled=${sketch.selected.size === 0} title="Delete" @click=${() => sketch.remove()}>Delete</button>
        <button ?disabled=${!drawable} title="The boxes of the picture before this one (f)"
          @click=${() => d.copy()}>Copy previous</button>
        <button ?disabled=${!d.canUndo} title="Undo (Ctrl+Z)" @click=${() => d.undo()}>Undo</button>
        <button ?disabled=${!d.canRedo} title="Do it again (Ctrl+Shift+Z)" @click=${() => d.redo()}>Redo</button>
      </div>
      <div class="tools" role="group" aria-label="Review">
        ${judge("accepted", "Accept", "a")}${judge("rejected", "Reject", "r")}
      </div>
      <forebay-classes .classes=${d.classes} .version=${d.classVersion} .label=${sketch.label} .boxes=${boxes}
        @choose=${(e: CustomEvent<string>) => d.name(e.detail)}
        @give=${(e: CustomEvent<{ key: number; name: string }>) => d.give(e.detail.key, e.detail.name)}
        @leave=${() => d.focus()}></forebay-classes>
      <section aria-label="Drawn"><h3>${shapes.length === 0 ? "Nothing is drawn here" : plural(shapes.length, "box", "boxes")}</h3>
        ${
          shapes.length > 0
            ? html`<forebay-boxes still .boxes=${shapes} .marked=${one === undefined ? null : (shapes[one] ?? null)}
          @mark=${(e: CustomEvent<Box | null>) => d.point(e.detail ? shapes.indexOf(e.detail as never) : null)}
          @choose=${(e: CustomEvent<Box>) => sketch.select([shapes.indexOf(e.detail as never)])}></forebay-boxes>`
            : html`<p class="muted">Draw with the mouse, or press n. All keys are under ?.</p>`
        }</section>`;
  }
}
