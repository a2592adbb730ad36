/** The canvases over a picture that is drawn on, and the pointer over them. */
import { LitElement, css, html, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { ClassColors } from "../samples/colors.ts";
import type { Placed } from "../samples/box-names.ts";
import { StageBoxes } from "../samples/stage-boxes.ts";
import { paintHand } from "./paint.ts";
import type { Point, Shape } from "./shape.ts";
import type { Sketch } from "./sketch.ts";

/** Pixels of the screen within which something is hit, by what points. */
const NEAR: Readonly<Record<string, number>> = { mouse: 8, pen: 11, touch: 18 };
/** The other end of a pen, as a button and among the buttons that are held. */
const ERASER = { button: 5, held: 32 } as const;
const NONE: ReadonlySet<string> = new Set();

/** `<forebay-drawing>`: what stands still is one canvas, and what moves another, so that thousands of boxes cost a move nothing. */
@customElement("forebay-drawing")
export class DrawingStage extends LitElement {
  static override styles = css`
    :host { position: absolute; inset: 0; touch-action: none; cursor: crosshair; }
    :host([over="inside"]) { cursor: pointer; }
    :host([over="move"]) { cursor: move; }
    :host([over="handle"]) { cursor: nwse-resize; }
    canvas { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
  `;
  @property({ attribute: false }) sketch!: Sketch;
  /** Called when it is on the page, and with `null` when it is not any more. */
  @property({ attribute: false }) attach!: (stage: DrawingStage | null) => void;
  @query(".still") private still!: HTMLCanvasElement;
  @query(".hand") private hand!: HTMLCanvasElement;
  readonly colors = new ClassColors(this);
  private readonly drawing = new StageBoxes();
  private placed: Placed | null = null;
  private frame = 0;
  private stale = false;
  /** What stands still on its canvas. */
  private was: { readonly still: readonly Shape[]; readonly placed: Placed | null; readonly colors: number } = {
    still: [],
    placed: null,
    colors: 0,
  };
  /** The finger, the pen or the mouse that draws. */
  private pointer: number | null = null;
  /** A pen is used on this picture: the hand that holds it draws nothing, and fingers move the picture. */
  pen = false;

  override connectedCallback(): void {
    super.connectedCallback();
    for (const [type, on] of Object.entries(this.handlers)) this.addEventListener(type, on as EventListener);
    void this.updateComplete.then(() => this.isConnected && this.attach(this));
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const [type, on] of Object.entries(this.handlers)) this.removeEventListener(type, on as EventListener);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.attach(null);
  }
  override render(): TemplateResult {
    return html`<canvas class="still"></canvas><canvas class="hand"></canvas>`;
  }

  override updated(): void {
    if (this.placed) this.redraw(true);
  }

  /** The picture stands here now. */
  place(placed: Placed): void {
    this.placed = placed;
    const { x, y, scale } = placed;
    this.sketch.view = {
      left: -x / scale,
      top: -y / scale,
      right: (this.clientWidth - x) / scale,
      bottom: (this.clientHeight - y) / scale,
    };
    this.sketch.reach = NEAR.mouse! / scale;
    this.redraw(true);
  }
  /** Draws at the next frame: what is in hand, and if it is `all`, what stands still too. */
  redraw(all: boolean): void {
    this.stale ||= all;
    this.frame ||= requestAnimationFrame(() => this.draw());
  }
  private draw(): void {
    this.frame = 0;
    const { sketch, placed } = this;
    if (!placed || !this.hand) return;
    if (this.stale) {
      this.stale = false;
      const still = (sketch.shapes ?? []).filter((_, at) => !sketch.selected.has(at));
      const { was } = this;
      const same = was.placed === placed && was.colors === ClassColors.version && was.still.length === still.length;
      // What keys move again and again leaves all others where they are.
      if (!same || was.still.some((shape, k) => shape !== still[k])) {
        const held = new Set([...sketch.selected].map((at) => sketch.shapes![at]!));
        this.drawing.draw(this.still, sketch.shapes ?? [], NONE, null, placed, held);
      }
      this.was = { still, placed, colors: ClassColors.version };
    }
    paintHand(this.hand, sketch, placed, this.drawing);
    const { handle, hit } = sketch.over;
    const over = handle !== null ? "handle" : !hit ? "" : sketch.selected.has(hit.at) || hit.border ? "move" : "inside";
    if (this.getAttribute("over") !== over) this.setAttribute("over", over);
    this.dataset.drawn = String((sketch.shapes ?? []).length);
  }

  private at(e: PointerEvent): Point {
    const { x, y, scale } = this.placed!;
    this.sketch.reach = (NEAR[e.pointerType] ?? NEAR.mouse!) / scale;
    return [(e.offsetX - x) / scale, (e.offsetY - y) / scale];
  }
  /** Takes away what the other end of a pen touches. */
  private erase(e: PointerEvent): void {
    e.stopPropagation();
    this.sketch.erase(this.at(e));
  }
  /** What the stage around it does with a pointer: it moves the picture. */
  private readonly handlers = {
    pointerdown: (e: PointerEvent): void => {
      if (!this.placed || !this.sketch.shapes) return;
      if (e.pointerType === "pen") {
        this.pen = true;
        if (e.button === ERASER.button) return this.erase(e);
        // A hand that lay there first has drawn nothing.
        if (this.pointer !== null) this.sketch.cancel();
        this.pointer = null;
      } else if (this.pen && e.pointerType === "touch") return;
      if (this.pointer !== null) {
        // A second finger moves the picture: the first one draws nothing.
        this.sketch.cancel();
        this.pointer = null;
        return;
      }
      if (e.button !== 0 || e.altKey) return;
      e.stopPropagation();
      this.pointer = e.pointerId;
      this.setPointerCapture(e.pointerId);
      this.sketch.down(this.at(e), held(e));
    },
    pointermove: (e: PointerEvent): void => {
      if (e.pointerType === "pen") this.pen = true;
      if (e.buttons & ERASER.held && this.placed) return this.erase(e);
      if (!this.placed || (this.pointer !== null && this.pointer !== e.pointerId)) return;
      if (this.pointer === null && e.buttons !== 0) return;
      this.sketch.move(this.at(e));
    },
    pointerup: (e: PointerEvent): void => {
      if (this.pointer !== e.pointerId) return;
      this.pointer = null;
      this.sketch.up(this.at(e));
    },
    pointercancel: (e: PointerEvent): void => {
      if (this.pointer === e.pointerId) this.sketch.cancel();
      this.pointer = null;
    },
    dblclick: (e: MouseEvent): void => {
      e.stopPropagation();
      this.sketch.close();
    },
  };
}

const held = (e: PointerEvent): { shift: boolean; ctrl: boolean } => ({
  shift: e.shiftKey,
  ctrl: e.ctrlKey || e.metaKey,
});
