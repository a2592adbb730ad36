import * as argument from "../base/arguments.js";
import { reportOf } from "../base/report.js";
import { hostError } from "../model/errors.js";
import type {
  EditFields,
  EditFiles,
  Edits,
  EditStore,
  EditSummary,
  Json,
  Output,
  Progress,
  Source,
} from "../model/index.js";
import { free } from "../pool/drive.js";
import { call, type Client } from "../pool/pool.js";
import { runConversion } from "../sink/conversion.js";
import { noOutput } from "../sink/sinks.js";
import { joinedSource } from "../source/joined.js";
import { blobSource } from "../source/sources.js";
import { lock } from "./lock.js";

/** A dataset that is open in a worker which has the module for edits. */
export interface EditedFile {
  readonly client: Client;
  readonly handle: number;
}

/** What a journal needs of its dataset. */
export interface EditedDataset {
  readonly name: string | undefined;
  readonly length: number;
  readonly source: Source;
  open(signal?: AbortSignal): Promise<EditedFile>;
  record(i: number): Promise<Json>;
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

const encoder = new TextEncoder();

/** What `dataset.edit` gives. */
export class OpenEdits implements Edits {
  #held: Held;
  #about: About;
  /** One change after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;
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
    store: EditStore,
    given: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<OpenEdits> {
    const file = await dataset.open(signal);
    let release: (() => void) | undefined;
    try {
      const name = given ?? `${safe(dataset.name)}-${await digestOf(dataset, file)}.jsonl`;
      release = await lock(name);
      const held = await begin(dataset, file, (await store.read(name)) ?? new Uint8Array());
      const about = await aboutOf(dataset, held);
      const found = await store.read(name);
      if (!found?.includes(10)) await store.write(name, 0, encoder.encode(await firstLine(dataset, held)));
      return new OpenEdits(name, dataset, store, release, held, about);
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
    return this.#change({ do: "set", sample: i, ...givenOf(fields) });
  }
  remove(i: number): Promise<void> {
    return this.#change({ do: "remove", sample: i });
  }
  restore(i: number): Promise<void> {
    return this.#change({ do: "restore", sample: i });
  }
  rename(i: number, name: string): Promise<void> {
    return this.#change({ do: "rename", sample: i, name });
  }
  move(i: number, before?: number): Promise<void> {
    return this.#change({ do: "move", sample: i, before: before ?? null });
  }
  tag(i: number, add: readonly string[], remove: readonly string[] = []): Promise<void> {
    return this.#change({ do: "tag", sample: i, add, remove });
  }
  review(i: number, state: "accepted" | "rejected" | null): Promise<void> {
    return this.#change({ do: "review", sample: i, state });
  }
  document(fields: { [path: string]: Json | undefined }): Promise<void> {
    return this.#change({ do: "document", ...givenOf(fields) });
  }
  undo(): Promise<void> {
    return this.#change({ do: "undo" });
  }
  redo(): Promise<void> {
    return this.#change({ do: "redo" });
  }

  add(payload: Blob | Uint8Array, fields: EditFields & { name: string }): Promise<number> {
    const { name, ...rest } = argument.options(fields, "what a sample gets") as EditFields & { name: string };
    return this.#next(async (held) => {
      const bytes = payload instanceof Uint8Array ? payload : new Uint8Array(await payload.arrayBuffer());
      const at = this.#added ?? (await this.store.read(this.#blobs))?.length ?? 0;
      this.#added = null;
      const number = this.#about.samples;
      // The bytes are there before the line that names them.
      await this.store.write(this.#blobs, at, bytes);
      this.#added = at + bytes.length;
      const line = await call(held.client, this.name, "editsAdd", [
        held.journal,
        argument.text(name, "a sample's name"),
        bytes,
        at,
        JSON.stringify(givenOf(rest)),
      ]);
      await this.#keep(held, line);
      return number;
    });
  }

  record(i: number): Promise<Json> {
    return this.#next(async (held) => {
      const own = i < this.dataset.length ? JSON.stringify(await this.dataset.record(i)) : null;
      return JSON.parse(await call(held.client, this.name, "editsRecord", [held.journal, i, own])) as Json;
    });
  }

  export(): Promise<EditFiles> {
    return this.#next(async () => {
      const journal = (await this.store.read(this.name)) ?? new Uint8Array();
      const blobs = await this.store.read(this.#blobs);
      return { journal: new Blob([journal as BlobPart]), blobs: blobs && new Blob([blobs as BlobPart]) };
    });
  }

  save(
    output: Output,
    { signal, onProgress }: { signal?: AbortSignal; onProgress?: (progress: Progress) => void } = {},
  ): Promise<EditSummary> {
    if (typeof output !== "object" || output === null) return Promise.reject(noOutput());
    return this.#next(async (held) => {
      signal?.throwIfAborted();
      const blobs = await this.store.read(this.#blobs);
      const own = blobs ? blobSource(new Blob([blobs as BlobPart]), "blobs") : null;
      // To the module the bytes of added samples follow those of the file. What is joined is not closed here.
      const source = own ? joinedSource([this.dataset.source, own], this.dataset.name) : this.dataset.source;
      const begin = () => call(held.client, this.name, "editsApply", [held.journal, blobs?.length ?? 0]);
      const total = this.#about.samples;
      return reportOf<EditSummary>(
        await runConversion(held.client, begin, source, output, {
          signal: signal ?? new AbortController().signal,
          onTurn: (turn, bytes) =>
            onProgress?.({ samples: turn.done, totalSamples: total, bytes, totalBytes: source.byteLength }),
        }),
      );
    });
  }

  async discard(): Promise<void> {
    await this.#next(async () => {
      await this.store.remove(this.name);
      await this.store.remove(this.#blobs);
    });
    this.close();
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

  #change(said: object): Promise<void> {
    return this.#next(async (held) => {
      const line = await call(held.client, this.name, "editsChange", [held.journal, JSON.stringify(said)]);
      await this.#keep(held, line);
    });
  }

  /** Writes a line behind the others: then its change counts. */
  async #keep(held: Held, line: string): Promise<void> {
    try {
      await this.store.write(this.name, this.#about.whole, encoder.encode(line));
    } catch (e) {
      // What is not kept is not shown: the journal is read again as it is kept.
      await this.#again(held).catch(() => {});
      throw e;
    }
    this.#about = await aboutOf(this.dataset, held);
  }

