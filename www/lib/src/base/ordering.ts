/** The order of values that samples are sorted by: numbers before texts, and what is missing at the end. */

/** A value to sort by; `null` is missing. */
export type Sortable = number | string | null;

/** `b9` comes before `b10`, on every machine. */
const collator = new Intl.Collator("en", { numeric: true });

function compare(a: Sortable, b: Sortable): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return collator.compare(a, b);
  const kind = (value: Sortable) => (value === null ? 2 : typeof value === "string" ? 1 : 0);
  return kind(a) - kind(b);
}

/** Sorts numbers of samples by their values, in place: what is missing comes last, whichever way one sorts; equal ones as in the file. */
export function inOrder(samples: Uint32Array, value: (i: number) => Sortable, descending: boolean): Uint32Array {
  return samples.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    const order = compare(x, y);
    return (descending && x !== null && y !== null ? -order : order) || a - b;
  });
}
