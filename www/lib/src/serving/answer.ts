/** What a page answers to a request for one of its samples: as a server would, without one. */
import { stringifyExactly } from "../base/exact.js";
import { ForebayError } from "../model/errors.js";
import type { Dataset, SampleInfo, TensorOptions, ThumbnailOptions } from "../model/index.js";
import { tensorOptions, thumbnailOptions } from "./addresses.js";
import { npyOf } from "./npy.js";
import type { Asked, Head } from "./protocol.js";

/** A dataset that also gives parts of payloads. */
export type Served = Dataset & {
  readonly source?: { readonly blob?: Blob };
  /** Bytes of a payload from `start` on, without the rest where that can be had. */
  part?(i: number, start: number, end: number, signal: AbortSignal): Promise<Uint8Array>;
};

/** Bytes that are read when they are wanted. */
export interface Pieces {
  readonly start: number;
  readonly end: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/** An answer, and what its bytes are read from if they come in pieces. */
export interface Answer extends Omit<Head, "body"> {
  readonly body: Blob | Pieces | null;
}

/** Payloads that are larger come in pieces. */
const WHOLE = 4 << 20;
const SAMPLE = /^(\d{1,15})(?:\.([a-z0-9]{1,8}))?$/i;
/** What is made of a sample. */
const MADE = /^(\d{1,15})\/(thumb|tensor)$/;

const FIXED: Head["headers"] = [
  // Names may stand for another file the next time; who has the tag asks again and gets nothing but "the same".
  ["cache-control", "no-cache"],
  ["x-content-type-options", "nosniff"],
  // Samples are data from anywhere: as a page of their own they may do nothing.
  ["content-security-policy", "default-src 'none'; sandbox"],
];

/** The status that says the same as an error. */
function statusOf(e: ForebayError): number {
  if (e.code === "usage.out_of_range") return 404;
  if (e.code === "dataset.closed") return 410;
  if (e.code.startsWith("http.")) return 502;
  return e.kind === "usage" ? 400 : e.kind === "unsupported" ? 415 : 500;
}

/** An answer in words. */
export function refusal(status: number, reason: string, more: Head["headers"] = []): Answer {
  const body = new Blob([`${reason}\n`], { type: "text/plain" });
  return {
    status,
    headers: [...FIXED, ["content-type", "text/plain; charset=utf-8"], ["content-length", String(body.size)], ...more],
    body,
  };
}

/** The range that is asked for: `null` for all, "none" where there is no such range. Of several ranges all is sent. */
export function rangeOf(header: string | null, length: number): readonly [start: number, end: number] | "none" | null {
  const found = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? "");
  if (!found || (found[1] === "" && found[2] === "")) return null;
  if (found[1] === "") {
    const last = Math.min(length, Number(found[2]));
    return last > 0 ? [length - last, length] : "none";
  }
  const start = Number(found[1]);
  const end = found[2] === "" ? length : Math.min(length, Number(found[2]) + 1);
  // An end before the start is not a range at all.
  if (found[2] !== "" && Number(found[2]) < start) return null;
  return start < length ? [start, end] : "none";
}

/** Answers. `tag` tells this dataset from every other. */
export async function answer(served: Served, tag: string, asked: Asked, signal: AbortSignal): Promise<Answer> {
  try {
    const found = await answered(served, tag, asked, signal);
    return asked.method === "HEAD" ? { ...found, body: null } : found;
  } catch (e) {
    signal.throwIfAborted();
    if (!(e instanceof ForebayError)) return refusal(500, (e as Error).message);
    const said = refusal(statusOf(e), `${e.message} (${e.code})`);
    return asked.method === "HEAD" ? { ...said, body: null } : said;
  }
}

