/**
 * JSON whose integers are more than a number of JavaScript holds: ids of 64 bits, mostly. They are numbers for everybody, rounded,
 * and their digits are kept beside them, so that what was read and is written again is what it was.
 */

/** Where an object keeps the digits of its members. Copies of it keep them too; keys and JSON know nothing of it. */
const DIGITS = Symbol.for("forebay.digits");
/** A text with such an integer, or with one in quotes. */
const LONG = /(?<![.\d])\d{16,}(?![.\deE])/;
/** Texts, and integers of as many digits. */
const TOKEN = /"(?:\\.|[^"\\])*"|-?(?<![.\d])\d{16,}(?![.\deE])/g;
/** What stands for an integer while the rest is read or written: no name that anybody gives. */
const MARK = "\u0000forebay\u0000";
const WRITTEN = new RegExp(`"${JSON.stringify(MARK).slice(1, -1).replaceAll("\\", "\\\\")}(-?\\d+)"`, "g");

type Holder = { [DIGITS]?: { [key: string]: string } };

/** The digits of a member that is rounded; `undefined` where it is as it was written. */
export function digitsOf(holder: object, key: string): string | undefined {
  const digits = (holder as Holder)[DIGITS]?.[key];
  // Whoever put another value in its place means that.
  return digits !== undefined && Number(digits) === (holder as Record<string, unknown>)[key] ? digits : undefined;
}

/** As `JSON.parse`; integers that are rounded keep their digits. */
export function parseExactly(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  let marked = false;
  const told = text.replace(TOKEN, (token) => {
    if (token.startsWith('"') || Number.isSafeInteger(Number(token))) return token;
    marked = true;
    return JSON.stringify({ [MARK]: token });
  });
  if (!marked) return JSON.parse(text);
  return JSON.parse(told, function (this: Holder, key: string, value: unknown): unknown {
    const digits = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[MARK] : undefined;
    if (typeof digits !== "string") return value;
    this[DIGITS] ??= Object.create(null) as { [key: string]: string };
    this[DIGITS][key] = digits;
    return Number(digits);
  });
}

/** As `JSON.stringify`, with the digits that were kept; `replacer` sees every other value first. */
export function stringifyExactly(
  value: unknown,
  replacer: (key: string, value: unknown) => unknown = (_, v) => v,
): string {
  let marked = false;
  const text = JSON.stringify(value, function (this: object, key: string, one: unknown): unknown {
    const digits = typeof one === "number" && !Number.isSafeInteger(one) ? digitsOf(this, key) : undefined;
    if (digits === undefined) return replacer(key, one);
    marked = true;
    return MARK + digits;
  });
  return marked ? text.replace(WRITTEN, "$1") : text;
}
