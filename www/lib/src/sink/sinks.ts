import { hostError } from "../model/errors.js";
import { isNode } from "../base/node.js";
import { call, ownWorker, type Client } from "../pool/pool.js";
import type { Output, Sink } from "../model/index.js";
import { unwritten } from "./unwritten.js";

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
  const told = (done: Promise<void>) => done.catch(refused);
  return {
    write: (position, bytes) => told(stream.write({ type: "write", position, data: bytes as Uint8Array<ArrayBuffer> })),
    truncate: (size) => told(stream.truncate(size)),
    close: () => told(stream.close()),
    abort: (reason) => stream.abort(reason),
  };
}

const refused = (e: unknown): never => {
  throw unwritten("the output cannot be written", e);
};

/** A sink, some of which lie in a worker. */
export interface Place {
  readonly sink: Sink & {
    /** Until what was written is on the disk. */
    flush?(): Promise<void>;
  };
  /** What stands for it in the worker that makes the bytes, if they do not come here; else 0. */
  readonly output: number;
}

/** A file that can be moved, which the types of a page do not know. */
type Movable = FileSystemFileHandle & { move?(to: FileSystemDirectoryHandle, name: string): Promise<void> };

/**
 * Writes a file of the origin-private file system in a worker: in the one that makes the bytes, or in one beside it,
 * so that neither waits for the other. It is written beside its place and moved there when it is whole, as a stream
 * does it. Nothing if the file lies elsewhere or the browser cannot do it.
 */
async function privateSink(client: Client, handle: FileSystemFileHandle, expected: number): Promise<Place | null> {
  const root = await globalThis.navigator?.storage?.getDirectory?.().catch(() => null);
  const path = await root?.resolve(handle).catch(() => null);
  const name = path?.pop();
  if (!root || !path || name === undefined || !("move" in handle)) return null;
  let folder = root;
  for (const part of path) folder = await folder.getDirectoryHandle(part);
  await sweepParts(folder);
  const part = `.${name}.${crypto.randomUUID()}.part`;
  const file: Movable = await folder.getFileHandle(part, { create: true }).catch(refused);
  const writer = (await ownWorker(expected)) ?? client;
  const release = () => writer !== client && writer.end();
  const remove = () => folder.removeEntry(part).catch(() => {});
  const output = await call(writer, undefined, "openOutput", [file]).catch(() => 0);
  if (output === 0) {
    release();
    await remove();
    return null;
  }
  const made = writer === client ? output : await joined(client, writer, output);
  const close = async () => {
    if (writer !== client) void call(client, undefined, "closeOutput", [made]).catch(() => {});
    await call(writer, undefined, "closeOutput", [output]).finally(release);
  };
  const sink: Sink = {
    write: (position, bytes) => call(writer, undefined, "writeOutput", [output, position, bytes]),
    read: (start, end) => call(writer, undefined, "readOutput", [output, start, end]),
    truncate: (length) => call(writer, undefined, "truncateOutput", [output, length]),
    async close() {
      await close();
      await file.move!(folder, name).catch(refused);
    },
    async abort() {
      await close().catch(() => {});
      await remove();
    },
  };
  return { sink, output: made };
}

/** Milliseconds in which a part that was just made is opened to be written: nobody has it open before. */
const OPENED = 60_000;
const PART = /^\..+\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.part$/;

/** Removes what is left of earlier writings, whose pages died: nobody holds it, so that the browser lets it go. */
async function sweepParts(folder: FileSystemDirectoryHandle): Promise<void> {
  const entries =
    (folder as FileSystemDirectoryHandle & { entries?(): AsyncIterable<[string, FileSystemHandle]> }).entries?.() ?? [];
  for await (const [found, entry] of entries) {
    if (entry.kind !== "file" || !PART.test(found)) continue;
    const { lastModified } = await (entry as FileSystemFileHandle).getFile().catch(() => ({ lastModified: Infinity }));
    // One that is being written is locked, and stays.
    if (lastModified < Date.now() - OPENED) await folder.removeEntry(found).catch(() => {});
  }
}

/** What stands in one worker for an output of another. */
async function joined(maker: Client, writer: Client, output: number): Promise<number> {
  const { port1, port2 } = new MessageChannel();
  const lost = call(writer, undefined, "serveOutput", [output, port2], [port2]);
  lost.catch(() => {});
  const made = await call(maker, undefined, "outputThrough", [port1], [port1]);
  // What is made must not wait for a writer that is gone.
  lost.catch(() => maker.call("closeOutput", [made]).catch(() => {}));
  return made;
}

/** The sink for whatever `convert` takes; `client` makes the bytes, about this many. */
export async function placeOf(client: Client, output: Output, expected: number): Promise<Place> {
  if ("createWritable" in output) {
    const place = await privateSink(client, output, expected);
    if (place) return place;
  }
  return { sink: await sinkOf(output), output: 0 };
}

/** What is said where the output is none. */
export function noOutput(): Error {
  const own = isNode ? "; for a path, give it `await fileSink(path)`" : "";
  return hostError(
    "usage.argument",
    `convert writes to a FileSystemFileHandle, a FileSystemWritableFileStream or a Sink${own}`,
  );
}

/** The sink for whatever `convert` takes. */
export async function sinkOf(output: Output): Promise<Sink> {
  if ("createWritable" in output) return streamSink(await output.createWritable().catch(refused));
  if ("seek" in output && "getWriter" in output) return streamSink(output);
  if (typeof output.write === "function") return promising(output);
  throw noOutput();
}
