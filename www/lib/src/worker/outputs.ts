/** Files of the origin-private file system that a worker writes without anything in between. */
import { BufferedWriter, writeFailure, type Block, type Reply } from "./buffered-writer.js";
import { readPrivate, type ReadHandle } from "./private-file.js";

/** What a worker has of such a file that it may write. */
interface SyncFile extends ReadHandle {
  write(bytes: Uint8Array, place: { at: number }): number;
  truncate(length: number): void;
  flush(): void;
}

interface Open {
  readonly writer: BufferedWriter;
  /** Nothing if it is open in another worker. */
  readonly file?: SyncFile;
  /** Where bytes come from another worker. */
  port?: MessagePort;
}

/** Bytes that the system keeps before they are sent to the disk: at the end there is little left to wait for. */
const FLUSHED = 64 << 20;

const outputs = new Map<number, Open>();
let last = 0;

function keep(open: Open): number {
  outputs.set(++last, open);
  return last;
}

function get(id: number): Open {
  const open = outputs.get(id);
  if (!open) throw writeFailure("it was closed");
  return open;
}

function fileOf(id: number): SyncFile {
  const { file } = get(id);
  if (!file) throw writeFailure("another worker has it");
  return file;
}

/** Where work writes to. */
export const writerOf = (id: number): BufferedWriter => get(id).writer;

/** Opens a file to write; 0 if that is only possible through streams. */
export async function openOutput(handle: FileSystemFileHandle): Promise<number> {
  const { createSyncAccessHandle: open } = handle as { createSyncAccessHandle?(): Promise<SyncFile> };
  if (!open) return 0;
  const file = await open.call(handle).catch(() => null);
  if (!file) return 0;
  return keep({ file, writer: BufferedWriter.here((at, bytes) => write(file, at, bytes)) });
}

/** An output that stands for a file which another worker has open, at the other end of this port. */
export function outputThrough(port: MessagePort): number {
  return keep({ writer: BufferedWriter.through(port) });
}

/**
 * Writes what comes through this port, and sends it to the disk now and then while more is being made. Who waits for it
 * hears of nothing but the worker's end.
 */
export async function serveOutput(id: number, port: MessagePort): Promise<never> {
  const open = get(id);
  const file = fileOf(id);
  open.port = port;
  let unflushed = 0;
  port.onmessage = ({ data: { at, buffer, length } }: MessageEvent<Block>) => {
    try {
      write(file, at, new Uint8Array(buffer, 0, length));
      unflushed += length;
      if (unflushed >= FLUSHED) {
        flush(file);
        unflushed = 0;
      }
      port.postMessage({ buffer } satisfies Reply, [buffer]);
    } catch (e) {
      port.postMessage({ failed: e as string } satisfies Reply);
    }
  };
  return new Promise(() => {});
}

/** Writes all of it, or fails. */
function write(file: SyncFile, at: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    let n = 0;
    try {
      n = file.write(bytes.subarray(done), { at: at + done });
    } catch (e) {
      throw writeFailure((e as Error).message);
    }
    if (n === 0) throw writeFailure(FULL);
    done += n;
  }
  grown(file, at + bytes.length);
}

const FULL = "there is no room";

/** In private windows Chromium says of a full store that all was written. */
function grown(file: SyncFile, to: number): void {
  if (file.getSize() < to) throw writeFailure(FULL);
}

function flush(file: SyncFile): void {
  try {
    file.flush();
  } catch (e) {
    throw writeFailure((e as Error).message);
  }
}

/** Writes all of it, or fails. */
export function writeOutput(id: number, at: number, bytes: Uint8Array): void {
  write(fileOf(id), at, bytes);
}

/** Reads back what was written. */
export function readOutput(id: number, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  const n = readPrivate(fileOf(id), start, bytes);
  return n === bytes.length ? bytes : bytes.slice(0, n);
}

/** Until everything that was written is on the disk. */
export const flushOutput = (id: number): void => flush(fileOf(id));

/** How long it is. */
export const outputLength = (id: number): number => fileOf(id).getSize();

/** Cuts or extends it. */
export function truncateOutput(id: number, length: number): void {
  const file = fileOf(id);
  try {
    file.truncate(length);
  } catch (e) {
    throw writeFailure((e as Error).message);
  }
  grown(file, length);
}

/** Everything was written, or is not wanted. */
export function closeOutput(id: number): void {
  const { file, port, writer } = outputs.get(id) ?? {};
  outputs.delete(id);
  writer?.close();
  port?.close();
  try {
    if (file) flush(file);
  } finally {
    file?.close();
  }
}
