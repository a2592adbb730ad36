import * as argument from "../base/arguments.js";
import type { SampleRange } from "../model/index.js";

/** Bytes of payloads that are read together: near ones with one request. */
const TOGETHER = 8 << 20;

/** The samples that are wanted: a list, or a range. What is not there is left out. */
export function wantedOf(wanted: ArrayLike<number> | Iterable<number> | SampleRange, length: number): number[] {
  if (typeof wanted === "object" && wanted !== null && "start" in wanted && "end" in wanted) {
    const start = Math.max(0, argument.whole(wanted.start, "the start"));
    const end = Math.min(length, argument.whole(wanted.end, "the end"));
    return Array.from({ length: Math.max(0, end - start) }, (_, k) => start + k);
  }
  const inside = (i: number) => Number.isInteger(i) && i >= 0 && i < length;
  return argument.list(wanted, "indexes").filter(inside);
}

/** What of them fits into a budget, in their order, in groups that are read together. */
export function* groupsOf(
  samples: readonly number[],
  bytes: (i: number) => number,
  budget: number,
): Generator<number[]> {
  let [group, size, left]: [number[], number, number] = [[], 0, budget];
  for (const i of samples) {
    const more = bytes(i);
    // What comes later is not read in the place of what comes first.
    if (more > left) break;
    left -= more;
    if (group.length > 0 && size + more > TOGETHER) {
      yield group;
      [group, size] = [[], 0];
    }
    group.push(i);
    size += more;
  }
  if (group.length > 0) yield group;
}
