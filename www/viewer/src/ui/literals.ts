/** Values as the filter language writes them. A comparison with another kind than the field's own never holds, and is refused. */

/** The kinds of values that can be the class of a sample. */
export type ValueKind = "string" | "number" | "boolean";

/** A string as the filter language writes it. */
export const quote = (text: string): string =>
  `"${text.replace(/[\\"\n\r\t]/g, (c) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c] ?? `\\${c}`)}"`;

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const isBoolean = (text: string): boolean => text === "true" || text === "false";

/** The kind of a value, if it is one of those. */
export function kindOf(value: unknown): ValueKind | null {
  const kind = typeof value;
  return kind === "string" || kind === "number" || kind === "boolean" ? kind : null;
}
/** Whether a label can only be a text. */
export const looksPlain = (label: string): boolean => !NUMBER.test(label) && !isBoolean(label);

/** A number as a literal: whole ones have 64 bits at most. */
function numeral(text: string): string {
  if (!/^-?\d{18,}$/.test(text)) return text;
  const value = BigInt(text);
  return value >= -(2n ** 63n) && value < 2n ** 64n ? text : `${text}.0`;
}

/** The literals that a label can stand for in a field of these kinds. */
export function literalsOf(label: string, kinds: ReadonlySet<ValueKind>): string[] {
  const found = [
    ...(kinds.has("number") && NUMBER.test(label) ? [numeral(label)] : []),
    ...(kinds.has("boolean") && isBoolean(label) ? [label] : []),
    ...(kinds.has("string") ? [quote(label)] : []),
  ];
  return found.length > 0 ? found : [quote(label)];
}

/** The filter for the samples whose field has this label. */
export function hasLabel(field: string, label: string, kinds: ReadonlySet<ValueKind>): string {
  const comparisons = literalsOf(label, kinds).map((literal) => `${field} == ${literal}`);
  return comparisons.length > 1 ? `(${comparisons.join(" || ")})` : comparisons[0]!;
}
