/** An output without a file: in parts of Blobs, which the browser may keep on disk. */
import type { Sink } from "../../../lib/src/model/index.ts";

/** A sink, and what was written into it. */
export interface BlobSink extends Sink {
  blob(): Blob;
  /** Frees everything. */
  abort(): Promise<void>;
}

interface Part {
  readonly at: number;
  readonly bytes: Blob;
}

/** Zeros are made of this many at a time. */
const ZEROS = 1 << 20;

const endOf = ({ at, bytes }: Part): number => at + bytes.size;
/** What of a part lies from one position to another. */
const within = ({ at, bytes }: Part, from: number, to: number): Part[] => {
  const [start, end] = [Math.max(at, from), Math.min(at + bytes.size, to)];
  return start < end ? [{ at: start, bytes: bytes.slice(start - at, end - at) }] : [];
};

/** For pages that may write no files: those that came over http from another machine, and private windows. */
export function blobSink(): BlobSink {
  /** In order, none over another. */
  let parts: Part[] = [];
  let length = 0;
  const blob = (): Blob => {
    const whole: Blob[] = [];
    let at = 0;
    const zeros = (to: number): void => {
      for (; at < to; at = Math.min(to, at + ZEROS)) whole.push(new Blob([new Uint8Array(Math.min(ZEROS, to - at))]));
    };
    for (const part of parts) {
      zeros(part.at);
      whole.push(part.bytes);
      at = endOf(part);
    }
    zeros(length);
    return new Blob(whole);
  };
  return {
    blob,
    async write(position, data) {
      const part = { at: position, bytes: new Blob([data as BlobPart]) };
      const end = endOf(part);
      // Nearly always it follows the last.
      if (position >= length) parts.push(part);
      else
        parts = [...parts.flatMap((old) => [...within(old, 0, position), ...within(old, end, Infinity)]), part].sort(
          (a, b) => a.at - b.at,
        );
      length = Math.max(length, end);
    },
    read: async (start, end) => new Uint8Array(await blob().slice(start, end).arrayBuffer()),
    async truncate(to) {
      parts = parts.flatMap((part) => within(part, 0, to));
      length = to;
    },
    async abort() {
      parts = [];
      length = 0;
    },
  };
}
