/** What was found as a journal of edits: a file for the command and Python, and nothing that the page keeps. */
import type { Dataset, EditStore } from "../../../lib/src/model/index.ts";

/** A store that forgets. */
function memoryStore(): EditStore {
  const files = new Map<string, Uint8Array>();
  return {
    read: async (name) => files.get(name) ?? null,
    async write(name, position, bytes) {
      const whole = new Uint8Array(position + bytes.length);
      whole.set((files.get(name) ?? new Uint8Array()).subarray(0, position));
      whole.set(bytes, position);
      files.set(name, whole);
    },
    remove: async (name) => void files.delete(name),
  };
}

/** A journal that removes samples, or gives them tags. */
export async function journalOf(
  dataset: Dataset,
  changes: { readonly remove?: Iterable<number>; readonly tags?: Iterable<readonly [number, readonly string[]]> },
  signal: AbortSignal,
): Promise<Blob> {
  // A name of its own: another tab may write one too.
  const name = `curated-${crypto.getRandomValues(new Uint32Array(2)).join("-")}.jsonl`;
  const edits = await dataset.edit({ store: memoryStore(), name, signal });
  try {
    for (const i of changes.remove ?? []) {
      signal.throwIfAborted();
      await edits.remove(i);
    }
    for (const [i, tags] of changes.tags ?? []) {
      signal.throwIfAborted();
      await edits.tag(i, tags);
    }
    return (await edits.export()).journal;
  } finally {
    edits.close();
  }
}
