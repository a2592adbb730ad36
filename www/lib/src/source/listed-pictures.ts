/** The pictures that a list names: files beside it, or files behind addresses, of which each is fetched when it is asked for. */
import { KIND_BYTES, isMarkup, kindByName, kindOfBytes } from "../base/picture-kind.js";
import { ForebayError, hostError } from "../model/errors.js";
import { readExactly } from "./ranges.js";
import { closedSource } from "./file.js";
import type { Files } from "./folder.js";
import { httpSource } from "./http.js";
import { Counter, sourceOf } from "./sources.js";
import type { HttpOptions, MediaFormat, Source } from "../model/index.js";

/** Bytes of the request that finds out how long a picture is, and what. */
const FIRST = 1 << 10;
/** Pictures up to this length are fetched by one request, and kept for a while. */
const WHOLE = 1 << 20;
/** Bytes that are kept of pictures that were asked for. */
const KEPT = 32 << 20;
/** Bytes of a picture from a server that sends no ranges, if nobody says otherwise. */
const ITEM = 64 << 20;
/** Pictures that a host does not give, one after the other and without one that it gave, until it is not asked any more. */
const PATIENCE = 16;

/** A picture that is there. */
export interface ListedPicture {
  readonly source: Source;
  /** What it is, if its first bytes or its name tell. */
  readonly format: MediaFormat | null;
  /** The place that it has in its folder or on its server. */
  readonly path: string;
}

/** Where a list lies: what its relative paths are relative to. */
export interface ListedBase {
  /** The list's name, for messages. */
  readonly file: string | undefined;
  /** Its address, if it has one. */
  readonly url: URL | null;
  /** The files beside it, where somebody can say. */
  readonly files: Files | null;
}

/** Finds the pictures of one list. */
export class ListedPictures {
  /** What was asked of servers. */
  readonly telemetry = new Counter(0);
  readonly #kept = new Map<FarPicture, Source>();
  #bytes = 0;
  /** What went wrong at hosts that gave nothing yet. */
  readonly #hosts = new Map<string, { failed: number; gave: boolean }>();

  constructor(
    readonly base: ListedBase,
    readonly http: HttpOptions,
    readonly itemBytes = ITEM,
  ) {}

  /** The picture that a line names. Rejects with an error that says the line and the address. */
  async find(named: string, line: number, signal?: AbortSignal): Promise<ListedPicture> {
    try {
      const url = this.#address(named);
      return await (url ? this.#far(url, line, signal) : this.#near(named, signal));
    } catch (e) {
      throw this.at(e, named, line);
    }
  }

  /** The same error, with the line and what it names. */
  at(e: unknown, named: string, line: number): unknown {
    if (!(e instanceof ForebayError)) return e;
    const shown = named.length > 200 ? `${named.slice(0, 200)}…` : named;
    const message = `line ${line}, ${JSON.stringify(shown)}: ${e.message}`;
    return new ForebayError(e.code, e.kind, message, { file: this.base.file, line }, e);
  }

  /** The address that a line means; `null` where it means a file beside the list. */
  #address(named: string): URL | null {
    const { url } = this.base;
    const scheme = /^([a-z][a-z\d+.-]*):/i.exec(named)?.[1]?.toLowerCase();
    if (scheme !== undefined && scheme !== "http" && scheme !== "https")
      throw refused(`images are fetched from http: and https: alone, not from ${scheme}:`);
    if (scheme === undefined && url === null) return null;
    let address: URL;
    try {
      // A name beside the list is a file's, which may have signs that mean something in an address; `?` begins a query in both.
      const text = scheme === undefined ? named.replace(/#|%(?![\da-f]{2})/gi, encodeURIComponent) : named;
      address = new URL(text, url ?? undefined);
    } catch (e) {
      throw refused(`this is not an address: ${(e as Error).message}`);
    }
    // What signs a folder stands in the query of each address of it.
    if (scheme === undefined && url && address.origin === url.origin && address.search === "")
      address.search = url.search;
    return address;
  }

  async #near(named: string, signal?: AbortSignal): Promise<ListedPicture> {
    const { files } = this.base;
    const path = named.replace(/^(\.\/)+/, "");
    if (files === null)
      throw refused("it is relative to the list, which was opened alone: open it with the files next to it");
    const input = await files.find(path);
    signal?.throwIfAborted();
    if (input === null) throw refused("there is no such file next to the list");
    const source =
      typeof input === "string" ? await closedSource(input, path) : await sourceOf(input, path, {}, signal);
    const head = async () => readExactly(source, 0, Math.min(KIND_BYTES, source.byteLength), signal);
    return { source, format: kindByName(path) ?? kindOfBytes(await head()), path };
  }

