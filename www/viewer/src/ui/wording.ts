/** Numbers and errors in words. */
import { visible } from "./visible.ts";

const groups = new Intl.NumberFormat("en-US");

/** Digits in groups of three. */
export const count = (n: number): string => groups.format(n);

/** Bytes with a unit, in powers of ten: the words of the command. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  let value = n / 1000;
  let unit = 0;
  const units = ["kB", "MB", "GB", "TB", "PB"];
  while (value >= 999.95 && unit + 1 < units.length) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** `1 sample`, `2 samples`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** A rounded number without needless zeros. */
export function short(n: number): string {
  const size = Math.abs(n);
  if (size >= 1e12 || (size > 0 && size < 0.01)) return String(+n.toPrecision(3));
  return size >= 1e6 ? `${+(n / 1e6).toFixed(1)}M` : size >= 1e4 ? `${+(n / 1e3).toFixed(1)}k` : String(+n.toFixed(2));
}

/** A file's name without folders and extension. */
export const stem = (name: string | undefined, otherwise: string): string =>
  (name ?? otherwise)
    .split("/")
    .pop()!
    .replace(/\.[^.]*$/, "") || otherwise;

/** What went wrong, for a person: the code apart, so that it can be looked up. */
export interface Trouble {
  readonly message: string;
  readonly code: string | undefined;
  readonly offset: number | undefined;
}

/** Anything thrown, as trouble. */
export function trouble(e: unknown): Trouble {
  const it = e as Partial<
    Record<"message" | "code" | "offset" | "member" | "sample" | "column" | "row", unknown>
  > | null;
  const code = typeof it?.code === "string" ? it.code : undefined;
  const text = typeof it?.message === "string" ? it.message : String(e);
  const told = visible(code ? text.replace(` [${code}]`, "") : text);
  const number = (what: "sample" | "row"): string | false =>
    typeof it?.[what] === "number" && !told.includes(`${what} `) && `${what} ${count(it[what] as number)}`;
  const [member, column] = [it?.member, it?.column].map((name) => (typeof name === "string" ? visible(name) : ""));
  const place = [
    member && !told.includes(member) && member,
    number("sample"),
    column && !told.includes(`"${column}"`) && `column "${column}"`,
    number("row"),
  ]
    .filter(Boolean)
    .join(", ");
  const plain = place ? `${place}: ${told}` : told;
  return {
    message: member && plain.startsWith(member) ? plain : plain.slice(0, 1).toUpperCase() + plain.slice(1),
    code,
    offset: typeof it?.offset === "number" ? it.offset : undefined,
  };
}

/** True for the end that a caller asked for, by a signal or by closing the file. */
export const isAbort = (e: unknown): boolean => {
  const it = e as { name?: unknown; code?: unknown } | null;
  return it?.name === "AbortError" || it?.code === "dataset.closed";
};