  /** Does something when all before it is done. */
  #next<T>(body: (held: Held) => Promise<T>): Promise<T> {
    if (this.#closed)
      return Promise.reject(hostError("usage.argument", "this journal was closed", { file: this.name }));
    const done = this.#queue.then(async () => {
      // A worker that died took the journal along; what was kept is in the store.
      if (this.#held.client.dead) await this.#again();
      return body(this.#held);
    });
    this.#queue = done.catch(() => {});
    return done;
  }

  async #again(old?: Held): Promise<void> {
    if (old) {
      void free(old.client, old.journal);
      void free(old.client, old.handle);
    }
    const file = await this.dataset.open();
    this.#held = await begin(this.dataset, file, (await this.store.read(this.name)) ?? new Uint8Array());
    this.#about = await aboutOf(this.dataset, this.#held);
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

/** A name that every store can have. */
const safe = (name: string | undefined): string =>
  (name ?? "dataset")
    .split(/[\\/]/)
    .pop()!
    .replace(/[^\w.-]/g, "_")
    .slice(0, 60);

/** Fields as a line has them. */
function givenOf(given: object): object {
  const { boxes, ...fields } = given as EditFields;
  const all = Object.entries(fields);
  const set = all.filter(([, value]) => value !== undefined);
  const unset = all.filter(([, value]) => value === undefined).map(([path]) => path);
  return {
    ...(set.length > 0 && { fields: Object.fromEntries(set) }),
    ...(unset.length > 0 && { unset }),
    ...(boxes && { annotations: boxes }),
  };
}
