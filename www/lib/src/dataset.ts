import { abortable } from "./abort.js";
import { ForebayError, fromThrown, hostError } from "./errors.js";
import type { Opened, Selected } from "./kernel.js";
import { codecs, formats, mediaFormats } from "./formats.js";
import { call, client, type Client } from "./pool.js";
import { readExactly } from "./ranges.js";
import type {
  CheckOptions,
  CheckReport,
  Dataset,
  Field,
  Format,
  IndexColumns,
  Json,
  Metadata,
  OpenOptions,
  ReadOptions,
  Sample,
  SampleInfo,
  SamplesOptions,
  Source,
  Stats,
  StatsOptions,
  Telemetry,
  WhereOptions,
} from "./types.js";
import { drive, free, type Drive } from "./work.js";

const DAMAGED = 255;

/** Bytes read at once while a TAR's headers are looked for, unless its members are larger. */
const SCAN = 1 << 20;
/** Where members are larger than this, only their headers are read. */
const SPARSE = 4 << 20;
/** Samples read ahead by `samples`. */
const AHEAD = 4;
/** Bytes of payloads that `prefetch` keeps. */
const CACHE = 64 << 20;

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

/** An opened file in a worker. */
interface Home {
  client: Client;
  opened: Opened;
}

/** Opens a source in one of the workers. */
async function openIn(source: Source, options: OpenOptions): Promise<Home> {
  const home = await client();
  const { signal, onProgress, keepGoing = true, limits = {} } = options;
  const opener = await call(home, source.name, "opener", [source.byteLength, limits, keepGoing]);
  try {
    await drive(home, opener, source, {
      signal,
      onTurn: (turn) => onProgress?.({ bytes: turn.position, totalBytes: source.byteLength, samples: turn.done }),
      widen(need, turn) {
        // A scan goes from header to header: reading on saves a request for each of them.
        if (turn.done === 0 || need.length !== 2) return need;
        const stride = turn.position / turn.done;
        const end = stride > SPARSE ? need[1]! : Math.max(need[1]!, need[0]! + SCAN);
        return [need[0]!, Math.min(end, source.byteLength)];
      },
    });
    const opened = await call(home, source.name, "opened", [opener]);
    onProgress?.({ bytes: source.byteLength, totalBytes: source.byteLength, samples: opened.columns.width.length });
    return { client: home, opened };
  } finally {
    void free(home, opener);
  }
}

/** Opens a dataset from a source. */
export async function openDataset(source: Source, options: OpenOptions, owned: boolean): Promise<OpenDataset> {
  return new OpenDataset(source, options, await openIn(source, options), owned);
}

/** What `open` gives. */
export class OpenDataset implements Dataset {
  readonly format: Format;
  readonly length: number;
  readonly schema: readonly Field[];
  readonly metadata: Metadata;
  readonly name: string | undefined;
  readonly byteLength: number;
  readonly telemetry: Telemetry;
  readonly damage: ForebayError | null;
  readonly source: Source;
  readonly #options: OpenOptions;
  readonly #owned: boolean;
  #home: Promise<Home>;
  #columns: IndexColumns;
  #names: string[] | Map<number, string>;
  #joined: string | null;
  #closed = new AbortController();
  #cache = new Map<number, Uint8Array>();
  #cached = 0;

