/** CSV and JSON lines as a table: a TBF that is made of the text while it opens, and lies in the browser's own store. */
import { textFormatOf } from "../../lib/src/formats.ts";
import type { Input, OpenProgress, Output, TextFormat } from "../../lib/src/types.ts";
import type { Engine } from "./engine.ts";

/** The largest text that is shown: a larger one is better converted once than at every visit. */
export const SHOWN_BYTES = 500_000_000;

/** The same in words. */
export const SHOWN_SIZE = `${SHOWN_BYTES / 1e6} MB`;

/** A text that a table was made of, or could be. */
export interface TextSource {
  readonly input: Input;
  readonly name: string;
  readonly format: TextFormat;
  /** Bytes of the text; 0 while they are not known. */
  readonly bytes: number;
  /** Rows that could not be read. */
  readonly skipped: number;
  /** What was changed so that it can be shown, and which rows were left out. */
  readonly notes: readonly string[];
}

/** A text as a table. */
export interface TextTable {
  readonly text: TextSource;
  readonly tbf: Blob;
  /** Lets go of what lies in the store. */
  readonly forget: () => void;
}

/** Thrown where a text is too large to be shown. */
export class TooLarge extends Error {
  constructor(readonly text: TextSource) {
    super(`${text.name} is too large to be shown`);
  }
}

/** Whether something that is of no known format is a text by its name. */
export const textOf = (input: Input, name: string): TextSource | null => {
  const format = textFormatOf(name);
  return format ? { input, name, format, bytes: input instanceof Blob ? input.size : 0, skipped: 0, notes: [] } : null;
};

/** Makes a table of a text. */
export async function tableOf(engine: Engine, text: TextSource, signal: AbortSignal, onProgress: (progress: OpenProgress) => void): Promise<TextTable> {
  if (text.bytes > SHOWN_BYTES) throw new TooLarge(text);
  const inner = new AbortController();
  const end = (): void => inner.abort(signal.reason);
  signal.addEventListener("abort", end);
  const place = await spool();
  try {
    const told = await engine.convert(text.input, place.output, {
      // What a TBF cannot hold is shown as the text that it is.
      to: "tbf", from: text.format, lossy: true, onBadRow: "skip", signal: inner.signal,
      onProgress({ samples, bytes, totalBytes }) {
        if ((totalBytes ?? 0) > SHOWN_BYTES) inner.abort(new TooLarge({ ...text, bytes: totalBytes! }));
        onProgress({ samples, bytes, totalBytes: totalBytes ?? 0 });
      },
    });
    return { text: { ...text, bytes: told.inputBytes, skipped: told.skippedRows, notes: told.notes }, tbf: await place.blob(), forget: place.forget };
  } catch (e) {
    place.forget();
    throw e;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

interface Spool {
  readonly output: Output;
  readonly blob: () => Promise<Blob>;
  readonly forget: () => void;
}

const PREFIX = "forebay-text-";
const DAY = 86_400_000;

/** A file in the browser's own store; where there is none, parts of a Blob, which the browser may keep on disk. */
async function spool(): Promise<Spool> {
  try {
    const store = await navigator.storage.getDirectory();
    const name = `${PREFIX}${Date.now()}-${crypto.randomUUID()}`;
    const output = await store.getFileHandle(name, { create: true });
    return { output, blob: () => output.getFile(), forget: () => void store.removeEntry(name).catch(() => undefined) };
  } catch {
    const parts: Blob[] = [];
    const write = async (_: number, bytes: Uint8Array): Promise<void> => void parts.push(new Blob([bytes as BlobPart]));
    return { output: { write }, blob: async () => new Blob(parts), forget: () => void parts.splice(0) };
  }
}

/** Removes what pages left behind that were closed without a word; what is young may be open in another page. */
export async function sweep(): Promise<void> {
  const store = (await navigator.storage?.getDirectory?.().catch(() => null)) as (FileSystemDirectoryHandle & { keys?(): AsyncIterable<string> }) | null;
  if (!store?.keys) return;
  for await (const name of store.keys()) {
    // What was being written has a dot in front.
    const plain = name.replace(/^\./, "");
    const made = plain.startsWith(PREFIX) ? Number.parseInt(plain.slice(PREFIX.length), 10) : Infinity;
    if (made < Date.now() - DAY) await store.removeEntry(name).catch(() => undefined);
  }
}
