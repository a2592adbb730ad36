/** Samples as a map: those that look alike lie near each other. */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Dataset } from "../../../lib/src/model/index.ts";
import { Thumbs } from "../samples/thumbs.ts";
import { ICONS } from "../ui/icons.ts";
import type { Rows } from "../ui/rows.ts";
import { controls } from "../ui/styles.ts";
import { ARROWS } from "../ui/typing.ts";
import { visible } from "../ui/visible.ts";
import { count, isAbort, trouble, type Trouble } from "../ui/wording.ts";
import { Camera, farness, isWithin, type Point } from "./camera.ts";
import { Hands } from "./hands.ts";
import { mapStyles } from "./map-styles.ts";
import { paint } from "./paint.ts";
import { MOST, chosen, makeSimilarity, similarityOf, stoodFor, type Making, type Similarity } from "./similarity.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/mapping.ts";

/** Pixels of a tile from which on pictures are read again, larger, and how many of them. */
const LARGE = 30;
const READ = 300;
/** As many samples of a file of this machine are put on a map without asking. */
const UNASKED = 2000;
/** Milliseconds of rest after which larger pictures are read. */
const REST = 150;
/** Pixels that Shift and an arrow move the map by. */
const PAN = 80;
const STEP = 1.5;

/**
 * `<forebay-map>`: sends what a gallery sends, `open`, `current`, `step` and `pick`; `add` with the numbers of samples that are
 * picked together, and `say` with a text for those who listen.
 */
