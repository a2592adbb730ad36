/** Editing a dataset: its journal, the picture that is drawn on, and what is asked of both. */
import { html, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";
import type { Dataset, Json, Project } from "../../../lib/src/model/index.ts";
import { hasJournals, isEdited } from "../files/edited.ts";
import { download } from "../files/targets.ts";
import type { FindBoxes } from "../samples/box-source.ts";
import { MOST, isGuess, type Annotations, type Question } from "../../../lib/src/base/boxes.ts";
import type { ShownPicture, StageEditor } from "../samples/stage-editor.ts";
import type { EditDetail } from "../public/element.ts";
import type { Rows } from "../ui/rows.ts";
import { isAbort, stem, trouble, type Trouble } from "../ui/wording.ts";
import { Classes } from "./classes.ts";
import type { Conflict, Sides } from "./conflicts.ts";
import type { DrawingStage } from "./drawing-stage.ts";
import type { History, Entry, Progress, Review } from "./history.ts";
import type { DrawnJournal, Unkept } from "./journal.ts";
import type { KeepLabels, KeptLabels, LabelsKept } from "./keeping.ts";
import { idleKey, isDrawn, keyOf, type PressedKey, type Wanted } from "./keys.ts";
import type { Reviews } from "./reviews.ts";
import type { Session } from "./session.ts";
import type { Shape } from "./shape.ts";
import type { Sketch } from "./sketch.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/editing.ts";

/** Keys of the picture that mean the same wherever the focus is. */
const EVERYWHERE: ReadonlySet<string> = new Set([..."nphyqQ[]"]);
/** Keys of the picture that begin something else: an outline in hand would be lost. */
const BEGINS: ReadonlySet<string> = new Set([..."nphyqQ"]);
/** Keys that go to an image of a kind. */
const WANTED: Readonly<Record<string, Wanted>> = { N: "unlabeled", R: "rejected", C: "class" };
/** Keys that judge the open sample: held, they would judge all that come after it. */
const JUDGES: ReadonlySet<string> = new Set(["a", "r", "w"]);

/** A journal that was to be taken over, and what it says otherwise than this one. */
export interface Clash {
  readonly file: File;
  readonly conflicts: readonly Conflict[];
}

/** What drawing needs of the page around it. */
export interface DrawingHost {
  readonly data: () => Dataset | null;
  readonly rows: () => Rows;
  /** Fetches what drawing shows. */
  readonly elements: () => Promise<unknown>;
  /** The sample that is open. */
  readonly open: () => number | null;
  readonly show: (i: number) => void;
  /** Where boxes come from that nobody has drawn; `laid` where that is a label file. */
  readonly base: () => { readonly find: FindBoxes; readonly laid: KeptLabels | null };
  /** Classes of boxes, as far as they were counted. */
  readonly counted: () => Iterable<string>;
  readonly signal: () => AbortSignal;
  readonly say: (text: string) => void;
  readonly warn: (text: string) => void;
  /** Boxes are others now, of the one sample or of many. */
  readonly changed: (many: boolean) => void;
  /** The classes of the project, if there is one. */
  readonly project: () => Project | null;
  /** These samples are left out. */
  readonly removed: (gone: ReadonlySet<number>) => void;
  /** Asks where to save. */
  readonly save: () => void;
  /** Asks what the numbers of boxes mean. */
  readonly mean: (questions: readonly Question[]) => void;
}

const NO_PROGRESS: Progress = { changed: 0, accepted: 0, rejected: 0, left: 0 };

export class DrawingController implements ReactiveController {
  state: "off" | "opening" | "on" = "off";
  /** Why it cannot be edited. */
  failure: Trouble | null = null;
  trouble: Trouble | null = null;
  risk: "none" | "full" | "page" = "none";
  classVersion = 0;
  remark = "";
  guessed: readonly Question[] | null = null;
  clash: Clash | null = null;
  strip = true;
  panel = true;
  /** The browser keeps edits of what is open which nobody has saved or discarded. */
  private waiting = false;
  private sure = false;
  /** What was left out when it was last said. */
  private moves = 0;
  private looking: Promise<void> = Promise.resolve();
  journal: DrawnJournal | null = null;
  session: Session | null = null;
  readonly classes = new Classes();
  /** What draws is fetched when editing begins; so is what knows of shapes. */
  sketch!: Sketch;
  private parts!: typeof import("./drawing-parts.ts");
  private stage: DrawingStage | null = null;
  private picture: ShownPicture | null = null;
  private readonly listeners = new Set<() => void>();
  private reviews: Reviews | null = null;
  /** What the key points of classes are called. */
  private listed: { readonly [key: string]: Json } = {};
  private pointNames: ReadonlyMap<string, readonly string[]> = new Map();
  private found: { base: FindBoxes; version: number; find: FindBoxes } | null = null;
  private version = 0;
  private counted: { version: number; progress: Progress } | null = null;
  /** Whether something could not be kept of what was edited before. */
  private isLeft = (): boolean => false;
  /** It is to end, also if it only begins. */
  private ended = false;

  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    readonly of: DrawingHost,
  ) {
    host.addController(this);
  }
  hostConnected(): void {
    this.host.addEventListener("keydown", this.onKey, { capture: true });
    window.addEventListener("beforeunload", this.onLeave);
  }
  hostDisconnected(): void {
    this.host.removeEventListener("keydown", this.onKey, { capture: true });
    window.removeEventListener("beforeunload", this.onLeave);
    this.journal?.rest();
  }
  hostUpdated(): void {
    const moves = this.history?.moves ?? 0;
    if (moves === this.moves) return;
    this.moves = moves;
    this.of.removed(this.history?.removed ?? new Set());
  }
  private readonly onLeave = (e: Event): void => {
    this.journal?.rest();
    if (this.pending > 0 || this.isLeft()) e.preventDefault();
  };

  /** Begins or ends it. */
  edit(on: boolean): void {
    if (on) void this.start();
    else this.stop();
  }
  /** It was closed. */
  reset(): void {
    if (this.unkept) this.of.warn(msg("changesNotKept", { pending: Math.max(1, this.pending) }));
    this.journal?.close();
    [this.journal, this.state] = [null, "off"];
    this.failure = this.trouble = this.clash = null;
    this.waiting = this.sure = false;
    this.leave();
    this.changed();
  }
  /** Looks whether edits of what was opened wait. */
  look(): void {
    this.looking = this.wait().catch(() => undefined);
  }
  private async wait(): Promise<void> {
    const data = this.of.data();
    if (!data || !isEdited(data) || this.state !== "off" || !(await hasJournals())) return;
    this.parts = await import("./drawing-parts.ts");
    await data.whole;
    const waiting = await this.parts.hasChanges(data);
    if (this.of.data() !== data || this.journal) return;
    this.waiting = waiting;
    this.host.requestUpdate();
  }
  /** Goes on with edits that wait: what is made of the dataset is to have them. */
  async resume(): Promise<void> {
    await this.looking;
    if (this.waiting) await this.start();
  }

  async start(): Promise<void> {
    const data = this.of.data();
    this.ended = false;
    if (!data || this.state !== "off") return;
    [this.state, this.failure] = ["opening", null];
    this.host.requestUpdate();
    try {
      await this.looking;
      const [parts] = await Promise.all([import("./drawing-parts.ts"), this.of.elements()]);
      this.begin(parts);
      this.isLeft = parts.isLeft;
      const journal = await this.parts.DrawnJournal.open(data, {
        told: () => this.tell(),
        entered: (entry) => this.entered(entry),
      });
      if (this.of.data() !== data) return journal.close();
      this.journal = journal;
      this.reviews = new parts.Reviews(journal.history);
      this.session = new parts.Session();
      this.classes.reset(journal.name);
      const document = await data.document({ signal: this.of.signal() }).catch(() => ({}));
      this.listed = { ...document, ...journal.history.document };
      this.learn(parts.classesIn(this.listed), true);
      this.learn(journal.history.labels);
      this.learn(this.of.counted());
      this.follow();
      if (this.of.data() !== data) return this.reset();
      // Somebody said meanwhile that nothing is to be edited.
      if (this.ended) return this.reset();
      [this.state, this.waiting] = ["on", false];
      this.changed();
      this.of.changed(true);
      this.of.say(msg("editing"));
      void this.prepare(data);
    } catch (e) {
      if (this.of.data() !== data) return;
      this.state = "off";
      if (!isAbort(e)) this.failure = trouble(e);
    } finally {
      this.host.requestUpdate();
    }
  }
  private begin(parts: typeof this.parts): void {
    this.parts = parts;
    this.sketch ??= new this.parts.Sketch({
      moving: () => this.stage?.redraw(false),
      changed: () => {
        this.stage?.redraw(true);
        this.tell();
      },
      done: (shapes, nudge) => this.done(shapes, nudge),
      say: (text) => this.of.say(text),
      pointNames: (label) => this.pointNames.get(label) ?? [],
    });
  }
  /** Finds out what is good to know, and not needed to begin. */
  private async prepare(data: Dataset): Promise<void> {
    // Some browsers ask people first, who may take their time.
    void this.findRisk();
    const { reviews } = this;
    if (this.of.data() === data && (await reviews?.read(data, this.of.signal())) && this.reviews === reviews)
      this.changed();
  }
  /** Finds out what the journal may be lost by. */
  private async findRisk(): Promise<void> {
    const { storage } = navigator;
    const own = !!(await storage?.getDirectory?.().catch(() => null));
    this.risk = own ? "full" : "page";
    this.tell();
    if (own && (await storage.persist?.().catch(() => false))) this.risk = "none";
    this.tell();
  }
  stop(): void {
    this.ended = true;
    if (this.state !== "on") return;
    const [{ unkept }, waiting] = [this, this.history?.canUndo ?? false];
    this.reset();
    this.waiting = waiting;
    this.of.changed(true);
    this.of.say(unkept ? common("editingOver") : msg("editingOverEditsKept"));
  }

  // What others show

  /** Where boxes come from: what was drawn comes before everything else. */
  boxesOf(base: FindBoxes): FindBoxes {
    const { journal, version } = this;
    if (!journal) return base;
    if (this.found?.base !== base || this.found.version !== version) {
      const find: FindBoxes = (i, record, width, height) => {
        const shapes = journal.history.shapesOf(i);
        if (!shapes) return base(i, record, width, height);
        const raster = journal.history.rasterOf(i);
        return { boxes: shapes, broken: 0, outside: 0, looked: true, ...(raster && { raster }) } satisfies Annotations;
      };
      this.found = { base, version, find };
    }
    return this.found.find;
  }
  /** What lies over an open picture; `null` while nothing is edited. */
  get editor(): StageEditor | null {
    return this.state === "on" ? this.over : null;
  }
  private readonly over: StageEditor = {
    pen: () => this.stage?.pen ?? false,
    leave: () => this.leave(),
    show: (picture) => this.show(picture),
    select: (nth) => this.sketch.shapes?.[nth] && this.sketch.select([nth]),
    place: (placed) => this.stage?.place(placed),
    layer: () =>
      html`<forebay-drawing .sketch=${this.sketch} .attach=${(stage: DrawingStage | null) => (this.stage = stage)}></forebay-drawing>`,
    bar: () => html`<forebay-edit-bar bare .drawing=${this}></forebay-edit-bar>`,
    bounds: () => {
      const [at] = this.sketch.selected;
      return at === undefined ? null : (this.sketch.shape(at) ?? null);
    },
    page: () => html`<forebay-drawing-page .drawing=${this}></forebay-drawing-page>`,
  };
  listen(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  }
  private tell(): void {
    for (const changed of this.listeners) changed();
  }
  /** Something changed that the whole page shows. */
  private changed(): void {
    this.version++;
    this.host.requestUpdate();
    this.tell();
  }
  get index(): number | null {
    return this.picture?.index ?? null;
  }
  get history(): History | null {
    return this.journal?.history ?? null;
  }
  get canUndo(): boolean {
    return (this.history?.canUndo || this.sketch?.isDrawing) ?? false;
  }
  get canRedo(): boolean {
    return this.history?.canRedo ?? false;
  }
  get pending(): number {
    return this.journal?.pending ?? 0;
  }
  get unkept(): Unkept | null {
    return this.journal?.unkept ?? null;
  }
  get review(): Review | null {
    const i = this.of.open();
    return i === null ? null : (this.reviews?.of(i) ?? null);
  }
  noteOf(i: number): string {
    return this.reviews?.noteOf(i) ?? "";
  }
  /** What reviewers said of a sample that was rejected, in words. */
  readonly verdict = (i: number): string | null => this.reviews?.verdict(i) ?? null;
  get progress(): Progress {
    const { history, reviews, version } = this;
    if (!history || !reviews) return NO_PROGRESS;
    if (this.counted?.version !== version)
      this.counted = { version, progress: history.progress(this.of.data()?.length ?? 0, reviews.before) };
    return this.counted!.progress;
  }

  // The picture

  private leave(): void {
    this.journal?.rest();
    this.picture = this.guessed = null;
    this.remark = "";
    this.sketch?.load(null, 0, 0);
  }
  private show(picture: ShownPicture): void {
    const { journal } = this;
    if (!journal) return;
    const own = journal.history.shapesOf(picture.index);
    const same = this.picture?.index === picture.index && own !== null && own === this.sketch.shapes;
    this.picture = picture;
    if (same) return;
    const laid = this.of.base().laid;
    const { shapes, lost } = own
      ? { shapes: own, lost: 0 }
      : this.parts.shapesIn(laid ? null : picture.record, picture.annotations);
    const many = !own && picture.annotations.boxes.length >= MOST;
    // Whatever is drawn is kept with the other boxes of the image, which nobody may guess.
    this.guessed = !own && !laid && isGuess(picture.annotations) ? (picture.annotations.questions ?? []) : null;
    this.remark = this.guessed
      ? msg("meaningNotStated")
      : many
        ? msg("pictureHasMoreBoxesThan")
        : lost > 0
          ? msg("boxesPictureCannotDrawnWill", { lost })
          : "";
    this.sketch.load(many || this.guessed ? null : shapes, picture.width, picture.height);
    this.session?.look(picture.index, shapes);
    this.learn(shapes.map(({ label }) => label));
    if (!this.classes.has(this.sketch.label)) this.sketch.label = shapes[0]?.label || (this.classes.names[0] ?? "");
    this.tell();
  }
  /** Classes are known, as those that the dataset lists or by being met. */
  learn(names: Iterable<string>, listed = false): void {
    if (!this.journal || !this.classes.learn(names, listed)) return;
    this.classVersion++;
    this.tell();
  }
  /** Takes the classes of the project in its order, with its keys. */
  follow(): void {
    const project = this.of.project();
    if (!this.journal) return;
    this.pointNames = this.parts.pointNamesIn(this.listed.categories, project);
    if (!project) return;
    this.classes.follow(project.classes);
    this.classVersion++;
    this.tell();
  }
  private done(shapes: readonly Shape[], nudge: string | null): void {
    const { picture, journal } = this;
    if (!picture || !journal) return;
    this.session?.draw(shapes, nudge);
    journal.draw(picture.index, shapes, nudge, { said: this.parts.rasterOf(picture) });
  }
  /** A change goes into the journal. */
  private entered({ sample, shapes, review, group }: Entry): void {
    this.changed();
    if (sample !== null && review !== undefined) this.session?.judge(sample, review);
    if (group !== null) return;
    this.of.changed(false);
    if (shapes) this.send({ index: sample, kind: "boxes", boxes: shapes.length });
    else if (review !== undefined) this.send({ index: sample, kind: "review", review });
    else this.send({ index: sample, kind: "other" });
  }
  private send(detail: EditDetail): void {
    this.host.dispatchEvent(new CustomEvent("edit", { detail, bubbles: true, composed: true }));
  }

  // What people do

  name(label: string): void {
    this.learn([label]);
    this.sketch.name(label.trim());
    this.of.say(msg("class", { label }));
    this.focus();
  }
  give(key: number, name: string): void {
    this.classes.give(key, name);
    this.classVersion++;
    this.of.say(msg("keyIsClass", { key, name }));
    this.tell();
  }
  point(at: number | null): void {
    this.sketch.over = { hit: at === null || at < 0 ? null : { at, border: true }, handle: null };
    this.stage?.redraw(false);
  }
  focus(): void {
    this.stage?.closest<HTMLElement>(".stage")?.focus();
  }

  undo(): void {
    // What is in hand is nearer than what was done, perhaps on another picture.
    if (this.sketch.takeBack()) return this.of.say(common("undone"));
    this.step(this.journal?.undo() ?? null, "undo");
  }
  redo(): void {
    if (this.sketch.isDrawing) return this.of.say(msg("nothingRedo"));
    this.step(this.journal?.redo() ?? null, "redo");
  }
  private step(entry: Entry | null, kind: "undo" | "redo"): void {
    if (!entry) return this.of.say(kind === "undo" ? msg("nothingUndo") : msg("nothingRedo"));
    this.changed();
    this.of.changed(entry.group !== null);
    this.send({ index: entry.group === null ? entry.sample : null, kind });
    const { sample } = entry;
    this.of.say(this.parts.stepText(kind, sample));
    if (sample === null || sample >= (this.of.data()?.length ?? 0)) return;
    if (this.picture?.index === sample) this.show(this.picture);
    else if (entry.group === null) this.of.show(sample);
  }

  /** What a reviewer says of the open sample; then the next comes that nobody has reviewed. */
  judge(review: Review | null): void {
    const i = this.of.open();
    if (i === null || !this.journal) return;
    // The next picture would come, and what is in hand would be lost.
    if (review !== null && this.sketch.unfinished) return this.of.warn(this.sketch.unfinished);
    this.journal.review(i, review);
    if (review === null) return this.of.say(msg("notReviewed"));
    this.of.say(review === "accepted" ? msg("acceptedSample") : msg("rejectedSample"));
    this.next();
  }
  /** Rejects the open sample with a note, and goes on; of one that is rejected only the note is changed. */
  reject(note: string): void {
    const { picture, journal, review } = this;
    if (!journal || !picture || picture.index !== this.of.open()) return this.of.say(msg("pictureNotThere"));
    if (this.sketch.unfinished) return this.of.warn(this.sketch.unfinished);
    const { index: i, record } = picture;
    const group = journal.group();
    if (note !== this.noteOf(i)) journal.mark("set", i, group, this.parts.noteSaid(record, note));
    if (review !== "rejected") journal.review(i, "rejected", group);
    this.of.changed(false);
    this.send({ index: i, kind: "review", review: "rejected" });
    this.of.say(msg("rejectedSample"));
    this.focus();
    if (review !== "rejected") this.next();
  }
  /** Changes several samples, undone as one. */
  many(
    samples: Iterable<number>,
    detail: EditDetail,
    change: (journal: DrawnJournal, i: number, group: number) => void,
  ): void {
    const { journal } = this;
    if (!journal) return;
    const [group, all] = [journal.group(), [...samples]];
    for (const i of all) change(journal, i, group);
    this.of.changed(true);
    if (this.picture) this.show(this.picture);
    this.send(detail);
    this.of.say(msg("samplesChanged", { samples: all.length }));
  }
  /** The next sample that is neither accepted nor rejected; after the last comes the first. */
  next(): void {
    this.parts.go(this.of, (i) => this.reviews?.of(i) === null, msg("everySampleReviewed"));
  }
  find(wanted: Wanted): void {
    const [{ of, parts, sketch }, fail] = [this, (e: unknown): void => this.fail(e)];
    if (wanted === "rejected") parts.go(of, (i) => this.reviews?.of(i) === wanted, msg("noImageFound"));
    else parts.seek(of, this.boxesOf(of.base().find), wanted, sketch.label).catch(fail);
  }

  /** Adds the boxes of the picture before this one. */
  async copy(): Promise<void> {
    const { picture, sketch } = this;
    const data = this.of.data();
    const rows = this.of.rows();
    const position = picture ? rows.find(picture.index) : -1;
    if (!picture || !data || !sketch.shapes) return;
    if (position <= 0) return this.of.say(msg("thereNoPictureBefore"));
    try {
      const shapes = await this.shapesOf(data, rows.at(position - 1));
      if (this.picture?.index !== picture.index || !sketch.shapes) return;
      const fresh = this.parts.copyInto(sketch, shapes, picture);
      this.of.say(fresh > 0 ? msg("boxesCopied", { fresh }) : msg("nothingCopy"));
    } catch (e) {
      if (isAbort(e)) return;
      this.trouble = trouble(e);
      this.tell();
    }
  }
  private async shapesOf(data: Dataset, i: number): Promise<readonly Shape[]> {
    const record = this.history?.shapesOf(i) ? null : await data.record(i, { signal: this.of.signal() });
    const { width, height } = data.info(i);
    return this.shapesIn(i, record, width, height).shapes;
  }
  /** What is drawn on an image, and whether that is all that its record has. */
  shapesIn(i: number, record: Json, width: number, height: number): { shapes: readonly Shape[]; whole: boolean } {
    const own = this.history?.shapesOf(i);
    if (own) return { shapes: own, whole: true };
    const { find, laid } = this.of.base();
    const found = find(i, record, width, height);
    if (!laid && isGuess(found)) throw new Error(msg("meaningNotStated"));
    const { shapes, lost } = this.parts.shapesIn(laid ? null : record, found);
    return { shapes, whole: lost + found.broken === 0 && found.boxes.length < MOST };
  }

  /** Makes labels that lie over the dataset edits of it. */
  async keepLabels(labels: KeptLabels, signal: AbortSignal, onProgress: (done: number) => void): Promise<LabelsKept> {
    await this.start();
    const { journal } = this;
    const data = this.of.data();
    if (!journal || !data) throw new Error(this.failure?.message ?? msg("datasetNotEdited"));
    const learn = (names: Iterable<string>): void => this.learn(names);
    let kept: LabelsKept;
    try {
      kept = await this.parts.keepLabels(data, journal, labels, { signal, onProgress, learn });
    } finally {
      if (this.journal === journal) {
        this.changed();
        this.of.changed(true);
      }
    }
    this.send({ index: null, kind: "labels" });
    return kept;
  }

  fold(what: "strip" | "panel"): void {
    this[what] = !this[what];
    this.host.requestUpdate();
    this.tell();
  }
  press(key: string): void {
    const root = this.stage?.getRootNode() as ShadowRoot | undefined;
    (root?.host as (HTMLElement & { key(key: string): boolean }) | undefined)?.key(key);
  }
  light(filter: string): void {
    this.stage?.closest<HTMLElement>(".stage")?.style.setProperty("--light", filter);
  }
  retry(): void {
    void this.journal?.retry();
  }
  save(): void {
    this.of.save();
  }
  mean(): void {
    this.of.mean(this.guessed ?? []);
  }
  download(): void {
    void this.tried(async (journal) => {
      await journal.kept();
      const files = await journal.export();
      const name = `${stem(this.of.data()?.name, "dataset")}-edits.jsonl`;
      download(files.journal, name);
      if (files.blobs) download(files.blobs, `${name}.blobs`);
    });
  }
  take(file: File, sides: Sides | null = null): void {
    this.clash = null;
    void this.tried(async (journal) => {
      const taken = await journal.take(file, sides);
      const { changes, conflicts } = taken;
      const { said, warning, trouble } = this.parts.takenWords(taken);
      this.of.say(said);
      if (conflicts.length > 0) {
        this.clash = { file, conflicts };
        return;
      }
      this.changed();
      this.of.changed(true);
      if (this.picture) this.show(this.picture);
      if (changes > 0) this.send({ index: null, kind: "labels" });
      if (warning) this.of.warn(warning);
      if (trouble) this.fail(new Error(trouble));
    });
  }
  settle(sides: Sides | null): void {
    if (this.clash && sides) this.take(this.clash.file, sides);
    this.clash = null;
    this.tell();
  }
  discard(): void {
    void this.tried(async (journal) => {
      await journal.discard();
      [this.journal, this.state] = [null, "off"];
      this.leave();
      this.of.changed(true);
      this.send({ index: null, kind: "discard" });
      await this.start();
      this.of.say(msg("allEditsThrownAway"));
    });
  }
  async tried(act: (journal: DrawnJournal) => Promise<void>): Promise<void> {
    if (!this.journal) return;
    this.trouble = null;
    try {
      await act(this.journal);
    } catch (e) {
      this.fail(e);
    }
    this.tell();
  }
  fail(e: unknown): void {
    if (!isAbort(e)) this.trouble = trouble(e);
    this.tell();
  }

  // Keys

  private readonly onKey = (e: KeyboardEvent): void => {
    if (this.state !== "on" || this.of.open() === null) return;
    if (!isDrawn(e, this.host) || !this.key(keyOf(e, e.composedPath() as HTMLElement[]))) return;
    e.preventDefault();
    e.stopPropagation();
  };
  /** A key while nothing has the focus. */
  idle(key: string, again: boolean): boolean {
    return this.key(idleKey(key, again));
  }
  /** Does what a key says; true if it was one of its own. */
  private key({ key, shift, ctrl, again, hovered, inStage, inClasses }: PressedKey): boolean {
    if (this.state !== "on" || this.of.open() === null) return false;
    if (ctrl && key.toLowerCase() === "z") shift ? this.redo() : this.undo();
    else if (ctrl && key.toLowerCase() === "y") this.redo();
    else if (ctrl && key === "s") this.save();
    else if (!ctrl && EVERYWHERE.has(key) && this.picture?.index !== this.of.open())
      this.of.say(msg("pictureNotThere"));
    else if (!ctrl && BEGINS.has(key) && this.sketch.unfinished) this.of.warn(this.sketch.unfinished);
    else if ((inStage || (EVERYWHERE.has(key) && !ctrl)) && this.sketch.key(key, { shift, ctrl })) {
      if (!inStage) this.focus();
      return true;
    } else if (ctrl) return false;
    else if (/^[1-9]$/.test(key) && !inClasses) {
      const name = this.classes.ofKey(Number(key));
      if (name === undefined) this.of.say(msg("noClassHasKey", { key }));
      else {
        // A key that was used stays that of its class, whatever else becomes known.
        this.classes.give(Number(key), name);
        if (hovered) this.sketch.grab();
        this.name(name);
      }
    } else if (again && JUDGES.has(key)) return true;
    else if (key === "a") this.judge("accepted");
    else if (key === "r") this.judge("rejected");
    else if (key === "w") this.judge(null);
    else if (key === "f") void this.copy();
    else if (key === "t") this.page?.write();
    else if (key === "s") this.page?.search();
    else if (key === "v") this.page?.look();
    else if (key === "F") this.fold("strip");
    else if (key === "P") this.fold("panel");
    else if (WANTED[key]) this.find(WANTED[key]!);
    else return false;
    return true;
  }
  private get page(): (HTMLElement & { search(): void; look(): void; write(): void }) | null {
    const panel = this.stage?.getRootNode() as ShadowRoot | undefined;
    return panel?.querySelector("forebay-drawing-page") ?? null;
  }
  /** Keys of the page: to begin and end, and with Ctrl while nothing has the focus. */
  chords(): Record<string, () => void> {
    const data = this.of.data();
    if (!data || data.format === "warehouse") return {};
    const E = (): void => this.edit(this.state !== "on");
    if (this.state !== "on") return { E };
    const redo = (): void => this.redo();
    return { E, "Ctrl+z": () => this.undo(), "Ctrl+Z": redo, "Ctrl+y": redo, "Ctrl+s": () => this.save() };
  }
  /** Keeps labels that lie over the dataset; none where nothing can be edited. */
  get keeper(): KeepLabels | null {
    return isEdited(this.of.data()) ? this.keep : null;
  }
  private readonly keep: KeepLabels = async (signal, onProgress) => {
    const { laid } = this.of.base();
    return laid ? this.keepLabels(laid, signal, onProgress) : { pictures: 0, lost: 0 };
  };
  /** What is done to the samples that are selected. */
  changes(picked: ReadonlySet<number>): TemplateResult {
    return html`<forebay-bulk .drawing=${this} .picked=${picked}></forebay-bulk>`;
  }
  /** Begins and ends editing. */
  button(): TemplateResult | null {
    const data = this.of.data();
    if (!data || data.format === "warehouse") return null;
    const on = this.state === "on";
    return html`<button aria-pressed=${on} ?disabled=${this.state === "opening"} title=${msg("drawReviewLabels")}
      @click=${() => this.edit(!on)}>${msg("edit")}</button>`;
  }
  /** Editing, or why not, above the samples. */
  bar(convert: () => void): TemplateResult | null {
    if (this.state === "on") return html`<forebay-edit-bar .drawing=${this}></forebay-edit-bar>`;
    const { failure } = this;
    const discard = (): void => {
      if (this.sure) return void this.start().then(() => this.discard());
      this.sure = true;
      this.host.requestUpdate();
    };
    const again = (): void => void this.start();
    if (!failure) return this.waiting && this.state === "off" ? this.parts.waitingBar(this.sure, again, discard) : null;
    const close = (): void => {
      this.failure = null;
      this.host.requestUpdate();
    };
    // What could not even be fetched says no more than that.
    if (!this.parts) return html`<div class="notice" role="alert">${failure.message}</div>`;
    return this.parts.failureBar(failure, { again, convert, close });
  }
}
