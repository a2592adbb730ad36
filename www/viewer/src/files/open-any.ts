/** CSV and JSON lines as a table: a TBF that is made of the text while it opens, and lies in the browser's own store. */
import { textFormatOf } from "../../../lib/src/model/formats.ts";
import type {
  Dataset,
  Folder,
  HttpOptions,
  Input,
  OpenOptions,
  OpenProgress,
  Output,
  Table,
  TextFormat,
} from "../../../lib/src/model/index.ts";
import { blobSink } from "./blob-sink.ts";
import type { Engine } from "./engine.ts";
import { temporaryFile } from "./temporary-files.ts";
import { bytes, trouble } from "../ui/wording.ts";
import { msg } from "../messages/files.ts";

/** The largest text that is shown: a larger one is better converted once than at every visit. */
export const SHOWN_BYTES = 500_000_000;

/** The same in words. */
export const shownSize = (): string => bytes(SHOWN_BYTES, 0);

/** A text that a table was made of, or could be. */
export interface TextSource {
  readonly input: Input;
  readonly name: string;
  readonly format: TextFormat;
  /** How its address is fetched, if not as any other. */
  readonly http?: HttpOptions;
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
  /** Frees what lies in the store. */
  readonly forget: () => void;
}

/** Thrown where a text is too large to be shown. */
export class TooLarge extends Error {
  constructor(readonly text: TextSource) {
    super(msg("tooLargeShown", { text: text.name }));
  }
}

/** Whether something that is of no known format is a text by its name. */
export const textOf = (input: Input, name: string, http?: HttpOptions): TextSource | null => {
  const format = textFormatOf(name);
  const bytes = input instanceof Blob ? input.size : 0;
  return format ? { input, name, format, ...(http && { http }), bytes, skipped: 0, notes: [] } : null;
};

/** Makes a table of a text. */
export async function tableOf(
  engine: Engine,
  text: TextSource,
  signal: AbortSignal,
  onProgress: (progress: OpenProgress) => void,
): Promise<TextTable> {
  if (text.bytes > SHOWN_BYTES) throw new TooLarge(text);
  const inner = new AbortController();
  const end = (): void => inner.abort(signal.reason);
  signal.addEventListener("abort", end);
  const place = await makePlace();
  try {
    const told = await engine.convert(text.input, place.output, {
      // What a TBF cannot hold is shown as the text that it is.
      to: "tbf",
      from: text.format,
      ...(text.http && { http: text.http }),
      lossy: true,
      onBadRow: "skip",
      signal: inner.signal,
      onProgress({ samples, bytes, totalBytes }) {
        if ((totalBytes ?? 0) > SHOWN_BYTES) inner.abort(new TooLarge({ ...text, bytes: totalBytes! }));
        onProgress({ samples, bytes, totalBytes: totalBytes ?? 0 });
      },
    });
    return {
      text: { ...text, bytes: told.inputBytes, skipped: told.skippedRows, notes: told.notes },
      tbf: await place.blob(),
      forget: place.forget,
    };
  } catch (e) {
    place.forget();
    throw e;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Opens what the package opens; text becomes a table first. */
export async function openAny(
  engine: Engine,
  input: Input | Folder,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<{ found: Dataset | Table; textual: TextTable | null }> {
  try {
    return { found: await engine.open(input, options), textual: null };
  } catch (e) {
    const text = trouble(e).code === "format.unknown" ? textOf(input as Input, options.name ?? "", options.http) : null;
    if (!text) throw e;
    const textual = await tableOf(engine, text, signal, options.onProgress ?? (() => undefined));
    try {
      return { found: await engine.open(textual.tbf, options), textual };
    } catch (e) {
      textual.forget();
      throw e;
    }
  }
}

/** Where the table lies. */
interface Place {
  readonly output: Output;
  readonly blob: () => Promise<Blob>;
  readonly forget: () => void;
}

/** A file in the browser's own store; if there is none, a Blob. */
async function makePlace(): Promise<Place> {
  try {
    const { output, remove } = await temporaryFile("text");
    return { output, blob: () => output.getFile(), forget: () => void remove().catch(() => undefined) };
  } catch {
    const output = blobSink();
    return { output, blob: async () => output.blob(), forget: () => void output.abort() };
  }
}
