import * as argument from "../base/arguments.js";
import { NAMES, known } from "../base/option-names.js";
import { parseExactly, stringifyExactly } from "../base/exact.js";
import { reportOf } from "../base/report.js";
import { ForebayError, hostError } from "../model/errors.js";
import type {
  EditBox,
  EditFields,
  EditFiles,
  Edits,
  EditSaveOptions,
  EditStore,
  EditSummary,
  Json,
  Output,
  SampleBox,
  Source,
} from "../model/index.js";
import { free } from "../pool/drive.js";
import { call, type Client } from "../pool/pool.js";
import { orGivenUp, runConversion } from "../sink/conversion.js";
import { inPlace, type InPlace } from "../sink/in-place.js";
import { noOutput } from "../sink/sinks.js";
import { joinedSource } from "../source/joined.js";
import { blobSource } from "../source/sources.js";
import { journalName } from "./journal-name.js";
import { lockAll } from "./lock.js";
import type { Place } from "./store.js";

/** A dataset that is open in a worker which has the module for edits. */
export interface EditedFile {
  readonly client: Client;
  readonly handle: number;
}

/** What a journal needs of its dataset. */
export interface EditedDataset {
  readonly name: string | undefined;
  readonly format: "tbl" | "tar";
  readonly length: number;
  readonly source: Source;
  open(signal?: AbortSignal): Promise<EditedFile>;
  record(i: number): Promise<Json>;
  /** The boxes that this record of a sample says, as shares. Rejects if nobody knows what they are. */
  boxes(i: number, record: Json): Promise<SampleBox[] | null>;
}

/** What the module says of a journal. */
interface About {
  digest: string;
  samples: number;
  changes: number;
  dirty: boolean;
  canUndo: boolean;
  canRedo: boolean;
  whole: number;
  torn: number;
}

/** A journal in a worker. */
interface Held extends EditedFile {
  readonly journal: number;
}

/** A journal over its file, as what is made of both needs it. */
export interface Over {
  readonly client: Client;
  readonly journal: number;
  /** The file, and the bytes of added samples behind it. */
  readonly source: Source;
  /** The length of the file alone. */
  readonly length: number;
  /** Bytes of added samples. */
  readonly blobs: number;
}

const encoder = new TextEncoder();

/** What `dataset.edit` gives. */
export class OpenEdits implements Edits {
  #held: Held;
  #about: About;
  /** One change after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** The journal is in no store any more: what still waits behind that is refused. */
  #ended = false;
  /** A line could not be written: the module has other changes than the store. */
  #stale = false;
  /** All lines, where the store lost them and takes them no more. */
  #rescued: Uint8Array | null = null;
  /** Bytes of added samples so far, once somebody asked. */
  #added: number | null = null;

  private constructor(
    readonly name: string,
    readonly dataset: EditedDataset,
    readonly store: EditStore,
    readonly release: () => void,
    held: Held,
    about: About,
  ) {
    this.#held = held;
    this.#about = about;
  }

