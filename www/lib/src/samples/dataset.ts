import { anySignal } from "../base/abort.js";
import * as argument from "../base/arguments.js";
import { parseExactly, stringifyExactly } from "../base/exact.js";
import { reportOf } from "../base/report.js";
import { ForebayError, fromThrown, hostError, unopened } from "../model/errors.js";
import { SampleIndex } from "./sample-index.js";
import type { Opened, SampleModule, Selected } from "../worker/protocol.js";
import { codecs, formats, isArchive, mediaFormats } from "../model/formats.js";
import { bulkModule, call, othersThan, workerCount, type Client } from "../pool/pool.js";
import type { Placed } from "../source/beside.js";
import { sourceOf } from "../source/sources.js";
import { STRIP, Strip, digestOf, firstBytes, otherThumbs } from "./strip.js";
import { bytesOf, readExactly, readRanges } from "../source/ranges.js";
import type {
  BoxesOptions,
  CheckOptions,
  CheckReport,
  Dataset,
  Divided,
  DivideOptions,
  Duplicates,
  DuplicatesOptions,
  EditOptions,
  Edits,
  Field,
  IndexColumns,
  Input,
  Json,
  Metadata,
  OpenOptions,
  OpenProgress,
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
  Source,
  Stats,
  StatsOptions,
  StoredThumbnail,
  Tensor,
  TensorOptions,
  ThumbnailBitmapOptions,
  ThumbnailOptions,
  WhereOptions,
} from "../model/index.js";
import { forget, openIn, reopen, type Again, type Elsewhere, type WorkerSamples } from "./open-in-worker.js";
import { Session } from "../pool/session.js";
import { PayloadCache } from "./payload-cache.js";
import { groupsOf, wantedOf } from "./prefetch.js";
import { INDEXED, LOOKED_AT, sorted } from "./sort.js";
import { stepsOf } from "../base/metadata-path.js";
import { merged, partsOf, shared, type All, type Part } from "./check-parts.js";
import { boxesOf } from "./boxes.js";
import { lookAtAll, sizeOf } from "./sizes.js";
import { tensorOf } from "./tensor.js";
import { Thumbnails, type Pixels } from "./thumbnails.js";
import { Curation } from "./curation.js";
import { OpenEdits } from "../edits/edits.js";
import { storeOf } from "../edits/store.js";
import { NAMES, known } from "../base/option-names.js";
import { free, steps, windowFor, type Drive } from "../pool/drive.js";

const DAMAGED = 255;

/** Samples read ahead by `samples`. */
const AHEAD = 4;
/** Bytes of payloads that `prefetch` keeps. */
const CACHE = 64 << 20;
/** Records of a batch, usually and at most. */
const RECORDS = 256;
const MOST_RECORDS = 65_536;

const FIELDS: readonly Field[] = [
  { name: "index", type: "integer", indexed: true },
  { name: "name", type: "string", indexed: false },
  { name: "format", type: "string", indexed: true },
  { name: "width", type: "integer", indexed: true },
  { name: "height", type: "integer", indexed: true },
  { name: "aspect", type: "float", indexed: true },
  { name: "pixels", type: "integer", indexed: true },
  { name: "bytes", type: "integer", indexed: true },
  { name: "stored_bytes", type: "integer", indexed: true },
];

/** Opens a source: samples, or the format of what is opened elsewhere. */
export async function openDataset(
  source: Source,
  options: OpenOptions,
  owned: boolean,
  module: SampleModule = "forebay",
): Promise<OpenDataset | Elsewhere> {
  const made = (found: WorkerSamples | Elsewhere) =>
    typeof found === "string" ? found : new OpenDataset(source, options, found, owned);
  if (!options.grow) return made(await openIn(source, options, { module }));
  const closed = new AbortController();
  const both = anySignal(options.signal, closed.signal);
  let growing: { dataset: OpenDataset; end(e?: unknown): void } | undefined;
  return new Promise((resolve, reject) => {
    const begin = (opened: WorkerSamples): void => {
      let end: (e?: unknown) => void = () => {};
      const whole = new Promise<void>((done, failed) => (end = (e) => (e === undefined ? done() : failed(e))));
      growing = {
        dataset: new OpenDataset(source, options, opened, owned, {
          whole,
          stop: () => closed.abort(hostError("dataset.closed", "the dataset was closed", { file: source.name })),
        }),
        end,
      };
      resolve(growing.dataset);
    };
    const grown = (opened: WorkerSamples) => (growing ? growing.dataset.grow(opened.opened) : begin(opened));
    const opening = openIn(source, { ...options, signal: both.signal }, { module, grown });
    opening
      .then(
        (opened) => {
          if (!growing || typeof opened === "string") return resolve(made(opened));
          growing.dataset.grow(opened.opened);
          growing.dataset.settle();
          growing.end();
        },
        (e: unknown) => {
          if (!growing) return reject(e);
          growing.dataset.settle(e);
          growing.end(e);
        },
      )
      .finally(() => both.release());
  });
}

