/** Why a file did not open, in words that lead on. */
import { shownSize, TooLarge } from "../files/open-any.ts";
import { isPacked } from "../files/unpack.ts";
import type { Failure, Way } from "./welcome.ts";
import { visible } from "../ui/visible.ts";
import { bytes, trouble } from "../ui/wording.ts";
import { msg } from "../messages/shell.ts";

/** What a page can do about it. */
export interface Help {
  readonly convertText: () => void;
  readonly chooseSchema: () => void;
  readonly unpack: () => void;
  /** What was opened is a list of pictures. */
  readonly listed: boolean;
  /** Shows the list as the table that it is, too; nothing where there is none to show. */
  readonly rows: (() => void) | null;
}

/** What went wrong with a file, and what may help; `file` is its address in a link. */
export function failureOf(e: unknown, name: string, file: string, help: Help): Failure {
  const told = trouble(e);
  const failure = (message: string, ...ways: Way[]): Failure => ({ name, trouble: { ...told, message }, ways });
  if (e instanceof TooLarge) {
    const message = msg("textHasUpShownTbf", { bytes: bytes(e.text.bytes), value: shownSize() });
    return failure(message, { words: msg("convertIt"), go: help.convertText });
  }
  if (help.listed && told.code !== "format.not_samples" && (e as { line?: number }).line !== undefined) {
    const message = msg("noLineHasPicture", { message: told.message });
    return help.rows ? failure(message, { words: msg("backToRows"), go: help.rows }) : failure(message);
  }
  if (isPacked(told.message)) {
    const message = msg("packedGzipWholeSoNothing");
    return failure(message, { words: msg("unpackOpen"), go: help.unpack });
  }
  if (/\bthis is zstd,/i.test(told.message))
    return failure(msg("browsersDoNotUnpackZstandard", { message: told.message, name: shown(name) }));
  if (told.code === "format.unknown") {
    return failure(msg("samplesReadFromTblTar", { message: told.message }));
  }
  if (told.code === "http.status" && !/^[a-z]+:/i.test(file)) {
    return failure(msg("wasLookedOnServerPage", { message: told.message }));
  }
  if (told.code === "tbf.schema_needed")
    return failure(told.message, { words: msg("chooseSchema"), go: help.chooseSchema });
  return { name, trouble: told };
}

/** A name as a shell takes it; what is not seen of it is shown, and then it is for nobody to be run. */
const shown = (name: string): string =>
  /^\w[\w.-]*$/.test(name) ? name : `'${visible(name).replaceAll("'", "'\\''")}'`;
