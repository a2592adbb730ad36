import { shorter, whyUnread } from "../source/changed.js";
import { openPrivate, readPrivate, type ReadHandle } from "./private-file.js";
import { coalesce, readSync, ReadCounter, type Chunk, type Counted, type Reading } from "../source/ranges.js";

/**
 * A stream takes about as long to begin as to give this many bytes: it skips fewer, and a shorter range elsewhere is
 * read by itself.
 */
const WORTH_STREAM = 1 << 20;
/** This many milliseconds may pass before messages are heard. */
const DEAF = 10;
/** Buffers that are kept for the next ranges. */
const SPARES = 2;

/** What the types do not know yet; browsers that do not know `min` give what there is. */
interface FillingReader {
  read(view: Uint8Array, how: { min: number }): Promise<{ value?: Uint8Array; done: boolean }>;
}

/** As the module throws what it knows, so that it is not taken for a trap. */
export function readFailure(message: string, offset: number): string {
  return JSON.stringify({ code: "io", kind: "io", message: `the file cannot be read: ${message}`, offset });
}

/** The same of what the browser threw; its own words are the cause. */
function failed(e: unknown, offset: number): string {
  return JSON.stringify({ code: "io", kind: "io", message: whyUnread(e), offset, cause: String(e) });
}

/** Lets the messages through that have come, such as that nobody waits for this any more. */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * Reads a file in a worker, for one piece of work, mostly from front to back: one stream for as long as each range
 * follows the last, so that the browser reads on while the worker is busy. That takes about half of the processors'
 * time of reading range by range. Nothing begins to be read once it was stopped.
 */
export class SequentialReader implements Reading {
  #stream: ReadableStreamBYOBReader | null = null;
  /** Where the stream stands. */
  #at = 0;
  #stopped = false;
  #used: ArrayBuffer[] = [];
  readonly #read = new ReadCounter();
  /** The file without a stream, if it can be had; not known before the first range. */
  #private: ReadHandle | null | undefined;
  #listened = performance.now();

  constructor(
    readonly file: Blob,
    readonly handle: FileSystemFileHandle | null,
  ) {}

  /** Near ranges come together. */
  async read(pairs: ArrayLike<number>): Promise<Chunk[]> {
    if (performance.now() - this.#listened > DEAF) {
      await breath();
      this.#listened = performance.now();
    }
    if (this.#private === undefined) {
      this.#private = this.handle && (await openPrivate(this.handle, this.file));
      if (this.#stopped) this.#leave();
    }
    const spares = this.#used.splice(0).slice(0, SPARES);
    const chunks: Chunk[] = [];
    for (const [start, end] of coalesce(pairs)) {
      this.#read.add(end - start);
      chunks.push([start, await this.#range(start, end, spares.pop())]);
    }
    return chunks;
  }

  /** Memory for the next ranges, if the last was given away. */
  reuse(buffers: ArrayBuffer[]): void {
    this.#used = buffers;
  }

  counted(): Counted {
    return this.#read.taken();
  }

  stop(): void {
    this.#stopped = true;
    this.#leave();
  }

  async #range(start: number, end: number, spare: ArrayBuffer | undefined): Promise<Uint8Array> {
    if (this.#private) return this.#direct(this.#private, start, end, spare);
    const follows = () => this.#stream !== null && start >= this.#at && start - this.#at <= WORTH_STREAM;
    if (!follows()) {
      this.#leave();
      await breath();
      this.#alive(start);
      if (end - start < WORTH_STREAM || !this.#open(start)) return this.#alone(start, end);
    }
    const skipped = start - this.#at;
    const length = skipped + end - start;
    let buffer = spare && spare.byteLength >= length ? spare : new ArrayBuffer(length);
    for (let done = 0; done < length; ) {
      const stream = this.#stream;
      if (!stream) break;
      const wanted = new Uint8Array(buffer, done, length - done);
      const { value, done: ended } = await (stream as FillingReader)
        .read(wanted, { min: wanted.length })
        .catch((e: Error) => {
          this.#alive(start);
          throw failed(e, start + done);
        });
      this.#alive(start);
      if (!value || (ended && value.length < wanted.length)) throw failed(shorter(), this.#at);
      buffer = value.buffer as ArrayBuffer;
      done += value.length;
      this.#at += value.length;
    }
    this.#alive(start);
    this.#used.push(buffer);
    return new Uint8Array(buffer, skipped, end - start);
  }

  #direct(file: ReadHandle, start: number, end: number, spare: ArrayBuffer | undefined): Uint8Array {
    this.#alive(start);
    const length = end - start;
    const buffer = spare && spare.byteLength >= length ? spare : new ArrayBuffer(length);
    const bytes = new Uint8Array(buffer, 0, length);
    let n = 0;
    try {
      n = readPrivate(file, start, bytes);
    } catch (e) {
      throw failed(e, start);
    }
    if (n < length) throw failed(shorter(), start + n);
    this.#used.push(buffer);
    return bytes;
  }

  #alone(start: number, end: number): Uint8Array {
    try {
      return readSync(this.file, start, end);
    } catch (e) {
      throw failed(e, start);
    }
  }

  /** Whether there is a stream now: some browsers have none that reads into a buffer. */
  #open(start: number): boolean {
    try {
      this.#stream = this.file.slice(start).stream().getReader({ mode: "byob" });
    } catch {
      return false;
    }
    this.#at = start;
    return true;
  }

  #leave(): void {
    void this.#stream?.cancel().catch(() => {});
    this.#stream = null;
    this.#private?.close();
    if (this.#private) this.#private = null;
  }

  #alive(start: number): void {
    if (this.#stopped) throw readFailure("nobody waits for it any more", start);
  }
}
