import { anySignal, onAbort, pause } from "../base/abort.js";
import * as argument from "../base/arguments.js";
import { ForebayError, hostError } from "../model/errors.js";
import { NAMES, known } from "../base/option-names.js";
import type { Placed } from "./beside.js";
import type { HttpOptions, Source, Telemetry } from "../model/index.js";

/** Bytes of the first request: they bring the length, the header, and small files whole. */
const FIRST = 64 << 10;
const RETRY_AFTER = 200;
/** Milliseconds without a byte after which a request is given up. */
const PATIENCE = 30_000;
/** Ranges that are asked for at once and lie so near to one another become one request, */
const NEAR = 4 << 10;
/** as long as it brings no more than this. */
const JOINED = 1 << 20;
/** Milliseconds that a timer can take. */
const LONGEST = 2 ** 31 - 1;
/** Microtasks that are waited for others to ask. */
const HOPS = 16;

/** A range that somebody waits for. */
interface PendingRead {
  start: number;
  end: number;
  signal: AbortSignal | undefined;
  resolve(bytes: Uint8Array): void;
  reject(e: unknown): void;
  /** Tells the request that this one is no longer waited for. */
  leave?(): void;
}

interface Answer {
  status: number;
  bytes: Uint8Array;
  /** Of `Content-Range`, if the server shows it. */
  start: number | null;
  total: number | null;
  tag: string | null;
}

/**
 * A file behind HTTP ranges. The length comes from `Content-Range`, else from a HEAD request, else from
 * `options.byteLength`. Only ranges with a start and an end are asked for: others cost a preflight.
 */
export async function httpSource(
  url: URL,
  options: HttpOptions & { signal?: AbortSignal } = {},
  name?: string,
  first = FIRST,
): Promise<Source> {
  const http = new Http(url, name ?? nameIn(url), settled(url, options), first);
  await http.connect(options.signal);
  return http;
}

/** The options as `fetch` takes them; what would be taken for something else is refused. */
function settled(url: URL, options: HttpOptions): HttpOptions {
  const { headers, fetch, byteLength, retries, stallTimeout, maxWholeBytes } = argument.options(
    options,
    "how to fetch",
  );
  known(options, NAMES.http, "http");
  if (url.username !== "" || url.password !== "") {
    throw hostError(
      "usage.argument",
      "an address with a name and a password in it cannot be fetched: send them as http.headers, { Authorization: … }",
    );
  }
  for (const [what, value] of Object.entries({ byteLength, retries, maxWholeBytes }))
    if (value !== undefined) argument.whole(value, `http.${what}`);
  if (stallTimeout !== undefined && stallTimeout !== Infinity) argument.whole(stallTimeout, "http.stallTimeout", 1);
  if (fetch !== undefined && typeof fetch !== "function")
    throw hostError("usage.argument", "http.fetch must be a function");
  if (headers === undefined) return options;
  try {
    // Also of a `Headers` or a list of pairs, as `fetch` has it.
    return { ...options, headers: Object.fromEntries(new Headers(headers as HeadersInit)) };
  } catch (e) {
    throw hostError("usage.argument", `http.headers cannot be sent: ${(e as Error).message}`, {}, e);
  }
}

/** Whether it is a page for people: no format of data begins as one does. */
function isPage(response: Response, bytes: Uint8Array): boolean {
  if (!/^(text\/html|application\/xhtml)/i.test(response.headers.get("content-type") ?? "")) return false;
  return /^\s*<(!doctype|html|head|body|\?xml)/i.test(new TextDecoder().decode(bytes.subarray(0, 512)));
}

/** Whether the bytes that come are not those of the file; some servers say by a word that they are. */
const isPacked = (response: Response): boolean =>
  !/^\s*(identity|none)?\s*$/i.test(response.headers.get("content-encoding") ?? "");

