import { abortable, onAbort } from "../base/abort.js";
import type { Turn } from "../worker/protocol.js";
import { call, type Client } from "./pool.js";
import { CACHED, STREAMED, readRanges, type Chunk } from "../source/ranges.js";
import { Counter } from "../source/sources.js";
import type { Source } from "../model/index.js";

/** Memory of a module over which its worker is replaced once a piece of work is done: it never shrinks by itself. */
const MEMORY = 384 << 20;
/** The same of a worker that has nothing open: the page gets back what a large file took. */
const IDLE_MEMORY = 24 << 20;

/** How {@link drive} goes about it. */
export interface Drive {
  signal?: AbortSignal | undefined;
  /** Hears every turn, and may wait. */
  onTurn?: (turn: Turn, bytes: number) => void | Promise<void>;
  /** Reads more than was asked for, if that saves requests. */
  widen?: (need: Float64Array, turn: Turn) => ArrayLike<number>;
  /** What is likely to be needed after these ranges, if the work does not know it itself. */
  ahead?: (read: ArrayLike<number>, turn: Turn) => ArrayLike<number> | null;
  /** The worker reads for itself, if it can: then several of them do not wait for one thread that reads. */
  readsItself?: boolean;
  /** The number under which it reads then, if it is not the only work that does. */
  reading?: number;
  /** A file in the worker that takes what the work writes. */
  output?: number | undefined;
}

/** Runs a piece of work: fetches what it needs until it needs nothing. */
export async function drive(client: Client, id: number, source: Source, how: Drive): Promise<void> {
  for await (const [turn, bytes] of steps(client, id, source, how)) await how.onTurn?.(turn, bytes);
}

/** Ranges that are being read before they were asked for. */
interface Ahead {
  readonly ranges: ArrayLike<number>;
  readonly chunks: Promise<Chunk[]>;
}

/** Whether all of some ranges is among others, which are in order. */
function covers(ranges: ArrayLike<number>, need: ArrayLike<number>): boolean {
  let k = 0;
  for (let n = 0; n < need.length; n += 2) {
    while (k < ranges.length && ranges[k + 1]! < need[n + 1]!) k += 2;
    if (k >= ranges.length || ranges[k]! > need[n]!) return false;
  }
  return true;
}

/** What a worker needs to read a source by itself, if it can. */
export function readsItself(
  client: Client,
  { blob, telemetry, handle }: Source,
): { blob: Blob; telemetry: Counter; handle: FileSystemFileHandle | null } | null {
  return client.reads && blob && telemetry instanceof Counter ? { blob, telemetry, handle: handle ?? null } : null;
}

/** How many bytes work is told to ask for at a time; nothing if it may choose. */
export function windowFor(client: Client, source: Source): number | undefined {
  const reads = readsItself(client, source);
  return reads ? (reads.handle ? CACHED : STREAMED) : undefined;
}

/**
 * The turns of a piece of work, each with the bytes that were read so far; the next begins when it is asked for. While
 * the worker is at one turn, what the next will need is read.
 */
export async function* steps(
  client: Client,
  id: number,
  source: Source,
  how: Drive,
): AsyncGenerator<[Turn, number], void> {
  const { signal, widen, ahead, output = 0, reading = 0 } = how;
  const here = how.readsItself ? readsItself(client, source) : null;
  let chunks: Chunk[] = [];
  let ranges: ArrayLike<number> = [];
  let bytes = 0;
  let early: Ahead | null = null;
  // What the worker reads for itself ends as soon as it hears of it.
  const stop = () => void client.call("stop", [reading || id]).catch(() => {});
  const leave = here && signal ? onAbort(signal, stop) : null;
  client.jobs++;
  try {
    for (;;) {
      signal?.throwIfAborted();
      let turn: Turn;
      if (here) {
        turn = await abortable(
          call(client, source.name, "turns", [id, ranges, output, here.blob, here.handle, reading]),
          signal,
        );
        here.telemetry.add(turn);
        bytes += turn.bytes;
      } else {
        for (const [, part] of chunks) bytes += part.byteLength;
        const moved = chunks.map(([, part]) => part.buffer as ArrayBuffer);
        turn = await abortable(call(client, source.name, "turn", [id, chunks, output], [...new Set(moved)]), signal);
      }
      yield [turn, bytes];
      const need: ArrayLike<number> | null = turn.need;
      if (!need) return;
      [chunks, ranges] = [[], need];
      if (need.length === 0) continue;
      const known: Ahead | null = early !== null && covers(early.ranges, need) ? early : null;
      ranges = known?.ranges ?? (widen ? widen(turn.need!, turn) : need);
      if (here) continue;
      const coming = known?.chunks ?? readRanges(source, ranges, signal);
      const next: ArrayLike<number> | null | undefined = turn.ahead ?? ahead?.(ranges, turn);
      early = next && next.length > 0 ? { ranges: next, chunks: readRanges(source, next, signal) } : null;
      // Who waits for it hears that it failed; nobody may.
      early?.chunks.catch(() => {});
      chunks = await abortable(coming, signal);
    }
  } finally {
    client.jobs--;
    leave?.();
  }
}

/** Frees a handle, and the worker if it has grown too large, or large and nobody needs it any more. */
export async function free(client: Client, id: number): Promise<void> {
  if (client.dead) return;
  const [memory, left] = await client.call("free", [id]).catch(() => [0, 1] as const);
  if (client.jobs > 0 || client.waiting) return;
  if (memory > MEMORY || (memory > IDLE_MEMORY && left === 0)) client.end();
}
