/** What is counted of a dataset: facets of its index, classes and sizes that are read for it, and the fields that there are. */
import type { ReactiveControllerHost } from "lit";
import { isArchive } from "../../../lib/src/model/formats.ts";
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import type { Rows } from "../ui/rows.ts";
import type { FilterField, Values } from "../ui/complete.ts";
import { countFacets, type Facets } from "../ui/facets.ts";
import type { ValueKind } from "../ui/literals.ts";
import type { FindBoxes } from "./box-source.ts";
import type { BoxCounter, BoxCounts } from "./box-counts.ts";
import { classOf } from "./meaning.ts";
import { walkRecords } from "./walk.ts";
import type { Classes, FacetsView } from "./facets-view.ts";
import { fieldsOf } from "../ui/fields.ts";
import { Throttle } from "../ui/throttle.ts";
import { isAbort, trouble, type Trouble } from "../ui/wording.ts";

/** Samples whose metadata is counted without being asked for. */
const COUNTED_UNASKED = 5000;
/** Where the class usually is. */
const USUAL = ["json.label", "label", "class", "json.class", "cls", "json.cls", "category", "run"];

/** Samples of a class, of all that there are. */
interface Whole {
  readonly samples: number;
  readonly top: readonly { label: string; samples: number }[];
  readonly distinct: number;
  readonly kinds: ReadonlySet<ValueKind>;
}

/** What the counting needs to know. */
export interface Counted {
  readonly data: () => Dataset | null;
  readonly rows: () => Rows;
  /** The rest of the headers is still being read. */
  readonly growing: () => boolean;
  /** The file is on this machine: reading it costs nobody anything. */
  readonly local: () => boolean;
  /** A list of pictures: its metadata is in memory, and each picture is fetched by itself. */
  readonly listed: () => boolean;
  readonly signal: () => AbortSignal;
  /** Where boxes come from. */
  readonly find: () => FindBoxes;
  /** Boxes were counted, of all samples or of some again. */
  readonly counted: (boxes: BoxCounts, all: boolean) => void;
  /** Resolves when the first pictures are drawn. */
  readonly pictures: () => Promise<void>;
}

/** Milliseconds after which what was drawn is counted. */
const DRAWN = 250;
/** Classes that are listed. */
const LISTED = 1000;

/** The most frequent classes first. */
function topOf(found: ReadonlyMap<string, number>): Omit<Whole, "samples" | "kinds"> {
  const all = [...found].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return { distinct: all.length, top: all.slice(0, LISTED).map(([label, samples]) => ({ label, samples })) };
}

