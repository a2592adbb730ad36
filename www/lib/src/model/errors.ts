import type { ErrorKind, ForebayErrorLike } from "./names.js";
import type { CheckReport, Fault } from "./reports.js";

/**
 * What goes wrong. `code` is stable and the same as on the command line and in docs/errors.md; what can only
 * happen here is in {@link hostCodes}. An aborted call rejects with the signal's reason instead.
 */
export class ForebayError extends Error implements ForebayErrorLike {
  /** Always "ForebayError". */
  override readonly name = "ForebayError";
  readonly code: string;
  readonly kind: ErrorKind;
  readonly file: string | undefined;
  readonly section: string | undefined;
  readonly member: string | undefined;
  readonly sample: number | undefined;
  readonly column: string | undefined;
  readonly row: number | undefined;
  readonly block: number | undefined;
  readonly offset: number | undefined;
  readonly line: number | undefined;
  readonly character: number | undefined;
  readonly path: string | undefined;
  readonly options: readonly string[] | undefined;

  constructor(code: string, kind: ErrorKind, message: string, place: Partial<ForebayErrorLike> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.kind = kind;
    this.file = place.file ?? undefined;
    this.section = place.section ?? undefined;
    this.member = place.member ?? undefined;
    this.sample = place.sample ?? undefined;
    this.column = place.column ?? undefined;
    this.row = place.row ?? undefined;
    this.block = place.block ?? undefined;
    this.offset = place.offset ?? undefined;
    this.line = place.line ?? undefined;
    this.character = place.character ?? undefined;
    this.path = place.path ?? undefined;
    // The command's names, as this package writes them.
    const named = place.options?.map((name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
    this.options = named?.length ? named : undefined;
  }
}

/** A code of this package alone. */
export type HostCode =
  | `http.${"status" | "range" | "length" | "changed" | "truncated" | "stalled" | "encoding" | "network" | "page"}`
  | "worker.trapped"
  | "runtime.load"
  | "serving.unavailable"
  | "dataset.closed"
  | "format.not_table"
  | "manifest.address";

/** The codes of this package alone, with their meaning: HTTP, workers, and the life of a dataset. */
export const hostCodes: Readonly<Record<HostCode, string>> = {
  "http.status": "The server answered with a status other than success.",
  "http.range":
    "The server ignores ranges, and the file is too large to be kept whole; or it sends other bytes than were asked for.",
  "http.length": "The server does not say how long the file is.",
  "http.changed": "The file changed on the server while it was read.",
  "http.truncated": "The server sent fewer or more bytes than were asked for, again and again.",
  "http.stalled": "The server stopped sending.",
  "http.encoding": "The server compresses ranges, so their bytes are not those of the file.",
  "http.network": "The server cannot be reached, or does not allow this page to read from it.",
  "http.page": "The server sent a web page instead of the file, such as a form to sign in.",
  "worker.trapped": "The WebAssembly module failed; this is a bug of Forebay. It was replaced.",
  "runtime.load": "The WebAssembly file or the worker's script could not be loaded.",
  "serving.unavailable": "There is no service worker that could give samples addresses; the message says why.",
  "dataset.closed": "The dataset was closed.",
  "format.not_table": "The file holds samples; a table was asked for.",
  "manifest.address":
    "A line of a list names no image, or one that is not fetched: with another scheme than http: and https:, or from outside the files next to the list.",
};

/** An error with a code of {@link hostCodes}, or one that every host has. */
export function hostError(
  code: HostCode | "io" | "usage.argument" | "usage.out_of_range",
  message: string,
  place: Partial<ForebayErrorLike> = {},
  cause?: unknown,
): ForebayError {
  const kind: ErrorKind =
    code.startsWith("usage") || code === "dataset.closed"
      ? "usage"
      : code === "format.not_table" || code === "serving.unavailable"
        ? "unsupported"
        : "io";
  return new ForebayError(code, kind, message, place, cause);
}

/** What the module threw, as an error; `file` names the input. */
export function fromThrown(thrown: unknown, file?: string): unknown {
  if (typeof thrown !== "string" || !thrown.startsWith("{")) return thrown;
  const parsed = JSON.parse(thrown) as ForebayErrorLike & { cause?: string };
  const cause = parsed.cause === undefined ? undefined : new Error(parsed.cause);
  return new ForebayError(parsed.code, parsed.kind, parsed.message, { ...parsed, file: parsed.file ?? file }, cause);
}

/** The report about a file that could not be opened, as the command makes it. */
export function unopened(e: ForebayError): CheckReport {
  const fault: Fault = {
    code: e.code,
    kind: e.kind,
    section: e.section ?? null,
    sample: e.sample ?? null,
    offset: e.offset ?? null,
    message: e.message,
  };
  for (const place of ["member", "column", "row", "block"] as const) {
    if (e[place] !== undefined) Object.assign(fault, { [place]: e[place] });
  }
  return { ok: false, samples: 0, faultCount: 1, faults: [fault], notes: [] };
}
