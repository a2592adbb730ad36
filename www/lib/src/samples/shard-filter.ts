/** Filters over several files: each counts its own samples from 0 and calls them as it does; `index` and `name` mean those among all. */
import { hostError } from "../model/errors.js";

/** Texts, and names between backticks, in which a word is not a field. */
const QUOTED = /"(?:\\.|[^"\\])*"|`(?:[^`]|``)*`/g;
const COMPARED = /(?<![\w.`])index (==|!=|<=|>=|<|>) (-?\d+)\b(?!\.)/g;
const LISTED = /(?<![\w.`])index in \[([^\]]*)\]/g;

/** Texts that names are compared with, by the numbers under which they were put away. */
const NAMED = /(?<![\w.`])name (?:==|!=|<=|>=|<|>|~) \u0000\d+\u0000|(?<![\w.`])name in \[[^\]]*\]/g;

/**
 * A filter in its canonical form, for the file whose first sample has this number, and before whose names that stands: what names it
 * too is about this file's own names.
 */
export function shifted(canonical: string, start: number, prefix: string, file: string | undefined): string {
  const quoted: string[] = [];
  const put = (text: string) => `\u0000${quoted.push(text) - 1}\u0000`;
  const bare = canonical.replace(QUOTED, put);
  const begins = JSON.stringify(prefix).slice(0, -1);
  for (const [comparison] of prefix === "" ? [] : bare.matchAll(NAMED))
    for (const [, k] of comparison.matchAll(/\u0000(\d+)\u0000/g)) {
      const text = quoted[Number(k)]!;
      if (text.startsWith(begins)) quoted[Number(k)] = `"${text.slice(begins.length)}`;
    }
  const moved = (n: string) => String(Number(n) - start);
  const found = bare
    .replace(COMPARED, (_, how: string, n: string) => put(`index ${how} ${moved(n)}`))
    .replace(LISTED, (_, list: string) =>
      put(
        `index in [${list
          .split(",")
          .map((n) => moved(n.trim()))
          .join(", ")}]`,
      ),
    );
  if (/(?<![\w.`])index(?![\w.])/.test(found))
    throw hostError(
      "usage.argument",
      "over several files, index is compared with numbers alone: index < 20, index in [3, 5]",
      {
        file,
      },
    );
  let text = found;
  // What was put away may hold what was put away before.
  while (text.includes("\u0000")) text = text.replace(/\u0000(\d+)\u0000/g, (_, k: string) => quoted[Number(k)]!);
  return text;
}
