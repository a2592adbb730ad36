/** One sample: its picture with boxes, its metadata, its bytes and whether they are sound. */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import { questionText, type FindBoxes } from "./box-source.ts";
import type { Annotations, Box } from "../../../lib/src/base/boxes.ts";
import { ClassColors, colorOf } from "./colors.ts";
import "./box-list.ts";
import { classOf, meant } from "./meaning.ts";
import { isOnItsSide, orientationOf } from "../../../lib/src/base/picture-header.ts";
import { unturned } from "./orientation.ts";
import { NotDrawn, UNKNOWN, decode, isPlayed, type Decoded } from "./picture.ts";
import { details, hex, hexText, type Sum } from "./sample-facts.ts";
import { sampleStyles } from "./sample-styles.ts";
import type { Placed } from "./box-names.ts";
import { StageBoxes } from "./stage-boxes.ts";
import type { StageEditor } from "./stage-editor.ts";
import { FILE_ICONS } from "../ui/file-icons.ts";
import { ICONS } from "../ui/icons.ts";
import { Fingers } from "../ui/fingers.ts";
import { controls, factStyles, panelStyles } from "../ui/styles.ts";
import { download } from "../files/targets.ts";
import { tree, treeStyles } from "../ui/tree.ts";
import { visible } from "../ui/visible.ts";
import { count, isAbort, trouble, type Trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/pictures.ts";

const HEX_BYTES = 512;
/** A very large picture is decoded to this many pixels of the longer edge at least, and at most, whatever the stage. */
const EDGES = [1024, 4096] as const;
/** Milliseconds of rest after which the part in sight of such a picture is decoded as it is. */
const REST = 300;
/** Pixels of two squares of what is behind a picture that can be seen through. */
const SQUARES = 20;
type Tab = "drawn" | "metadata" | "details" | "bytes";
const TABS: readonly Tab[] = ["metadata", "details", "bytes"];
const NONE: Annotations = { boxes: [], broken: 0, outside: 0 };

const tabTitle = (tab: Tab): string =>
  ({ drawn: common("labels"), metadata: common("metadata"), details: msg("details"), bytes: common("bytes") })[tab];

/** Formats whose pictures may be seen through. */
const CLEAR: ReadonlySet<string> = new Set(["png", "webp", "unknown"]);

/** `<forebay-sample>`: sends `step` with -1 or 1, `pick` with its number, `boxes` where they are to come or go, `mean` where
 * boxes are to be read otherwise, and `close`. */
@customElement("forebay-sample")
export class SamplePanel extends LitElement {
  static override styles = [controls, treeStyles, factStyles, panelStyles, sampleStyles];

  @property({ attribute: false }) data!: Dataset;
  @property({ attribute: false }) index = 0;
  /** Where boxes come from. */
  @property({ attribute: false }) find!: FindBoxes;
  /** The field of the metadata that holds the class. */
  @property() classField = "";
  /** Samples to read ahead. */
  @property({ attribute: false }) next: readonly number[] = [];
  @property({ type: Boolean }) picked = false;
  /** Which of its boxes is looked at first. */
  @property({ attribute: false }) box: number | null = null;
  /** Boxes are drawn over the picture. */
  @property({ type: Boolean }) boxesOn = false;
  /** Lies over the picture in the place of the boxes, to change them. */
  @property({ attribute: false }) editor: StageEditor | null = null;
  @state() private image: Decoded | null = null;
  /** The address of a film. */
  @state() private film = "";
  @state() private imageTrouble: Trouble | null = null;
  /** The metadata; `undefined` while it is read. */
  @state() private record: Json | undefined;
  @state() private recordTrouble: Trouble | null = null;
  @state() private head: Uint8Array | null = null;
  @state() private digest = "";
  @state() private sum: Sum = { state: "reading", text: msg("reading2") };
  @state() private annotations: Annotations = NONE;
  /** How the browser turned the picture, as its EXIF says; 1 where it did not. */
  @state() private orientation = 1;
  /** Draw it as it is stored: then boxes fit that were made by code which knows no EXIF. */
  @state() private asStored = false;
  @state() private hidden_: ReadonlySet<string> = new Set();
  /** The box that somebody points at. */
  @state() private marked: Box | null = null;
  @state() private tab: Tab = "metadata";
  @state() private zoom = 1;
  @query(".stage") private stage!: HTMLElement;
  readonly colors = new ClassColors(this);
  private readonly drawing = new StageBoxes();
  private drawingBoxes = 0;
  /** All of the sample was read: how its picture lies is known. */
  private whole = false;
  private sharpening: ReturnType<typeof setTimeout> | undefined;
  private pan = { x: 0, y: 0 };
  private fit = 1;
  private work: AbortController | undefined;
  private readonly observer = new ResizeObserver(() => this.place());

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) void this.load();
  }
  /** What was taken off the page draws no file that may be closed. */
  protected override shouldUpdate(_changed: PropertyValues): boolean {
    return this.isConnected;
  }
  override firstUpdated(): void {
    this.observer.observe(this.stage);
    this.stage.addEventListener(
      "wheel",
      (e) => {
        e.preventDefault();
        const box = this.stage.getBoundingClientRect();
        this.zoomBy(
          Math.exp(-e.deltaY / 400),
          e.clientX - box.left - box.width / 2,
          e.clientY - box.top - box.height / 2,
        );
      },
      { passive: false },
    );
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.work?.abort();
    this.show(null);
  }
  /** Another picture, or none. */
  private show(image: Decoded | null, film = ""): void {
    clearTimeout(this.sharpening);
    this.image?.bitmap.close();
    if (this.film) URL.revokeObjectURL(this.film);
    this.image = image;
    this.film = film;
  }
  override willUpdate(changed: PropertyValues): void {
    if (changed.has("index") || changed.has("data")) void this.load();
    else {
      if ((changed.has("find") || changed.has("editor")) && this.record !== undefined) this.annotate();
      if (changed.has("box")) this.look();
    }
    if (!changed.has("editor")) return;
    this.toggleAttribute("drawing", this.editor !== null);
    // What was edited is what is looked at first.
    if (this.editor) this.tab = "drawn";
    else if (this.tab === "drawn") this.tab = "metadata";
  }
  override updated(changed: PropertyValues): void {
    if (
      this.image &&
      (changed.has("image" as never) || changed.has("asStored" as never) || changed.has("orientation" as never))
    ) {
      const canvas = this.renderRoot.querySelector<HTMLCanvasElement>(".picture");
      const g = canvas?.getContext("2d");
      if (canvas && g) {
        const { bitmap } = this.image;
        const side = this.asStored && isOnItsSide(this.orientation);
        [canvas.width, canvas.height] = side ? [bitmap.height, bitmap.width] : [bitmap.width, bitmap.height];
        if (this.asStored) g.setTransform(...unturned(this.orientation, canvas.width, canvas.height));
        g.drawImage(bitmap, 0, 0);
        const { width, height } = this.shown;
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
      }
      this.pan = { x: 0, y: 0 };
      this.zoom = 1;
    }
    this.place();
  }

  private get boxes(): readonly Box[] {
    return this.annotations.boxes;
  }
  private async load(): Promise<void> {
    try {
      await this.readAll();
    } catch (e) {
      // The file may be closed while this is still on the page.
      if (!isAbort(e)) throw e;
    }
  }
  private async readAll(): Promise<void> {
    this.work?.abort();
    const work = new AbortController();
    this.work = work;
    const { signal } = work;
    const { data: dataset, index } = this;
    this.imageTrouble = this.recordTrouble = null;
    this.head = null;
    this.whole = false;
    this.digest = "";
    this.record = undefined;
    this.annotations = NONE;
    this.marked = null;
    this.editor?.leave();
    this.orientation = 1;
    this.asStored = false;
    this.sum = { state: "reading", text: msg("reading2") };
    const unless =
      <T>(then: (value: T) => void) =>
      (value: T): void => {
        if (!signal.aborted) then(value);
      };
    const image = (isPlayed(dataset.info(index)) ? this.play(signal) : this.draw(signal)).catch(
      unless((e) => {
        this.show(null);
        this.imageTrouble =
          e instanceof NotDrawn
            ? {
                message:
                  e.message === UNKNOWN
                    ? msg("notPictureBrowserKnows")
                    : msg("browsersDoNotDrawPictures", { message: e.message }),
                code: undefined,
                offset: undefined,
              }
            : trouble(e);
      }),
    );
    const record = dataset.record(index, { signal }).then(
      unless((found) => (this.record = found)),
      unless((e) => (this.recordTrouble = trouble(e))),
    );
    const whole = dataset.bytes(index, { signal, verify: true }).then(
      unless((payload) => {
        this.orientation = orientationOf(payload);
        this.head = payload.slice(0, HEX_BYTES);
        void crypto.subtle
          ?.digest("SHA-256", payload as BufferSource)
          .then(unless((sum) => (this.digest = hexText(new Uint8Array(sum)))));
        this.sum =
          dataset.format === "tbl" ? { state: "good", text: msg("sound") } : { state: "good", text: msg("readWhole") };
      }),
      unless((e) => (this.sum = { state: "bad", text: trouble(e).code ?? msg("cannotRead") })),
    );
    await Promise.all([image, record]);
    if (signal.aborted) return;
    this.annotate();
    await whole;
    if (signal.aborted) return;
    this.whole = true;
    if (this.orientation > 1) this.choose();
    else if (this.image) this.edit();
    this.look();
    dataset.prefetch(this.next, { signal }).catch(() => undefined);
  }

  private async draw(signal: AbortSignal): Promise<void> {
    const stage = this.stage ? Math.max(this.stage.clientWidth, this.stage.clientHeight) * devicePixelRatio : 0;
    const largeEdge = Math.min(EDGES[1], Math.max(EDGES[0], Math.ceil(stage)));
    const image = await decode(this.data, this.index, { signal, largeEdge });
    if (signal.aborted) image.bitmap.close();
    else this.show(image);
  }
  private async play(signal: AbortSignal): Promise<void> {
    const blob = await this.data.blob(this.index, { signal });
    if (!signal.aborted) this.show(null, URL.createObjectURL(blob));
  }
  private readonly unplayed = (): void => {
    this.show(null);
    this.imageTrouble = {
      message: msg("browserCannotPlayDamagedMade", { format: this.data.info(this.index).format.toUpperCase() }),
      code: undefined,
      offset: undefined,
    };
  };

  /** The picture's size as it is drawn. */
  private get shown(): { width: number; height: number } {
    const { width, height } = this.image ?? this.data.info(this.index);
    return this.asStored && this.image && isOnItsSide(this.orientation)
      ? { width: height, height: width }
      : { width, height };
  }
  private annotate(): void {
    const { width, height } = this.shown;
    this.annotations = this.find(this.index, this.record ?? null, width, height);
    if (this.whole && this.image && this.record !== undefined) this.edit();
  }
  /** Hands over what can be edited. */
  private edit(): void {
    const { index, annotations, asStored, record } = this;
    this.editor?.show({ index, annotations, asStored, record: record ?? null, ...this.shown });
  }
  /** Of a picture that is turned: draws it as it is stored where its boxes fit into that, and not into what is turned. */
  private choose(): void {
    const { width, height } = this.image ?? this.data.info(this.index);
    const { orientation } = this;
    const { asStored, annotations } = meant(this.find, this.index, this.record ?? null, { width, height, orientation });
    // New boxes count in the picture as it is stored: so they are read.
    this.asStored = asStored || (this.editor !== null && annotations.boxes.length === 0);
    this.annotate();
  }
  private toggleStored(): void {
    this.asStored = !this.asStored;
    this.annotate();
  }

  /** Zooms about a point, counted from the middle of the stage. */
  private zoomBy(factor: number, x = 0, y = 0): void {
    const zoom = Math.min(64, Math.max(0.5, this.zoom * factor));
    const real = zoom / this.zoom;
    this.pan = { x: x - (x - this.pan.x) * real, y: y - (y - this.pan.y) * real };
    this.zoom = zoom;
    this.place();
  }
  private reset(): void {
    this.zoom = 1;
    this.pan = { x: 0, y: 0 };
    this.place();
  }
  /** Brings a part of the picture into the middle, half as large as the stage. */
  private zoomTo(part: ReturnType<StageEditor["bounds"]>): boolean {
    if (!part) return false;
    const { width, height } = this.shown;
    const [wide, tall] = [this.stage.clientWidth / 2, this.stage.clientHeight / 2];
    this.zoom = Math.min(64, Math.max(0.5, Math.min(wide / part.w, tall / part.h) / this.fit));
    const scale = this.fit * this.zoom;
    this.pan = { x: (width / 2 - part.x - part.w / 2) * scale, y: (height / 2 - part.y - part.h / 2) * scale };
    this.place();
    return true;
  }
  /** Marks the box that was asked for, and brings it into the middle. */
  private look(): void {
    const box = this.boxes[this.box ?? -1];
    if (!box || !this.image) return;
    this.editor?.select(this.box!);
    void this.updateComplete.then(() => {
      this.marked = box;
      this.zoomTo(box);
    });
  }
  /** Keys that concern the picture; true if one was used. */
  key(key: string): boolean {
    if (key === "+" || key === "=") this.zoomBy(1.4);
    else if (key === "-") this.zoomBy(1 / 1.4);
    else if (key === "0") this.reset();
    else if (key === "x") this.toggleFull();
    else if (key === "z") return this.zoomTo(this.editor?.bounds() ?? null);
    else return false;
    return true;
  }

  private place(): void {
    const sheet = this.renderRoot.querySelector<HTMLElement>(".sheet");
    if (!sheet || !this.image) return;
    const { width, height } = this.shown;
    this.fit = Math.min(this.stage.clientWidth / width, this.stage.clientHeight / height, 8) * 0.96;
    const scale = this.fit * this.zoom;
    sheet.style.transform = `translate(${this.pan.x - (width * scale) / 2}px, ${this.pan.y - (height * scale) / 2}px) scale(${scale})`;
    const picture = this.renderRoot.querySelector<HTMLElement>(".picture");
    if (picture) {
      picture.style.imageRendering = scale > 3 ? "pixelated" : "auto";
      // What is behind a picture that can be seen through has squares of one size at any zoom.
      picture.style.backgroundSize = `${SQUARES / scale}px ${SQUARES / scale}px`;
    }
    const x = this.stage.clientWidth / 2 + this.pan.x - (width * scale) / 2;
    const y = this.stage.clientHeight / 2 + this.pan.y - (height * scale) / 2;
    const placed = { x, y, scale, width, height };
    if (this.editor) this.editor.place(placed);
    cancelAnimationFrame(this.drawingBoxes);
    this.drawingBoxes = requestAnimationFrame(() => this.drawBoxes(placed));
    this.sharpen(scale);
  }
  private drawBoxes(placed: Placed): void {
    const canvas = this.renderRoot.querySelector<HTMLCanvasElement>(".boxes");
    if (canvas && this.image) this.drawing.draw(canvas, this.boxes, this.hidden_, this.marked, placed);
  }
  /** Of a picture that was decoded smaller than it is, the part in sight is decoded as it is once there is time to look at it. */
  private sharpen(scale: number): void {
    clearTimeout(this.sharpening);
    const { image, orientation } = this;
    const detail = this.renderRoot.querySelector<HTMLCanvasElement>(".detail");
    if (!image || !detail || !this.work) return;
    const { signal } = this.work;
    const { width, bitmap } = image;
    if (image.partial || orientation > 1 || scale * devicePixelRatio <= (1.2 * bitmap.width) / width)
      return void (detail.hidden = true);
    this.sharpening = setTimeout(() => void this.sharpened(detail, scale, signal).catch(() => undefined), REST);
  }
  private async sharpened(detail: HTMLCanvasElement, scale: number, signal: AbortSignal): Promise<void> {
    const { width, height } = this.shown;
    const [wide, tall] = [this.stage.clientWidth, this.stage.clientHeight];
    const clamp = (v: number, most: number): number => Math.min(most, Math.max(0, Math.round(v)));
    const left = clamp(width / 2 - (this.pan.x + wide / 2) / scale, width);
    const top = clamp(height / 2 - (this.pan.y + tall / 2) / scale, height);
    const [w, h] = [clamp(wide / scale, width - left), clamp(tall / scale, height - top)];
    if (w < 1 || h < 1) return;
    const finest = Math.min(1, scale * devicePixelRatio);
    const { index } = this;
    const blob = await this.data.blob(index, { signal });
    const bitmap = await createImageBitmap(blob, left, top, w, h, {
      resizeWidth: Math.max(1, Math.round(w * finest)),
      resizeQuality: "medium",
    });
    if (!signal.aborted && this.image && this.index === index) {
      [detail.width, detail.height] = [bitmap.width, bitmap.height];
      detail.getContext("2d")?.drawImage(bitmap, 0, 0);
      detail.style.cssText = `left:${left}px;top:${top}px;width:${w}px;height:${h}px`;
      detail.hidden = false;
    }
    bitmap.close();
  }

  private drag(e: PointerEvent): void {
    if ((e.target as HTMLElement).closest("button, video")) return;
    this.fingers ??= new Fingers(this.stage, {
      zoomed: () => this.zoom > 1 || (this.editor?.pen() ?? false),
      moveBy: (x, y) => {
        this.pan = { x: this.pan.x + x, y: this.pan.y + y };
        this.place();
      },
      zoomBy: (factor, x, y) => this.zoomBy(factor, x, y),
      step: (by) => this.dispatchEvent(new CustomEvent("step", { detail: by })),
    });
    this.fingers.add(e);
  }
  private fingers: Fingers | undefined;
  /** The whole panel: arrows go on to the next sample there too, and Esc leads back. */
  private toggleFull(): void {
    const root = this.getRootNode() as Document | ShadowRoot;
    const done = root.fullscreenElement === this ? document.exitFullscreen() : this.requestFullscreen();
    // Some pages are not let; then nothing happens.
    done.catch(() => undefined);
  }

  override render(): TemplateResult {
    const name = visible(this.data.nameOf(this.index) ?? "");
    const send = (type: string, detail?: unknown) => () => this.dispatchEvent(new CustomEvent(type, { detail }));
    return html`
      <div class="head">
        <div class="title"><h2>${msg("sample2", { index: this.index })}</h2>${this.renderClass()}<bdi class="muted" title=${name}>${name}</bdi></div>
        <button class="icon bare" aria-label=${msg("previousSample")} title=${common("previous")}
          @click=${send("step", -1)}>${ICONS.left}</button>
        <button class="icon bare" aria-label=${msg("nextSample")} title=${common("next")} @click=${send("step", 1)}>${ICONS.right}</button>
        ${
          this.editor
            ? this.editor.bar()
            : html`<button aria-pressed=${this.picked}
          @click=${send("pick", this.index)}>${this.picked ? msg("picked") : msg("pick")}</button>
        <button class="icon bare" aria-label=${msg("saveSamplesFile")} title=${msg("saveFile")}
          @click=${this.save}>${ICONS.save}</button>`
        }
        <button class="icon bare" aria-label=${msg("closeSample")} title=${common("closeEsc")} @click=${send("close")}>${ICONS.close}</button>
      </div>
      <div class="stage" tabindex="0" role="group"
        aria-label=${this.boxes.length ? msg("pictureSampleBoxes", { index: this.index, boxes: this.boxes.length }) : msg("pictureSample", { index: this.index })}
        @pointerdown=${this.drag} @pointermove=${this.point} @pointerleave=${() => (this.marked = null)}
        @dblclick=${this.reset}>
        ${
          this.image
            ? html`<div class="sheet"><canvas class="picture" ?data-clear=${CLEAR.has(this.data.info(this.index).format)}></canvas><canvas class="detail"
          hidden></canvas></div>`
            : nothing
        }
        ${this.image && this.editor ? this.editor.layer() : this.image && this.boxesOn && this.boxes.length > 0 ? html`<canvas class="boxes"></canvas>` : nothing}
        ${
          this.film
            ? html`<video controls src=${this.film} aria-label=${msg("filmSample", { index: this.index })}
          @error=${this.unplayed}></video>`
            : nothing
        }
        ${
          this.image?.partial
            ? html`<div class="part"
          role="alert">${msg("pictureDamagedWhatCouldDecoded")}</div>`
            : nothing
        }
        ${this.imageTrouble ? html`<div class="trouble"><div class=${this.imageTrouble.code ? "bad" : "muted"}>${this.imageTrouble.message}</div>${this.imageTrouble.code ? html`<code>${this.imageTrouble.code}</code>` : nothing}</div>` : nothing}
        ${this.renderLegend()}
        <div class="tools">
          ${
            this.image && this.orientation > 1 && !this.editor
              ? html`<button aria-pressed=${this.asStored}
            title=${msg("exifSaysTurnedMostTraining")}
            @click=${this.toggleStored}>${msg("asStored")}</button>`
              : nothing
          }
          ${
            this.boxes.length > 0 && !this.editor
              ? html`<button aria-pressed=${this.boxesOn} title=${msg("boxesB")}
            @click=${send("boxes")}>${common("boxes")}</button>`
              : nothing
          }
          ${
            this.film
              ? nothing
              : html`
          <button class="icon" aria-label=${msg("zoomOut")} title=${common("zoomOut")}
            @click=${() => this.zoomBy(1 / 1.4)}>${ICONS.less}</button>
          <button class="icon" aria-label=${msg("zoomIn")} title=${common("zoomIn")} @click=${() => this.zoomBy(1.4)}>${ICONS.more}</button>`
          }
          ${document.fullscreenEnabled ? html`<button class="icon" aria-label=${msg("fullScreen")} title=${msg("fullScreenX")} @click=${this.toggleFull}>${FILE_ICONS.full}</button>` : nothing}
        </div>
      </div>
      <div class="tabs">
        <div role="tablist" aria-label=${msg("aboutSample")}>
          ${(this.editor ? ["drawn" as const, ...TABS] : TABS).map(
            (tab) => html`
            <button role="tab" id="tab-${tab}" aria-controls="page" aria-selected=${tab === this.tab}
              @click=${() => (this.tab = tab)}>${tabTitle(tab)}</button>`,
          )}
        </div>
        <span class="sum ${this.sum.state}"
          title=${this.sum.state === "good" && this.data.format === "tbl" ? msg("checksumWasVerified") : this.sum.state === "good" ? msg("readWholeTarHasNo") : ""}>${this.sum.text}</span>
      </div>
      <div class="page" id="page" role="tabpanel" tabindex="0"
        aria-labelledby="tab-${this.tab}">${this.renderPage()}</div>`;
  }

  /** What the sample is. */
  private renderClass(): TemplateResult | typeof nothing {
    const label = classOf(this.record, this.classField);
    if (label === undefined || label === "") return nothing;
    return html`<span class="class" title=${visible(this.classField)}><i class="dot" .style=${`background:${colorOf(label)}`}></i>${visible(label)}</span>`;
  }
  /** Marks the smallest box under the pointer. */
  private readonly point = (e: PointerEvent): void => {
    if (e.buttons !== 0 || this.boxes.length === 0 || !this.boxesOn || this.editor) return;
    const area = this.stage.getBoundingClientRect();
    const { width, height } = this.shown;
    const scale = this.fit * this.zoom;
    const x = (e.clientX - area.left - area.width / 2 - this.pan.x) / scale + width / 2;
    const y = (e.clientY - area.top - area.height / 2 - this.pan.y) / scale + height / 2;
    const under = this.boxes.filter(
      (b) => !this.hidden_.has(b.label) && x >= b.x && y >= b.y && x <= b.x + b.w && y <= b.y + b.h,
    );
    this.marked = under.reduce<Box | null>((least, b) => (!least || b.w * b.h < least.w * least.h ? b : least), null);
  };

  private renderLegend(): TemplateResult | typeof nothing {
    const labels = [...new Set(this.boxes.map((b) => b.label))].slice(0, 40);
    const { broken, outside } = this.annotations;
    const wrong = [
      broken > 0 && msg("boxesWithoutAreaNumber2", { broken }),
      outside > 0 && msg("boxesOutsidePicture2", { outside }),
    ]
      .filter(Boolean)
      .join(", ");
    if (!this.boxesOn || this.editor || (labels.length === 0 && !wrong)) return nothing;
    const toggle = (label: string) => () => {
      const hidden = new Set(this.hidden_);
      if (!hidden.delete(label)) hidden.add(label);
      this.hidden_ = hidden;
    };
    return html`<div class="legend ${this.orientation > 1 ? "beside" : ""}">${labels.map(
      (label) => html`
      <button aria-pressed=${!this.hidden_.has(label)}
        @click=${toggle(label)}><i class="dot" .style=${`background:${colorOf(label)}`}></i><bdi>${visible(label) || msg("box")}</bdi> <span class="muted">× ${count(this.boxes.filter((b) => b.label === label).length)}</span></button>`,
    )}${wrong ? html`<span class="wrong">${wrong}</span>` : nothing}</div>`;
  }

  private renderPage(): TemplateResult {
    if (this.tab === "drawn" && this.editor) return this.editor.page();
    if (this.tab === "metadata") {
      if (this.recordTrouble)
        return html`<p class="bad">${this.recordTrouble.message}</p><code>${this.recordTrouble.code ?? ""}</code>`;
      if (this.record === undefined) return html`<p class="muted">${msg("reading2")}</p>`;
      return html`
        ${
          this.boxes.length > 0
            ? html`<h3>${msg("boxes2", { boxes: this.boxes.length })}</h3>
        <forebay-boxes .boxes=${this.boxes} .marked=${this.marked}
          @mark=${(e: CustomEvent<Box | null>) => (this.marked = e.detail)}></forebay-boxes>${this.renderNotes()}<h3>${common("metadata")}</h3>`
            : nothing
        }
        ${this.record === null ? html`<p class="muted">${msg("sampleHasNoMetadata")}</p>` : tree("sample", this.record)}`;
    }
    const info = this.data.info(this.index);
    if (this.tab === "bytes")
      return html`<pre>${this.head ? hex(this.head) : this.sum.text}</pre>${info.bytes > HEX_BYTES ? html`<p class="muted">${msg("firstBytes", { hexBytes: HEX_BYTES, bytes: info.bytes })}</p>` : nothing}`;
    return details({
      info,
      verified: this.data.format === "tbl",
      turned: this.orientation > 1,
      image: this.image,
      sum: this.sum,
      digest: this.digest,
    });
  }

  /** What is to be known of the boxes, and what of that can be said otherwise. */
  private renderNotes(): TemplateResult {
    const { notes = [], questions = [] } = this.annotations;
    const change = (): unknown => this.dispatchEvent(new CustomEvent("mean", { detail: questions }));
    return html`${[...notes, ...questions.map(questionText)].map((text) => html`<p class="muted">${text}</p>`)}
      ${questions.length > 0 ? html`<button @click=${change}>${common("change")}</button>` : nothing}`;
  }

  private async save(): Promise<void> {
    const blob = await this.data.blob(this.index).catch(() => null);
    if (!blob) return;
    download(
      blob,
      this.data.nameOf(this.index)?.split("/").pop() ??
        `${String(this.index).padStart(8, "0")}.${this.data.info(this.index).extension}`,
    );
  }
}
