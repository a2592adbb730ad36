/** How far to read while a TAR's headers are looked for, which stand before each member. */
import { STREAMED } from "./ranges.js";

/** Bytes read at once, unless the members are larger. */
const SCAN = 1 << 20;
/** Where members are larger than this, only their headers are read. */
const SPARSE = 4 << 20;

/**
 * Bytes to read at once from a source, which may be a local file: there a read costs about as much time as a megabyte.
 */
export function scanBytes(atHand: boolean): number {
  return atHand ? STREAMED : SCAN;
}

/** A scan goes from header to header: reading on, at least this many bytes, saves a request for each of them. */
export function widened(
  need: ArrayLike<number>,
  { done, position }: { done: number; position: number },
  bytes: number,
  byteLength: number,
): ArrayLike<number> {
  if (done === 0 || need.length !== 2) return need;
  const [start, end] = [need[0]!, need[1]!];
  return position / done > SPARSE ? need : [start, Math.min(Math.max(end, start + bytes), byteLength)];
}
