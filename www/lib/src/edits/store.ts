import { hostError } from "../model/errors.js";
import type { EditStore } from "../model/index.js";
import { call, client } from "../pool/pool.js";
import { unwritten } from "../sink/unwritten.js";

/** The folder of journals in the origin-private file system. */
const FOLDER = "forebay-edits";

/** A store, and what tells it from others. */
export interface Place {
  readonly store: EditStore;
  /** What locks of its journals begin with; nothing where nobody else can have it. */
  readonly lock: string | null;
  /** The names of all that is there, if it can tell. */
  names(): Promise<readonly string[]>;
}

/** Files in memory: they are gone with the page. */
export function memoryStore(): EditStore {
  const files = new Map<string, Uint8Array>();
  return {
    read: async (name) => files.get(name)?.slice() ?? null,
    async write(name, position, bytes) {
      const old = files.get(name) ?? new Uint8Array();
      const all = new Uint8Array(position + bytes.length);
      all.set(old.subarray(0, position));
      all.set(bytes, position);
      files.set(name, all);
    },
    remove: async (name) => void files.delete(name),
  };
}

/** Files of a folder. In the origin-private file system a worker writes and flushes them; elsewhere a stream replaces them. */
export function folderStore(folder: FileSystemDirectoryHandle): EditStore {
  const handle = async (name: string, create: boolean) => {
    try {
      return await folder.getFileHandle(name, { create });
    } catch (e) {
      if (!create && (e as Error).name === "NotFoundError") return null;
      throw failed(e);
    }
  };
  return {
    async read(name) {
      const file = await (await handle(name, false))?.getFile();
      return file ? new Uint8Array(await file.arrayBuffer()) : null;
    },
    async write(name, position, bytes) {
      // What is written behind an end that is gone would lie behind zeros, and nobody could read it.
      const file = await handle(name, position === 0);
      if (!file) throw gone(name);
      const worker = await client();
      const output = await call(worker, undefined, "openOutput", [file]).catch(() => 0);
      if (output !== 0) {
        try {
          if ((await call(worker, undefined, "outputLength", [output])) < position) throw gone(name);
          await call(worker, undefined, "truncateOutput", [output, position]);
          await call(worker, undefined, "writeOutput", [output, position, bytes]);
        } finally {
          // What is closed is on the disk.
          await call(worker, undefined, "closeOutput", [output]);
        }
        return;
      }
      try {
        if ((await file.getFile()).size < position) throw gone(name);
        const stream = await file.createWritable({ keepExistingData: true });
        await stream.truncate(position);
        await stream.write({ type: "write", position, data: bytes as Uint8Array<ArrayBuffer> });
        await stream.close();
      } catch (e) {
        throw failed(e);
      }
    },
    async remove(name) {
      await folder.removeEntry(name).catch((e: Error) => {
        if (e.name !== "NotFoundError") throw failed(e);
      });
    },
  };
}

const gone = (file: string): Error =>
  hostError("io", "the browser, or somebody else, removed what was kept of the journal, or a part of it", { file });

const failed = (e: unknown): unknown => unwritten("the journal cannot be kept", e);

/** The store for what a caller gives, or the usual one. */
export async function storeOf(given: FileSystemDirectoryHandle | EditStore | undefined): Promise<Place> {
  // Nobody knows what is behind functions: those of one name are taken for the same.
  if (given && !("getFileHandle" in given)) return { store: given, lock: FOLDER, names: async () => [] };
  if (given) return placeOf(given);
  const root = await globalThis.navigator?.storage?.getDirectory?.().catch(() => null);
  if (root) return placeOf(await root.getDirectoryHandle(FOLDER, { create: true }));
  return { store: memoryStore(), lock: null, names: async () => [] };
}

function placeOf(folder: FileSystemDirectoryHandle): Place {
  return {
    store: folderStore(folder),
    // Two tabs have nothing but its name to tell that it is the same.
    lock: lockOf(folder),
    async names() {
      const all: string[] = [];
      try {
        // The viewer's compiler knows of no folder that lists what it has.
        const listed = folder as unknown as { keys(): AsyncIterable<string> };
        for await (const name of listed.keys()) all.push(name);
      } catch {
        // What only looks like a folder need not list what it has; of any other the journal itself does not open either.
      }
      return all;
    },
  };
}

function lockOf(folder: FileSystemDirectoryHandle): string {
  let name: string | undefined;
  try {
    ({ name } = folder);
  } catch {
    // An object around a handle has no name.
  }
  return name === undefined || name === FOLDER ? FOLDER : `${FOLDER}/${name}`;
}
