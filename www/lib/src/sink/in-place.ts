import { hostError } from "../model/errors.js";
import type { Output, Source } from "../model/index.js";
import { call, type Client } from "../pool/pool.js";
import type { Place } from "./sinks.js";
import { unwritten } from "./unwritten.js";

/** What is written into a file that exists. */
export interface InPlace extends Place {
  readonly written: {
    bytes: number;
    /** Of the file. */
    length: number;
    /** The header was touched: from then on it is the new file, and nothing stops it any more. */
    begun: boolean;
  };
}

/**
 * Opens the very file of a dataset to write into it. One of the origin-private file system is written where it is, by a worker that
 * keeps everybody else away, and flushed where the order counts; any other through the browser's stream, which makes a copy and
 * puts it in the file's place when all is written.
 */
export async function inPlace(client: Client, output: Output, source: Source): Promise<InPlace> {
  const file = source.name;
  if (!("createWritable" in output) || !("getFile" in output))
    throw hostError("usage.argument", "in place a file is changed by its FileSystemFileHandle", { file });
  const written = { bytes: 0, length: source.byteLength, begun: false };
  const count = (position: number, bytes: Uint8Array): void => {
    written.bytes += bytes.length;
    written.length = Math.max(written.length, position + bytes.length);
  };
  await same(output, source);
  const private_ = await isPrivate(output);
  const opened = private_ ? await call(client, file, "openOutput", [output]).catch(() => 0) : 0;
  if (opened === 0) {
    const refused = (e: unknown): never => {
      throw unwritten("the file cannot be changed", e);
    };
    const stream = await output.createWritable({ keepExistingData: true }).catch(refused);
    const sink: Place["sink"] = {
      async write(position, bytes) {
        await stream.write({ type: "write", position, data: bytes as Uint8Array<ArrayBuffer> }).catch(refused);
        count(position, bytes);
      },
      close: () => stream.close().catch(refused),
      abort: (reason) => stream.abort(reason),
    };
    return { sink, output: 0, written };
  }
  const release = () => call(client, file, "closeOutput", [opened]);
  // Nobody writes it any more; before, somebody may have.
  await same(output, source).catch(async (e: unknown) => {
    await release();
    throw e;
  });
  const sink: Place["sink"] = {
    async write(position, bytes) {
      // The header stands at the beginning.
      written.begun ||= position === 0;
      await call(client, file, "writeOutput", [opened, position, bytes]);
      count(position, bytes);
    },
    flush: () => call(client, file, "flushOutput", [opened]),
    close: release,
    async abort() {
      // What stands behind the old file belongs to nobody.
      if (!written.begun && written.length > source.byteLength)
        await call(client, file, "truncateOutput", [opened, source.byteLength]).catch(() => {});
      await release();
    },
  };
  return { sink, output: 0, written };
}

/** Whether it lies in the origin-private file system. */
async function isPrivate(handle: FileSystemFileHandle): Promise<boolean> {
  const root = await globalThis.navigator?.storage?.getDirectory?.().catch(() => null);
  return ((await root?.resolve(handle).catch(() => null)) ?? null) !== null;
}

/** Refuses a file that is not the one which is open, or not any more. */
async function same(handle: FileSystemFileHandle, { name, blob, byteLength }: Source): Promise<void> {
  const opened = blob as Partial<File> | undefined;
  const now = await handle.getFile().catch((e: Error) => {
    throw hostError("io", `the file cannot be read: ${e.message}`, { file: name }, e);
  });
  if (opened?.lastModified === undefined)
    throw hostError("usage.argument", "in place only a dataset is changed that was opened as a file or by its handle", {
      file: name,
    });
  if (now.size !== byteLength || now.lastModified !== opened.lastModified || now.name !== opened.name)
    throw hostError("usage.argument", "this is not the file that is open, or it was changed since it was opened", {
      file: name,
    });
}
