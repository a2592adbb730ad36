import { builtin } from "../base/node.js";
import { hostError } from "../model/errors.js";
import type { Sink } from "../model/index.js";
import { pathOf, refused } from "../source/file.js";

type Fs = typeof import("node:fs/promises");

/** Sinks of this process so far: two for one path must not write into one file. */
let sinks = 0;

/** Writes a file of this machine (Node only): whole or not at all, through a sibling that is renamed. */
export function fileSink(path: string | URL): Promise<Sink> {
  return sinkAt(path, (fs, part, file) => fs.rename(part, file));
}

/** The same for a file that must be new: another one that appears meanwhile is not replaced. */
export function newFileSink(path: string | URL): Promise<Sink> {
  return sinkAt(path, async (fs, part, file) => {
    // Linking fails if the name is taken, and renaming does not.
    await fs.link(part, file).finally(() => fs.rm(part, { force: true }));
  });
}

async function sinkAt(path: string | URL, place: (fs: Fs, part: string, file: string) => Promise<void>): Promise<Sink> {
  const file = pathOf(path);
  const fs = builtin<Fs>("node:fs/promises");
  const failed = (e: unknown): never => {
    throw refused(file, "write", e);
  };
  // Nothing takes the place of a folder, and who writes for hours is told before.
  const folder = await fs.stat(file).then(
    (it) => it.isDirectory(),
    () => false,
  );
  if (folder) throw hostError("usage.argument", "this is a folder; give the path of a file in it", { file });
  const part = `${file}.${builtin<typeof import("node:process")>("node:process").pid}.${++sinks}.part`;
  const handle = await fs.open(part, "w+").catch(failed);
  return {
    async write(position, bytes) {
      let done = 0;
      while (done < bytes.length) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done).catch(failed);
        done += bytesWritten;
      }
    },
    async read(start, end) {
      const bytes = new Uint8Array(end - start);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start).catch(failed);
      return bytes.subarray(0, bytesRead);
    },
    truncate: (length) => handle.truncate(length).catch(failed),
    async close() {
      await handle.sync().catch(failed);
      await handle.close().catch(failed);
      await place(fs, part, file).catch(failed);
    },
    async abort() {
      await handle.close();
      await fs.rm(part, { force: true });
    },
  };
}
