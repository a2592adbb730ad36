/** The fields of a sample's metadata, as the filter language names them. */
import type { Json } from "../../../lib/src/model/index.ts";
export { valueAt } from "../../../lib/src/base/metadata-path.ts";

/** Fields that are offered. */
const MOST = 60;

/** The paths to every value that is neither a list nor an object, down to three levels. */
export function fieldsOf(record: Json): { name: string; type: string }[] {
  const found: { name: string; type: string }[] = [];
  const walk = (value: Json, path: string, depth: number): void => {
    if (found.length >= MOST) return;
    if (value !== null && typeof value === "object") {
      if (Array.isArray(value) || depth === 3) {
        if (path) found.push({ name: path, type: Array.isArray(value) ? "list" : "object" });
        return;
      }
      for (const [key, inner] of Object.entries(value)) {
        const plain = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(key);
        const step = plain ? key : `\`${key.replaceAll("`", "``")}\``;
        walk(inner, path ? `${path}.${step}` : step, depth + 1);
      }
      return;
    }
    if (path) found.push({ name: path, type: value === null ? "null" : typeof value });
  };
  walk(record, "", 0);
  return found;
}

/** Words of the filter language that are not fields. */
const WORDS = new Set(["in", "true", "false", "null", "not", "and", "or"]);

/** The fields that an expression names, of which none is known: perhaps misspelt. */
export function unknownFields(expression: string, known: readonly string[]): string[] {
  if (known.length === 0) return [];
  const bare = expression
    .replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, " ")
    // What is said of boxes is no field of the sample.
    .replace(/\b(?:any|count)\s*\(\s*box\b|\bbox\.[\p{L}\p{N}_.]+/gu, " ");
  const names =
    bare.match(
      /(?<![\p{L}\p{N}_.])(?:[\p{L}_][\p{L}\p{N}_]*|`(?:[^`]|``)*`)(?:\.(?:[\p{L}_][\p{L}\p{N}_]*|`(?:[^`]|``)*`))*/gu,
    ) ?? [];
  const within = (name: string): boolean =>
    known.some((k) => k === name || k.startsWith(`${name}.`) || name.startsWith(`${k}.`));
  return [...new Set(names)].filter((name) => !WORDS.has(name) && !within(name));
}

/** A path at the end, and what stands before it. */
const LAST_PATH =
  /^([\s\S]*?)((?:[\p{L}_][\p{L}\p{N}_]*|`(?:[^`]|``)*`)(?:\.(?:[\p{L}_][\p{L}\p{N}_]*|`(?:[^`]|``)*`))*\.?)\s*$/u;

/**
 * Whether somebody is likely in the middle of a word: the filter so far may make sense, and mean something else. `j` on
 * the way to `json.label` is a field that nobody has, which matches nothing and is looked for in all metadata.
 */
export function isUnfinished(expression: string, known: readonly string[]): boolean {
  if (expression.trim() === "") return false;
  // The last text may still be open.
  const bare = expression.replace(/"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)/g, '""');
  const [, before, last] = LAST_PATH.exec(bare) ?? [];
  if (last !== undefined && !["true", "false", "null"].includes(last)) {
    // A field that is compared with another one; anything else is still to be compared.
    const compared = /(?:[=!<>]=?|~|\bin)\s*$/.test(before!);
    if (!compared || !known.includes(last)) return true;
  }
  return unknownFields(bare, known).length > 0;
}
