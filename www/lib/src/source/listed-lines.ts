/** The lines of a list of pictures: JSON lines, each of which names a picture and says what else is known of it. */
import { FIELDS, pictureField, pictureIn } from "../base/picture-field.js";
import { ForebayError } from "../model/errors.js";
import { readExactly } from "./ranges.js";
import type { Json, Source } from "../model/index.js";

/** Bytes read at once. */
const CHUNK = 4 << 20;
/** The longest line. */
const LONGEST = 16 << 20;
/** Lines of a list. */
export const MOST_LINES = 200_000;
/** Bytes of a list, if nobody says otherwise. */
const METADATA = 128 << 20;

/** A line that is not blank. */
export interface ListedLine {
  /** Its number, from 1 on. */
  readonly line: number;
  /** What it says, as it stands there. */
  readonly text: Uint8Array;
  /** The picture that it names, or why it names none. */
  readonly named: string | ForebayError;
}

/** Reads all lines. The first one says which field names the pictures, unless the caller does. */
export async function listedLines(
  source: Source,
  field: string | undefined,
  limit = METADATA,
  signal?: AbortSignal,
): Promise<ListedLine[]> {
  const file = source.name;
  const fail = (code: string, kind: "damaged" | "limit" | "unsupported" | "usage", message: string, line?: number) =>
    new ForebayError(code, kind, message, { file, line });
  if (source.byteLength > limit)
    throw fail("limit.metadata", "limit", `the list has ${source.byteLength} bytes, and the limit is ${limit}`);
  const lines: ListedLine[] = [];
  let [line, found] = [0, field];
  const take = (bytes: Uint8Array): void => {
    line++;
    const text = trimmed(bytes);
    if (text.byteLength === 0) return;
    if (lines.length >= MOST_LINES)
      throw fail("limit.metadata", "limit", `the list has more than ${MOST_LINES} lines`, line);
    let record: Json;
    try {
      record = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text)) as Json;
      if (record === null || typeof record !== "object" || Array.isArray(record)) throw new Error("not an object");
    } catch (e) {
      const named = fail("table.row", "damaged", `line ${line} is not a JSON object: ${(e as Error).message}`, line);
      // What does not begin as a list is none.
      if (lines.length === 0) throw named;
      lines.push({ line, text, named });
      return;
    }
    found ??= pictureField(record);
    if (found === undefined) {
      const message = `line ${line} names no image in ${FIELDS.join(", ")}; \`column\` names another field`;
      throw fail("format.not_samples", "unsupported", message, line);
    }
    const none = () => fail("manifest.address", "damaged", `line ${line} names no image in ${found}`, line);
    lines.push({ line, text, named: pictureIn(record, found) ?? none() });
  };
  let rest = new Uint8Array();
  for (let start = 0; start < source.byteLength; start += CHUNK) {
    const chunk = await readExactly(source, start, Math.min(start + CHUNK, source.byteLength), signal);
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const part = chunk.subarray(from, end);
      take(rest.byteLength > 0 ? joined(rest, part) : part.slice());
      rest = new Uint8Array();
      from = end + 1;
    }
    rest = joined(rest, chunk.subarray(from));
    if (rest.byteLength > LONGEST)
      throw fail("limit.metadata", "limit", `line ${line + 1} is longer than ${LONGEST} bytes`, line + 1);
  }
  take(rest);
  if (lines.length === 0) throw fail("format.not_samples", "unsupported", "the list has no line");
  if (field !== undefined && !lines.some(({ named }) => typeof named === "string"))
    throw new ForebayError("table.column", "usage", `no line names an image in ${JSON.stringify(field)}`, { file });
  return lines;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.byteLength + b.byteLength);
  both.set(a);
  both.set(b, a.byteLength);
  return both;
}

/** Without spaces around, and without the mark that some programs put before a text. */
function trimmed(bytes: Uint8Array): Uint8Array {
  let [start, end] = [bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0, bytes.byteLength];
  while (start < end && bytes[start]! <= 32) start++;
  while (end > start && bytes[end - 1]! <= 32) end--;
  return bytes.subarray(start, end);
}
