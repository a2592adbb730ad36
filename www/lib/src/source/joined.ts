import type { Source, Telemetry } from "../model/index.js";
import { blobSource } from "./sources.js";

/**
 * Several sources, one behind the other, as one that closes them. Those that are files of the page stay files: workers read
 * them then.
 */
export function joinedSource(parts: readonly Source[], name: string | undefined): Source {
  const close = async () => {
    await Promise.all(parts.map((part) => part.close?.()));
  };
  if (parts.every((part) => part.blob))
    return { ...blobSource(new Blob(parts.map((part) => part.blob!)), name), close };
  const starts: number[] = [];
  let byteLength = 0;
  for (const part of parts) {
    starts.push(byteLength);
    byteLength += part.byteLength;
  }
  const sum = (of: keyof Telemetry) => parts.reduce((all, { telemetry }) => all + (telemetry?.[of] ?? 0), 0);
  return {
    byteLength,
    ...(name === undefined ? {} : { name }),
    telemetry: {
      byteLength,
      get requests() {
        return sum("requests");
      },
      get bytesRead() {
        return sum("bytesRead");
      },
    },
    async read(start, end, options) {
      const reads: [at: number, bytes: Promise<Uint8Array>][] = [];
      for (const [k, part] of parts.entries()) {
        const from = Math.max(start, starts[k]!);
        const to = Math.min(end, starts[k]! + part.byteLength);
        if (from < to) reads.push([from, part.read(from - starts[k]!, to - starts[k]!, options)]);
      }
      if (reads.length === 1) return reads[0]![1];
      const out = new Uint8Array(end - start);
      await Promise.all(reads.map(async ([at, bytes]) => out.set(await bytes, at - start)));
      return out;
    },
    close,
  };
}
