import type { Source, Telemetry } from "../model/index.js";
import { blobSource } from "./sources.js";

/** Parts that are read at once. */
const PARALLEL = 16;

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
      // The last part that begins at or before the range.
      let [k, above] = [0, parts.length];
      while (above - k > 1) {
        const middle = (k + above) >> 1;
        if (starts[middle]! <= start) k = middle;
        else above = middle;
      }
      const one = (part: number, from: number, to: number) =>
        parts[part]!.read(from - starts[part]!, to - starts[part]!, options);
      const ends = (part: number) => starts[part]! + parts[part]!.byteLength;
      if (end <= ends(k)) return one(k, start, end);
      const out = new Uint8Array(end - start);
      while (k < parts.length && starts[k]! < end) {
        const reads: Promise<void>[] = [];
        for (; k < parts.length && starts[k]! < end && reads.length < PARALLEL; k++) {
          const [from, to] = [Math.max(start, starts[k]!), Math.min(end, ends(k))];
          if (from < to) reads.push(one(k, from, to).then((bytes) => out.set(bytes, from - start)));
        }
        await Promise.all(reads);
      }
      return out;
    },
    close,
  };
}
