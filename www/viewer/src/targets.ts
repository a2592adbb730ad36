/** Where a conversion writes to. */
import type { Output } from "../../lib/src/types.ts";

/** Where bytes go, and what to do with them at the end. */
export interface Target {
  readonly output: Output;
  readonly finish: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** A file that the user names where the browser can; else one in the browser's own store, then a download. */
export async function makeTarget(name: string): Promise<Target> {
  const nothing = async (): Promise<void> => undefined;
  const picker = (globalThis as { showSaveFilePicker?: (o: object) => Promise<FileSystemFileHandle> }).showSaveFilePicker;
  if (picker) {
    const output = await picker({ suggestedName: name });
    return { output, finish: nothing, discard: nothing };
  }
  const store = await navigator.storage.getDirectory();
  const spool = `forebay-${crypto.randomUUID()}`;
  const output = await store.getFileHandle(spool, { create: true });
  const discard = (): Promise<void> => store.removeEntry(spool);
  const finish = async (): Promise<void> => {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(await output.getFile());
    a.download = name;
    a.click();
    // The download reads the spooled file for as long as it takes; it goes when the page does, at the latest.
    setTimeout(() => { URL.revokeObjectURL(a.href); void discard().catch(() => undefined); }, 10 * 60_000);
  };
  return { output, finish, discard };
}
