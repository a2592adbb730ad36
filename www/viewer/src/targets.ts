/** Where a conversion writes to. */
import type { Output } from "../../lib/src/types.ts";
import { blobSink } from "./blob-sink.ts";
import { spoolFile } from "./spool.ts";

/** Milliseconds that a download may take to read its file. */
const LASTS = 10 * 60_000;

/** Where bytes go, and what to do with them at the end. */
export interface Target {
  readonly output: Output;
  readonly finish: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** Lets the browser download a file; `then` is called when it has had the time to. */
export function download(file: Blob, name: string, then: () => void = () => undefined): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(file);
  a.download = name;
  a.click();
  setTimeout(() => { URL.revokeObjectURL(a.href); then(); }, LASTS);
}

/** A file that the user names where the browser can; else one in the browser's own store, or a Blob, then a download. */
export async function makeTarget(name: string): Promise<Target> {
  const nothing = async (): Promise<void> => undefined;
  const picker = (globalThis as { showSaveFilePicker?: (o: object) => Promise<FileSystemFileHandle> }).showSaveFilePicker;
  if (picker) {
    const output = await picker({ suggestedName: name });
    return { output, finish: nothing, discard: nothing };
  }
  const spool = await spoolFile("download").catch(() => null);
  if (!spool) {
    const output = blobSink();
    return { output, finish: async () => download(output.blob(), name), discard: nothing };
  }
  const { output, remove } = spool;
  return { output, finish: async () => download(await output.getFile(), name, () => void remove().catch(() => undefined)), discard: remove };
}
