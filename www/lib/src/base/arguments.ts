import { hostError } from "../model/errors.js";

/** Looks at arguments that the types would refuse, since not every caller has types: a wrong one must not do a wrong thing. */

/** A value as it is named in a message. */
const shown = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value));

/** A text, such as a filter. */
export function text(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw hostError("usage.argument", `${what} must be a text, not ${shown(value)}`);
}

/** A whole number from `least` to `most`. */
export function whole(value: unknown, what: string, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw hostError("usage.argument", `${what} must be a whole number from ${least} to ${most}, not ${shown(value)}`);
}

/** A list. */
export function list<T>(values: ArrayLike<T> | Iterable<T>, what: string): T[] {
  if (typeof values === "object" && values !== null && (Symbol.iterator in values || "length" in values))
    return Array.from(values);
  throw hostError("usage.argument", `${what} must be a list, not ${shown(values)}`);
}

/** An object of options. */
export function options<T extends object>(value: T, what: string): T {
  if (typeof value === "object" && value !== null) return value;
  throw hostError("usage.argument", `${what} must be an object, not ${shown(value)}`);
}

/** Numbers of samples or rows, all below `length`: an array of 32 bits would make some number of anything. */
export function numbers(
  values: ArrayLike<number> | Iterable<number>,
  length: number,
  things: "samples" | "rows",
  file: string | undefined,
): Uint32Array {
  const found = list(values, "indexes");
  for (const i of found) inRange(i, length, things, file);
  return Uint32Array.from(found);
}

/** Checks the number of a sample or a row against how many there are; of a text that is read now, nobody knows. */
export function inRange(i: number, length: number, things: "samples" | "rows", file: string | undefined): void {
  if (Number.isInteger(i) && i >= 0 && i < Math.min(length, 2 ** 32)) return;
  const place = typeof i !== "number" ? {} : things === "rows" ? { row: i } : { sample: i };
  const known = length === Infinity ? `${things} are counted from 0` : `there are ${length} ${things}`;
  throw hostError("usage.out_of_range", `${known}, so none has the number ${shown(i)}`, { file, ...place });
}
