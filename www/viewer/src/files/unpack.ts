/** What is packed as a whole, unpacked: a `.tar.gz` has no place to begin at, so its samples cannot be looked at one by one. */
import type { HttpOptions, Input, Source } from "../../../lib/src/model/index.ts";
import { blobSink } from "./blob-sink.ts";
import { temporaryFile } from "./temporary-files.ts";
import { msg } from "../messages/files.ts";

/** Bytes that are unpacked where the browser has no store for them, at most. */
const MOST_HELD = 1_000_000_000;

/** What was unpacked. */
export interface Unpacked {
  readonly file: File;
  /** Frees what lies in the store. */
  readonly forget: () => void;
}

/** Whether this can be unpacked here, told by what is said of it. */
export const isPacked = (message: string): boolean =>
  /\bthis is gzip,/i.test(message) && "DecompressionStream" in globalThis;

/** The name without what says that it is packed. */
export function unpackedName(name: string): string {
  return name.replace(/\.tgz$/i, ".tar").replace(/\.gz$/i, "") || name;
}

/** Unpacks gzip into the browser's own store, or into Blobs where there is none; `onProgress` hears of packed bytes. */
export async function unpack(
  input: Input,
  name: string,
  signal: AbortSignal,
  onProgress: (bytes: number, total: number) => void,
  http: HttpOptions = {},
): Promise<Unpacked> {
  const [packed, total] = await streamOf(input, signal, http);
  let read = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      read += chunk.byteLength;
      onProgress(read, total);
      out.enqueue(chunk);
    },
  });
  const plain = packed
    .pipeThrough(counted)
    .pipeThrough(new DecompressionStream("gzip") as unknown as ReadableWritablePair<Uint8Array, Uint8Array>);
  const temporary = await temporaryFile("unpacked").catch(() => null);
  const forget = (): void => void temporary?.remove().catch(() => undefined);
  try {
    if (temporary) {
      await plain.pipeTo((await temporary.output.createWritable()) as unknown as WritableStream<Uint8Array>, {
        signal,
      });
      return { file: new File([await temporary.output.getFile()], unpackedName(name)), forget };
    }
    const sink = blobSink();
    let at = 0;
    const held = new WritableStream<Uint8Array>({
      async write(chunk) {
        if (at + chunk.byteLength > MOST_HELD) throw new Error(msg("browserGivesPageNoStore"));
        await sink.write(at, chunk);
        at += chunk.byteLength;
      },
    });
    await plain.pipeTo(held, { signal });
    return { file: new File([sink.blob()], unpackedName(name)), forget };
  } catch (e) {
    forget();
    signal.throwIfAborted();
    throw new Error(msg("couldNotUnpackedHereGunzip", { message: (e as Error).message }), {
      cause: e,
    });
  }
}

async function streamOf(
  input: Input,
  signal: AbortSignal,
  { headers }: HttpOptions,
): Promise<[ReadableStream<Uint8Array>, number]> {
  if (input instanceof Blob) return [input.stream(), input.size];
  if (typeof input === "object" && "read" in input) return [pieces(input, signal), input.byteLength];
  const answer = await fetch(input as URL, { signal, ...(headers && { headers }) });
  if (!answer.ok || !answer.body) throw new Error(msg("serverAnswered", { status: answer.status }));
  return [answer.body, Number(answer.headers.get("content-length") ?? 0)];
}

/** Bytes that are asked for at once. */
const PIECE = 1 << 20;

/** A source of ranges, from its beginning to its end. */
function pieces(source: Source, signal: AbortSignal): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(stream) {
      const end = Math.min(source.byteLength, at + PIECE);
      if (at >= end) return stream.close();
      stream.enqueue(await source.read(at, end, { signal }));
      at = end;
    },
  });
}