/** Counts, and says when there is more to show. */
export class Counts {
  facets: Facets | null = null;
  /** Classes by each of the fields that are counted. */
  classes: readonly Classes[] = [];
  boxes: BoxCounts | null = null;
  /** How far the counting of boxes is. */
  boxProgress: { done: number; total: number } | null = null;
  boxTrouble: Trouble | null = null;
  /** Why classes or sizes could not be read. */
  trouble: FacetsView["trouble"] = null;
  /** Nothing until the fields are known: a class of a field that is only likely would be named and colored for a moment. */
  classField = "";
  counting = false;
  fields: readonly FilterField[] = [];
  /** Those of the whole, by field. */
  private readonly all = new Map<string, Whole>();
  private readonly throttle = new Throttle();
  private boxWork = new AbortController();
  private counter: BoxCounter | null = null;
  /** Samples whose boxes were changed since they were counted. */
  private readonly redrawn = new Set<number>();

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: Counted,
  ) {}

  /** Another file. */
  reset(): void {
    this.facets = this.trouble = this.boxTrouble = null;
    this.forgetBoxes();
    this.classes = [];
    this.classField = "";
    this.all.clear();
    this.counting = false;
    this.fields = [];
    this.host.requestUpdate();
  }
  /** What went wrong with another filter says nothing of this one. */
  clearTrouble(): void {
    this.trouble = null;
    this.host.requestUpdate();
  }
  /** Of a growing file it is time to count again. */
  get due(): boolean {
    return this.throttle.due;
  }

  /** Counts what the index knows, and the classes where they were counted before. */
  async recount(): Promise<void> {
    const dataset = this.of.data();
    const rows = this.of.rows();
    if (!dataset) return;
    const stop = this.throttle.start();
    try {
      const facets = await countFacets(dataset.columns(), rows.kept, this.of.signal());
      // Of a growing file even counts of what was known a moment ago are worth showing.
      if (this.of.data() === dataset && this.of.rows().filter === rows.filter) this.facets = facets;
    } catch (e) {
      if (!isAbort(e)) throw e;
    } finally {
      stop();
      this.host.requestUpdate();
    }
    if (this.of.growing()) return;
    for (const { field } of this.classes) await this.countClasses(field);
  }

  /** Finds the fields of the metadata in the first sample, and counts the class where that costs little. */
  async learn(dataset: Dataset): Promise<void> {
    // The pictures come first: what is read here is for later.
    await this.of.pictures();
    if (this.of.data() !== dataset) return;
    const known = dataset.schema.map((f): FilterField => ({ name: f.name, type: f.type, indexed: f.indexed }));
    this.fields = known;
    this.host.requestUpdate();
    if (dataset.length === 0) return;
    const record = await dataset.record(0, { signal: this.of.signal() }).catch(() => null);
    if (this.of.data() !== dataset) return;
    const found = fieldsOf(record);
    this.fields = [
      ...known,
      ...found.filter((f) => !known.some((k) => k.name === f.name)).map((f) => ({ ...f, indexed: false })),
    ];
    this.host.requestUpdate();
    const field = USUAL.find((name) => found.some((f) => f.name === name));
    if (field) this.classField = field;
    if (dataset.length > COUNTED_UNASKED || dataset.growing || !this.unasked(dataset)) return;
    if (field) await this.countClasses(field);
    else if (isArchive(dataset.format) && !this.of.listed()) await this.readSizes();
    if ((this.of.local() || this.of.listed()) && this.of.data() === dataset) void this.countBoxes();
  }
  /** A TAR's metadata lies between its pictures: over a network, to read all of it is to fetch nearly all of the file. */
  private unasked(dataset: Dataset): boolean {
    return this.of.local() || this.of.listed() || !isArchive(dataset.format);
  }

  /** Counts by a field; `instead` of another one, or beside those that are counted. */
  async countClasses(field: string, instead?: string): Promise<void> {
    const dataset = this.of.data();
    const rows = this.of.rows();
    if (!dataset) return;
    this.counting = true;
    this.trouble = null;
    if (this.classes.length === 0 || instead === this.classes[0]?.field) this.classField = field;
    this.host.requestUpdate();
    try {
      const signal = this.of.signal();
      // Those of the whole are counted once, so that what the filter leaves out is still there to be clicked.
      let all = this.all.get(field);
      if (all?.samples !== dataset.length) {
        const { top, distinct } = this.of.listed()
          ? topOf(await this.classesOf(dataset, null, field, signal))
          : (await dataset.stats({ classField: field, signal })).classes;
        const labels = top.map(({ label }) => label);
        const { classKinds } = await import("./class-kinds.ts");
        const kinds = await classKinds(dataset, field, labels, signal);
        all = { samples: dataset.length, top, distinct, kinds };
        this.all.set(field, all);
        this.typed(field, kinds);
        await this.sized(dataset);
      }
      // Of the filter that is applied: what is being written may be none.
      const some = await this.keptClasses(dataset, rows, field, signal);
      if (this.of.data() !== dataset || this.of.rows() !== rows) return;
      const found: Classes = {
        field,
        distinct: all.distinct,
        kinds: all.kinds,
        top: all.top.map(({ label, samples }) => ({
          label,
          all: samples,
          kept: some ? (some.get(label) ?? 0) : samples,
        })),
      };
      const at = this.classes.findIndex((c) => c.field === (instead ?? field));
      this.classes = at < 0 ? [...this.classes, found] : this.classes.with(at, found);
    } catch (e) {
      if (!isAbort(e) && this.of.data() === dataset) this.trouble = { of: "classes", why: trouble(e) };
    } finally {
      this.counting = false;
      this.host.requestUpdate();
    }
  }
  /** The first sample says of what type a field is; all of them may say otherwise. */
  private typed(field: string, kinds: ReadonlySet<ValueKind>): void {
    const type = kinds.size === 1 ? [...kinds][0]! : "mixed";
    if (kinds.size > 0)
      this.fields = this.fields.map((known) => (known.name === field && !known.indexed ? { ...known, type } : known));
  }
  /** How many samples of each class the filter keeps; `null` where it keeps all. */
  private async keptClasses(
    dataset: Dataset,
    rows: Rows,
    field: string,
    signal: AbortSignal,
  ): Promise<Map<string, number> | null> {
    if (!rows.filter) return null;
    if (!rows.narrowed && !this.of.listed()) {
      const { classes } = await dataset.stats({ classField: field, where: rows.where, signal });
      return new Map(classes.top.map((c) => [c.label, c.samples]));
    }
    return this.classesOf(dataset, rows.kept, field, signal);
  }
  /** The same by the metadata alone, without a look at any picture. */
  private async classesOf(
    dataset: Dataset,
    samples: Uint32Array | null,
    field: string,
    signal: AbortSignal,
  ): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const add = (_: number, record: Json): void => {
      const label = classOf(record, field);
      if (label !== undefined) found.set(label, (found.get(label) ?? 0) + 1);
    };
    await walkRecords(dataset, add, { signal, samples });
    return found;
  }
  /** Counts by this field no more. */
  removeClasses(field: string): void {
    this.classes = this.classes.filter((c) => c.field !== field);
    this.host.requestUpdate();
  }

  /** Boxes come from elsewhere: what was counted of them, or is being so, is no longer so. */
  boxesChanged(): void {
    const counted = this.boxes !== null || this.boxProgress !== null;
    this.forgetBoxes();
    this.host.requestUpdate();
    if (counted) void this.countBoxes();
  }
  private forgetBoxes(): void {
    this.boxWork.abort();
    this.boxWork = new AbortController();
    this.boxes = this.counter = this.boxProgress = null;
    this.redrawn.clear();
  }
  /** The boxes of one sample were changed; what follows soon is counted together. */
  boxesDrawn(i: number): void {
    if (!this.boxes && !this.boxProgress) return;
    this.redrawn.add(i);
    const { signal } = this.boxWork;
    setTimeout(() => void (signal.aborted || this.boxProgress || this.countDrawn(signal)), DRAWN);
  }
  private async countDrawn(signal: AbortSignal): Promise<void> {
    const { counter } = this;
    const dataset = this.of.data();
    if (!counter || !dataset || this.redrawn.size === 0) return;
    const samples = Uint32Array.from(this.redrawn);
    this.redrawn.clear();
    const again = (i: number, record: Json): void => {
      counter.remove(i);
      counter.add(i, record);
    };
    try {
      await walkRecords(dataset, again, { signal, samples });
    } catch (e) {
      if (isAbort(e) || signal.aborted) return;
      this.boxTrouble = trouble(e);
    }
    this.boxes = counter.done();
    this.of.counted(this.boxes, false);
    this.host.requestUpdate();
  }
  /** Counts the boxes of all samples, or ends that. */
  askBoxes(on: boolean): void {
    if (on) void this.countBoxes();
    else this.boxWork.abort();
  }
  /** Somebody looks at boxes: they are counted where that costs little, unless it failed or was ended. */
  wantBoxes(): void {
    const dataset = this.of.data();
    if (!dataset || dataset.growing || this.boxes || this.boxTrouble || this.boxWork.signal.aborted) return;
    if (dataset.length <= COUNTED_UNASKED && this.unasked(dataset)) void this.countBoxes();
  }
  async countBoxes(): Promise<void> {
    const dataset = this.of.data();
    if (!dataset || this.boxProgress) return;
    this.forgetBoxes();
    const work = (this.boxWork = new AbortController());
    const told = (done: number, total: number): void => {
      if (this.boxWork !== work) return;
      this.boxProgress = { done, total };
      this.host.requestUpdate();
    };
    this.boxTrouble = null;
    told(0, dataset.length);
    const current = (): boolean => this.of.data() === dataset && this.boxWork === work;
    try {
      await dataset.whole;
      // Few count boxes before they look at pictures.
      const { BoxCounter } = await import("./box-counts.ts");
      const counter = new BoxCounter(dataset, this.of.find);
      await walkRecords(dataset, (i, record) => counter.add(i, record), {
        signal: AbortSignal.any([work.signal, this.of.signal()]),
        onProgress: told,
      });
      if (!current()) return;
      this.counter = counter;
      this.boxes = counter.done();
      this.of.counted(this.boxes, true);
    } catch (e) {
      if (!isAbort(e) && current()) this.boxTrouble = trouble(e);
    } finally {
      if (current()) {
        this.boxProgress = null;
        void this.countDrawn(work.signal);
      }
      this.host.requestUpdate();
    }
  }
  /** Counts sizes that became known: a TAR's come with whatever looks at its pictures. */
  private async sized(dataset: Dataset): Promise<void> {
    const rows = this.of.rows();
    if (!isArchive(dataset.format) || !this.facets?.unsized) return;
    const facets = await countFacets(dataset.columns(), rows.kept, this.of.signal());
    if (this.of.data() === dataset && this.of.rows() === rows) this.facets = facets;
  }
  async readSizes(): Promise<void> {
    const dataset = this.of.data();
    if (!dataset || this.counting) return;
    this.counting = true;
    this.trouble = null;
    this.host.requestUpdate();
    try {
      await dataset.stats({ signal: this.of.signal() });
      await this.sized(dataset);
    } catch (e) {
      if (!isAbort(e) && this.of.data() === dataset) this.trouble = { of: "sizes", why: trouble(e) };
    } finally {
      this.counting = false;
      this.host.requestUpdate();
    }
  }

  /** The field that says what a sample is; the run that it belongs to does not. */
  get labelField(): string {
    return this.classField === "run" ? "" : this.classField;
  }
  /** The metadata's own fields. */
  get metadataFields(): readonly string[] {
    const known = new Set(this.of.data()?.schema.map((f) => f.name));
    return this.fields.filter((f) => !known.has(f.name) && f.type !== "object").map((f) => f.name);
  }
  /** Values that completion offers. */
  get values(): Values {
    const { facets, classes } = this;
    return new Map([
      ...(facets ? [["format", facets.formats.map((f) => f.format)] as const] : []),
      ...classes.map((c) => [c.field, c.top.map(({ label }) => label)] as const),
    ]);
  }
}
