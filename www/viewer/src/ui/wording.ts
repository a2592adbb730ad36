/** Numbers, times and errors in words, as the language writes them. */
import { errorText, number, spoken } from "../messages/language.ts";
import { visible } from "./visible.ts";
import { msg } from "../messages/ui.ts";

/** Digits in groups, of three in English. */
export const count = number;

const formats = new Map<string, Intl.NumberFormat>();
/** A number as the language writes it in this way; making a format costs more than using it. */
function written(n: number, options: Intl.NumberFormatOptions): string {
  const key = `${spoken()} ${Object.values(options).join()}`;
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.NumberFormat(spoken(), options)));
  return format.format(n);
}

const UNITS = ["kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"] as const;
/** Bytes with a unit, in powers of ten: in English the words of the command. */
export function bytes(n: number, digits = 1): string {
  if (n < 1000) return msg("bytes", { n });
  let value = n / 1000;
  let unit = 0;
  while (value >= 999.95 && unit + 1 < UNITS.length) {
    value /= 1000;
    unit += 1;
  }
  return written(value, {
    style: "unit",
    unit: UNITS[unit]!,
    useGrouping: false,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** A share of one; in English with a space, as the command writes it. */
export const percent = (part: number, digits = 0): string =>
  `${written(100 * (digits > 0 ? part : Math.floor(100 * part) / 100), { useGrouping: false, maximumFractionDigits: digits })} %`;

/** A rounded number without needless zeros. */
export function short(n: number): string {
  const size = Math.abs(n);
  if (size >= 1e12 || (size > 0 && size < 0.01)) return String(+n.toPrecision(3));
  if (size < 1e4) return written(n, { useGrouping: false, maximumFractionDigits: 2 });
  const text = written(n, { notation: "compact", maximumFractionDigits: 1 });
  return spoken().startsWith("en") ? text.replace("K", "k") : text;
}

/** The day and the moment at some milliseconds since 1970. */
export const day = (ms: number): string => new Date(ms).toLocaleDateString(spoken());
export const moment = (ms: number): string =>
  new Date(ms).toLocaleString(spoken(), { dateStyle: "medium", timeStyle: "short" });

/** `1 sample`, `2 samples`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

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
  const told = visible((code && errorText(code)) ?? (code ? text.replace(` [${code}]`, "") : text));
  const number = (what: "sample" | "row"): string | false =>
    typeof it?.[what] === "number" &&
    !told.includes(`${what} `) &&
    (what === "row" ? msg("row", { value: it.row as number }) : msg("sample", { value: it.sample as number }));
  const [member, column] = [it?.member, it?.column].map((name) => (typeof name === "string" ? visible(name) : ""));
  const place = [
    member && !told.includes(member) && member,
    number("sample"),
    column && !told.includes(`"${column}"`) && msg("column", { column }),
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