  static async open(
    dataset: EditedDataset,
    place: Place,
    given: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<OpenEdits> {
    const { store } = place;
    const file = await dataset.open(signal);
    let release: (() => void) | undefined;
    try {
      // Whatever the journal is called, the dataset has one.
      const own = given === undefined ? await digestOf(dataset, file) : null;
      const name = own === null ? given! : await journalName(place, own, dataset.name);
      const keys = place.lock === null ? [] : [...new Set([own === null ? name : `${own}.jsonl`, name])];
      release = await lockAll(
        keys.map((key) => `${place.lock}/${key}`),
        name,
      );
      const found = (await store.read(name)) ?? new Uint8Array();
      signal?.throwIfAborted();
      const held = await begin(dataset, file, found);
      try {
        const about = await aboutOf(dataset, held);
        if (!found.includes(10)) await store.write(name, 0, encoder.encode(await firstLine(dataset, held)));
        // Nobody takes what was given up meanwhile, and nobody would close it.
        signal?.throwIfAborted();
        return new OpenEdits(name, dataset, store, release, held, about);
      } catch (e) {
        void free(held.client, held.journal);
        throw e;
      }
    } catch (e) {
      release?.();
      void free(file.client, file.handle);
      throw e;
    }
  }

  get samples(): number {
    return this.#about.samples;
  }
  get changes(): number {
    return this.#about.changes;
  }
  get dirty(): boolean {
    return this.#about.dirty;
  }
  get canUndo(): boolean {
    return this.#about.canUndo;
  }
  get canRedo(): boolean {
    return this.#about.canRedo;
  }

  set(i: number, fields: EditFields): Promise<void> {
    return this.#change(() => ({ do: "set", sample: i, ...this.#said(fields, "what a sample gets") }));
  }
  remove(i: number): Promise<void> {
    return this.#change(() => ({ do: "remove", sample: i }));
  }
  restore(i: number): Promise<void> {
    return this.#change(() => ({ do: "restore", sample: i }));
  }
  rename(i: number, name: string): Promise<void> {
    return this.#change(() => ({ do: "rename", sample: i, name }));
  }
  move(i: number, before?: number): Promise<void> {
    return this.#change(() => ({ do: "move", sample: i, before: before ?? null }));
  }
  tag(i: number, add: readonly string[], remove: readonly string[] = []): Promise<void> {
    return this.#change(() => ({ do: "tag", sample: i, add, remove }));
  }
  review(i: number, state: "accepted" | "rejected" | null): Promise<void> {
    return this.#change(() => ({ do: "review", sample: i, state }));
  }
  document(fields: { [path: string]: Json | undefined }): Promise<void> {
    return this.#change(() => ({ do: "document", ...this.#said(fields, "what the document gets") }));
  }
  undo(): Promise<void> {
    return this.#change(() => ({ do: "undo" }));
  }
  redo(): Promise<void> {
    return this.#change(() => ({ do: "redo" }));
  }

  async add(payload: Blob | Uint8Array, fields: EditFields & { name: string }): Promise<number> {
    const { name, ...rest } = argument.options(fields, "what a sample gets") as EditFields & { name: string };
    argument.text(name, "a sample's name");
    const given = this.#text(givenOf(this.#listed(rest)));
    // What the caller does with it next is nothing to this change.
    const own = payload instanceof Uint8Array ? new Uint8Array(payload) : payload;
    if (!(own instanceof Uint8Array || own instanceof Blob))
      throw hostError("usage.argument", "what is added is a Blob or a Uint8Array", { file: this.name });
    return this.#next(async (held) => {
      const bytes = own instanceof Uint8Array ? own : new Uint8Array(await own.arrayBuffer());
      const at = this.#added ?? (await this.store.read(this.#blobs))?.length ?? 0;
      this.#added = null;
      const number = this.#about.samples;
      // The bytes are there before the line that names them.
      await this.store.write(this.#blobs, at, bytes);
      // If it is refused, the next one takes its place.
      this.#added = at;
      const line = await call(held.client, this.name, "editsAdd", [held.journal, name, bytes, at, given]);
      this.#added = at + bytes.length;
      await this.#keep(held, line);
      return number;
    });
  }

  order(): Promise<number[]> {
    return this.#next(async (held) => Array.from(await call(held.client, this.name, "editsOrder", [held.journal])));
  }
  blob(i: number): Promise<Blob> {
    return this.#next(async (held) => {
      argument.inRange(i, this.#about.samples, "samples", this.name);
      const [at, bytes] = (await call(held.client, this.name, "editsAddedAt", [held.journal, i])) ?? [];
      const all = at === undefined ? null : await this.store.read(this.#blobs);
      const why = "is of the dataset, or was taken back: blob gives the bytes of added samples";
      if (!all) throw hostError("usage.argument", `sample ${i} ${why}`, { file: this.name, sample: i });
      return new Blob([all.subarray(at!, at! + bytes!) as BlobPart]);
    });
  }

