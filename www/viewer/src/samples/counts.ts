/** What is counted of a dataset: facets of its index, classes and sizes that are read for it, and the fields that there are. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Dataset } from "../../../lib/src/model/index.ts";
import type { Rows } from "../ui/rows.ts";
import type { FilterField, Values } from "../ui/complete.ts";
import { countFacets, type Facets } from "../ui/facets.ts";
import type { Classes, FacetsView } from "./facets-view.ts";
import { fieldsOf } from "../ui/fields.ts";
import { Throttle } from "../ui/throttle.ts";
import { isAbort, trouble } from "../ui/wording.ts";

/** Samples whose metadata is counted without being asked for. */
const COUNTED_UNASKED = 5000;
/** Where the class usually is. */
const USUAL = ["json.label", "label", "class", "json.class", "cls", "json.cls", "category"];

/** What the counting needs to know. */
export interface Counted {
  readonly data: () => Dataset | null;
  readonly rows: () => Rows;
  /** The rest of the headers is still being read. */
  readonly growing: () => boolean;
  /** The file is on this machine: reading it costs nobody anything. */
  readonly local: () => boolean;
  readonly signal: () => AbortSignal;
  /** Resolves when the first pictures are drawn. */
  readonly pictures: () => Promise<void>;
}

/** Counts, and says when there is more to show. */
export class Counts implements ReactiveController {
  facets: Facets | null = null;
  classes: Classes | null = null;
  /** Why classes or sizes could not be read. */
  trouble: FacetsView["trouble"] = null;
  classField = "cls";
  counting = false;
  fields: readonly FilterField[] = [];
  private all: {
    field: string;
    samples: number;
    top: readonly { label: string; samples: number }[];
    distinct: number;
  } | null = null;
  private readonly throttle = new Throttle();

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: Counted,
  ) {
    host.addController(this);
  }
  hostConnected(): void {}

  /** Another file. */
  reset(): void {
    this.facets = this.classes = this.trouble = this.all = null;
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
    if (this.classes && !this.of.growing()) void this.countClasses(this.classes.field);
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
    if (field) void this.countClasses(field);
    else if (dataset.format === "tar") void this.readSizes();
  }
  /** A TAR's metadata lies between its pictures: over a network, to read all of it is to fetch nearly all of the file. */
  private unasked(dataset: Dataset): boolean {
    return this.of.local() || dataset.format !== "tar";
  }

  async countClasses(field: string): Promise<void> {
    const dataset = this.of.data();
    const rows = this.of.rows();
    if (!dataset) return;
    this.counting = true;
    this.trouble = null;
    this.classField = field;
    this.host.requestUpdate();
    try {
      const signal = this.of.signal();
      // Those of the whole are counted once, so that what the filter leaves out is still there to be clicked.
      if (this.all?.field !== field || this.all.samples !== dataset.length) {
        const { classes } = await dataset.stats({ classField: field, signal });
        this.all = { field, samples: dataset.length, top: classes.top, distinct: classes.distinct };
        await this.sized(dataset);
      }
      const { all } = this;
      // Of the filter that is applied: what is being written may be none.
      const kept = rows.filter
        ? (await dataset.stats({ classField: field, where: rows.filter, signal })).classes
        : null;
      if (this.of.data() !== dataset || this.of.rows() !== rows) return;
      const some = new Map(kept?.top.map((c) => [c.label, c.samples]));
      this.classes = {
        field,
        distinct: all.distinct,
        top: all.top.map(({ label, samples }) => ({
          label,
          all: samples,
          kept: kept ? (some.get(label) ?? 0) : samples,
        })),
      };
    } catch (e) {
      if (!isAbort(e) && this.of.data() === dataset) this.trouble = { of: "classes", why: trouble(e) };
    } finally {
      this.counting = false;
      this.host.requestUpdate();
    }
  }
  /** Counts sizes that became known: a TAR's come with whatever looks at its pictures. */
  private async sized(dataset: Dataset): Promise<void> {
    const rows = this.of.rows();
    if (dataset.format !== "tar" || !this.facets?.unsized) return;
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
      ...(classes ? [[classes.field, classes.top.map((c) => c.label)] as const] : []),
    ]);
  }
}
