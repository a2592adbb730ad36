/** What the filter box offers: fields, the operators of a field, and the values that a field is known to have. */
import { literalsOf, quote, type ValueKind } from "./literals.ts";
import { msg } from "../messages/ui.ts";

/** A field that filters know. */
export interface FilterField {
  readonly name: string;
  readonly type: string;
  /** Whether the index answers it, if that is known. */
  readonly indexed?: boolean;
}
/** Something to write in place of the text from `start` to the caret. */
export interface Choice {
  readonly text: string;
  readonly note: string;
}
/** Values by field, the most frequent first, as texts. */
export type Values = ReadonlyMap<string, readonly string[]>;

const SHOWN = 12;
const NUMBERS: ReadonlySet<string> = new Set(["integer", "float", "number"]);
/** Types of fields that say nothing of what a value is. */
const UNSAID: ReadonlySet<string> = new Set(["", "null", "list", "object", "mixed"]);
const PATH = "[\\p{L}_][\\p{L}\\p{N}_.]*(?:`[^`]*`)?";
const operators = (): Record<"number" | "string", readonly (readonly [string, string])[]> => ({
  number: [
    ["==", msg("equal")],
    ["!=", msg("notEqual")],
    [">=", msg("atLeast")],
    ["<=", msg("atMost")],
    [">", msg("more")],
    ["<", msg("less")],
    ["in [", msg("oneOf")],
  ],
  string: [
    ["==", msg("equal")],
    ["!=", msg("notEqual")],
    ["~", msg("likePattern")],
    ["in [", msg("oneOf")],
  ],
});

/** The kinds that a field of this type holds; any of them where nobody knows. */
function kindsOf(type = ""): ReadonlySet<ValueKind> {
  if (UNSAID.has(type)) return new Set(["number", "boolean", "string"]);
  // Dates are written as texts, too.
  return new Set([NUMBERS.has(type) ? "number" : /^bool/.test(type) ? "boolean" : "string"]);
}

/** What fits at the caret: where it would begin, and the choices. */
export function completions(
  text: string,
  caret: number,
  fields: readonly FilterField[],
  values: Values,
): { start: number; choices: Choice[] } {
  const before = text.slice(0, caret);
  const none = { start: caret, choices: [] };
  const valued = new RegExp(`(${PATH})\\s*(?:==|!=)\\s*("?)([^"&|()]*)$`, "u").exec(before);
  if (valued) {
    const [, field, mark, written] = valued as unknown as [string, string, string, string];
    const known = values.get(field) ?? [];
    const kinds = kindsOf(fields.find((f) => f.name === field)?.type);
    // Who began a text has said which of two kinds is meant.
    const literal = (v: string): string => (mark && kinds.has("string") ? quote(v) : literalsOf(v, kinds)[0]!);
    const choices = known
      .filter((v) => v.toLowerCase().startsWith(written.trim().toLowerCase()) && literal(v) !== mark + written.trim())
      .map((v) => ({ text: literal(v), note: msg("value") }));
    return { start: caret - written.length - mark.length, choices: choices.slice(0, SHOWN) };
  }
  // Inside a string nothing else is completed.
  if ((before.replace(/\\./g, "").match(/"/g)?.length ?? 0) % 2 === 1) return none;
  const spaced = new RegExp(`(${PATH})\\s+$`, "u").exec(before);
  const field = spaced && fields.find((f) => f.name === spaced[1]);
  if (field) {
    const isNumber = NUMBERS.has(field.type);
    return {
      start: caret,
      choices: operators()[isNumber ? "number" : "string"].map(([op, note]) => ({ text: op, note })),
    };
  }
  const word = new RegExp(`${PATH}$`, "u").exec(before)?.[0] ?? "";
  if (!word) return none;
  const choices = fields
    .filter((f) => f.name.startsWith(word) && f.name !== word)
    .slice(0, SHOWN)
    .map((f) => ({ text: f.name, note: f.type }));
  return { start: caret - word.length, choices };
}
