/** What somebody can do about a file that could not be written, by what the browser says of it. */
import type { Way } from "../files/targets.ts";
import { msg } from "../messages/dialogs.ts";

/** What browsers call it where there is no room, */
const FULL = /quota|no room|no space/i;
/** no permission any more, */
const REFUSED = /not allowed|permission/i;
/** and no such file any more: somebody removed it, or the browser took its own store back. */
const GONE = /could not be found|not found|no longer|state had changed|cached in an interface object/i;
/** What the package says of a source. */
const READ = /cannot be read/i;

/** A sentence, or nothing. `folders`: the browser lets a page write into folders. */
export function writeHelp(error: unknown, way: Way, folders: boolean): string {
  const said = sayings(error);
  // What was read is another file, and its error says what to do.
  if (READ.test(said[0]?.message ?? "")) return "";
  const says = (name: string, text: RegExp): boolean => said.some((one) => one.name === name || text.test(one.message));
  if (says("QuotaExceededError", FULL)) {
    if (way === "folder") return msg("diskFullMakeRoomChoose");
    return folders ? msg("whatDownloadedMadeBrowsersOwn") : msg("whatDownloadedMadeBrowsersOwnStore");
  }
  if (way === "folder" && says("NotAllowedError", REFUSED)) return msg("browserNoLongerLetsPage");
  if (says("NotFoundError", GONE))
    return way === "folder" ? msg("fileFolderWasMovedRemoved") : msg("browserTookBackWhatPage");
  return "";
}

/** The error and those behind it. */
function sayings(error: unknown): { name: string; message: string }[] {
  const all: { name: string; message: string }[] = [];
  for (let at = error as (Partial<Error> & { cause?: unknown }) | null | undefined; at && all.length < 8; ) {
    all.push({ name: String(at.name ?? ""), message: String(at.message ?? "") });
    at = at.cause as typeof at;
  }
  return all;
}
