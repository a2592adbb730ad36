/** Why a file did not open, in words that lead on. */
import { SHOWN_SIZE, TooLarge } from "../files/open-any.ts";
import { isPacked } from "../files/unpack.ts";
import type { Failure, Way } from "./welcome.ts";
import { visible } from "../ui/visible.ts";
import { bytes, trouble } from "../ui/wording.ts";

/** What a page can do about it. */
export interface Help {
  readonly convertText: () => void;
  readonly chooseSchema: () => void;
  readonly unpack: () => void;
}

/** Names of tables that only the command reads. */
const FOR_THE_COMMAND = /\bthis is (parquet|arrow\w*)\b/i;

/** What went wrong with a file, and what may help; `file` is its address in a link. */
export function failureOf(e: unknown, name: string, file: string, help: Help): Failure {
  const told = trouble(e);
  const failure = (message: string, ...ways: Way[]): Failure => ({ name, trouble: { ...told, message }, ways });
  if (e instanceof TooLarge) {
    const message = `This text has ${bytes(e.text.bytes)}, and up to ${SHOWN_SIZE} are shown. As a TBF it opens at once, whatever its size.`;
    return failure(message, { words: "Convert it…", go: help.convertText });
  }
  if (isPacked(told.message)) {
    const message =
      "This is packed with gzip as a whole, so that nothing in it can be looked at by itself. It can be unpacked into the browser's own store, and opened from there; nothing else sees it.";
    return failure(message, { words: "Unpack and open", go: help.unpack });
  }
  if (/\bthis is zstd,/i.test(told.message))
    return failure(`${told.message}. Browsers do not unpack Zstandard; on the command line: zstd -d ${shown(name)}`);
  const table = FOR_THE_COMMAND.exec(told.message)?.[1];
  if (table)
    return failure(
      `${told.message}. The page does not read ${table}; the command makes something of it that the page reads: forebay convert ${shown(name)} ${shown(name.replace(/\.[^.]*$/, ""))}.tbf`,
    );
  if (told.code === "format.unknown") {
    return failure(
      `${told.message}. Samples are read from TBL, TAR and ZIP, rows from TBF and IDV, and from CSV, TSV and JSON lines where the name ends with .csv, .tsv, .jsonl or .ndjson.`,
    );
  }
  if (told.code === "http.status" && !/^[a-z]+:/i.test(file)) {
    return failure(
      `${told.message}. It was looked for on the server of this page; addresses elsewhere begin with https://.`,
    );
  }
  if (told.code === "tbf.schema_needed")
    return failure(told.message, { words: "Choose its schema…", go: help.chooseSchema });
  return { name, trouble: told };
}

/** A name as a shell takes it; what is not seen of it is shown, and then it is for nobody to be run. */
const shown = (name: string): string =>
  /^\w[\w.-]*$/.test(name) ? name : `'${visible(name).replaceAll("'", "'\\''")}'`;