  async #far(url: URL, line: number, signal?: AbortSignal): Promise<ListedPicture> {
    const host = this.#hosts.get(url.origin) ?? { failed: 0, gave: false };
    this.#hosts.set(url.origin, host);
    if (!host.gave && host.failed >= PATIENCE)
      throw hostError("http.network", `${url.host} gave none of the first images, and is not asked for others`);
    try {
      const source = new FarPicture(this, url, line);
      const head = await source.measure(signal);
      if (source.byteLength === 0) throw refused("the server sent nothing");
      if (isMarkup(head)) throw hostError("http.page", "the server sent a web page instead of an image");
      host.gave = true;
      const path = decoded(url.pathname);
      return { source, format: kindOfBytes(head) ?? kindByName(path), path };
    } catch (e) {
      if (!signal?.aborted) host.failed++;
      throw e;
    }
  }

  /** How to ask this host: what the caller sends along is for the list's own, or the page's, and for no other. */
  httpFor({ origin }: URL): HttpOptions {
    const { headers, credentials, byteLength: _, maxWholeBytes = ITEM, ...rest } = this.http;
    const own = this.base.url?.origin ?? globalThis.location?.origin;
    const bounded = { ...rest, maxWholeBytes: Math.min(maxWholeBytes, this.itemBytes) };
    return origin === own ? { ...bounded, ...(headers && { headers }), ...(credentials && { credentials }) } : bounded;
  }

  /** A picture that was asked for a moment ago. */
  kept(picture: FarPicture): Source | undefined {
    const source = this.#kept.get(picture);
    if (source) {
      this.#kept.delete(picture);
      this.#kept.set(picture, source);
    }
    return source;
  }

  keep(picture: FarPicture, source: Source): void {
    if (this.#kept.has(picture)) return;
    this.#kept.set(picture, source);
    this.#bytes += weight(source);
    for (const [old, { byteLength }] of this.#kept) {
      if (this.#bytes <= KEPT || old === picture) break;
      this.#kept.delete(old);
      this.#bytes -= weight({ byteLength });
    }
  }

  close(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

/** What a picture that is kept holds of memory. */
const weight = ({ byteLength }: { byteLength: number }): number => Math.min(byteLength, WHOLE) + FIRST;

const refused = (message: string): ForebayError => new ForebayError("manifest.address", "damaged", message);

/** A path as people read it. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A picture behind an address. Its length and tag are kept, its bytes only for a while. */
class FarPicture implements Source {
  byteLength = 0;
  readonly name: string;
  #tag: string | undefined;

  constructor(
    readonly of: ListedPictures,
    readonly url: URL,
    readonly line: number,
  ) {
    this.name = url.href;
  }

  /** Finds out how long it is; its first bytes. */
  async measure(signal?: AbortSignal): Promise<Uint8Array> {
    const source = await this.#open(FIRST, signal);
    this.byteLength = source.byteLength;
    this.#tag = source.identity;
    return source.read(0, Math.min(KIND_BYTES, source.byteLength));
  }

  async read(start: number, end: number, options: { signal?: AbortSignal } = {}): Promise<Uint8Array> {
    try {
      const source = this.of.kept(this) ?? (await this.#again(options.signal));
      const { requests, bytesRead } = source.telemetry!;
      const bytes = await source.read(start, end, options);
      this.of.telemetry.add({
        requests: source.telemetry!.requests - requests,
        bytes: source.telemetry!.bytesRead - bytesRead,
      });
      return bytes;
    } catch (e) {
      throw this.of.at(e, this.url.href, this.line);
    }
  }

  async #again(signal?: AbortSignal): Promise<Source> {
    const source = await this.#open(Math.min(this.byteLength, WHOLE), signal);
    if (source.byteLength !== this.byteLength || source.identity !== this.#tag)
      throw hostError("http.changed", "the image changed on the server since the list was opened; open it again");
    this.of.keep(this, source);
    return source;
  }

  async #open(first: number, signal?: AbortSignal): Promise<Source> {
    const { of, url } = this;
    const source = await httpSource(url, { ...of.httpFor(url), ...(signal && { signal }) }, url.href, first);
    of.telemetry.add({ requests: source.telemetry!.requests, bytes: source.telemetry!.bytesRead });
    return source;
  }
}
