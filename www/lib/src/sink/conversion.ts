import { hostError } from "../model/errors.js";
import type { Patch, Turn } from "../worker/protocol.js";
import { call, type Client } from "../pool/pool.js";
import { readerFor, type Reader } from "../pool/read-ahead.js";
import { placeOf, sinkOf, type Place } from "./sinks.js";
import type { FolderSink, Output, Sink, Source } from "../model/index.js";
import { drive, free, windowFor, type Drive } from "../pool/drive.js";

const PIECE = 1 << 20;

/** How {@link pump} goes about it. */
export interface ConversionRun {
  signal: AbortSignal;
  /** Hears every turn. */
  onTurn: (turn: Turn, bytes: number) => void;
  /** The file in the worker that the sink stands for, if there is one. */
  output?: number;
  /** The work knows what it will need next, which another worker can read meanwhile. */
  readsAhead?: boolean;
  /** Opens what is written to, if that is a file that is there already. */
  place?: () => Promise<Place>;
  /** As of {@link Drive}. */
  ahead?: NonNullable<Drive["ahead"]>;
}

/**
 * Opens the output, begins a conversion, which may be told how many bytes it reads at a time, runs it, and closes the
 * output once it is whole. If it fails or is aborted, the sink
 * hears of it after its last write; callers do not wait for that where they were aborted, as a sink may never answer.
 */
export async function runConversion(
  client: Client,
  begin: (window: number | undefined) => Promise<number>,
  source: Source,
  output: Output,
  how: ConversionRun,
): Promise<string> {
  taken.add(output);
  const place = await (how.place?.() ?? placeOf(client, output, source.byteLength));
  try {
    how.signal.throwIfAborted();
    const summary = await pump(
      client,
      await begin(place.output === 0 ? undefined : windowFor(client, source)),
      source,
      place.sink,
      { ...how, output: place.output },
    );
    how.signal.throwIfAborted();
    await place.sink.close?.();
    return summary;
  } catch (e) {
    await giveUp(place.sink, e);
    throw e;
  }
}

/** Outputs that hear from whoever writes to them how that ends. */
const taken = new WeakSet<object>();

/**
 * Does what ends in writing to an output, and tells the output where it failed before anything was written: whoever
 * opened a file for it holds that file until then. Callers do not wait for that where they were aborted.
 */
export async function orGivenUp<T>(
  output: Output | FolderSink | FileSystemDirectoryHandle,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  taken.delete(output);
  try {
    return await work();
  } catch (e) {
    if (!taken.has(output)) {
      taken.add(output);
      const told = unused(output, e);
      if (!signal?.aborted) await told;
    }
    throw e;
  }
}

/** The same for an output into which nothing was written. A handle has nothing open. */
async function unused(output: Output | FolderSink | FileSystemDirectoryHandle, reason: unknown): Promise<void> {
  if ("createWritable" in output || "getDirectoryHandle" in output) return;
  const sink = "put" in output ? output : await sinkOf(output).catch(() => null);
  if (sink) await giveUp(sink, reason);
}

/** Tells a sink that what was written is not wanted. How it fails at that is of no interest to anybody. */
export async function giveUp(sink: Pick<Sink, "abort">, reason: unknown): Promise<void> {
  try {
    await sink.abort?.(reason);
  } catch {
    // What is told is the reason.
  }
}

/** The same sink, which nothing touches once the signal fired. */
function until(signal: AbortSignal, sink: Place["sink"]): Place["sink"] {
  const guarded =
    <A extends unknown[], T>(act: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      signal.throwIfAborted();
      return act.apply(sink, args);
    };
  return {
    write: guarded(sink.write),
    ...(sink.read && { read: guarded(sink.read) }),
    ...(sink.truncate && { truncate: guarded(sink.truncate) }),
    ...(sink.flush && { flush: guarded(sink.flush) }),
  };
}

/** Runs a conversion in a worker to its end: what it makes goes into the sink. The JSON that it ends with. */
async function pump(
  client: Client,
  job: number,
  source: Source,
  given: Place["sink"],
  { signal, onTurn, output = 0, readsAhead = false, ahead }: ConversionRun,
): Promise<string> {
  const sink = until(signal, given);
  // A Blob may live on disk: metadata that waits for the end takes no memory there.
  const spool: Blob[] = [];
  let writing: Promise<void> = Promise.resolve();
  let reader: Reader | null = null;
  try {
    if (output !== 0 && readsAhead) reader = await readerFor(client, source);
    await drive(client, job, source, {
      signal,
      output,
      readsItself: output !== 0,
      ...(reader && { reading: reader.reading }),
      ...(ahead && { ahead }),
      async onTurn(turn, bytes) {
        if (turn.spool) spool.push(new Blob([turn.spool as BlobPart]));
        // The next window is read while this one is written; never more than one waits.
        await writing;
        if (turn.out) {
          writing = sink.write(turn.at, turn.out);
          writing.catch(() => {});
        }
        onTurn(turn, bytes);
      },
    });
    await writing;
    for (const patch of await call(client, source.name, "patches", [job])) await apply(patch, sink, spool);
    return (await call(client, source.name, "text", [job])) ?? "{}";
  } finally {
    await writing.catch(() => {});
    reader?.end();
    void free(client, job);
  }
}

async function apply(patch: Patch, sink: Place["sink"], spool: Blob[]): Promise<void> {
  const { at, from, len } = patch;
  switch (patch.what) {
    case "bytes":
      return sink.write(at, patch.bytes);
    case "zero":
      for (let done = 0; done < len; done += PIECE)
        await sink.write(at + done, new Uint8Array(Math.min(PIECE, len - done)));
      return;
    case "spool": {
      let to = at;
      for (const part of spool) {
        await sink.write(to, new Uint8Array(await part.arrayBuffer()));
        to += part.size;
      }
      return;
    }
    case "move":
      if (!sink.read)
        throw hostError(
          "usage.argument",
          "samples were left out, and this layout then moves what was written: the sink must be able to read it back",
        );
      for (let done = 0; done < len; done += PIECE) {
        const n = Math.min(PIECE, len - done);
        // Backwards where the target lies behind, so that nothing is overwritten before it was read.
        const skip = at > from ? len - done - n : done;
        await sink.write(at + skip, await sink.read(from + skip, from + skip + n));
      }
      return;
    case "end":
      return sink.truncate?.(len);
    case "flush":
      return sink.flush?.();
  }
}