  record(i: number): Promise<Json> {
    return this.#next(async (held) => {
      argument.inRange(i, this.#about.samples, "samples", this.name);
      const own = i < this.dataset.length ? stringifyExactly(await this.dataset.record(i)) : null;
      return parseExactly(await call(held.client, this.name, "editsRecord", [held.journal, i, own])) as Json;
    });
  }

  async boxes(i: number): Promise<EditBox[] | null> {
    const record = await this.record(i);
    const own = annotationsOf(record);
    // What is of no convention that is known is refused as the dataset refuses it.
    if (!own && i < this.dataset.length) await this.dataset.boxes(i, record);
    return own;
  }

  export(): Promise<EditFiles> {
    return this.#next(async () => {
      const journal = (await this.store.read(this.name)) ?? new Uint8Array();
      const blobs = await this.store.read(this.#blobs);
      return { journal: new Blob([journal as BlobPart]), blobs: blobs && new Blob([blobs as BlobPart]) };
    });
  }

  async save(output: Output, options: EditSaveOptions = {}): Promise<EditSummary> {
    if (typeof output !== "object" || output === null) throw noOutput();
    return orGivenUp(output, options?.signal, () => this.#save(output, options));
  }
  async #save(output: Output, options: EditSaveOptions): Promise<EditSummary> {
    known(argument.options(options, "how changes are saved"), NAMES.editSave, "saving changes");
    const { to = "tbl", inPlace: there = false, signal, onProgress } = options;
    const wrong = (why: string): Error => hostError("usage.argument", why, { file: this.name });
    if (to !== "tbl" && to !== "tar") throw wrong(`a new file is a tbl or a tar, not ${JSON.stringify(to)}`);
    const { name, format } = this.dataset;
    if (there && (format !== "tbl" || to !== "tbl")) throw wrong("only a TBL is changed in place");
    const saved = await this.over(signal, async ({ client, journal, source, length, blobs }) => {
      // Payloads of a TBL are copied as they are; every other sample is read, verified and written anew.
      const copies = format === "tbl" && to === "tbl";
      const options = JSON.stringify({ to, source: name ?? "" });
      const begin = () =>
        copies
          ? call(client, this.name, "editsApply", [journal, blobs, there])
          : call(client, this.name, "editsRewrite", [journal, options, length, blobs]);
      const total = this.#about.samples;
      let changing: InPlace | undefined;
      const work = new AbortController();
      const stop = () => {
        if (!changing?.written.begun) work.abort(signal?.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
      const report = reportOf<EditSummary>(
        await runConversion(client, begin, source, output, {
          signal: work.signal,
          ...(there && { place: async () => (changing = await inPlace(client, output, this.dataset.source)) }),
          onTurn: (turn, bytes) =>
            onProgress?.({ samples: turn.done, totalSamples: total, bytes, totalBytes: source.byteLength }),
        }).finally(() => signal?.removeEventListener("abort", stop)),
      );
      const written = changing?.written;
      if (written) {
        // What it says is in the file, and it fits that no more: nobody may write into it, whoever waits included.
        await this.#end().catch(() => {});
        return { ...report, outputBytes: written.length, writtenBytes: written.bytes };
      }
      const { samples, outputBytes } = report;
      if (copies) return { ...report, writtenBytes: outputBytes };
      const [changed, removed, added] = await call(client, this.name, "editsCounts", [journal]);
      return { samples, changed: changed!, removed: removed!, added: added!, outputBytes, writtenBytes: outputBytes };
    });
    if (there) this.close();
    return saved;
  }

  /** For what is made of the journal over its file, when all before it is done. */
  over<T>(signal: AbortSignal | undefined, body: (over: Over) => Promise<T>): Promise<T> {
    return this.#next(async ({ client, journal }) => {
      signal?.throwIfAborted();
      const blobs = await this.store.read(this.#blobs);
      const own = blobs ? blobSource(new Blob([blobs as BlobPart]), "blobs") : null;
      // To the module the bytes of added samples follow those of the file. What is joined is not closed here.
      const source = own ? joinedSource([this.dataset.source, own], this.dataset.name) : this.dataset.source;
      return body({ client, journal, source, length: this.dataset.source.byteLength, blobs: blobs?.length ?? 0 });
    });
  }

  async discard(): Promise<void> {
    await this.#next(async () => {
      try {
        await this.#end();
      } catch (e) {
        // It is still there, and can be gone on with.
        this.#ended = false;
        throw e;
      }
    });
    this.close();
  }
  /** Takes it out of its store. A change that came behind that would be confirmed and lost, or bring back what was thrown away. */
  async #end(): Promise<void> {
    this.#ended = true;
    await this.store.remove(this.name);
    await this.store.remove(this.#blobs);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    void this.#queue.finally(() => {
      this.release();
      void free(this.#held.client, this.#held.journal);
      void free(this.#held.client, this.#held.handle);
    });
  }

  get #blobs(): string {
    return `${this.name}.blobs`;
  }

  /** What a caller says, as it is now: what becomes of it later is nothing to this change. */
  async #change(said: () => object): Promise<void> {
    const text = this.#text(said());
    return this.#next(async (held) => {
      const line = await call(held.client, this.name, "editsChange", [held.journal, text]);
      await this.#keep(held, line);
    });
  }

  /** What is to be set: something, so that nobody believes that a call without effect had one. */
  #said(given: object, what: string): object {
    const said = givenOf(this.#listed(argument.options(given, what)));
    if (Object.keys(said).length > 0) return said;
    throw hostError("usage.argument", `${what} is nothing: a field with undefined is taken away`, { file: this.name });
  }
  /** The same, where its boxes are a list or not named at all. */
  #listed<T extends object>(given: T): T {
    if (!("boxes" in given) || Array.isArray(given.boxes)) return given;
    const why = "boxes are a list of all that the sample has then: [] where nothing is in the image";
    throw hostError("usage.argument", why, { file: this.name });
  }

  /** As JSON, which has no NaN: it would write that there is nothing. */
  #text(said: object): string {
    const wrong = (what: string): ForebayError =>
      hostError("usage.argument", `${what} is not a value of JSON, and cannot be kept`, { file: this.name });
    try {
      return stringifyExactly(said, (key, value: unknown) => {
        if (typeof value === "number" && !Number.isFinite(value)) throw wrong(`${value} for ${JSON.stringify(key)}`);
        return value;
      });
    } catch (e) {
      throw e instanceof ForebayError ? e : wrong((e as Error).message);
    }
  }

  /** Writes a line behind the others: then its change counts. */
  async #keep(held: Held, line: string): Promise<void> {
    const bytes = encoder.encode(line);
    try {
      await this.store.write(this.name, this.#about.whole, bytes);
    } catch (e) {
      if (!(await this.#restored(held, bytes.length))) {
        // What is not kept is not shown: the journal is read again as it is kept.
        this.#stale = true;
        await this.#again().catch(() => {});
        throw e;
      }
    }
    try {
      this.#about = await aboutOf(this.dataset, held);
    } catch {
      // It is kept, whatever became of the worker meanwhile: the next call reads it again.
      this.#stale = true;
    }
  }

  /** Writes all lines again if the store lost some: the module has them. `last` are the bytes of the newest. */
  async #restored(held: Held, last: number): Promise<boolean> {
    const there = await this.store.read(this.name).catch(() => undefined);
    if (there === undefined || (there?.length ?? 0) >= this.#about.whole) return false;
    const all = await call(held.client, this.name, "editsText", [held.journal]).catch(() => null);
    if (!all) return false;
    try {
      await this.store.write(this.name, 0, all);
      this.#rescued = null;
      return true;
    } catch {
      this.#rescued = all.slice(0, all.length - last);
      return false;
    }
  }

  /** Does something when all before it is done. */
  #next<T>(body: (held: Held) => Promise<T>): Promise<T> {
    if (this.#closed)
      return Promise.reject(hostError("usage.argument", "this journal was closed", { file: this.name }));
    const done = this.#queue.then(async () => {
      if (this.#ended) {
        const why = "this journal was discarded, or is in the file now: nothing was changed; open both again";
        throw hostError("usage.argument", why, { file: this.name });
      }
      // A worker that died took the journal along; what was kept is in the store.
      if (this.#stale || this.#held.client.dead) await this.#again();
      return body(this.#held);
    });
    this.#queue = done.catch(() => {});
    return done;
  }

  async #again(): Promise<void> {
    const old = this.#held;
    const file = await this.dataset.open();
    try {
      const found = this.#rescued ?? (await this.store.read(this.name)) ?? new Uint8Array();
      const held = await begin(this.dataset, file, found);
      this.#about = await aboutOf(this.dataset, held);
      this.#held = held;
    } catch (e) {
      void free(file.client, file.handle);
      throw e;
    }
    this.#stale = false;
    void free(old.client, old.journal);
    void free(old.client, old.handle);
  }
}

