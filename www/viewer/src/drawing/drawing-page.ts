/** What belongs to the picture that is drawn on: tools, what a reviewer says, classes, and the list of what is there. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { keyed } from "lit/directives/keyed.js";
import { isComposing } from "../ui/typing.ts";
import "../samples/box-list.ts";
import type { Box } from "../../../lib/src/base/boxes.ts";
import { controls } from "../ui/styles.ts";
import "./class-list.ts";
import type { ClassList } from "./class-list.ts";
import type { DrawingController } from "./drawing-controller.ts";
import type { Review } from "./history.ts";
import { keypointAt } from "./shape.ts";
import type { Tool } from "./sketch.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/drawing.ts";

/** Milliseconds between two looks at what is drawn. */
const PAUSE = 150;
/** Characters of a note. */
const LONGEST = 200;

/** A button with its key. */
type Act = (text: string, key: string, run: () => void, how?: How) => TemplateResult;
/** How a button is. */
interface How {
  readonly on?: boolean;
  readonly off?: boolean;
  readonly title?: string;
  /** It has a line to itself. */
  readonly long?: boolean;
}

/** `<forebay-drawing-page>`. */
@customElement("forebay-drawing-page")
export class DrawingPage extends LitElement {
  static override styles = [
    controls,
    css`
      :host { display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr); }
      .tools { display: grid; grid-template-columns: repeat(auto-fill, minmax(98px, 1fr)); gap: 4px; margin-top: 6px; }
      .tools button { min-height: 30px; padding: 0 6px 0 8px; justify-content: space-between; font-size: 12.5px; }
      .note { min-width: 0; min-height: 30px; font-size: 12.5px; }
      .tools .long { grid-column: 1 / -1; }
      kbd {
        min-width: 18px; padding: 0 4px; border-radius: 4px; background: var(--soft); font-family: var(--mono);
        font-size: 11px; text-align: center; color: var(--ink-2);
      }
      summary { font-weight: 600; cursor: pointer; }
      .look { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 4px 8px; align-items: center; }
      .range { display: grid; font-size: 12.5px; }
      .look button { grid-column: 1 / -1; }
      p { margin: 0; }
      .remark { padding: 6px 10px; border-radius: 8px; background: var(--warn-soft); color: var(--warn); }
    `,
  ];
  @property({ attribute: false }) drawing!: DrawingController;
  @query("forebay-classes") private list!: ClassList;
  @query(".note") private note!: HTMLInputElement;
  @query(".light") private lights!: HTMLDetailsElement;
  /** Brightness and contrast, for looking only. */
  private readonly levels = [1, 1];
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
    this.list.closest("details")!.open = true;
    this.list.search();
  }
  /** Gives the keys to the light. */
  look(): void {
    this.lights.open = true;
    this.lights.querySelector("input")?.focus();
  }
  /** Gives the keys to the note. */
  write(): void {
    this.note.focus();
    this.note.select();
  }
  private readonly onNote = (e: KeyboardEvent): void => {
    e.stopPropagation();
    if (isComposing(e)) return;
    if (e.key === "Enter") this.drawing.reject(this.note.value.trim());
    else if (e.key === "Escape") this.drawing.focus();
    else return;
    e.preventDefault();
  };
  /** What can be done with what is in hand. */
  private renderHand(act: Act): TemplateResult | typeof nothing {
    const { sketch } = this.drawing;
    const press = (key: string) => (): void => void sketch.key(key, { shift: false, ctrl: false });
    const { alone, handle } = sketch;
    if (sketch.paints)
      return html`${alone?.mask ? act(msg("endShape"), "⏎", press("Enter")) : nothing}<label class="long range">${msg("brushSize")}<input type="range" min="1" max="200" .value=${String(sketch.brush)}
        @input=${(e: Event) => sketch.resize(Number((e.target as HTMLInputElement).value))} /></label>`;
    const end = sketch.isPlacing ? act(msg("endShape"), "⏎", press("Enter")) : nothing;
    if (sketch.tool === "points")
      return html`<p class="long muted">${sketch.nextPoint}</p>${end}${act(msg("skipPoint"), "o", press("o"))}`;
    if (alone && handle !== null && keypointAt(alone, handle) !== null) return act(msg("hidePoint"), "o", press("o"));
    return end;
  }
  private shine(k: number, level: number): void {
    this.levels[k] = level;
    this.drawing.light(`brightness(${this.levels[0]}) contrast(${this.levels[1]})`);
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const { drawing: d } = this;
    const { sketch } = d;
    const shapes = sketch.shapes ?? [];
    const boxes = new Map<string, number>();
    for (const { label } of shapes) boxes.set(label, (boxes.get(label) ?? 0) + 1);
    const [one] = sketch.selected;
    const none = sketch.shapes === null;
    const act: Act = (text, key, run, how = {}) => html`
      <button class=${how.long ? "long" : ""} aria-pressed=${how.on ?? nothing} ?disabled=${how.off} title=${how.title ?? `${text} (${key})`} @click=${run}><span>${text}</span><kbd
        aria-hidden="true">${key}</kbd></button>`;
    const judge = (review: Review, title: string, key: string): TemplateResult =>
      act(title, key, () => d.judge(d.review === review ? null : review), {
        on: d.review === review,
        title: msg("goOnNext", { title, key }),
      });
    const { alone, tool: draws } = sketch;
    const chosen = sketch.selected.size;
    const take = (tool: Tool, name: string, key: string, title: string, off = none): TemplateResult =>
      act(name, key, () => sketch.take(tool), { on: draws === tool, off, title });
    return html`
      ${d.remark ? html`<p class="remark" role="alert">${d.remark} ${d.guessed ? html`<button @click=${() => d.mean()}>${common("change")}</button>` : nothing}</p>` : nothing}
      <div class="tools" role="group" aria-label=${msg("review")}>
        ${judge("accepted", common("accept"), "a")}${judge("rejected", common("reject"), "r")}
        ${keyed(
          d.index,
          html`<input class="note long" maxlength=${LONGEST} aria-label=${msg("note")} placeholder=${msg("noteT")} title=${msg("noteWhy")}
          .value=${d.noteOf(d.index ?? -1)} @keydown=${this.onNote} />`,
        )}
      </div>
      <details open><summary>${msg("tools")}</summary><div class="tools" role="group" aria-label=${msg("tools")}>
        ${take("box", msg("box"), "n", msg("drawBoxesNPutsMiddle"))}
        ${take("polygon", msg("outline"), "p", msg("drawOutlinesPClickSets"))}
        ${take("hole", msg("hole"), "h", msg("drawHoleH"), alone?.kind !== "polygon")}
        ${take("points", msg("keyPoints"), "y", msg("drawPointsY"))}
        ${take("brush", msg("brush"), "q", msg("paintMaskQ"))}
        ${take("eraser", msg("eraser"), "⇧Q", msg("eraseMaskQ"), !alone?.mask)}
        ${this.renderHand(act)}
        ${act(msg("deleteSelected"), "Del", () => sketch.remove(), { off: chosen === 0 })}
        ${act(msg("zoomToBox"), "z", () => d.press("z"), { off: chosen === 0 })}
        ${act(msg("copyPrevious"), "f", () => d.copy(), { off: none, title: msg("boxesPictureBeforeF"), long: true })}
        ${act(msg("nextUnlabeled"), "⇧N", () => d.find("unlabeled"), { long: true })}
        ${act(msg("nextRejected"), "⇧R", () => d.find("rejected"), { long: true })}
        ${act(msg("nextOfClass"), "⇧C", () => d.find("class"), { off: sketch.label === "", long: true })}
      </div></details>
      <details class="light"><summary title=${msg("lookV")}>${msg("look")}</summary><div class="look tools">
        ${[msg("brightness"), msg("contrast")].map(
          (
            name,
            k,
          ) => html`<label for="light${k}">${name}</label><input type="range" id="light${k}" min="0.3" max="3" step="0.1"
            .value=${String(this.levels[k])} @input=${(e: Event) => this.shine(k, Number((e.target as HTMLInputElement).value))} />`,
        )}<button @click=${() => [0, 1].forEach((k) => void this.shine(k, 1))}>${msg("asItIs")}</button>
      </div></details>
      <details open><summary>${common("classes")}</summary>
      <forebay-classes .classes=${d.classes} .version=${d.classVersion} .label=${sketch.label} .boxes=${boxes}
        @choose=${(e: CustomEvent<string>) => d.name(e.detail)}
        @give=${(e: CustomEvent<{ key: number; name: string }>) => d.give(e.detail.key, e.detail.name)}
        @leave=${() => d.focus()}></forebay-classes></details>
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
