import * as argument from "../base/arguments.js";
import { digitsOf } from "../base/exact.js";
import { NAMES, known } from "../base/option-names.js";
import { ForebayError, hostError } from "../model/errors.js";
import type {
  BoxesOptions,
  CheckOptions,
  CheckReport,
  ClassStats,
  Dataset,
  Divided,
  DivideOptions,
  Duplicates,
  DuplicatesOptions,
  EditOptions,
  Edits,
  Fault,
  Field,
  IndexColumns,
  Input,
  Json,
  Metadata,
  Outliers,
  OutliersOptions,
  ReadOptions,
  RecordBatch,
  RecordsOptions,
  Sample,
  SampleBox,
  SampleInfo,
  SampleRange,
  SamplesOptions,
  SortOptions,
  Stats,
  StatsOptions,
  StoredThumbnail,
  Telemetry,
  Tensor,
  TensorOptions,
  ThumbnailBitmapOptions,
  ThumbnailOptions,
  WhereOptions,
} from "../model/index.js";
import { call, client } from "../pool/pool.js";
import { Curation } from "./curation.js";
import type { OpenDataset } from "./dataset.js";
import { wantedOf } from "./prefetch.js";
import { shifted } from "./shard-filter.js";
import { mergedStats, type PartStats } from "./shard-stats.js";
import { sorted } from "./sort.js";

/** Codes that say that no sample has a field, or none of that kind: those of another file may. */
const OF_ONE = new Set(["filter.field", "filter.kind"]);
/** Bytes of payloads that `prefetch` keeps of all files together. */
const CACHE = 64 << 20;
/** Classes that are named. */
const NAMED = 100;

/** What stands before the names of each file's samples: the name of the file, with a number where another has it too. */
function prefixesOf(names: readonly (string | undefined)[]): string[] {
  if (names.length === 1) return [""];
  const seen = new Map<string, number>();
  return names.map((name, k) => {
    const title = name ?? String(k);
    const times = (seen.get(title) ?? 0) + 1;
    seen.set(title, times);
    return times === 1 ? `${title}/` : `${title} (${times})/`;
  });
}

type Column = Uint8Array | Uint32Array | Float64Array;

