import { hostError } from "./errors.js";
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

/** A sink for a stream that writes into a file; the file appears when it is closed. */
function streamSink(stream: FileSystemWritableFileStream): Sink {
  return {
    write: (position, bytes) => stream.write({ type: "write", position, data: bytes as Uint8Array<ArrayBuffer> }),
    truncate: (size) => stream.truncate(size),
    close: () => stream.close(),
    abort: (reason) => stream.abort(reason),
  };
}

/** The sink for whatever `convert` takes. */
export async function sinkOf(output: Output): Promise<Sink> {
  if ("createWritable" in output) return streamSink(await output.createWritable());
  if ("seek" in output && "getWriter" in output) return streamSink(output);
  if (typeof output?.write === "function") return output;
  throw hostError("usage.argument", "convert writes to a FileSystemFileHandle, a FileSystemWritableFileStream or a Sink");
}