/** What `open` gives for samples. */
export class OpenDataset extends Session<WorkerSamples> implements Dataset {
  readonly kind = "samples";
  readonly format: Dataset["format"];
  readonly schema: readonly Field[];
  readonly whole: Promise<void>;
  readonly fromStore: boolean;
  metadata: Metadata;
  growing: boolean;
  damage: ForebayError | null;
  readonly #options: OpenOptions;
  readonly #index: SampleIndex;
  readonly #again: Again;
  readonly #stop: (() => void) | undefined;
  #document: Promise<{ [key: string]: Json }> | undefined;
  readonly #cache = new PayloadCache();
  #strip: Strip | undefined;
  readonly #thumbnails = new Thumbnails({
    name: this.source.name,
    info: (i) => this.info(i),
    picture: (i, signal) => this.pixels(i, signal),
  });
  readonly #curation = new Curation(
    () => ({
      name: this.name,
      length: this.length,
      info: (i) => this.info(i),
      matches: (where, options) => this.matches(where, options),
      read: (i, signal) => this.payload(i, true, signal),
      record: (i, options) => this.record(i, options),
      records: (options) => this.records(options),
    }),
    (signal, body) => this.run(signal, body, 1),
  );

  constructor(
    source: Source,
    options: OpenOptions,
    opened: WorkerSamples,
    owned: boolean,
    growth?: { whole: Promise<void>; stop: () => void },
    again: Again = reopen,
  ) {
    const { format, metadata } = aboutOf(opened.opened);
    super(source, opened, (signal) => again(source, options, { module: opened.module }, signal), owned);
    this.#again = again;
    this.#options = options;
    this.format = format;
    this.metadata = metadata;
    this.growing = growth !== undefined;
    this.whole = growth?.whole ?? Promise.resolve();
    // Who does not ask is not told.
    this.whole.catch(() => {});
    this.fromStore = opened.kept;
    this.#stop = growth?.stop;
    this.schema = FIELDS.map((field) => ({
      ...field,
      indexed:
        field.name === "name"
          ? isArchive(format)
          : !isArchive(format) || ["index", "bytes", "stored_bytes"].includes(field.name),
    }));
    this.damage =
      opened.opened.damage === null ? null : (fromThrown(opened.opened.damage, source.name) as ForebayError);
    this.#index = new SampleIndex(opened.opened);
    forget(opened.opened);
  }

  get length(): number {
    return this.#index.length;
  }
  /** More samples became known. */
  grow(more: Opened): void {
    this.#index.append(more);
    this.metadata = aboutOf(more).metadata;
    this.damage = more.damage === null ? null : (fromThrown(more.damage, this.name) as ForebayError);
  }
  /** No more will become known; `e` is why, if it is not the end of the file. */
  settle(e?: unknown): void {
    this.growing = false;
    if (e instanceof ForebayError && e.code !== "dataset.closed") this.damage = e;
  }

  info(i: number): SampleInfo {
    this.alive();
    this.#inRange(i);
    const c = this.#index.columns;
    const format = mediaFormats[c.format[i]!] ?? "unknown";
    const codec = c.codec[i]!;
    return {
      index: i,
      format,
      mime: formats[format].mime,
      extension: formats[format].extension,
      width: c.width[i]!,
      height: c.height[i]!,
      bytes: c.bytes[i]!,
      storedBytes: c.storedBytes[i]!,
      offset: c.offset[i]!,
      codec: codecs[codec] ?? "none",
      damaged: codec === DAMAGED,
    };
  }

  nameOf(i: number): string | undefined {
    this.alive();
    this.#inRange(i);
    return this.#index.name(i);
  }

  columns(): IndexColumns {
    this.alive();
    return this.#index.columns;
  }

  async blob(i: number, options: ReadOptions = {}): Promise<Blob> {
    known(argument.options(options, "how to read"), NAMES.read, "blob");
    return this.run(options.signal, async (signal) => {
      const info = this.info(i);
      const type = { type: info.mime };
      const { blob } = this.source;
      if (blob && this.#isPlain(info) && !options.verify) {
        return blob.slice(info.offset, info.offset + info.storedBytes, info.mime);
      }
      return new Blob([(await this.payload(i, options.verify ?? false, signal)) as BlobPart], type);
    });
  }

  async bytes(i: number, options: ReadOptions = {}): Promise<Uint8Array> {
    known(argument.options(options, "how to read"), NAMES.read, "bytes");
    return this.run(options.signal, (signal) => this.payload(i, options.verify ?? true, signal));
  }

  async tensor(i: number, options: TensorOptions): Promise<Tensor> {
    known(argument.options(options, "what a tensor is made with"), NAMES.tensor, "tensor");
    return this.run(options.signal, async (signal) => {
      const payload = await this.payload(i, options.verify ?? true, signal);
      try {
        return await tensorOf(payload, this.info(i), this.name, options);
      } catch (e) {
        // The module knows no samples.
        throw e instanceof ForebayError && e.sample === undefined
          ? new ForebayError(e.code, e.kind, e.message, { ...e, sample: i }, e)
          : e;
      }
    });
  }

  thumbnail(i: number, options?: ThumbnailOptions): Promise<Blob>;
  thumbnail(i: number, options: ThumbnailBitmapOptions): Promise<ImageBitmap>;
  thumbnail(i: number, options: ThumbnailOptions | ThumbnailBitmapOptions = {}): Promise<Blob | ImageBitmap> {
    return this.run(options?.signal, async (signal) => {
      this.#inRange(i);
      return this.#thumbnails.get(i, options, signal);
    });
  }

  async openThumbs(input?: Input, options: { signal?: AbortSignal } = {}): Promise<boolean> {
    known(argument.options(options, "how to read"), NAMES.signal, "openThumbs");
    return this.run(options.signal, async (signal) => {
      await this.whole;
      const first = firstBytes(this.length);
      const beside = () => (this.source as Placed).beside?.(STRIP, first, signal) ?? null;
      const source = input === undefined ? await beside() : await sourceOf(input, undefined, {}, signal);
      if (!source) return false;
      const file = await openDataset(source, { signal }, source !== input);
      if (typeof file === "string") throw otherThumbs(source.name, "this is not a file of thumbnails");
      try {
        const of = { name: this.name, length: this.length, digest: await this.digest(signal) };
        const strip = await Strip.open(file, of);
        this.#strip?.close();
        this.#thumbnails.before = this.#strip = strip;
        return true;
      } catch (e) {
        file.close();
        throw e;
      }
    });
  }

  async storedThumbnail(i: number, options: { signal?: AbortSignal } = {}): Promise<StoredThumbnail | null> {
    known(argument.options(options, "how to read"), NAMES.signal, "storedThumbnail");
    return this.run(options.signal, async (signal) => {
      this.#inRange(i);
      const strip = this.#strip;
      const found = (await strip?.stored(i, signal)) ?? null;
      return found?.picture ? { blob: found.blob, size: strip!.size, ...found.picture } : null;
    });
  }

  /** The CRC-32 that stands behind a payload which lies as it is; `null` where there is none. */
  checksum(i: number, options: { signal?: AbortSignal }): Promise<number | null> {
    return this.run(options.signal, async (signal) => {
      const { codec, damaged, offset, storedBytes } = this.info(i);
      if (this.metadata.layout !== "guide" || codec !== "none" || damaged) return null;
      const end = offset + storedBytes;
      const bytes = await readExactly(this.source, end, end + 4, signal);
      return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
    });
  }

  /** What tells this file from others of its name. */
  digest(signal?: AbortSignal): Promise<string> {
    return digestOf(this.source, this.format, this.#index.columns, signal);
  }

  /** The file of a picture, or its pixels. */
  protected async pixels(i: number, signal: AbortSignal): Promise<Blob | Pixels> {
    const { format, width, height } = this.info(i);
    return format === "raw_u8" ? { rgb: await this.bytes(i, { signal }), width, height } : this.blob(i, { signal });
  }

  /** The bytes of sample `i`, decompressed. */
  protected async payload(i: number, verify: boolean, signal: AbortSignal): Promise<Uint8Array> {
    const kept = this.#cache.get(i);
    if (kept) return kept;
    const info = this.info(i);
    const plain = this.#isPlain(info);
    if (plain && !verify) return readExactly(this.source, info.offset, info.offset + info.storedBytes, signal);
    const { client, handle } = await this.inWorker(signal);
    const [start, end] = await call(client, this.name, "plan", [handle, i]);
    const stored = await readExactly(this.source, start!, end!, signal);
    const payload = await call(
      client,
      this.name,
      "decode",
      [handle, i, stored, verify],
      [stored.buffer as ArrayBuffer],
    );
    return plain ? payload.subarray(0, info.bytes) : payload;
  }

  /** Whether a payload lies in the file as it is. In a ZIP a header of unknown length stands before it. */
  #isPlain({ codec, damaged }: SampleInfo): boolean {
    return codec === "none" && !damaged && this.format !== "zip";
  }

  /** Bytes of a payload, without the rest if it is stored as it is. */
  part(i: number, start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    return this.run(signal, async (inner) => {
      const info = this.info(i);
      if (this.#isPlain(info) && !this.#cache.has(i))
        return readExactly(this.source, info.offset + start, info.offset + end, inner);
      return (await this.payload(i, false, inner)).subarray(start, end);
    });
  }

  async record(i: number, options: ReadOptions = {}): Promise<Json> {
    known(argument.options(options, "how to read"), NAMES.read, "record");
    return this.run(options.signal, async (signal) => {
      this.#inRange(i);
      const { client, handle } = await this.inWorker(signal);
      const id = await call(client, this.name, "record", [handle, i]);
      const text = await this.finish(client, id, { signal }, () => call(client, this.name, "text", [id]));
      if (text === null) return null;
      let record: Json;
      try {
        record = parseExactly(text) as Json;
      } catch (e) {
        throw new ForebayError(
          "tbl.metadata",
          "damaged",
          `the sample's metadata is not JSON: ${(e as Error).message}`,
          { file: this.name, section: "metadata", sample: i },
          e,
        );
      }
      this.named(i, record);
      return record;
    });
  }
  /** Remembers the name of a sample that only its metadata tells. */
  protected named(i: number, record: Json): void {
    const { name } = Object(record) as { name?: Json };
    if (typeof name === "string") this.#index.named(i, name);
  }

  async boxes(i: number, options: BoxesOptions = {}): Promise<SampleBox[] | null> {
    known(argument.options(options, "how to read"), NAMES.boxes, "boxes");
    return this.run(options.signal, async (signal) => {
      const record = await this.record(i, { signal });
      return record === null ? null : this.#boxesIn(i, record, signal, options.as);
    });
  }

  /** The boxes that a record of this sample has. */
  async #boxesIn(i: number, record: Json, signal: AbortSignal, as?: string): Promise<SampleBox[] | null> {
    this.#document ??= this.document();
    const document = await this.#document.catch((e: unknown) => {
      this.#document = undefined;
      throw e;
    });
    const { width, height } = this.info(i);
    return boxesOf(stringifyExactly(document), stringifyExactly(record), {
      ...{ file: this.name, sample: i, as },
      known: [width, height],
      look: () => sizeOf(this, i, signal),
    });
  }

  async document(options: ReadOptions = {}): Promise<{ [key: string]: Json }> {
    known(argument.options(options, "how to read"), NAMES.read, "document");
    return this.run(options.signal, async (signal) => {
      const { client, handle } = await this.inWorker(signal);
      const id = await call(client, this.name, "document", [handle]);
      const text = await this.finish(client, id, { signal }, () => call(client, this.name, "text", [id]));
      return parseExactly(text ?? "{}") as { [key: string]: Json };
    });
  }

  async prefetch(
    samples: ArrayLike<number> | Iterable<number> | SampleRange,
    options: { signal?: AbortSignal; budgetBytes?: number } = {},
  ): Promise<void> {
    known(argument.options(options, "how to read"), NAMES.prefetch, "prefetch");
    return this.run(options.signal, async (signal) => {
      const budget = argument.whole(options.budgetBytes ?? CACHE, "budgetBytes");
      const wanted = wantedOf(samples, this.length);
      for (const group of groupsOf(wanted, (i) => this.info(i).bytes, budget)) {
        const missing = group.filter((i) => !this.#cache.touch(i) && !this.info(i).damaged);
        if (missing.length === 0) continue;
        const { client, handle } = await this.inWorker(signal);
        const ranges = await call(client, this.name, "plans", [handle, missing]);
        const chunks = await readRanges(
          this.source,
          ranges.flatMap((range) => [...range]),
          signal,
        );
        const stored = ranges.map((range) => bytesOf(chunks, range[0]!, range[1]!));
        const moved = stored.map(({ buffer }) => buffer as ArrayBuffer);
        const payloads = await call(client, this.name, "decodes", [handle, missing, stored], moved);
        missing.forEach((i, k) => {
          const payload = payloads[k];
          if (payload) this.#cache.add(i, payload.subarray(0, this.info(i).bytes), budget);
        });
      }
    });
  }

  async *records(options: RecordsOptions = {}): AsyncIterableIterator<RecordBatch> {
    known(argument.options(options, "which records"), NAMES.records, "records");
    const { fields, batch = RECORDS, onProgress } = options;
    argument.whole(batch, "the records of a batch", 1, MOST_RECORDS);
    const paths = fields === undefined ? null : argument.list(fields, "fields");
    for (const path of paths ?? [])
      if (!stepsOf(argument.text(path, "a field")))
        throw hostError("usage.argument", `${JSON.stringify(path)} is not a path to a field`, { file: this.name });
    const indexes = await this.chosen(options);
    // Fields of the index are what filters take them for, whatever the metadata calls so.
    const indexed = (paths ?? []).filter((path) => Object.hasOwn(INDEXED, path));
    if (indexed.some((path) => LOOKED_AT.has(path)) && isArchive(this.format))
      await lookAtAll(this, options.signal ? { signal: options.signal } : {});
    const both = this.joined(options.signal);
    try {
      const { client, handle } = await this.inWorker(both.signal);
      const id = await call(client, this.name, "records", [handle, indexes, batch, paths]);
      try {
        let at = 0;
        for await (const [turn, bytes] of steps(client, id, this.source, { signal: both.signal, readsItself: true })) {
          if (turn.records === null) continue;
          const records = parseExactly(turn.records) as Json[];
          if (indexed.length > 0)
            for (const [k, record] of records.entries())
              for (const path of indexed)
                (record as { [path: string]: Json })[path] = INDEXED[path]!(this.columns(), indexes[at + k]!);
          for (const [k, record] of records.entries()) this.named(indexes[at + k]!, record);
          yield { indexes: indexes.slice(at, (at += records.length)), records };
          onProgress?.({ samples: at, totalSamples: indexes.length, bytes, totalBytes: null });
        }
      } finally {
        void free(client, id);
      }
    } finally {
      both.release();
    }
  }

  async sort(by: string, options: SortOptions = {}): Promise<Uint32Array> {
    known(argument.options(options, "how to sort"), NAMES.sort, "sort");
    return this.run(options.signal, async (signal) => {
      await this.whole;
      return sorted(this, by, { ...options, signal });
    });
  }

  /** The samples that are meant: those of the list, of which only those that match. */
  async chosen({ indexes, where, signal, onProgress }: RecordsOptions): Promise<Uint32Array> {
    const listed = indexes === undefined ? null : argument.numbers(indexes, this.length, "samples", this.name);
    if (where === undefined || argument.text(where, "a filter").trim() === "")
      return listed ?? Uint32Array.from({ length: this.length }, (_, i) => i);
    const matching = await this.matches(where, { ...(signal && { signal }), ...(onProgress && { onProgress }) });
    if (!listed) return matching;
    const set = new Set(matching);
    return listed.filter((i) => set.has(i));
  }

  async *samples(options: SamplesOptions = {}): AsyncIterableIterator<Sample> {
    known(argument.options(options, "which samples"), NAMES.samples, "samples");
    const { signal, where, indexes } = options;
    let wanted: ArrayLike<number> | undefined = indexes === undefined ? undefined : argument.list(indexes, "indexes");
    if (where !== undefined && argument.text(where, "a filter").trim() !== "") {
      const matching = await this.matches(where, {
        ...(signal ? { signal } : {}),
        ...(options.onProgress ? { onProgress: options.onProgress } : {}),
      });
      if (wanted) {
        const set = new Set(matching);
        wanted = Array.from(wanted).filter((i) => set.has(i));
      } else {
        wanted = matching;
      }
    }
    const count = wanted?.length ?? this.length;
    const at = (k: number) => (wanted ? wanted[k]! : k);
    const reads = new Map<number, Promise<Uint8Array>>();
    // The next few are read while one is looked at, once somebody has asked for bytes at all.
    const read = (k: number) => {
      let one = reads.get(k);
      if (!one) {
        one = this.bytes(at(k), signal ? { signal } : {});
        one.catch(() => {});
        reads.set(k, one);
      }
      return one;
    };
    let eager = false;
    const asked = (k: number) => {
      eager = true;
      return read(k);
    };
    for (let k = 0; k < count; k++) {
      signal?.throwIfAborted();
      if (eager) for (let next = k; next < Math.min(count, k + AHEAD); next++) read(next);
      const i = at(k);
      const info = this.info(i);
      yield {
        index: i,
        info,
        bytes: () => asked(k),
        blob: async () =>
          this.source.blob ? this.blob(i) : new Blob([(await asked(k)) as BlobPart], { type: info.mime }),
        record: () => this.record(i, signal ? { signal } : {}),
      };
      reads.delete(k);
    }
  }

  async matches(where: string, options: Omit<WhereOptions, "where"> = {}): Promise<Uint32Array> {
    known(argument.options(options, "how to look for samples"), NAMES.matches, "matches");
    return (await this.select(where, false, "", options)).matches;
  }

  async stats(options: StatsOptions = {}): Promise<Stats> {
    known(argument.options(options, "what is counted"), NAMES.stats, "stats");
    const { where = "", classField = "" } = options;
    return reportOf<Stats>((await this.select(where, true, classField, options)).stats ?? "null");
  }

  /** What `matches` and `stats` share, with the faults on the way. */
  select(
    where: string,
    stats: boolean,
    label: string,
    { signal, onProgress }: Omit<WhereOptions, "where"> = {},
  ): Promise<Selected> {
    const look = async (client: Client, handle: number, inner: AbortSignal): Promise<Selected> => {
      argument.text(where, "a filter");
      argument.text(label, "the field of the class");
      const id = await call(client, this.name, "select", [handle, where, stats, label]);
      const onTurn: Drive["onTurn"] = (turn, bytes) =>
        onProgress?.({ samples: turn.done, totalSamples: this.length, bytes, totalBytes: null });
      const unsized = isArchive(this.format);
      const selected = await this.finish(client, id, { signal: inner, onTurn, readsItself: true }, () =>
        call(client, this.name, "selected", [id, handle, unsized]),
      );
      if (selected.columns) this.#index.columns = selected.columns;
      return selected;
    };
    // The module that reads every file does not know boxes.
    if (/\b(any|count)\s*\(/.test(where)) return this.work(signal, look);
    return this.run(signal, async (inner) => this.inWorker(inner).then((of) => look(of.client, of.handle, inner)));
  }

  async check(options: CheckOptions = {}): Promise<CheckReport> {
    known(argument.options(options, "how to check"), NAMES.checkOpen, "check");
    return this.format === "tar" ? this.#scanAgain(options) : this.checkOpened(options);
  }

  /** A TAR is its headers: what was found when it was opened, or kept by an earlier visit, says nothing of the file as it is now. */
  #scanAgain(options: CheckOptions): Promise<CheckReport> {
    return this.run(options.signal, async (signal) => {
      await this.whole.catch(() => {});
      const { indexStore: _, grow: __, ...rest } = this.#options;
      const onProgress = ({ samples, bytes, totalBytes }: OpenProgress) =>
        options.onProgress?.({ samples, totalSamples: null, bytes, totalBytes });
      try {
        const again = await openDataset(this.source, { ...rest, keepGoing: true, signal, onProgress }, false);
        if (typeof again === "string") throw hostError("io", "the file is another one now", { file: this.name });
        return await again.checkOpened({ signal }).finally(() => again.close());
      } catch (e) {
        if (e instanceof ForebayError && (e.kind === "damaged" || e.kind === "limit")) return unopened(e);
        throw e;
      }
    });
  }

  /** What may be checked by several workers, each a part. */
  protected parts(workers: number): Part[] {
    return this.format === "tbl" ? partsOf(this.#index.columns, workers) : [[0, this.length]];
  }

  /** The same of what opening found, if that was just now. */
  checkOpened(options: CheckOptions): Promise<CheckReport> {
    return this.run(options.signal, async (signal) => {
      await this.whole;
      const opened = await this.inWorker(signal);
      const workers = workerCount();
      const parts = this.parts(workers);
      const done = parts.map(() => [0, 0]);
      const reports: CheckReport[] = [];
      const one = async ({ client, handle }: WorkerSamples, k: number, reading: number) => {
        const onTurn: Drive["onTurn"] = (turn, bytes) => {
          done[k] = [turn.done, bytes];
          const sum = (of: number) => done.reduce((all, one) => all + one[of]!, 0);
          options.onProgress?.({
            samples: sum(0),
            totalSamples: this.length,
            bytes: sum(1),
            totalBytes: this.byteLength,
          });
        };
        const id = await call(client, this.name, "check", [handle, ...parts[k]!, windowFor(client, this.source)]);
        const text = await this.finish(client, id, { signal, onTurn, readsItself: true, reading }, () =>
          call(client, this.name, "text", [id]),
        );
        reports[k] = reportOf<CheckReport>(text ?? "{}");
      };
      // Each worker opens the file once for all that it takes.
      const each = async (at: WorkerSamples, all: All) => {
        const reading = await call(at.client, this.name, "beginReading", []);
        await all((k) => one(at, k, reading)).finally(() =>
          call(at.client, this.name, "endReading", [reading]).catch(() => {}),
        );
      };
      await shared(
        parts.length,
        (all) => each(opened, all),
        async (take) => {
          const others = await othersThan(opened.client, Math.min(workers, parts.length) - 1);
          await Promise.all(
            others.map((at) =>
              take(async (all) => {
                const other = await this.#again(this.source, this.#options, { module: opened.module, at }, signal);
                await each(other, all).finally(() => void free(other.client, other.handle));
              }),
            ),
          );
        },
      );
      return merged(reports);
    });
  }

  async edit(options: EditOptions = {}): Promise<Edits> {
    known(argument.options(options, "how a journal is opened"), NAMES.edit, "edit");
    const { format } = this;
    if (format !== "tbl" && format !== "tar") {
      const message = `in a page only a TBL or a TAR is edited; convert this ${format} into one first`;
      throw new ForebayError("edits.cannot", "unsupported", message, { file: this.name });
    }
    return this.run(
      options.signal,
      async (inner) => {
        await this.whole;
        // A journal is of all samples, and of this archive nobody knows them.
        if (this.damage) throw this.damage;
        const open = async (signal?: AbortSignal) => {
          const opened = await this.inWorker(signal);
          const kept = await call(opened.client, this.name, "kept", [opened.handle, this.byteLength]);
          return reopen(this.source, this.#options, { module: "labels", kept }, signal);
        };
        const { name, source, length } = this;
        const dataset = {
          ...{ name, format, source, length, open },
          record: (i: number) => this.record(i),
          boxes: (i: number, record: Json) => this.#boxesIn(i, record, new AbortController().signal),
        };
        return OpenEdits.open(dataset, await storeOf(options.store), options.name, inner);
      },
      1,
    );
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

  /** A worker with the module that converts, or another one, the handle there, and the loop around them. */
  work<T>(
    signal: AbortSignal | undefined,
    body: (client: Client, dataset: number, signal: AbortSignal) => Promise<T>,
    wanted?: SampleModule,
  ): Promise<T> {
    return this.run(
      signal,
      async (inner) => {
        await this.whole;
        const opened = await this.inWorker(inner);
        if (wanted ? opened.module === wanted : opened.module !== "forebay")
          return body(opened.client, opened.handle, inner);
        // What a scan found goes along, so that nothing is scanned twice.
        const kept = await call(opened.client, this.name, "kept", [opened.handle, this.byteLength]);
        const { client, handle } = await reopen(
          this.source,
          this.#options,
          { module: wanted ?? bulkModule(this.byteLength), kept },
          inner,
        );
        try {
          return await body(client, handle, inner);
        } finally {
          void free(client, handle);
        }
      },
      1,
    ); // What was written is not taken back.
  }

  override close(): void {
    super.close();
    this.#stop?.();
    this.#cache.clear();
    this.#thumbnails.close();
    this.#strip?.close();
    this.#curation.clear();
    this.#index.clear();
  }

  #inRange(i: number): void {
    argument.inRange(i, this.length, "samples", this.name);
  }
}

/** What opening says about the file. */
function aboutOf(opened: Opened): { format: Dataset["format"]; metadata: Metadata } {
  const {
    format,
    length: _,
    ...metadata
  } = JSON.parse(opened.about) as { format: Dataset["format"]; length: number } & Record<string, unknown>;
  return {
    format,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null)) as unknown as Metadata,
  };
}
