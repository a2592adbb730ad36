import { abortable, anySignal } from "../base/abort.js";
import { hostError } from "../model/errors.js";
import { wasInnocent, type Client } from "./pool.js";
import type { Source, Telemetry } from "../model/index.js";
import { drive, free, type Drive } from "./drive.js";

/** An opened file in a worker: the worker, and the handle that stands for the file there. */
export interface Home {
  readonly client: Client;
  readonly handle: number;
}

/** A file that is open in a worker, which may change; apart from what is handed out, so that it does not keep that alive. */
interface Held<H> {
  home: Promise<H>;
}

/** Lets go of a file in its worker. */
const letGo = ({ home }: Held<Home>): void =>
  void home.then(({ client, handle }) => free(client, handle)).catch(() => {});

/** What nobody has any more and nobody closed. */
const forgotten = new FinalizationRegistry(letGo);

/** Times that work is begun which others end. */
const TRIES = 3;

/** What everything opened has: a source, a worker that knows the file, and an end. */
export abstract class Session<H extends Home> {
  readonly name: string | undefined;
  readonly byteLength: number;
  readonly telemetry: Telemetry;
  readonly #reopen: (signal: AbortSignal | undefined) => Promise<H>;
  readonly #owned: boolean;
  readonly #closed = new AbortController();
  readonly #held: Held<H>;

  constructor(
    readonly source: Source,
    home: H,
    reopen: (signal: AbortSignal | undefined) => Promise<H>,
    owned: boolean,
  ) {
    this.name = source.name;
    this.byteLength = source.byteLength;
    this.telemetry = source.telemetry ?? { requests: 0, bytesRead: 0, byteLength: source.byteLength };
    this.#held = { home: Promise.resolve(home) };
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
  protected async homed(signal?: AbortSignal): Promise<H> {
    for (;;) {
      // Where somebody else opens it and gives up, that is no answer to this one.
      const home = await this.#held.home.catch(() => null);
      signal?.throwIfAborted();
      if (!home) continue;
      if (!home.client.dead) return home;
      const again = this.#reopen(signal);
      this.#held.home = again;
      // A later call tries again.
      again.catch(() => (this.#held.home = Promise.resolve(home)));
      return again;
    }
  }

  /** Drives work to its end, takes the result and lets go of the handle. */
  protected async finish<T>(client: Client, id: number, how: Drive, take: () => Promise<T>): Promise<T> {
    try {
      await drive(client, id, this.source, how);
      return await take();
    } finally {
      void free(client, id);
    }
  }

  /**
   * Ends with the caller's signal or with `close`, whichever comes first. Where the worker failed at something else, it
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
        if (left <= 1 || both.signal.aborted || !wasInnocent(e)) throw e;
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
