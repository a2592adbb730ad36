import { abortable, anySignal } from "../base/abort.js";
import { hostError } from "../model/errors.js";
import { isCollateral, type Client } from "./pool.js";
import type { Source, Telemetry } from "../model/index.js";
import { drive, free, type Drive } from "./drive.js";

/** An opened file in a worker: the worker, and the handle that stands for the file there. */
export interface WorkerFile {
  readonly client: Client;
  readonly handle: number;
}

/** A file that is open in a worker, which may change; apart from what is handed out, so that it does not keep that alive. */
interface Held<H> {
  file: Promise<H>;
}

/** Frees a file in its worker. */
const letGo = ({ file }: Held<WorkerFile>): void =>
  void file.then(({ client, handle }) => free(client, handle)).catch(() => {});

/** What nobody has any more and nobody closed. */
const forgotten = new FinalizationRegistry(letGo);

/** Times that work is begun which others end. */
const TRIES = 3;

/** What everything opened has: a source, a worker that knows the file, and an end. */
export abstract class Session<H extends WorkerFile> {
  readonly name: string | undefined;
  readonly byteLength: number;
  readonly telemetry: Telemetry;
  readonly #reopen: (signal: AbortSignal | undefined) => Promise<H>;
  readonly #owned: boolean;
  readonly #closed = new AbortController();
  readonly #held: Held<H>;

  constructor(
    readonly source: Source,
    file: H,
    reopen: (signal: AbortSignal | undefined) => Promise<H>,
    owned: boolean,
  ) {
    this.name = source.name;
    this.byteLength = source.byteLength;
    this.telemetry = source.telemetry ?? { requests: 0, bytesRead: 0, byteLength: source.byteLength };
    this.#held = { file: Promise.resolve(file) };
    forgotten.register(this, this.#held, this);
    this.#reopen = reopen;
    this.#owned = owned;
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(hostError("dataset.closed", "the dataset was closed", { file: this.name }));
    forgotten.unregister(this);
    letGo(this.#held);
    if (this.#owned) void this.source.close?.();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  protected alive(): void {
    this.#closed.signal.throwIfAborted();
  }

  /** The worker that has the file open; opens it in another one where that worker is gone. */
  protected async inWorker(signal?: AbortSignal): Promise<H> {
    for (;;) {
      // If somebody else opens it and gives up, that is not an answer to this one.
      const file = await this.#held.file.catch(() => null);
      signal?.throwIfAborted();
      if (!file) continue;
      if (!file.client.dead) return file;
      const again = this.#reopen(signal);
      this.#held.file = again;
      // A later call tries again.
      again.catch(() => (this.#held.file = Promise.resolve(file)));
      return again;
    }
  }

  /** Drives work to its end, takes the result and frees the handle. */
  protected async finish<T>(client: Client, id: number, how: Drive, take: () => Promise<T>): Promise<T> {
    try {
      await drive(client, id, this.source, how);
      return await take();
    } finally {
      void free(client, id);
    }
  }

  /**
   * Ends with the caller's signal or with `close`, whichever comes first. If the worker failed at something else, it
   * is done again in another, `tries` times in all.
   */
  protected async run<T>(
    signal: AbortSignal | undefined,
    body: (signal: AbortSignal) => Promise<T>,
    tries = TRIES,
  ): Promise<T> {
    const both = this.joined(signal);
    const attempt = async (left: number): Promise<T> => {
      try {
        return await body(both.signal);
      } catch (e) {
        if (left <= 1 || both.signal.aborted || !isCollateral(e)) throw e;
        return attempt(left - 1);
      }
    };
    try {
      return await abortable(attempt(tries), both.signal);
    } finally {
      both.release();
    }
  }

  /** The caller's signal and `close` as one. */
  protected joined(signal: AbortSignal | undefined): { signal: AbortSignal; release: () => void } {
    this.alive();
    signal?.throwIfAborted();
    return anySignal(signal, this.#closed.signal);
  }
}