  constructor(source: Source, options: OpenOptions, home: Home, owned: boolean) {
    const { format, length, ...metadata } = JSON.parse(home.opened.about) as { format: Format; length: number } & Record<string, unknown>;
    this.source = source;
    this.#options = { ...options };
    delete this.#options.signal;
    delete this.#options.onProgress;
    this.#owned = owned;
    this.#home = Promise.resolve(home);
    this.format = format;
    this.length = length;
    this.metadata = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null)) as unknown as Metadata;
    this.schema = FIELDS.map((field) => ({ ...field, indexed: field.name === "name" ? format === "tar" : format === "tbl" || ["index", "bytes", "stored_bytes"].includes(field.name) }));
    this.name = source.name;
    this.byteLength = source.byteLength;
    this.telemetry = source.telemetry ?? { requests: 0, bytesRead: 0, byteLength: source.byteLength };
    this.damage = home.opened.damage === null ? null : (fromThrown(home.opened.damage, source.name) as ForebayError);
    this.#columns = home.opened.columns;
    this.#joined = home.opened.names;
    this.#names = new Map();
  }

  info(i: number): SampleInfo {
    this.#alive();
    this.#inRange(i);
    const c = this.#columns;
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
    this.#inRange(i);
    if (this.#joined !== null) {
      this.#names = this.#joined.split("\0");
      this.#joined = null;
    }
    return this.#names instanceof Map ? this.#names.get(i) : this.#names[i];
  }

  columns(): IndexColumns {
    this.#alive();
    return this.#columns;
  }

  blob(i: number, options: ReadOptions = {}): Promise<Blob> {
    return this.#run(options.signal, async (signal) => {
      const info = this.info(i);
      const type = { type: info.mime };
      const { blob } = this.source;
      if (blob && info.codec === "none" && !info.damaged && !options.verify) {
        return blob.slice(info.offset, info.offset + info.storedBytes, info.mime);
      }
      return new Blob([(await this.#payload(i, options.verify ?? false, signal)) as BlobPart], type);
    });
  }

  bytes(i: number, options: ReadOptions = {}): Promise<Uint8Array> {
    return this.#run(options.signal, (signal) => this.#payload(i, options.verify ?? true, signal));
  }

  async #payload(i: number, verify: boolean, signal: AbortSignal): Promise<Uint8Array> {
    const kept = this.#cache.get(i);
    if (kept) {
      // The most recently used stays longest.
      this.#cache.delete(i);
      this.#cache.set(i, kept);
      return kept.slice();
    }
    const info = this.info(i);
    const plain = info.codec === "none" && !info.damaged;
    if (plain && !verify) return readExactly(this.source, info.offset, info.offset + info.storedBytes, signal);
    const { client, opened } = await this.#homed();
    const [start, end] = await call(client, this.name, "plan", [opened.dataset, i]);
    const stored = await readExactly(this.source, start!, end!, signal);
    const payload = await call(client, this.name, "decode", [opened.dataset, i, stored, verify], [stored.buffer as ArrayBuffer]);
    return plain ? payload.subarray(0, info.bytes) : payload;
  }

  record(i: number, options: ReadOptions = {}): Promise<Json> {
    return this.#run(options.signal, async (signal) => {
      this.#inRange(i);
      const { client, opened } = await this.#homed();
      const id = await call(client, this.name, "record", [opened.dataset, i]);
      const text = await this.#finish(client, id, { signal }, () => call(client, this.name, "text", [id]));
      if (text === null) return null;
      let record: Json;
      try {
        record = JSON.parse(text) as Json;
      } catch (e) {
        throw new ForebayError("tbl.metadata", "damaged", `the sample's metadata is no JSON: ${(e as Error).message}`, { file: this.name, section: "metadata", sample: i }, e);
      }
      const name = record !== null && typeof record === "object" && !Array.isArray(record) ? record["name"] : undefined;
      if (typeof name === "string" && this.#names instanceof Map && this.#joined === null) this.#names.set(i, name);
      return record;
    });
  }

  document(options: ReadOptions = {}): Promise<{ [key: string]: Json }> {
    return this.#run(options.signal, async (signal) => {
      const { client, opened } = await this.#homed();
      const id = await call(client, this.name, "document", [opened.dataset]);
      const text = await this.#finish(client, id, { signal }, () => call(client, this.name, "text", [id]));
      return JSON.parse(text ?? "{}") as { [key: string]: Json };
    });
  }

  prefetch(indexes: ArrayLike<number> | Iterable<number>, options: { signal?: AbortSignal; budgetBytes?: number } = {}): Promise<void> {
    return this.#run(options.signal, async (signal) => {
      const budget = options.budgetBytes ?? CACHE;
      for (const i of Array.from(indexes as Iterable<number>)) {
        if (i < 0 || i >= this.length || this.#cache.has(i) || this.info(i).bytes > budget / 4) continue;
        const bytes = await this.#payload(i, true, signal).catch((e: unknown) => {
          signal.throwIfAborted();
          // Whoever asks for this sample will hear it.
          void e;
          return null;
        });
        if (!bytes || this.#cache.has(i)) continue;
        this.#cache.set(i, bytes);
        this.#cached += bytes.byteLength;
        for (const [old, part] of this.#cache) {
          if (this.#cached <= budget) break;
          this.#cache.delete(old);
          this.#cached -= part.byteLength;
        }
      }
    });
  }

  async *samples(options: SamplesOptions = {}): AsyncIterableIterator<Sample> {
    const { signal, where, indexes } = options;
    let wanted: ArrayLike<number> | undefined = indexes && Array.from(indexes as Iterable<number>);
    if (where !== undefined && where.trim() !== "") {
      const matching = await this.matches(where, { ...(signal ? { signal } : {}), ...(options.onProgress ? { onProgress: options.onProgress } : {}) });
      if (wanted) {
        const set = new Set(matching);
        wanted = Array.from(wanted).filter((i) => set.has(i));
      } else {
        wanted = matching;
      }
    }
    const count = wanted?.length ?? this.length;
    const at = (k: number) => wanted?.[k] ?? k;
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
    for (let k = 0; k < count; k++) {
      signal?.throwIfAborted();
      if (eager) for (let next = k; next < Math.min(count, k + AHEAD); next++) read(next);
      const i = at(k);
      const info = this.info(i);
      yield {
        index: i,
        info,
        bytes: () => ((eager = true), read(k)),
        blob: () => (this.source.blob ? this.blob(i) : ((eager = true), read(k).then((bytes) => new Blob([bytes as BlobPart], { type: info.mime })))),
        record: () => this.record(i, signal ? { signal } : {}),
      };
      reads.delete(k);
    }
  }

  matches(where: string, options: Omit<WhereOptions, "where"> = {}): Promise<Uint32Array> {
    return this.select(where, false, "", options).then((selected) => selected.matches);
  }

  stats(options: StatsOptions = {}): Promise<Stats> {
    return this.select(options.where ?? "", true, options.classField ?? "", options).then((selected) => JSON.parse(selected.stats ?? "null") as Stats);
  }

  /** What `matches` and `stats` share, with the faults on the way. */
  select(where: string, stats: boolean, label: string, { signal, onProgress }: Omit<WhereOptions, "where"> = {}): Promise<Selected> {
    return this.#run(signal, async (inner) => {
      const { client, opened } = await this.#homed();
      const id = await call(client, this.name, "select", [opened.dataset, where, stats, label]);
      const onTurn: Drive["onTurn"] = (turn, bytes) => onProgress?.({ samples: turn.done, totalSamples: this.length, bytes, totalBytes: null });
      const unsized = this.format === "tar";
      const selected = await this.#finish(client, id, { signal: inner, onTurn }, () => call(client, this.name, "selected", [id, opened.dataset, unsized]));
      if (selected.columns) this.#columns = selected.columns;
      return selected;
    });
  }

  check(options: CheckOptions = {}): Promise<CheckReport> {
    return this.#run(options.signal, async (signal) => {
      const { client, opened } = await this.#homed();
      const id = await call(client, this.name, "check", [opened.dataset]);
      const onTurn: Drive["onTurn"] = (turn, bytes) =>
        options.onProgress?.({ samples: turn.done, totalSamples: this.length, bytes, totalBytes: this.byteLength });
      const text = await this.#finish(client, id, { signal, onTurn }, () => call(client, this.name, "text", [id]));
      return JSON.parse(text ?? "{}") as CheckReport;
    });
  }

  /** For conversion: the worker and the handle, and the loop around them. */
  work<T>(signal: AbortSignal | undefined, body: (client: Client, dataset: number, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#run(signal, async (inner) => {
      const { client, opened } = await this.#homed();
      return body(client, opened.dataset, inner);
    });
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(hostError("dataset.closed", "the dataset was closed", { file: this.name }));
    this.#cache.clear();
    void this.#home.then(({ client, opened }) => free(client, opened.dataset)).catch(() => {});
    if (this.#owned) void this.source.close?.();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #alive(): void {
    this.#closed.signal.throwIfAborted();
  }

  #inRange(i: number): void {
    if (Number.isInteger(i) && i >= 0 && i < this.length) return;
    throw hostError("usage.out_of_range", `there are ${this.length} samples, so none has the number ${i}`, { file: this.name, sample: i });
  }

  /** Drives work to its end, takes the result and lets go of the handle. */
  async #finish<T>(client: Client, id: number, how: Drive, take: () => Promise<T>): Promise<T> {
    try {
      await drive(client, id, this.source, how);
      return await take();
    } finally {
      void free(client, id);
    }
  }

  /** The worker that has the file open; opens it in another one where that worker is gone. */
  async #homed(): Promise<Home> {
    let home = await this.#home;
    if (home.client.dead) {
      this.#home = openIn(this.source, this.#options);
      // A later call tries again.
      this.#home.catch(() => (this.#home = Promise.resolve(home)));
      home = await this.#home;
    }
    return home;
  }

  /** Ends with the caller's signal or with `close`, whichever comes first. */
  async #run<T>(signal: AbortSignal | undefined, body: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#alive();
    signal?.throwIfAborted();
    const both = new AbortController();
    const stops = [signal, this.#closed.signal].flatMap((one) => {
      if (!one) return [];
      const stop = () => both.abort(one.reason);
      one.addEventListener("abort", stop, { once: true });
      return [() => one.removeEventListener("abort", stop)];
    });
    try {
      return await abortable(body(both.signal), both.signal);
    } finally {
      stops.forEach((stop) => stop());
    }
  }
}
