import { hostError } from "./errors.js";
import { isNode } from "./node.js";
import { call, type Client } from "./pool.js";
import type { Output, Sink } from "./types.js";

/** Keeps the output in memory, for a download where files cannot be written as a stream. */
export interface MemorySink extends Sink {
  /** What was written. */
  bytes(): Uint8Array;
  /** The same as a `Blob`. */
  blob(type?: string): Blob;
}

/** A sink in memory. */
export function memorySink(): MemorySink {
  let data = new Uint8Array(0);
  let length = 0;
  const grow = (to: number) => {
    if (to > data.length) {
      const larger = new Uint8Array(Math.max(to, data.length * 2));
      larger.set(data.subarray(0, length));
      data = larger;
    }
    length = Math.max(length, to);
  };
  return {
    async write(position, bytes) {
      grow(position + bytes.length);
      data.set(bytes, position);
    },
    read: async (start, end) => data.slice(start, Math.min(end, length)),
    async truncate(to) {
      grow(to);
      data.fill(0, to, length);
      length = to;
    },
    bytes: () => data.subarray(0, length),
    blob: (type = "application/octet-stream") => new Blob([data.subarray(0, length)], { type }),
  };
}

/** A caller's sink, whose functions may also answer, or fail, at once. */
function promising(sink: Sink): Sink {
  return {
    write: async (position, bytes) => sink.write(position, bytes),
    ...(sink.read && { read: async (start: number, end: number) => sink.read!(start, end) }),
    ...(sink.truncate && { truncate: async (length: number) => sink.truncate!(length) }),
    ...(sink.close && { close: async () => sink.close!() }),
    ...(sink.abort && { abort: async (reason: unknown) => sink.abort!(reason) }),
  };
}

/** A sink for a stream that writes into a file; the file appears when it is closed. */
function streamSink(stream: FileSystemWritableFileStream): Sink {
  return {
    write: (position, bytes) => stream.write({ type: "write", position, data: bytes as Uint8Array<ArrayBuffer> }),
    truncate: (size) => stream.truncate(size),
    close: () => stream.close(),
    abort: (reason) => stream.abort(reason),
  };
}

/** A sink, some of which lie in a worker. */
export interface Place {
  readonly sink: Sink;
  /** The file in that worker, which writes there itself; 0 where the bytes come here. */
  readonly output: number;
}

/** A file that can be moved, which the types of a page do not know. */
type Movable = FileSystemFileHandle & { move?(to: FileSystemDirectoryHandle, name: string): Promise<void> };

/**
 * Writes a file of the origin-private file system in the worker that makes its bytes: nothing crosses threads or
 * processes. It is written beside its place and moved there when it is whole, as a stream does it. Nothing where the
 * file lies elsewhere or the browser cannot do it.
 */
async function privateSink(client: Client, handle: FileSystemFileHandle): Promise<Place | null> {
  const root = await globalThis.navigator?.storage?.getDirectory?.().catch(() => null);
  const path = await root?.resolve(handle).catch(() => null);
  const name = path?.pop();
  if (!root || !path || name === undefined || !("move" in handle)) return null;
  let folder = root;
  for (const part of path) folder = await folder.getDirectoryHandle(part);
  const part = `.${name}.${crypto.randomUUID()}.part`;
  const file: Movable = await folder.getFileHandle(part, { create: true });
  const remove = () => folder.removeEntry(part).catch(() => {});
  const output = await call(client, undefined, "openOutput", [file]).catch(() => 0);
  if (output === 0) {
    await remove();
    return null;
  }
  const close = () => call(client, undefined, "closeOutput", [output]);
  const sink: Sink = {
    write: (position, bytes) => call(client, undefined, "writeOutput", [output, position, bytes]),
    read: (start, end) => call(client, undefined, "readOutput", [output, start, end]),
    truncate: (length) => call(client, undefined, "truncateOutput", [output, length]),
    async close() {
      await close();
      await file.move!(folder, name);
    },
    async abort() {
      await close().catch(() => {});
      await remove();
    },
  };
  return { sink, output };
}

/** The sink for whatever `convert` takes; `client` makes the bytes. */
export async function placeOf(client: Client, output: Output): Promise<Place> {
  if ("createWritable" in output) {
    const place = await privateSink(client, output);
    if (place) return place;
  }
  return { sink: await sinkOf(output), output: 0 };
}

/** What is said where the output is none. */
export function noOutput(): Error {
  const own = isNode ? "; for a path, give it `await fileSink(path)`" : "";
  return hostError("usage.argument", `convert writes to a FileSystemFileHandle, a FileSystemWritableFileStream or a Sink${own}`);
}

/** The sink for whatever `convert` takes. */
export async function sinkOf(output: Output): Promise<Sink> {
  if ("createWritable" in output) return streamSink(await output.createWritable());
  if ("seek" in output && "getWriter" in output) return streamSink(output);
  if (typeof output.write === "function") return promising(output);
  throw noOutput();
}
