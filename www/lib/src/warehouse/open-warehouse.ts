import { ForebayError, hostError } from "../model/errors.js";
import type { OpenOptions, Source, WarehouseManifest } from "../model/index.js";
import { drive, free } from "../pool/drive.js";
import { call, client, type Client } from "../pool/pool.js";
import { forget, type Again, type WorkerSamples } from "../samples/open-in-worker.js";
import type { Files } from "../source/folder.js";
import { joinedSource } from "../source/joined.js";
import { readExactly } from "../source/ranges.js";
import { blobSource, bytesSource, sourceOf } from "../source/sources.js";
import { manifestOf } from "./manifest.js";
import { OpenWarehouse } from "./warehouse.js";

/** The usual bound of what is read as a whole; the module keeps it too. */
const WHOLE = 128 << 20;
/** Shards that are opened at once. */
const PARALLEL = 6;

/** Manifest and shards, found. */
interface Found {
  readonly text: Uint8Array;
  readonly manifest: WarehouseManifest;
  readonly shards: readonly (Source | null)[];
}

/** Opens the warehouse of a manifest, whose shards lie in `files`. With `keepGoing` what is wrong waits for a check. */
export async function openWarehouseIn(
  source: Source,
  files: Files | null,
  options: OpenOptions,
  owned: boolean,
  keepGoing = options.keepGoing === true,
): Promise<OpenWarehouse> {
  const { signal, onProgress } = options;
  const worker = await client();
  const found = await find(worker, source, files, options);
  const parts = [bytesSource(found.text, source.name), ...found.shards.filter((shard) => shard !== null)];
  const close = () => void Promise.all(found.shards.map((shard) => shard?.close?.())).catch(() => {});
  try {
    if (source.blob) parts[0] = blobSource(source.blob, source.name);
    const joined = joinedSource(parts, source.name);
    if (owned && !source.blob) void source.close?.();
    const again: Again = async (_, __, { at }, inner) => {
      const opened = await openIn(at ?? (await client()), joined, found, options, keepGoing, inner);
      forget(opened.opened);
      return opened;
    };
    const opened = await openIn(worker, joined, found, options, keepGoing, signal);
    onProgress?.({
      bytes: joined.byteLength,
      totalBytes: joined.byteLength,
      samples: opened.opened.columns.format.length,
    });
    return new OpenWarehouse(joined, options, opened, found.manifest, keepGoing, again);
  } catch (e) {
    close();
    throw e;
  }
}

/** Reads the manifest, and looks for what it names. */
async function find(worker: Client, source: Source, files: Files | null, options: OpenOptions): Promise<Found> {
  const { signal, limits = {}, http = {} } = options;
  const most = limits.metadataBytes ?? WHOLE;
  if (source.byteLength > most)
    throw new ForebayError(
      "limit.metadata",
      "limit",
      `the manifest has ${source.byteLength} bytes, and ${most} may be read as a whole`,
      { file: source.name },
    );
  const text = await readExactly(source, 0, source.byteLength, signal);
  const { handle, paths, about } = await call(worker, source.name, "warehouseManifest", [text.slice(), limits]);
  void free(worker, handle);
  if (!files && paths.length > 0)
    throw hostError(
      "usage.argument",
      "a manifest alone does not say where its shards are: give the folder, its files, a path or an address",
      { file: source.name },
    );
  const shards: (Source | null)[] = new Array(paths.length).fill(null);
  const open = async (k: number) => {
    const path = paths[k]!;
    // One that would leave the folder is not looked for; the module refuses it.
    const input = path === "" ? null : await files!.find(path);
    if (input === null) return;
    shards[k] = await sourceOf(input, path, http, signal).catch((e: unknown) => {
      if (e instanceof ForebayError && e.code === "http.status" && / 40[34]\b| 410\b/.test(e.message)) return null;
      throw e;
    });
  };
  let next = 0;
  const some = async () => {
    while (next < paths.length) await open(next++);
  };
  try {
    await Promise.all(Array.from({ length: Math.min(PARALLEL, paths.length) }, some));
  } catch (e) {
    next = paths.length;
    for (const shard of shards) void shard?.close?.();
    throw e;
  }
  return { text, manifest: manifestOf(about), shards };
}

/** Opens manifest and shards in a worker. */
async function openIn(
  worker: Client,
  joined: Source,
  { text, shards }: Found,
  { limits = {} }: OpenOptions,
  keepGoing: boolean,
  signal: AbortSignal | undefined,
): Promise<WorkerSamples> {
  const { handle } = await call(worker, joined.name, "warehouseManifest", [text.slice(), limits]);
  const lengths = Float64Array.from(shards, (shard) => shard?.byteLength ?? -1);
  const opener = await call(worker, joined.name, "warehouseOpener", [handle, lengths, keepGoing]);
  void free(worker, handle);
  try {
    await drive(worker, opener, joined, { signal, readsItself: true });
    const opened = await call(worker, joined.name, "warehouseOpened", [opener]);
    return { client: worker, handle: opened.dataset, opened, kept: false, module: "samples" };
  } finally {
    void free(worker, opener);
  }
}