@customElement("forebay-map")
export class MapView extends LitElement {
  static override styles = [controls, mapStyles];
  @property({ attribute: false }) data!: Dataset;
  @property({ attribute: false }) rows!: Rows;
  @property({ attribute: false }) picked: ReadonlySet<number> = new Set();
  /** Position of the current sample. */
  @property({ attribute: false }) current = 0;
  /** Reading costs nobody anything: a small map is made without asking. */
  @property({ type: Boolean }) here = false;
  /** What is open is not read to its end yet. */
  @property({ type: Boolean }) growing = false;
  @state() private map: Similarity | null = null;
  @state() private making: Making | null = null;
  @state() private failure: Trouble | null = null;
  @state() private moves = false;
  @state() private hovered = -1;
  @query("canvas") private canvas!: HTMLCanvasElement | null;
  @query(".scroll") private stage!: HTMLElement | null;
  private readonly camera = new Camera();
  private work = new AbortController();
  private thumbs: Thumbs | null = null;
  /** The points that the filter keeps, by their places in the map. */
  private shown: readonly number[] = [];
  /** Somebody did not want to wait for it. */
  private stopped = false;
  private frame = 0;
  private timer = 0;
  private readonly observer = new ResizeObserver(() => this.resized());
  private readonly hands = new Hands({
    moves: () => this.moves,
    pan: (dx, dy) => this.look(() => this.camera.pan(dx, dy)),
    magnify: (by, at) => this.look(() => this.camera.magnify(by, at)),
    line: () => this.redraw(),
    around: (line) => this.pickWithin(line),
    click: (at, more) => this.clicked(at, more),
    hover: (at) => (this.hovered = at ? this.find(at) : -1),
  });

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("data")) this.begin();
    if (!this.thumbs && this.data && this.isConnected) this.thumbs = new Thumbs(this.data, () => this.redraw());
    if (changed.has("data") || changed.has("rows") || changed.has("map" as never)) this.follow();
    const small = this.here && this.rows.total <= UNASKED;
    const idle = !this.growing && !this.map && !this.making && !this.failure && !this.stopped;
    // What was taken off the page makes no map of a file that may be closed, again and again.
    if (small && idle && this.isConnected) void this.make();
  }
  private begin(): void {
    this.letGo();
    this.map = similarityOf(this.data);
    this.making = this.failure = null;
    this.stopped = false;
    this.camera.fit();
  }
  private stop(): void {
    this.stopped = true;
    this.work.abort();
  }
  private letGo(): void {
    this.work.abort();
    this.thumbs?.close();
    this.thumbs = null;
  }
  /** What the filter keeps of the map. */
  private follow(): void {
    const { map, rows } = this;
    if (!map) this.shown = [];
    else this.shown = Array.from(map.samples.keys()).filter((k) => rows.find(map.samples[k]!) >= 0);
  }
  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer.disconnect();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.letGo();
    this.making = null;
  }
  override updated(): void {
    if (this.stage) {
      this.observer.observe(this.stage);
      this.hands.hold(this.stage);
    }
    this.redraw();
  }

  private async make(): Promise<void> {
    const { data, rows } = this;
    this.work.abort();
    const work = (this.work = new AbortController());
    this.failure = null;
    this.making = { step: "reading", part: 0, done: 0 };
    try {
      const map = await makeSimilarity(data, rows, work.signal, (making) => {
        if (this.work === work && !work.signal.aborted) this.making = making;
      });
      if (this.work !== work) return;
      this.map = map;
      this.camera.fit();
    } catch (e) {
      if (this.work !== work) return;
      if (isAbort(e)) this.stopped ||= !work.signal.aborted;
      else this.failure = trouble(e);
    } finally {
      if (this.work === work) this.making = null;
    }
  }

  private resized(): void {
    this.redraw();
  }
  private look(change: () => void): void {
    change();
    this.redraw();
  }
  /** Draws in the next frame, once however often it is asked for. */
  private redraw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }
  private draw(): void {
    const { map, canvas, stage, camera, shown } = this;
    if (!map || !canvas || !stage) return;
    const [wide, tall] = [stage.clientWidth, stage.clientHeight];
    camera.measure(wide, tall, map.samples.length);
    const sharp = Math.min(2, devicePixelRatio || 1);
    const [width, height] = [Math.round(wide * sharp), Math.round(tall * sharp)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const large = camera.tile >= LARGE;
    const inSight = shown.filter((k) => camera.sees(this.at(k), camera.tile));
    paint(canvas, {
      map,
      points: inSight,
      at: (k) => this.at(k),
      tile: camera.tile,
      sharp,
      picked: this.picked,
      current: this.rows.at(this.current),
      thumb: (i) => (large ? this.thumbs?.get(i) : undefined),
      line: this.hands.line,
      style: getComputedStyle(stage),
    });
    canvas.dataset.drawn = String(inSight.length);
    clearTimeout(this.timer);
    const wanted = large && inSight.length <= READ ? inSight.map((k) => map.samples[k]!) : [];
    this.timer = window.setTimeout(() => this.thumbs?.want(wanted), REST);
  }
  private at(k: number): Point {
    const { places } = this.map!;
    return this.camera.at(places[2 * k]!, places[2 * k + 1]!);
  }

  /** The sample of the tile that lies topmost at a point; -1 where there is none. */
  private find([x, y]: Point): number {
    const half = Math.max(6, this.camera.tile / 2);
    for (let k = this.shown.length - 1; k >= 0; k--) {
      const [tx, ty] = this.at(this.shown[k]!);
      if (Math.abs(tx - x) <= half && Math.abs(ty - y) <= half) return this.map!.samples[this.shown[k]!]!;
    }
    return -1;
  }
  private clicked(at: Point, more: boolean): void {
    const i = this.find(at);
    if (i < 0) return;
    this.go(i);
    this.send(more ? "pick" : "open", i);
  }
  private pickWithin(line: readonly Point[]): void {
    const { map, shown } = this;
    if (!map) return;
    const within = shown.filter((k) => isWithin(this.at(k), line)).map((k) => map.samples[k]!);
    if (within.length > 0) this.send("add", within);
    else this.send("say", msg("noneWithin"));
  }
  private pickInSight(): void {
    const { map, shown, camera } = this;
    if (map)
      this.send(
        "add",
        shown.filter((k) => camera.sees(this.at(k))).map((k) => map.samples[k]!),
      );
  }
  private send(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
  /** Makes a sample the current one. */
  private go(i: number): void {
    this.current = this.rows.find(i);
    this.send("current", this.current);
  }
  /** Brings a position into sight. */
  reveal(position: number): void {
    const k = this.map?.samples.indexOf(this.rows.at(position)) ?? -1;
    if (k < 0) return;
    this.camera.reveal(this.map!.places[2 * k]!, this.map!.places[2 * k + 1]!);
    this.redraw();
  }

  private readonly onKey = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey || !this.map || e.target !== this.stage) return;
    const way = ARROWS[e.key];
    const zoom: Record<string, () => void> = {
      "+": () => this.magnify(STEP),
      "=": () => this.magnify(STEP),
      "-": () => this.magnify(1 / STEP),
      "0": () => this.camera.fit(),
    };
    if (way && e.shiftKey) this.look(() => this.camera.pan(-way[0] * PAN, -way[1] * PAN));
    else if (way) this.step(way);
    else if (zoom[e.key]) this.look(zoom[e.key]!);
    else if (e.key === "Enter") this.open();
    else if (e.key === " ") this.pickCurrent();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  /** Zooms around the current sample, if it is in sight. */
  private magnify(by: number): void {
    const { held, camera } = this;
    const at = held >= 0 ? this.at(held) : null;
    camera.magnify(by, at && camera.sees(at) ? at : undefined);
  }
  /** The current sample, if it is on the map. */
  private get held(): number {
    const i = this.rows.at(this.current);
    const k = this.map?.samples.indexOf(i) ?? -1;
    return k >= 0 && this.rows.find(i) >= 0 ? k : -1;
  }
  private open(): void {
    if (this.held >= 0) this.send("open", this.map!.samples[this.held]!);
  }
  private pickCurrent(): void {
    if (this.held >= 0) this.send("pick", this.map!.samples[this.held]!);
  }
  /** Goes to the next picture in a direction; the first time, to the one in the middle. */
  private step(way: Point): void {
    const { map, shown, held, stage } = this;
    if (!map || !stage) return;
    const from: Point = held < 0 ? [stage.clientWidth / 2, stage.clientHeight / 2] : this.at(held);
    const far = (k: number): number => {
      const to = this.at(k);
      return held < 0 ? Math.hypot(to[0] - from[0], to[1] - from[1]) : farness(from, to, way);
    };
    let [best, least] = [-1, Infinity];
    for (const k of shown) {
      const distance = k === held ? Infinity : far(k);
      if (distance < least) [best, least] = [k, distance];
    }
    if (best < 0) return this.send("say", msg("nothingThere"));
    const i = map.samples[best]!;
    this.go(i);
    this.reveal(this.current);
    this.send("say", this.naming(i));
    this.send("step", i);
  }
  private naming(i: number): string {
    const name = this.data.nameOf(i);
    return name ? msg("named", { i: count(i), name: visible(name) }) : msg("sample", { i: count(i) });
  }

  override render(): TemplateResult {
    if (this.making) return this.renderMaking(this.making);
    if (!this.map || this.map.samples.length === 0) return this.renderAsk();
    const { map, shown, moves, hovered } = this;
    const facts = [
      shown.length === map.samples.length
        ? msg("shown", { shown: shown.length })
        : msg("shownOf", { shown: shown.length, all: map.samples.length }),
      map.looked < map.of && msg("some", { many: map.looked, all: map.of }),
      map.without > 0 && msg("without", { without: map.without }),
    ];
    const mode = (to: boolean, title: string, why: string): TemplateResult =>
      html`<button aria-pressed=${moves === to} title=${why} @click=${() => (this.moves = to)}>${title}</button>`;
    const zoom = (title: string, what: unknown, act: () => void): TemplateResult =>
      html`<button class="icon" aria-label=${title} title=${title} @click=${() => this.look(act)}>${what}</button>`;
    return html`
      <div class="tools">
        <span class="facts">${hovered >= 0 ? this.naming(hovered) : facts.filter(Boolean).join(" · ")}</span>
        <span class="pair" role="group" aria-label=${msg("map")}>${mode(false, msg("lasso"), msg("lassoWhy"))}${mode(true, msg("move"), msg("moveWhy"))}</span>
        <span class="pair">${zoom(common("zoomOut"), ICONS.less, () => this.magnify(1 / STEP))}${zoom(common("zoomIn"), ICONS.more, () => this.magnify(STEP))}
          <button title=${msg("allWhy")} @click=${() => this.look(() => this.camera.fit())}>${msg("all")}</button></span>
        <button @click=${() => this.pickInSight()}>${msg("inSight")}</button>
        ${this.stale ? html`<button title=${msg("againWhy")} @click=${() => void this.make()}>${msg("again")}</button>` : nothing}
      </div>
      <p id="keys" class="visually-hidden">${msg("keys")}</p>
      <div class="scroll ${moves ? "moves" : ""}" tabindex="0" role="application" aria-label=${msg("map")}
        aria-describedby="keys" @keydown=${this.onKey}><canvas aria-hidden="true"></canvas></div>`;
  }
  /** Another map could be made: of another filter, or with pictures that did not come. */
  private get stale(): boolean {
    const { map, rows } = this;
    if (!map) return false;
    if (map.without > 0) return true;
    if (rows.total <= MOST && map.looked === rows.total) return false;
    const now = chosen(rows);
    return now.length !== map.samples.length || now.some((i, k) => i !== map.samples[k]);
  }
  private renderMaking({ step, part, done }: Making): TemplateResult {
    const all = Math.min(MOST, stoodFor(this.rows));
    return html`<div class="ask" role="group" aria-label=${msg("map")}>
      <p>${step === "reading" ? msg("reading", { done, all }) : msg("placing", { all: done })}</p>
      <progress aria-label=${msg("map")} max="1" .value=${step === "reading" ? 0.7 * part : 0.7 + 0.3 * part}></progress>
      <button @click=${() => this.stop()}>${common("cancel")}</button></div>`;
  }
  private renderAsk(): TemplateResult {
    const { rows, failure, map } = this;
    const all = stoodFor(rows);
    const many = Math.min(MOST, all);
    const ask = html`<p>${msg("why")} ${many < all ? msg("readsSome", { many }) : msg("readsAll")}</p>`;
    return html`<div class="ask" role="group" aria-label=${msg("map")}>
      ${map ? html`<p role="status">${msg("nothing")}</p>` : ask}
      ${failure ? html`<p class="bad" role="alert">${msg("failed")} ${failure.message} ${failure.code ? html`<code>${failure.code}</code>` : nothing}</p>` : nothing}
      ${this.growing ? html`<p role="status">${msg("growing")}</p>` : nothing}
      <button class="primary" ?disabled=${this.growing} @click=${() => void this.make()}>${map ? msg("again") : msg("make", { all })}</button></div>`;
  }
}