/** Several files as one dataset: the samples of the first, then those of the second. */
export class ShardedDataset implements Dataset {
  readonly kind = "samples";
  readonly format: Dataset["format"];
  readonly name: string | undefined;
  readonly length: number;
  readonly byteLength: number;
  readonly growing = false;
  readonly whole: Promise<void> = Promise.resolve();
  readonly fromStore: boolean;
  readonly schema: readonly Field[];
  readonly metadata: Metadata;
  readonly telemetry: Telemetry;
  readonly damage: ForebayError | null;
  readonly #starts: number[] = [];
  /** What tells the samples of each file from those of the others; nothing where there is one file. */
  readonly #prefixes: readonly string[];
  /** All files together, to what looks at all of their samples. */
  readonly #curation = new Curation(
    () => ({
      name: this.name,
      length: this.length,
      info: (i) => this.info(i),
      matches: (where, options) => this.matches(where, options),
      read: (i, signal) => this.bytes(i, { signal }),
      record: (i, options) => this.record(i, options),
      records: (options) => this.records(options),
    }),
    (signal, body) => body(signal ?? new AbortController().signal),
  );
  #columns: { of: IndexColumns[]; all: IndexColumns } | undefined;

  constructor(
    readonly shards: readonly OpenDataset[],
    name: string | undefined,
  ) {
    const [first] = shards as [OpenDataset];
    for (const { format, name: other } of shards)
      if (format !== first.format)
        throw hostError(
          "usage.argument",
          `the files are of one format: ${first.name ?? "the first"} is ${first.format}, and ${other} ${format}`,
        );
    this.#prefixes = prefixesOf(shards.map(({ name }) => name));
    let length = 0;
    for (const shard of shards) {
      this.#starts.push(length);
      length += shard.length;
    }
    this.length = length;
    this.name = name ?? (shards.length > 1 ? `${first.name} and ${shards.length - 1} more` : first.name);
    this.format = first.format;
    this.byteLength = shards.reduce((sum, shard) => sum + shard.byteLength, 0);
    this.fromStore = shards.every((shard) => shard.fromStore);
    this.schema = first.schema;
    this.damage = shards.find((shard) => shard.damage)?.damage ?? null;
    const notes = shards.flatMap((shard) => shard.metadata.notes.map((note) => `${shard.name}: ${note}`));
    const all = (of: "members" | "skippedMembers") =>
      first.metadata[of] !== undefined && {
        [of]: shards.reduce((some, { metadata }) => some + (metadata[of] ?? 0), 0),
      };
    this.metadata = { ...first.metadata, ...all("members"), ...all("skippedMembers"), notes };
    const sum = (of: keyof Telemetry) => shards.reduce((all, { telemetry }) => all + telemetry[of], 0);
    this.telemetry = {
      byteLength: this.byteLength,
      get requests() {
        return sum("requests");
      },
      get bytesRead() {
        return sum("bytesRead");
      },
    };
  }

  /** The file of a sample, and its number there. */
  #at(i: number): [shard: OpenDataset, i: number, k: number] {
    argument.inRange(i, this.length, "samples", this.name);
    let [k, above] = [0, this.shards.length];
    while (above - k > 1) {
      const middle = (k + above) >> 1;
      if (this.#starts[middle]! <= i) k = middle;
      else above = middle;
    }
    return [this.shards[k]!, i - this.#starts[k]!, k];
  }

  info(i: number): SampleInfo {
    const [shard, at] = this.#at(i);
    return { ...shard.info(at), index: i, ...(shard.name !== undefined && { shard: shard.name }) };
  }
  nameOf(i: number): string | undefined {
    const [shard, at, k] = this.#at(i);
    const name = shard.nameOf(at);
    return name === undefined ? undefined : this.#prefixes[k] + name;
  }
  /** The name among all files of a sample that its metadata calls so. */
  nameAmong(i: number, own: string): string {
    const [, , k] = this.#at(i);
    return this.#prefixes[k] + own;
  }
  columns(): IndexColumns {
    const of = this.shards.map((shard) => shard.columns());
    if (this.#columns?.of.every((columns, k) => columns === of[k])) return this.#columns.all;
    const names = Object.keys(of[0]!) as (keyof IndexColumns)[];
    const joined = (name: keyof IndexColumns): Column => {
      const all = new (of[0]![name].constructor as new (length: number) => Column)(this.length);
      for (const [k, columns] of of.entries()) all.set(columns[name], this.#starts[k]!);
      return all;
    };
    const all = Object.fromEntries(names.map((name) => [name, joined(name)])) as unknown as IndexColumns;
    this.#columns = { of, all };
    return all;
  }

  async blob(i: number, options?: ReadOptions): Promise<Blob> {
    const [shard, at] = this.#at(i);
    return shard.blob(at, options);
  }
  async bytes(i: number, options?: ReadOptions): Promise<Uint8Array> {
    const [shard, at] = this.#at(i);
    return shard.bytes(at, options);
  }
  async part(i: number, start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    const [shard, at] = this.#at(i);
    return shard.part(at, start, end, signal);
  }
  async tensor(i: number, options: TensorOptions): Promise<Tensor> {
    const [shard, at] = this.#at(i);
    return shard.tensor(at, options);
  }
  async record(i: number, options?: ReadOptions): Promise<Json> {
    const [shard, at] = this.#at(i);
    return shard.record(at, options);
  }
  async boxes(i: number, options?: BoxesOptions): Promise<SampleBox[] | null> {
    const [shard, at] = this.#at(i);
    return shard.boxes(at, options);
  }
  thumbnail(i: number, options?: ThumbnailOptions): Promise<Blob>;
  thumbnail(i: number, options: ThumbnailBitmapOptions): Promise<ImageBitmap>;
  async thumbnail(i: number, options?: ThumbnailOptions | ThumbnailBitmapOptions): Promise<Blob | ImageBitmap> {
    const [shard, at] = this.#at(i);
    return shard.thumbnail(at, options as ThumbnailOptions);
  }
  async openThumbs(input?: Input, options: { signal?: AbortSignal } = {}): Promise<boolean> {
    if (input !== undefined)
      throw hostError("usage.argument", "each of several files has thumbnails of its own, next to it", {
        file: this.name,
      });
    const found = await Promise.all(this.shards.map((shard) => shard.openThumbs(undefined, options)));
    return found.includes(true);
  }
  async storedThumbnail(i: number, options?: { signal?: AbortSignal }): Promise<StoredThumbnail | null> {
    const [shard, at] = this.#at(i);
    return shard.storedThumbnail(at, options);
  }
  async document(options?: ReadOptions): Promise<{ [key: string]: Json }> {
    const documents = await Promise.all(this.shards.map((shard) => shard.document(options)));
    return Object.fromEntries(documents.map((document, k) => [this.shards[k]!.name ?? String(k), document]));
  }

  async prefetch(
    samples: ArrayLike<number> | Iterable<number> | SampleRange,
    options: { signal?: AbortSignal; budgetBytes?: number } = {},
  ): Promise<void> {
    known(argument.options(options, "how to read"), NAMES.prefetch, "prefetch");
    const { signal, budgetBytes = CACHE } = options;
    let left = argument.whole(budgetBytes, "budgetBytes");
    for (const [k, indexes] of this.#runs(wantedOf(samples, this.length))) {
      const shard = this.shards[k]!;
      await shard.prefetch(indexes, { budgetBytes: left, ...(signal && { signal }) });
      left = Math.max(0, left - indexes.reduce((sum, i) => sum + shard.info(i).bytes, 0));
    }
  }

  /** Samples that follow each other in one file, with their numbers there. */
  *#runs(indexes: Iterable<number>): Generator<[k: number, indexes: number[]]> {
    let run: [number, number[]] | null = null;
    for (const i of indexes) {
      const [, at, k] = this.#at(i);
      if (run && run[0] === k) run[1].push(at);
      else {
        if (run) yield run;
        run = [k, [at]];
      }
    }
    if (run) yield run;
  }

  async *samples(options: SamplesOptions = {}): AsyncIterableIterator<Sample> {
    known(argument.options(options, "which samples"), NAMES.samples, "samples");
    const { signal } = options;
    for (const [k, indexes] of this.#runs(await this.#chosen(options)))
      for await (const sample of this.shards[k]!.samples({ indexes, ...(signal && { signal }) })) {
        const i = sample.index + this.#starts[k]!;
        yield { ...sample, index: i, info: this.info(i) };
      }
  }

  async *records(options: RecordsOptions = {}): AsyncIterableIterator<RecordBatch> {
    known(argument.options(options, "which records"), NAMES.records, "records");
    const { fields, batch, signal, onProgress } = options;
    const indexes = await this.#chosen(options);
    let done = 0;
    for (const [k, some] of this.#runs(indexes)) {
      const how = {
        indexes: some,
        ...(fields && { fields }),
        ...(batch !== undefined && { batch }),
        ...(signal && { signal }),
      };
      for await (const found of this.shards[k]!.records(how)) {
        done += found.indexes.length;
        const numbers = found.indexes.map((i) => i + this.#starts[k]!);
        if (fields && Array.from(fields).includes("index"))
          for (const [at, record] of found.records.entries()) (record as { [path: string]: Json }).index = numbers[at]!;
        yield { indexes: numbers, records: found.records };
        onProgress?.({
          samples: done,
          totalSamples: indexes.length,
          bytes: this.telemetry.bytesRead,
          totalBytes: null,
        });
      }
    }
  }

  async sort(by: string, options: SortOptions = {}): Promise<Uint32Array> {
    known(argument.options(options, "how to sort"), NAMES.sort, "sort");
    return sorted(this, by, options);
  }

  async #chosen({ indexes, where, signal }: SamplesOptions): Promise<Uint32Array> {
    const listed = indexes === undefined ? null : argument.numbers(indexes, this.length, "samples", this.name);
    if (where === undefined || argument.text(where, "a filter").trim() === "")
      return listed ?? Uint32Array.from({ length: this.length }, (_, i) => i);
    const matching = await this.matches(where, signal ? { signal } : {});
    if (!listed) return matching;
    const set = new Set(matching);
    return listed.filter((i) => set.has(i));
  }

  /** Does something in each file with a filter, one after the other. A field that only some files have is none that nobody has. */
  async #each<T>(
    where: string,
    body: (shard: OpenDataset, where: string, k: number) => Promise<T>,
  ): Promise<(T | null)[]> {
    const empty = argument.text(where, "a filter").trim() === "";
    const canonical = empty ? "" : await call(await client(), this.name, "parseFilter", [where]);
    const found: (T | null)[] = [];
    let failed: unknown;
    for (const [k, shard] of this.shards.entries()) {
      try {
        found.push(
          await body(shard, empty ? "" : shifted(canonical, this.#starts[k]!, this.#prefixes[k]!, this.name), k),
        );
      } catch (e) {
        if (!(e instanceof ForebayError && OF_ONE.has(e.code))) throw e;
        failed ??= e;
        found.push(null);
      }
    }
    if (failed && found.every((one) => one === null)) throw failed;
    return found;
  }

  async matches(where: string, options: Omit<WhereOptions, "where"> = {}): Promise<Uint32Array> {
    known(argument.options(options, "how to look for samples"), NAMES.matches, "matches");
    const { signal, onProgress } = options;
    const found = await this.#each(where, async (shard, of, k) => {
      const matching = await shard.matches(of, signal ? { signal } : {});
      onProgress?.({
        samples: this.#starts[k]! + shard.length,
        totalSamples: this.length,
        bytes: this.telemetry.bytesRead,
        totalBytes: null,
      });
      return matching.map((i) => i + this.#starts[k]!);
    });
    const all = new Uint32Array(found.reduce((sum, one) => sum + (one?.length ?? 0), 0));
    let at = 0;
    for (const one of found) {
      if (one) all.set(one, at);
      at += one?.length ?? 0;
    }
    return all;
  }

  async stats(options: StatsOptions = {}): Promise<Stats> {
    known(argument.options(options, "what is counted"), NAMES.stats, "stats");
    const { where = "", classField, signal } = options;
    const parts = await this.#each(where, async (shard, of, k): Promise<PartStats> => {
      const stats = await shard.stats({ where: of, ...(signal && { signal }) });
      return [this.#starts[k]!, stats];
    });
    const found = parts.filter((part) => part !== null);
    return mergedStats(found, await this.#classes(classField, options, found[0]![1].classes));
  }

  /** Counted over all files, since the most frequent of one need not be those of all. */
  async #classes(field: string | undefined, { where, signal }: StatsOptions, none: ClassStats): Promise<ClassStats> {
    if (field === undefined || field === "") {
      const samples = where ? (await this.matches(where, signal ? { signal } : {})).length : this.length;
      return { ...none, unlabelled: none.unlabelled > 0 ? samples : 0 };
    }
    const counts = new Map<string, number>();
    let unlabelled = 0;
    for await (const { records } of this.records({
      fields: [field],
      ...(where && { where }),
      ...(signal && { signal }),
    }))
      for (const record of records) {
        const value = (record as { [path: string]: Json })[field];
        if (value === null || value === undefined) unlabelled++;
        else {
          const label =
            typeof value === "string" ? value : (digitsOf(record as object, field) ?? JSON.stringify(value));
          counts.set(label, (counts.get(label) ?? 0) + 1);
        }
      }
    const all = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    const top = all.slice(0, NAMED).map(([label, samples]) => ({ label, samples }));
    const other = all.slice(NAMED).reduce((sum, [, samples]) => sum + samples, 0);
    return { distinct: counts.size, top, other, unlabelled };
  }

  async check(options: CheckOptions = {}): Promise<CheckReport> {
    known(argument.options(options, "how to check"), NAMES.checkOpen, "check");
    const { signal, onProgress } = options;
    const reports: CheckReport[] = [];
    for (const [k, shard] of this.shards.entries()) {
      const start = this.#starts[k]!;
      const report = await shard.check({
        ...(signal && { signal }),
        onProgress: ({ samples, bytes }) =>
          onProgress?.({ samples: start + samples, totalSamples: this.length, bytes, totalBytes: null }),
      });
      const placed = (fault: Fault): Fault => ({
        ...fault,
        message: `${shard.name ?? k}: ${fault.message}`,
        sample: fault.sample === null ? null : fault.sample + start,
      });
      reports.push({ ...report, faults: report.faults.map(placed), notes: report.notes.map(placed) });
    }
    return {
      ok: reports.every(({ ok }) => ok),
      samples: reports.reduce((sum, { samples }) => sum + samples, 0),
      faultCount: reports.reduce((sum, { faultCount }) => sum + faultCount, 0),
      faults: reports.flatMap(({ faults }) => faults),
      notes: reports.flatMap(({ notes }) => notes),
    };
  }

  duplicates(options: DuplicatesOptions = {}): Promise<Duplicates> {
    return this.#curation.duplicates(options);
  }
  outliers(options: OutliersOptions = {}): Promise<Outliers> {
    return this.#curation.outliers(options);
  }
  divide(options: DivideOptions): Promise<Divided> {
    return this.#curation.divide(options);
  }

  edit(_: EditOptions = {}): Promise<Edits> {
    const message = "a journal is of one file: open the file that you want to change alone";
    return Promise.reject(new ForebayError("edits.cannot", "unsupported", message, { file: this.name }));
  }

  close(): void {
    this.#curation.clear();
    for (const shard of this.shards) shard.close();
  }
  [Symbol.dispose](): void {
    this.close();
  }
}
