import { whole } from "./changed.js";
import { hostError } from "../model/errors.js";
import type { Source } from "../model/index.js";

/** What only workers have. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Ranges that are nearer than this are read as one: a request costs more than these bytes. */
const GAP = 64 << 10;
/** The longest read that several ranges are merged into. */
const MERGED = 8 << 20;
/**
 * What a browser reads ahead of a stream. Work that asks for no more at a time finds it read already, if the work and
 * not the reading takes longer.
 */
export const STREAMED = 2 << 20;
/** What a worker asks for at a time of a file that it reads directly: it stays in the processor's cache while it is copied. */
export const CACHED = 512 << 10;
/** Reads under way at once. */
const PARALLEL = 6;

/** Bytes of the file from a position on. */
export type Chunk = [start: number, bytes: Uint8Array];

/** What reads a file in a worker for some work there. */
export interface Reading {
  /** The bytes of these ranges; good until the next ranges are asked for. */
  read(pairs: ArrayLike<number>): Promise<Chunk[]>;
  /** Ranges that will be asked for next, if it can read them meanwhile. */
  expect?(pairs: ArrayLike<number>): void;
  /** What was read since this was asked last. */
  counted(): Counted;
  /** Ends what is being read, and reads no more. */
  stop(): void;
}

/** Ranges that were read, and their bytes. */
export interface Counted {
  requests: number;
  bytes: number;
}

/** Counts what is read until somebody asks. */
export class ReadCounter {
  #counted: Counted = { requests: 0, bytes: 0 };

  add(bytes: number): void {
    this.#counted.requests++;
    this.#counted.bytes += bytes;
  }

  taken(): Counted {
    const counted = this.#counted;
    this.#counted = { requests: 0, bytes: 0 };
    return counted;
  }
}

/** Merges ranges, given as pairs of start and end, that lie near each other. */
export function coalesce(pairs: ArrayLike<number>, gap = GAP, most = MERGED): [number, number][] {
  const ranges: [number, number][] = [];
  for (let k = 0; k + 1 < pairs.length; k += 2) ranges.push([pairs[k]!, pairs[k + 1]!]);
  ranges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const merged: [number, number][] = [];
  for (const [start, end] of ranges) {
    const last = merged.at(-1);
    if (last && start <= last[1] + gap && (Math.max(end, last[1]) - last[0] <= most || end <= last[1])) {
      last[1] = Math.max(last[1], end);
    } else {
      merged.push([start, end]);
    }
  }
  return merged;
}

/** Reads one range and holds the source to its length. */
export async function readExactly(
  source: Source,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const bytes = await source.read(start, end, signal ? { signal } : {});
  if (bytes.byteLength !== end - start) {
    const message = `${end - start} bytes at ${start} were asked for, and the source gave ${bytes.byteLength}`;
    throw hostError("io", message, { file: source.name, offset: start });
  }
  // The buffer is moved to a worker, so it must hold these bytes and nothing else.
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** A source whose bytes lie in many places: what stands between two ranges costs a request too, and is not read along. */
export interface Scattered extends Source {
  readonly scattered?: boolean;
}

/** Reads ranges, near ones together, some at once. Once one fails or the signal fires, no further read begins. */
export async function readRanges(source: Scattered, pairs: ArrayLike<number>, signal?: AbortSignal): Promise<Chunk[]> {
  const todo = coalesce(pairs, source.scattered ? 0 : GAP);
  const chunks: Chunk[] = new Array(todo.length);
  let next = 0;
  let failed = false;
  const work = async () => {
    while (next < todo.length && !failed) {
      const k = next++;
      const [start, end] = todo[k]!;
      try {
        chunks[k] = [start, await readExactly(source, start, end, signal)];
      } catch (e) {
        failed = true;
        throw e;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, todo.length) }, work));
  return chunks;
}

/** A range of what {@link readRanges} read, as bytes of their own. */
export function bytesOf(chunks: readonly Chunk[], start: number, end: number): Uint8Array {
  // The last chunk that begins at or before the range.
  let [low, high] = [0, chunks.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (chunks[middle]![0] <= start) low = middle;
    else high = middle;
  }
  const [at, bytes] = chunks[low] ?? [0, new Uint8Array()];
  return bytes.slice(start - at, end - at);
}

/** Reads one range of a file, in a worker, which waits for it. */
export function readSync(file: Blob, start: number, end: number): Uint8Array {
  return whole(new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(start, end))), end - start);
}
