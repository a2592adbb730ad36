/** What browsers say of a file that cannot be written, as errors of ours that say what can be done. */
import { ForebayError, hostError } from "../model/errors.js";

/** By the names that browsers have for it. */
const HELP: Readonly<Record<string, string>> = {
  NotAllowedError: "this page may not write there any more: allow it, or choose the place again",
  NotFoundError: "the file, or the folder that it is in, was moved or removed",
  NoModificationAllowedError: "another tab, or another part of this page, has the file open",
  QuotaExceededError: "there is no room: make some, or choose another place",
};

/** `what` begins the message. A work that was given up stays what it is. */
export function unwritten(what: string, e: unknown): unknown {
  const { name, message } = e as Error;
  if (e instanceof ForebayError || name === "AbortError") return e;
  const help = HELP[name];
  return hostError("io", `${what}: ${message}${help ? ` (${help})` : ""}`, {}, e);
}