const begin = async ({ name }: EditedDataset, file: EditedFile, found: Uint8Array): Promise<Held> => ({
  ...file,
  journal: await call(file.client, name, "edits", [file.handle, name ?? "", found]),
});

const aboutOf = async ({ name }: EditedDataset, { client, journal }: Held): Promise<About> =>
  JSON.parse(await call(client, name, "editsAbout", [journal])) as About;

const firstLine = ({ name }: EditedDataset, { client, journal }: Held): Promise<string> =>
  call(client, name, "editsFirstLine", [journal]);

/** What the dataset's own digest is. */
async function digestOf(dataset: EditedDataset, file: EditedFile): Promise<string> {
  const held = await begin(dataset, file, new Uint8Array());
  const { digest } = await aboutOf(dataset, held);
  void free(file.client, held.journal);
  return digest;
}

/** How records say by which convention their annotations are written. */
const CONVENTION = "forebay.1";

/** The annotations of a record that says that they are of this convention. */
function annotationsOf(record: Json): EditBox[] | null {
  const beside = isFields(record) ? record.json : undefined;
  const marked = [beside, record].filter(isFields).find((fields) => fields.annotations_format === CONVENTION);
  return marked && Array.isArray(marked.annotations) ? (marked.annotations as unknown as EditBox[]) : null;
}

const isFields = (value: Json | undefined): value is { [field: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Fields as a line has them. */
function givenOf(given: object): object {
  const { boxes, ...fields } = given as EditFields;
  const all = Object.entries(fields);
  const set = all.filter(([, value]) => value !== undefined);
  const unset = all.filter(([, value]) => value === undefined).map(([path]) => path);
  return {
    ...(set.length > 0 && { fields: Object.fromEntries(set) }),
    ...(unset.length > 0 && { unset }),
    ...(boxes !== undefined && { annotations: boxes }),
  };
}