/** The last part of the path; some are not text once they are decoded. */
function nameIn(url: URL): string {
  const last = url.pathname.split("/").filter(Boolean).at(-1) ?? url.host;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

class Http implements Placed {
  byteLength = 0;
  identity?: string;
  readonly telemetry: { -readonly [K in keyof Telemetry]: Telemetry[K] } = { requests: 0, bytesRead: 0, byteLength: 0 };
  /** The first bytes of the file, or all of them. */
  #head: Uint8Array = new Uint8Array(0);
  #pending: PendingRead[] = [];
  #tag: string | null = null;

  constructor(
    readonly url: URL,
    readonly name: string,
    readonly options: HttpOptions,
    readonly first: number,
  ) {}

  async beside(suffix: string, first: number, signal?: AbortSignal): Promise<Source | null> {
    const url = new URL(this.url);
    url.pathname += suffix;
    const { byteLength: _, ...options } = this.options;
    return httpSource(url, { ...options, ...(signal && { signal }) }, undefined, first).catch((e: unknown) => {
      // Servers say in many ways that there is nothing; some show a page.
      if (e instanceof ForebayError && (e.code === "http.status" || e.code === "http.page")) return null;
      throw e;
    });
  }

  async connect(signal?: AbortSignal): Promise<void> {
    const first = await this.#retrying(() => this.#get(0, this.first, signal, true), signal);
    this.#tag = first.tag;
    this.#head = first.bytes;
    if (first.status === 200) {
      this.byteLength = first.bytes.byteLength;
    } else {
      const shorter = first.bytes.byteLength < this.first ? first.bytes.byteLength : null;
      const length = first.total ?? (await this.#headLength(signal)) ?? this.options.byteLength ?? shorter;
      if (length === null) {
        const message =
          "the server hides the file's length: Content-Range is not in Access-Control-Expose-Headers and HEAD gives no Content-Length; pass byteLength";
        throw hostError("http.length", message, { file: this.name });
      }
      if (first.start !== 0) throw this.#elsewhere(0, first.start);
      if (first.bytes.byteLength !== Math.min(this.first, length)) {
        throw hostError("http.truncated", `the server sent ${first.bytes.byteLength} bytes of a file of ${length}`, {
          file: this.name,
        });
      }
      this.byteLength = length;
    }
    if (!Number.isSafeInteger(this.byteLength))
      throw hostError("http.length", "the file is longer than 2^53 bytes", { file: this.name });
    this.telemetry.byteLength = this.byteLength;
    if (this.#tag !== null) this.identity = `url:${this.url.href}:${this.byteLength}:${this.#tag}`;
  }

  async read(start: number, end: number, options: { signal?: AbortSignal } = {}): Promise<Uint8Array> {
    options.signal?.throwIfAborted();
    const head = this.#head;
    if (end <= head.byteLength) return head.slice(start, end);
    const { signal } = options;
    if (start < head.byteLength) {
      // What came with the first request is not asked for again.
      const rest = await this.read(head.byteLength, end, options);
      const whole = new Uint8Array(end - start);
      whole.set(head.subarray(start));
      whole.set(rest, head.byteLength - start);
      return whole;
    }
    let leave = () => {};
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        const read: PendingRead = { start, end, signal, resolve, reject };
        const stop = () => {
          reject(signal!.reason);
          read.leave?.();
        };
        if (signal) leave = onAbort(signal, stop);
        if (this.#pending.push(read) === 1) void this.#sendPending();
      });
    } finally {
      leave();
    }
  }

  /** Makes requests of the pending reads: one for those that lie side by side. */
  async #sendPending(): Promise<void> {
    // What is asked for in the same turn, such as the pictures in sight, comes within a few microtasks. A timer would
    // be slowed down in a tab that is out of sight.
    for (let hop = 0; hop < HOPS; hop++) await undefined;
    const pending = this.#pending.filter((w) => !w.signal?.aborted).sort((a, b) => a.start - b.start);
    this.#pending = [];
    let group: PendingRead[] = [];
    let [start, end] = [0, 0];
    for (const read of pending) {
      if (group.length > 0 && (read.start > end + NEAR || Math.max(end, read.end) - start > JOINED)) {
        void this.#together(group, start, end);
        group = [];
      }
      if (group.length === 0) [start, end] = [read.start, read.end];
      group.push(read);
      end = Math.max(end, read.end);
    }
    if (group.length > 0) void this.#together(group, start, end);
  }

  /** One request for several, which ends when nobody waits for it any more. */
  async #together(group: readonly PendingRead[], start: number, end: number): Promise<void> {
    const left = new AbortController();
    // An abort may have come while the group before was asked for.
    let waiting = group.filter(({ signal }) => !signal?.aborted).length;
    if (waiting === 0) return;
    const leave = () => {
      if (--waiting === 0) left.abort();
    };
    for (const read of group) read.leave = leave;
    try {
      const bytes = await this.#range(start, end, left.signal);
      const alone = group.length === 1;
      for (const read of group) read.resolve(alone ? bytes : bytes.slice(read.start - start, read.end - start));
    } catch (e) {
      for (const read of group) read.reject(e);
    }
  }

  #range(start: number, end: number, signal: AbortSignal): Promise<Uint8Array> {
    return this.#retrying(async () => {
      const answer = await this.#get(start, end, signal, false);
      this.#same(answer);
      if (answer.status === 200) return answer.bytes.slice(start, end);
      if (answer.start !== null && answer.start !== start) throw new Again(this.#elsewhere(start, answer.start));
      if (answer.bytes.byteLength !== end - start) {
        throw new Again(
          hostError(
            "http.truncated",
            `the server sent ${answer.bytes.byteLength} bytes, ${end - start} were asked for`,
            { file: this.name, offset: start },
          ),
        );
      }
      return answer.bytes;
    }, signal);
  }

  #elsewhere(start: number, found: number | null): ForebayError {
    return hostError(
      "http.range",
      `bytes from ${start} on were asked for, and the server sent those from ${found} on`,
      { file: this.name, offset: start },
    );
  }

  /** Refuses a mixture of two versions of the file. */
  #same(answer: Answer): void {
    const other = answer.tag !== null && this.#tag !== null && answer.tag !== this.#tag;
    const length = answer.status === 200 ? answer.bytes.byteLength : answer.total;
    if (other || (length !== null && length !== this.byteLength)) {
      throw hostError("http.changed", "the file changed on the server while it was read; open it again", {
        file: this.name,
      });
    }
  }

  async #headLength(signal?: AbortSignal): Promise<number | null> {
    this.telemetry.requests++;
    const patience = this.options.stallTimeout ?? PATIENCE;
    const both = anySignal(signal, patience <= LONGEST ? AbortSignal.timeout(patience) : undefined);
    try {
      const response = await this.#fetch()(this.url, { ...this.#init(), method: "HEAD", signal: both.signal });
      const length = response.headers.get("content-length");
      return response.ok && length !== null && !isPacked(response) ? Number(length) : null;
    } catch (e) {
      signal?.throwIfAborted();
      void e;
      return null;
    } finally {
      both.release();
    }
  }

  #fetch(): typeof fetch {
    return this.options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  #init(): RequestInit {
    return {
      credentials: this.options.credentials ?? "same-origin",
      ...(this.options.headers ? { headers: this.options.headers } : {}),
    };
  }

  /** One request. `first` accepts a server that ignores ranges. */
  async #get(start: number, end: number, signal: AbortSignal | undefined, first: boolean): Promise<Answer> {
    signal?.throwIfAborted();
    const stalled = new AbortController();
    const both = anySignal(signal, stalled.signal);
    const patience = this.options.stallTimeout ?? PATIENCE;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(timer);
      // A timer of more than this ends at once.
      if (patience <= LONGEST) timer = setTimeout(() => stalled.abort(), patience);
    };
    try {
      alive();
      this.telemetry.requests++;
      const init = this.#init();
      const response = await this.#fetch()(this.url, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), Range: `bytes=${start}-${end - 1}` },
        // A cached answer of another range is of no use, and browsers keep 206 poorly.
        cache: "no-store",
        signal: both.signal,
      });
      const from = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1];
      const total = /\/(\d+)\s*$/.exec(response.headers.get("content-range") ?? "")?.[1];
      if (response.status === 416 && first && (total === "0" || total === undefined)) {
        return { status: 200, bytes: new Uint8Array(0), start: 0, total: 0, tag: null };
      }
      if (!response.ok) {
        const e = hostError("http.status", `the server answered ${response.status} ${response.statusText}`.trim(), {
          file: this.name,
        });
        throw response.status === 429 || response.status >= 500 ? new Again(e) : e;
      }
      if (response.status === 206 && isPacked(response)) {
        throw hostError(
          "http.encoding",
          "the server compresses parts of the file (Content-Encoding), so they cannot be read by range",
          { file: this.name },
        );
      }
      if (response.status === 206 && response.headers.get("content-type")?.startsWith("multipart/")) {
        throw hostError(
          "http.range",
          "the server wraps the bytes of a range into a multipart message, which nobody asked for",
          { file: this.name },
        );
      }
      let bound = end - start;
      if (response.status !== 206) {
        bound = this.options.maxWholeBytes ?? 256 << 20;
        const said = isPacked(response) ? null : response.headers.get("content-length");
        // Where nobody says how long it is, that is seen when it has come.
        const length = said !== null ? Number(said) : first ? 0 : this.byteLength;
        if ((!first && length !== this.byteLength) || length > bound) {
          void response.body?.cancel();
          if (!first && length <= bound)
            throw hostError("http.changed", "the file changed on the server while it was read; open it again", {
              file: this.name,
            });
          throw this.#ignoresRanges(bound);
        }
      }
      let bytes: Uint8Array;
      try {
        bytes = await this.#body(response, bound, alive);
      } catch (e) {
        // What was refused or ended here says so itself; the rest is a connection that broke after the head had come.
        if (e instanceof Again || e instanceof ForebayError || signal?.aborted || stalled.signal.aborted) throw e;
        const message = `the connection broke in the middle of an answer of ${this.url.host}: ${(e as Error).message}`;
        throw new Again(hostError("http.truncated", message, { file: this.name, offset: start }, e));
      }
      if (first && response.status === 200 && isPage(response, bytes)) {
        const message = `the server sent a web page (${response.headers.get("content-type")}) instead of a file, such as one that asks for a password or says that nothing is there`;
        throw hostError("http.page", message, { file: this.name });
      }
      return {
        status: response.status === 206 ? 206 : 200,
        bytes,
        start: from === undefined ? (start === 0 ? 0 : null) : Number(from),
        total: total === undefined ? null : Number(total),
        tag: response.headers.get("etag") ?? response.headers.get("last-modified"),
      };
    } catch (e) {
      if (signal?.aborted) throw signal.reason;
      if (stalled.signal.aborted)
        throw new Again(
          hostError(
            "http.stalled",
            `the server sent nothing for ${patience / 1000} s`,
            { file: this.name, offset: start },
            e,
          ),
        );
      if (e instanceof Again || e instanceof ForebayError) throw e;
      const message = `no answer from ${this.url.host}: ${(e as Error).message}. Either it is out of reach, or it does not allow other sites (CORS)`;
      throw new Again(hostError("http.network", message, { file: this.name, offset: start }, e));
    } finally {
      clearTimeout(timer);
      both.release();
    }
  }

  /** The body, at most this many bytes of it. */
  async #body(response: Response, bound: number, alive: () => void): Promise<Uint8Array> {
    const reader = response.body?.getReader();
    if (!reader) return new Uint8Array(await response.arrayBuffer());
    const parts: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      alive();
      parts.push(value);
      length += value.byteLength;
      this.telemetry.bytesRead += value.byteLength;
      if (length > bound) {
        void reader.cancel();
        if (response.status === 206) break;
        throw this.#ignoresRanges(bound);
      }
    }
    if (parts.length === 1) return parts[0]!;
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.byteLength;
    }
    return whole;
  }

  #ignoresRanges(bound: number): ForebayError {
    const message = `the server ignores the Range header, and the whole file is more than the ${bound} bytes that may be kept (maxWholeBytes)`;
    return hostError("http.range", message, { file: this.name });
  }

  async #retrying<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const retries = this.options.retries ?? 3;
    for (let k = 0; ; k++) {
      try {
        return await attempt();
      } catch (e) {
        if (!(e instanceof Again)) throw e;
        if (k >= retries) throw e.reason;
        await pause(RETRY_AFTER * 2 ** k * (0.75 + Math.random() / 2), signal);
      }
    }
  }
}

/** A failure that another attempt may mend. */
class Again {
  constructor(readonly reason: ForebayError) {}
}
