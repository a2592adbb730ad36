import * as argument from "../base/arguments.js";
import { whole, whyUnread } from "./changed.js";
import { hostError } from "../model/errors.js";
import { isNode } from "../base/node.js";
import { fileSource } from "./file.js";
import { httpSource } from "./http.js";
import { ofHub } from "./hub.js";
import type { HttpOptions, Input, Source, Telemetry } from "../model/index.js";

/** Counts what a source reads. */
export class Counter implements Telemetry {
  requests = 0;
  bytesRead = 0;
  constructor(readonly byteLength: number) {}
  /** Counts what a worker read. */
  add({ requests, bytes }: { requests: number; bytes: number }): void {
    this.requests += requests;
    this.bytesRead += bytes;
  }
}

/** A `File` or `Blob`: ranges are sliced, nothing is read beforehand. */
export function blobSource(blob: Blob, name?: string): Source {
  const telemetry = new Counter(blob.size);
  const file = blob as Partial<File>;
  return {
    byteLength: blob.size,
    ...(file.name !== undefined && file.lastModified !== undefined
      ? { identity: `file:${file.name}:${blob.size}:${file.lastModified}` }
      : {}),
    name: name ?? (blob as Partial<File>).name,
    blob,
    telemetry,
    async read(start, end, options) {
      options?.signal?.throwIfAborted();
      telemetry.requests++;
      try {
        const part = blob.slice(start, end);
        const bytes = whole(new Uint8Array(await part.arrayBuffer()), part.size);
        telemetry.bytesRead += bytes.byteLength;
        return bytes;
      } catch (e) {
        throw hostError("io", whyUnread(e), { offset: start }, e);
      }
    },
  };
}

/** A file that a page was given or that it has of its own: workers read the latter for themselves. */
async function handleSource(handle: FileSystemFileHandle, name?: string): Promise<Source> {
  const file = await handle.getFile().catch((e: Error) => {
    throw hostError("io", `the file cannot be read: ${e.message}`, { file: name ?? handle.name }, e);
  });
  const root = await globalThis.navigator?.storage?.getDirectory?.().catch(() => null);
  const own = await root?.resolve(handle).catch(() => null);
  return { ...blobSource(file, name), ...(own && { handle }) };
}

/** These very bytes as an array whose `slice` copies them, which that of Node's `Buffer` does not. */
function plain(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** What kind of object it is, also where another frame or context made it. */
const kindOf = (input: unknown): string => Object.prototype.toString.call(input).slice(8, -1);

/** Bytes in memory. They are not copied when the source is made, and copied when they are read. */
export function bytesSource(data: ArrayBuffer | Uint8Array, name?: string): Source {
  const bytes = plain(data);
  const telemetry = new Counter(bytes.byteLength);
  return {
    byteLength: bytes.byteLength,
    ...(name === undefined ? {} : { name }),
    telemetry,
    async read(start, end) {
      telemetry.requests++;
      const part = bytes.slice(start, end);
      telemetry.bytesRead += part.byteLength;
      return part;
    },
  };
}

/** A source for whatever `open` takes. */
export async function sourceOf(
  input: Input,
  name: string | undefined,
  http: HttpOptions,
  signal?: AbortSignal,
): Promise<Source> {
  const kind = kindOf(input);
  if (kind === "Blob" || kind === "File") return blobSource(input as Blob, name);
  if (kind === "FileSystemFileHandle") return handleSource(input as FileSystemFileHandle, name);
  if (kind === "ArrayBuffer" || kind === "Uint8Array") return bytesSource(input as ArrayBuffer | Uint8Array, name);
  if (input instanceof URL || typeof input === "string") {
    const text = ofHub(String(input));
    if (isNode && (text.startsWith("file:") || !/^[a-z][a-z\d+.-]+:/i.test(text))) return fileSource(input, name);
    const url = addressOf(text);
    if (url.protocol === "blob:" || url.protocol === "data:") return blobSource(await fetched(url, signal), name);
    if (url.protocol !== "http:" && url.protocol !== "https:")
      throw hostError(
        "usage.argument",
        `addresses begin with http:, https: or hf://datasets/, and ${JSON.stringify(text)} does not`,
      );
    return httpSource(url, { ...argument.options(http, "how to fetch"), ...(signal ? { signal } : {}) }, name);
  }
  const own = input as Source;
  if (
    typeof own === "object" &&
    own !== null &&
    typeof own.read === "function" &&
    Number.isSafeInteger(own.byteLength) &&
    own.byteLength >= 0
  ) {
    return counted(own, name);
  }
  throw hostError(
    "usage.argument",
    "open takes a File, Blob, FileSystemFileHandle, ArrayBuffer, Uint8Array, URL or Source",
  );
}

function addressOf(text: string): URL {
  try {
    return new URL(text, globalThis.location?.href);
  } catch (e) {
    throw hostError("usage.argument", `${JSON.stringify(text)} is not an address`, {}, e);
  }
}

/** What this page has already: ranges of it are for nobody to ask for. */
async function fetched(url: URL, signal: AbortSignal | undefined): Promise<Blob> {
  try {
    return await (await fetch(url, signal ? { signal } : {})).blob();
  } catch (e) {
    signal?.throwIfAborted();
    throw hostError("io", `the ${url.protocol.slice(0, -1)} address cannot be read: ${(e as Error).message}`, {}, e);
  }
}

/** A caller's source, counted where it does not count itself. */
function counted(source: Source, name: string | undefined): Source {
  const telemetry = source.telemetry ?? new Counter(source.byteLength);
  const own = source.telemetry ? null : (telemetry as Counter);
  const label = name ?? source.name;
  return {
    byteLength: source.byteLength,
    ...(label === undefined ? {} : { name: label }),
    ...(source.blob ? { blob: source.blob } : {}),
    ...(source.handle ? { handle: source.handle } : {}),
    ...(source.identity === undefined ? {} : { identity: source.identity }),
    telemetry,
    async read(start, end, options) {
      if (own) own.requests++;
      const bytes = plain(await source.read(start, end, options));
      if (own) own.bytesRead += bytes.byteLength;
      // The bytes go to a worker: what the caller keeps must stay the caller's.
      return bytes.slice();
    },
  };
}
