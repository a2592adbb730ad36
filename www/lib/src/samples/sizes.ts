/** How large pictures are of which the index does not say it: the headers of archives know names and lengths alone. */
import { Gate } from "../base/gate.js";
import { HEAD, sizeInHeader } from "../base/picture-header.js";
import { ForebayError } from "../model/errors.js";
import { isArchive } from "../model/formats.js";
import type { Dataset, WhereOptions } from "../model/index.js";

export type Size = readonly [width: number, height: number];

/** A dataset whose pictures can be looked at. */
type Pictures = Pick<Dataset, "format" | "info" | "bytes"> & {
  part?(i: number, start: number, end: number, signal: AbortSignal): Promise<Uint8Array>;
};

/** Bytes that are read first: most pictures say their size in them. */
const FIRST = 8 << 10;
/** Pictures that are looked at at once, so that a source can read near ones together. */
const AT_ONCE = 48;
/** If more than this share is to be looked at, all pictures are, in one walk through the file. */
const FEW = 1 / 8;

/** The size of one picture, by its first bytes where the index does not say it; zeros if they do not either. */
export async function sizeOf(dataset: Pictures, i: number, signal: AbortSignal): Promise<Size> {
  const { width, height, bytes, damaged } = dataset.info(i);
  if ((width > 0 && height > 0) || damaged || !isArchive(dataset.format)) return [width, height];
  if (!dataset.part) return sizeInHeader(await dataset.bytes(i, { signal })) ?? [0, 0];
  for (const most of [FIRST, HEAD, bytes]) {
    const found = sizeInHeader(await dataset.part(i, 0, Math.min(most, bytes), signal));
    if (found || most >= bytes) return found ?? [0, 0];
  }
  return [0, 0];
}

/** Looks at all pictures, in one walk through the file: a filter that asks for sizes does. */
export async function lookAtAll(
  dataset: Pick<Dataset, "matches">,
  { signal, onProgress }: Pick<WhereOptions, "signal" | "onProgress">,
): Promise<void> {
  await dataset.matches("width >= 0", { ...(signal && { signal }), ...(onProgress && { onProgress }) });
}

/** Looks at all pictures if these are many of them; `null` stands for all. What is left to be looked at is so one by one. */
export async function lookAtMany(
  dataset: Dataset,
  samples: ArrayLike<number> | null,
  signal: AbortSignal,
): Promise<void> {
  if (isArchive(dataset.format) && (samples?.length ?? dataset.length) > FEW * dataset.length)
    await lookAtAll(dataset, { signal });
}

/** The sizes of some pictures. What is wrong with a picture is not with its labels: it has none then. */
export async function sizesOf(dataset: Pictures, indexes: Iterable<number>, signal: AbortSignal): Promise<Size[]> {
  const gate = new Gate(() => AT_ONCE);
  const size = (i: number) =>
    gate.run(
      () =>
        sizeOf(dataset, i, signal).catch((e: unknown): Size => {
          if (e instanceof ForebayError && e.kind === "damaged") return [0, 0];
          throw e;
        }),
      signal,
    );
  return Promise.all(Array.from(indexes, size));
}