async function answered(served: Served, tag: string, asked: Asked, signal: AbortSignal): Promise<Answer> {
  if (asked.method !== "GET" && asked.method !== "HEAD")
    return refusal(405, `samples are read, and not changed by ${asked.method}`, [["allow", "GET, HEAD"]]);
  const made = MADE.exec(asked.path);
  const sample = SAMPLE.exec(asked.path);
  if (!made && !sample) {
    const places =
      "17, 17.jpg or with any other extension, 17.json for its metadata, 17/thumb?size=160, 17/tensor?size=224,224";
    return refusal(404, `there is nothing at ${JSON.stringify(asked.path)}; of sample 17 there are ${places}`);
  }
  const i = Number((made ?? sample)![1]);
  const info = served.info(i);
  if (made) {
    const isTensor = made[2] === "tensor";
    const options = isTensor ? tensorOptions(asked.search) : thumbnailOptions(asked.search);
    // Without commas, which stand between tags.
    const etag = `"${tag}-${i}-${made[2]}${JSON.stringify(options).replace(/[^\w.-]+/g, ".")}"`;
    const known = same(asked, etag);
    if (known) return known;
    const body = isTensor
      ? npyOf(await served.tensor(i, { ...(options as TensorOptions), signal }))
      : await served.thumbnail(i, { ...(options as ThumbnailOptions), signal });
    return whole(body, etag, asked);
  }
  if (sample![2]?.toLowerCase() === "json") {
    const etag = `"${tag}-${i}-json"`;
    const text = async () => stringifyExactly(await served.record(i, { signal }));
    return same(asked, etag) ?? whole(new Blob([await text()], { type: "application/json" }), etag, asked);
  }
  const etag = `"${tag}-${i}"`;
  return same(asked, etag) ?? payload(served, info, etag, asked, signal);
}

/** Nothing, for those who have it already. */
function same({ ifNoneMatch }: Asked, etag: string): Answer | null {
  const known = ifNoneMatch?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  if (!known.includes(etag) && !known.includes("*")) return null;
  return { status: 304, headers: [...FIXED, ["etag", etag]], body: null };
}

/** Status and headers of these bytes, or of the range of them that is asked for. */
function headed(
  length: number,
  type: string,
  etag: string,
  { range, ifRange }: Asked,
): { status: number; headers: Head["headers"]; start: number; end: number } | null {
  // A part of what was another file is of no use.
  const part = ifRange === null || ifRange === etag ? rangeOf(range, length) : null;
  if (part === "none") return null;
  const [start, end] = part ?? [0, length];
  const headers: [string, string][] = [
    ["accept-ranges", "bytes"],
    ["content-type", type],
    ["content-length", String(end - start)],
    ["etag", etag],
  ];
  if (part) headers.push(["content-range", `bytes ${start}-${end - 1}/${length}`]);
  return { status: part ? 206 : 200, headers: [...FIXED, ...headers], start, end };
}

const noRange = (length: number) => refusal(416, `there are ${length} bytes`, [["content-range", `bytes */${length}`]]);

function whole(body: Blob, etag: string, asked: Asked): Answer {
  const head = headed(body.size, body.type, etag, asked);
  return head ? { ...head, body: body.slice(head.start, head.end, body.type) } : noRange(body.size);
}

async function payload(
  served: Served,
  { index: i, bytes: length, mime: type, codec, damaged }: SampleInfo,
  etag: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<Answer> {
  const head = headed(length, type, etag, asked);
  if (!head) return noRange(length);
  const { status, headers, start, end } = head;
  if (asked.method === "HEAD") return { status, headers, body: null };
  // A part of a file of this machine is had without reading anything.
  const isLocal = served.source?.blob !== undefined && served.format !== "zip" && codec === "none" && !damaged;
  const part = isLocal ? undefined : served.part?.bind(served);
  if (part && end - start > WHOLE) {
    const read = (from: number, to: number) => part(i, from, to, signal);
    return { status, headers, body: { start, end, read } };
  }
  const body = part
    ? new Blob([(await part(i, start, end, signal)) as BlobPart], { type })
    : (await served.blob(i, { signal })).slice(start, end, type);
  return { status, headers, body };
}
