import { ForebayError, hostError } from "../model/errors.js";
import { LookTimer } from "./sample-index.js";
import type { Opened, SampleModule } from "../worker/protocol.js";
import { call, client, giveUpThreads, threadedClient, isCollateral, type Client } from "../pool/pool.js";
import { readExactly } from "../source/ranges.js";
import { scanBytes, widened } from "../source/scan.js";
import type { WorkerFile } from "../pool/session.js";
import { tableFormats } from "../model/formats.js";
import type { OpenOptions, Source } from "../model/index.js";
import { drive, free } from "../pool/drive.js";

/** Samples that are open in a worker. */
export interface WorkerSamples extends WorkerFile {
  readonly module: SampleModule;
  readonly opened: Opened;
  /** The scan that was kept by an earlier opening was used. */
  readonly kept: boolean;
}

/** The formats of tables that are opened, which another module does. */
export type OpenedTableFormat = (typeof tableFormats)[number];

/** How to open beside what the caller says. */
export interface Inner {
  module?: SampleModule;
  /** Hears of samples as they become known. */
  grown?: ((worker: WorkerSamples) => void) | undefined;
  /** What another module found. */
  kept?: Uint8Array | null;
  /** The worker; usually the next in turn. */
  at?: Client;
}

/** Opens it again, for the same dataset. */
export type Again = (
  source: Source,
  options: OpenOptions,
  inner: Inner,
  signal?: AbortSignal,
) => Promise<WorkerSamples>;

/** What is opened elsewhere: a table, or a warehouse, of which this is a file. */
export type Elsewhere = OpenedTableFormat | "warehouse";

/** Opens a source in one of the workers. */
export async function openIn(
  source: Source,
  options: OpenOptions,
  { module = "forebay", grown, kept, at }: Inner = {},
): Promise<WorkerSamples | Elsewhere> {
  const { signal, onProgress, keepGoing = true, limits = {}, indexStore } = options;
  const { identity } = source;
  const stored =
    kept ?? (indexStore && identity !== undefined ? await indexStore.get(identity).catch(() => null) : null);
  const worker = at ?? (await (module === "threads" ? threadedClient() : client()));
  const opener = await call(worker, source.name, "opener", [
    source.byteLength,
    limits,
    keepGoing,
    stored ?? null,
    module,
  ]).catch((e: unknown) => {
    if (
      module !== "threads" ||
      !(e instanceof ForebayError && (e.code === "runtime.load" || e.code === "worker.trapped"))
    )
      throw e;
    // A policy or a browser that allows no threads after all.
    giveUpThreads();
    return null;
  });
  if (opener === null) return openIn(source, options, { module: "samples", grown, kept: stored });
  const timer = new LookTimer();
  const scan = scanBytes(source.blob !== undefined);
  let known: Opened | null = null;
  let length = 0;
  let scanned = false;
  const look = async (growing: boolean): Promise<Opened | null> => {
    const found = await call(worker, source.name, "opened", [opener, known?.dataset ?? 0, length, growing]);
    if (found) length += found.columns.format.length;
    return found;
  };
  try {
    await drive(worker, opener, source, {
      signal,
      readsItself: true,
      async onTurn(turn) {
        scanned ||= turn.position > 0;
        if (grown && turn.need && turn.done > 0 && timer.due) {
          const found = await timer.look(() => look(true));
          if (found) {
            known = found;
            grown({ client: worker, handle: found.dataset, opened: found, kept: false, module });
          }
        }
        onProgress?.({ bytes: turn.position, totalBytes: source.byteLength, samples: turn.done });
      },
      widen: (need, turn) => widened(need, turn, scan, source.byteLength),
      ahead(read) {
        // A local file is read as a whole, piece by piece, if its headers lie near each other.
        const [start, end] = [read[0]!, read[1]!];
        if (!source.blob || read.length !== 2 || end - start < scan || end >= source.byteLength) return null;
        return [end, Math.min(end + scan, source.byteLength)];
      },
    });
    const opened = (await look(false)) as Opened;
    onProgress?.({ bytes: source.byteLength, totalBytes: source.byteLength, samples: length });
    if (indexStore && identity !== undefined && scanned) {
      // Nobody waits for this, and nobody needs it.
      void call(worker, source.name, "kept", [opened.dataset, source.byteLength])
        .then((kept) => kept && indexStore.set(identity, kept))
        .catch(() => {});
    }
    return { client: worker, handle: opened.dataset, opened, kept: stored != null && !scanned, module };
  } catch (e) {
    if (!at && !known && isCollateral(e)) return openIn(source, options, { module, grown, ...(kept && { kept }) });
    if (e instanceof ForebayError && e.code === "format.not_samples") {
      const format = await call(worker, source.name, "formatOf", [opener]);
      const table = tableFormats.find((name) => name === format);
      if (table ?? format === "warehouse") return table ?? "warehouse";
    }
    if (e instanceof ForebayError && e.code === "format.unknown" && (await isManifest(source, signal)))
      return "warehouse";
    // Found out from the header: what is packed with Zstandard is for the larger module.
    if (e instanceof ForebayError && e.code === "codec.unavailable" && module === "forebay")
      return openIn(source, options, { module: "samples", grown });
    throw e;
  } finally {
    void free(worker, opener);
  }
}

/** Bytes at the beginning of a file that tell its format. */
const HEAD = 512;

/**
 * Whether a file is the manifest of a warehouse: the rule of the core, which is not in the module of samples since few pages
 * need it.
 */
async function isManifest(source: Source, signal: AbortSignal | undefined): Promise<boolean> {
  const head = new TextDecoder().decode(await readExactly(source, 0, Math.min(HEAD, source.byteLength), signal));
  return /^\s*\{/.test(head) && /"dataset_root"\s*:\s*"/.test(head) && /"transform"\s*:\s*\{/.test(head);
}

/** Opens it again, for the same dataset. */
export async function reopen(
  source: Source,
  { signal: _, onProgress: __, grow: ___, ...options }: OpenOptions,
  inner: Inner,
  signal?: AbortSignal,
): Promise<WorkerSamples> {
  const found = await openIn(source, signal ? { ...options, signal } : options, inner);
  if (typeof found === "string") throw hostError("io", "the file is another one now", { file: source.name });
  forget(found.opened);
  return found;
}

/** Frees what the dataset has itself by now: tens of megabytes of a large file. */
export function forget(opened: Opened): void {
  const none = new Float64Array();
  opened.columns = {
    width: new Uint32Array(),
    height: new Uint32Array(),
    bytes: none,
    storedBytes: none,
    offset: none,
    format: new Uint8Array(),
    codec: new Uint8Array(),
  };
  opened.names = null;
}
