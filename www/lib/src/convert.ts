import { OpenDataset } from "./dataset.js";
import { hostError } from "./errors.js";
import type { Patch } from "./kernel.js";
import { openToConvert } from "./open.js";
import { call } from "./pool.js";
import { sinkOf } from "./sinks.js";
import type { ConvertOptions, ConvertSummary, Dataset, Fault, Input, Output, Sink } from "./types.js";
import { drive, free } from "./work.js";

const PIECE = 1 << 20;

/**
 * Converts a dataset, sample by sample, in bounded memory. The output has the same bytes as the command's.
 * Where it fails or is aborted, the sink's `abort` is called and the promise rejects.
 */
export async function convert(source: Input | Dataset, output: Output, options: ConvertOptions): Promise<ConvertSummary> {
  const { signal, keepGoing = false } = options;
  signal?.throwIfAborted();
  const given = source instanceof OpenDataset;
  const dataset = given ? source : await openToConvert(source as Input, { keepGoing, ...(signal ? { signal } : {}) });
  try {
    if (dataset.damage && !keepGoing) throw dataset.damage;
    const { chosen, faults } = await choose(dataset, options);
    const sink = await sinkOf(output);
    try {
      const summary = await dataset.work(signal, (client, id, inner) => run(dataset, client, id, sink, chosen, options, inner));
      await sink.close?.();
      return { ...summary, inputBytes: dataset.byteLength, faults: [...faults, ...summary.faults] };
    } catch (e) {
      await sink.abort?.(e).catch(() => {});
      throw e;
    }
  } finally {
    if (!given) dataset.close();
  }
}

/** The samples to write; `null` stands for all. */
async function choose(dataset: OpenDataset, { where, indexes, signal, keepGoing }: ConvertOptions): Promise<{ chosen: Uint32Array | null; faults: Fault[] }> {
  let chosen: Uint32Array | null = indexes === undefined ? null : Uint32Array.from(indexes as Iterable<number>);
  const faults: Fault[] = [];
  if (where !== undefined && where.trim() !== "") {
    const { matches, firstFault } = await dataset.select(where, false, "", signal ? { signal } : {});
    if (firstFault) {
      // A sample that cannot be asked must not silently be missing.
      const fault = JSON.parse(firstFault) as Fault;
      if (!keepGoing) throw hostErrorOf(fault, dataset.name);
      faults.push(fault);
    }
    if (chosen) {
      const matching = new Set(matches);
      chosen = chosen.filter((i) => matching.has(i));
    } else {
      chosen = matches;
    }
  }
  return { chosen, faults };
}

function hostErrorOf(fault: Fault, file: string | undefined) {
  return Object.assign(hostError("io", fault.message), { code: fault.code, kind: "damaged", file, section: fault.section ?? undefined, sample: fault.sample ?? undefined, offset: fault.offset ?? undefined });
}

type Told = Omit<ConvertSummary, "inputBytes">;

async function run(
  dataset: OpenDataset,
  client: Parameters<typeof call>[0],
  id: number,
  sink: Sink,
  chosen: Uint32Array | null,
  { to, layout = "guide", compression = "none", metadataFormat = "json", keepGoing = false, onProgress }: ConvertOptions,
  signal: AbortSignal,
): Promise<Told> {
  const settings = JSON.stringify({ to, layout, compression, metadataFormat, keepGoing, source: dataset.name ?? "" });
  const total = chosen?.length ?? dataset.length;
  const job = await call(client, dataset.name, "convert", [id, settings, chosen]);
  // A Blob may live on disk: metadata that waits for the end takes no memory there.
  const spool: Blob[] = [];
  let writing: Promise<void> = Promise.resolve();
  try {
    await drive(client, job, dataset.source, {
      signal,
      async onTurn(turn, bytes) {
        if (turn.spool) spool.push(new Blob([turn.spool as BlobPart]));
        // The next window is read while this one is written; never more than one waits.
        await writing;
        if (turn.out) {
          writing = sink.write(turn.at, turn.out);
          writing.catch(() => {});
        }
        onProgress?.({ samples: turn.done, totalSamples: total, bytes, totalBytes: null });
      },
    });
    await writing;
    for (const patch of await call(client, dataset.name, "patches", [job])) {
      signal.throwIfAborted();
      await apply(patch, sink, spool);
    }
    return JSON.parse((await call(client, dataset.name, "text", [job])) ?? "{}") as Told;
  } finally {
    await writing.catch(() => {});
    void free(client, job);
  }
}

async function apply(patch: Patch, sink: Sink, spool: Blob[]): Promise<void> {
  const { at, from, len } = patch;
  switch (patch.what) {
    case "bytes":
      return sink.write(at, patch.bytes);
    case "zero":
      for (let done = 0; done < len; done += PIECE) await sink.write(at + done, new Uint8Array(Math.min(PIECE, len - done)));
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
      if (!sink.read) throw hostError("usage.argument", "samples were left out, and this layout then moves what was written: the sink must be able to read it back");
      for (let done = 0; done < len; done += PIECE) {
        const n = Math.min(PIECE, len - done);
        // Backwards where the target lies behind, so that nothing is overwritten before it was read.
        const skip = at > from ? len - done - n : done;
        await sink.write(at + skip, await sink.read(from + skip, from + skip + n));
      }
      return;
    case "end":
      return sink.truncate?.(len);
  }
}
