/**
 * Indexes of files that have none of their own, kept for the next visit: packed, bounded, the least recently used
 * going first. The package compares what it gets with the file, so that nothing here has to be right.
 */
import type { IndexStore } from "../../../lib/src/model/index.ts";
import { Store } from "./store.ts";

/** Bytes that all of them may take, packed. */
const MOST = 192_000_000;
/** Bytes that one of them may take. */
const LARGEST = 64_000_000;

interface Facts {
  readonly identity: string;
  readonly bytes: number;
  readonly when: number;
}
const indexes = new Store<{ identity: string; packed: Uint8Array }>("indexes");
const facts = new Store<Facts>("index-facts");

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as BlobPart])
    .stream()
    .pipeThrough(stream as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** The store of this browser. */
export const indexStore: IndexStore & { size(): Promise<number>; forget(): Promise<void> } = {
  async get(identity) {
    const found = await indexes.get(identity);
    if (!found) return null;
    await facts.put({ identity, bytes: found.packed.byteLength, when: Date.now() });
    return through(found.packed, new DecompressionStream("deflate-raw"));
  },
  async set(identity, index) {
    const packed = await through(index, new CompressionStream("deflate-raw"));
    if (packed.byteLength > LARGEST) return;
    await indexes.put({ identity, packed });
    await facts.put({ identity, bytes: packed.byteLength, when: Date.now() });
    let room = MOST;
    for (const one of (await facts.all()).sort((a, b) => b.when - a.when)) {
      room -= one.bytes;
      if (room >= 0) continue;
      await indexes.delete(one.identity);
      await facts.delete(one.identity);
    }
  },
  /** Bytes that all of them take. */
  async size() {
    return (await facts.all().catch(() => [])).reduce((sum, one) => sum + one.bytes, 0);
  },
  /** Forgets all of them. */
  async forget() {
    await indexes.clear().catch(() => undefined);
    await facts.clear().catch(() => undefined);
  },
};
