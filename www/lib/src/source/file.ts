import { builtin } from "../base/node.js";
import { ForebayError, hostError } from "../model/errors.js";
import type { Placed } from "./beside.js";
import { CHANGED } from "./changed.js";
import type { Source, Telemetry } from "../model/index.js";

type Fs = typeof import("node:fs/promises");
type FileHandle = import("node:fs/promises").FileHandle;
type BigIntStats = import("node:fs").BigIntStats;
type Path = typeof import("node:path");
type Url = typeof import("node:url");

/** The path of a file that is given as such, or as a URL. */
export function pathOf(path: string | URL): string {
  const text = String(path);
  return text.startsWith("file:") ? builtin<Url>("node:url").fileURLToPath(text) : text;
}

/** A file cannot be opened, read or written. */
export const refused = (path: string, what: string, e: unknown) =>
  hostError("io", `cannot ${what}: ${(e as Error).message}`, { file: path }, e);

/** Opens it for reading; what it is like then. Some systems open folders too, and fail when they are read. */
async function openFile(file: string): Promise<[FileHandle, BigIntStats]> {
  const fs = builtin<Fs>("node:fs/promises");
  const handle = await fs.open(file, "r").catch(async (e: unknown) => {
    const folder = await fs.stat(file).then(
      (it) => it.isDirectory(),
      () => false,
    );
    throw folder ? isFolder(file) : refused(file, "open", e);
  });
  try {
    const opened = await handle.stat({ bigint: true });
    if (opened.isDirectory()) throw isFolder(file);
    return [handle, opened];
  } catch (e) {
    await handle.close();
    throw e instanceof ForebayError ? e : refused(file, "open", e);
  }
}

const isFolder = (file: string) =>
  hostError("usage.argument", "this is a folder; give the path of a file in it", { file });

/**
 * A file of this machine (Node only). Once it was written in place, longer or shorter, reading it fails: bytes of two
 * files would be mixed. A file that took its place under its name is another: this one is read on as it was.
 */
export async function fileSource(path: string | URL, name?: string): Promise<Source> {
  const file = pathOf(path);
  const [handle, opened] = await openFile(file);
  /** Looks after reading, so that what is handed out is of the file that was opened. */
  const unchanged = async (offset: number) => {
    const now = await handle.stat({ bigint: true }).catch((e: unknown) => {
      throw refused(file, "read", e);
    });
    if (now.size === opened.size && now.mtimeNs === opened.mtimeNs) return;
    const sizes = now.size === opened.size ? "" : ` (it had ${opened.size} bytes, and has ${now.size})`;
    throw hostError("io", `the file changed since it was opened${sizes}: open it again`, { file, offset });
  };
  const telemetry: { -readonly [K in keyof Telemetry]: Telemetry[K] } = {
    requests: 0,
    bytesRead: 0,
    byteLength: Number(opened.size),
  };
  const source: Placed = {
    byteLength: telemetry.byteLength,
    name: name ?? builtin<Path>("node:path").basename(file),
    telemetry,
    async read(start, end, options) {
      options?.signal?.throwIfAborted();
      telemetry.requests++;
      const bytes = new Uint8Array(end - start);
      let done = 0;
      while (done < bytes.length) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done).catch((e: unknown) => {
          throw refused(file, "read", e);
        });
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      telemetry.bytesRead += done;
      await unchanged(start);
      return bytes.subarray(0, done);
    },
    async beside(suffix) {
      const there = await builtin<Fs>("node:fs/promises")
        .stat(file + suffix)
        .then(
          (it) => it.isFile(),
          () => false,
        );
      return there ? fileSource(file + suffix) : null;
    },
    close() {
      forgotten().unregister(source);
      return handle.close();
    },
  };
  forgotten().register(source, handle, source);
  return source;
}

/**
 * A file of this machine that is open only while it is read: for folders of very many. Once it was written, or another took its
 * place, reading it fails.
 */
export async function closedSource(path: string, name: string): Promise<Source> {
  const fs = builtin<Fs>("node:fs/promises");
  const first = await fs.stat(path, { bigint: true }).catch((e: unknown) => {
    throw refused(path, "open", e);
  });
  return {
    byteLength: Number(first.size),
    name,
    async read(start, end) {
      const [handle, now] = await openFile(path);
      try {
        if (now.size !== first.size || now.mtimeNs !== first.mtimeNs || now.ino !== first.ino)
          throw hostError("io", `the file was ${CHANGED}: open it again`, { file: path, offset: start });
        const bytes = new Uint8Array(end - start);
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, start).catch((e: unknown) => {
          throw refused(path, "read", e);
        });
        return bytes.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    },
  };
}

let closer: FinalizationRegistry<{ close(): Promise<void> }> | undefined;
/** Closes the files of sources that nobody has any more: Node warns where that is left to it. */
const forgotten = () => (closer ??= new FinalizationRegistry((handle) => void handle.close().catch(() => {})));
