import type { Turn } from "./kernel.js";
import { call, type Client } from "./pool.js";
import { readRanges, type Chunk } from "./ranges.js";
import type { Source } from "./types.js";

/** Memory of a module over which its worker is replaced once a piece of work is done: it never shrinks by itself. */
const MEMORY = 384 << 20;
/** The same of a worker that has nothing open: the page gets back what a large file took. */
const IDLE_MEMORY = 24 << 20;

/** How {@link drive} goes about it. */
export interface Drive {
  signal?: AbortSignal | undefined;
  /** Hears every turn, and may wait. */
  onTurn?: (turn: Turn, bytes: number) => void | Promise<void>;
  /** Reads more than was asked for, where that saves requests. */
  widen?: (need: Float64Array, turn: Turn) => ArrayLike<number>;
}

/** Runs a piece of work: fetches what it needs until it needs nothing. */
export async function drive(client: Client, id: number, source: Source, how: Drive): Promise<void> {
  for await (const [turn, bytes] of steps(client, id, source, how)) await how.onTurn?.(turn, bytes);
}

/** The turns of a piece of work, each with the bytes that were read so far; the next begins when it is asked for. */
export async function* steps(client: Client, id: number, source: Source, { signal, widen }: Drive): AsyncGenerator<[Turn, number], void> {
  let chunks: Chunk[] = [];
  let bytes = 0;
  client.jobs++;
  try {
    for (;;) {
      signal?.throwIfAborted();
      for (const [, part] of chunks) bytes += part.byteLength;
      const moved = chunks.map(([, part]) => part.buffer as ArrayBuffer);
      const turn = await call(client, source.name, "turn", [id, chunks], [...new Set(moved)]);
      signal?.throwIfAborted();
      yield [turn, bytes];
      if (!turn.need) return;
      chunks = turn.need.length === 0 ? [] : await readRanges(source, widen ? widen(turn.need, turn) : turn.need, signal);
    }
  } finally {
    client.jobs--;
  }
}

/** Lets go of a handle, and of the worker where it has grown too large, or large and nobody needs it any more. */
export async function free(client: Client, id: number): Promise<void> {
  if (client.dead) return;
  const [memory, left] = await client.call("free", [id]).catch(() => [0, 1] as const);
  if (client.jobs > 0) return;
  if (memory > MEMORY || (memory > IDLE_MEMORY && left === 0 && !client.waiting)) client.end();
}
