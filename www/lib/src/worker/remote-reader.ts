/** Bytes of a file on their way from a worker that reads it to the one that needs them. */
import { SequentialReader, readFailure } from "./sequential-reader.js";
import { ReadCounter, type Chunk, type Counted, type Reading } from "../source/ranges.js";

/** What goes to the worker that reads: ranges, and memory for them that is free again. */
interface Asked {
  ranges: ArrayLike<number>;
  buffers: ArrayBuffer[];
}

/** What comes back, in the order in which it was asked for. */
type Answer = { chunks: Chunk[] } | { failed: string };

/** Ranges that are under way. */
interface Coming {
  readonly ranges: ArrayLike<number>;
  readonly chunks: Promise<Chunk[]>;
  settle(answer: Answer): void;
}

/** Has another worker read, which is at what will be needed next while this one works. */
export class RemoteReader implements Reading {
  /** What was asked for and not taken yet. */
  #coming: Coming[] = [];
  /** What was asked for and has not come yet. */
  #unanswered: Coming[] = [];
  #used: ArrayBuffer[] = [];
  readonly #read = new ReadCounter();
  #stopped = false;

  constructor(readonly port: MessagePort) {
    port.onmessage = ({ data }: MessageEvent<Answer>) => this.#unanswered.shift()?.settle(data);
  }

  async read(ranges: ArrayLike<number>): Promise<Chunk[]> {
    if (this.#stopped) throw gone(ranges);
    if (ranges.length === 0) return [];
    // What was expected and is not wanted after all comes, and is forgotten.
    while (this.#coming.length > 0 && !same(this.#coming[0]!.ranges, ranges)) this.#coming.shift();
    this.expect(ranges);
    const chunks = await this.#coming.shift()!.chunks;
    for (const [, bytes] of chunks) {
      this.#read.add(bytes.length);
      this.#used.push(bytes.buffer as ArrayBuffer);
    }
    return chunks;
  }

  expect(ranges: ArrayLike<number>): void {
    if (this.#stopped || this.#coming.some((coming) => same(coming.ranges, ranges))) return;
    let settle!: Coming["settle"];
    const chunks = new Promise<Chunk[]>((resolve, reject) => {
      settle = (answer) => ("failed" in answer ? reject(answer.failed) : resolve(answer.chunks));
    });
    // Whoever takes it hears that it failed; nobody may.
    chunks.catch(() => {});
    const coming = { ranges, chunks, settle };
    this.#coming.push(coming);
    this.#unanswered.push(coming);
    const buffers = this.#used.splice(0);
    this.port.postMessage({ ranges, buffers } satisfies Asked, buffers);
  }

  counted(): Counted {
    return this.#read.taken();
  }

  stop(): void {
    this.#stopped = true;
    this.port.close();
    for (const coming of this.#unanswered.splice(0)) coming.settle({ failed: gone(coming.ranges) });
  }
}

const gone = (ranges: ArrayLike<number>): string => readFailure("nobody waits for it any more", ranges[0] ?? 0);

function same(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.prototype.every.call(a, (value, k) => value === b[k]);
}

/** Reads what is asked for through this port, one answer after the other. Who waits for it hears of nothing but the worker's end. */
export function serveReading(file: Blob, port: MessagePort): Promise<never> {
  const reading = new SequentialReader(file, null);
  const answer = async ({ ranges, buffers }: Asked): Promise<void> => {
    try {
      reading.reuse(buffers);
      const chunks = await reading.read(ranges);
      port.postMessage(
        { chunks } satisfies Answer,
        chunks.map(([, bytes]) => bytes.buffer as ArrayBuffer),
      );
    } catch (e) {
      port.postMessage({ failed: e as string } satisfies Answer);
    }
  };
  let last = Promise.resolve();
  port.onmessage = ({ data }: MessageEvent<Asked>) => void (last = last.then(() => answer(data)));
  return new Promise(() => {});
}
