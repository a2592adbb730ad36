import { openDataset, type OpenDataset } from "../samples/dataset.js";
import { ForebayError, hostError } from "../model/errors.js";
import type { OpenedTableFormat } from "../samples/open-in-worker.js";
import { blobSource } from "../source/sources.js";
import { openTableIn } from "../tables/table.js";
import type { OpenOptions, Sink, Source } from "../model/index.js";

/**
 * Opens a column of pictures as samples: they become a TAR in memory, which browsers keep on disk where it is large, with what
 * else the rows say beside them.
 */
export async function openPictures(
  source: Source,
  format: OpenedTableFormat,
  options: OpenOptions,
  owned: boolean,
): Promise<OpenDataset> {
  const { column: wanted, signal, onProgress } = options;
  const table = await openTableIn(source, format, { ...options }, false);
  try {
    const { pictures } = table.metadata;
    const column = wanted ?? table.schema[pictures[0] ?? -1]?.name;
    if (column === undefined)
      throw new ForebayError(
        "format.not_samples",
        "unsupported",
        `this is ${format}, and no column of it holds images`,
        { file: source.name },
      );
    if (!table.schema.some((field) => field.name === column))
      throw new ForebayError("table.column", "usage", `there is no column ${JSON.stringify(column)}`, {
        file: source.name,
      });
    const parts: Blob[] = [];
    let length = 0;
    const sink: Sink = {
      async write(position, bytes) {
        if (position !== length) throw hostError("io", "samples are written in order", { file: source.name });
        parts.push(new Blob([bytes as BlobPart]));
        length += bytes.byteLength;
      },
    };
    await table.pictures(sink, column, {
      ...(signal && { signal }),
      onProgress: ({ samples, bytes }) => onProgress?.({ samples, bytes, totalBytes: source.byteLength }),
    });
    const { column: _, onProgress: __, indexStore: ___, ...rest } = options;
    const opened = await openDataset(blobSource(new Blob(parts), options.name ?? source.name), rest, true);
    if (typeof opened === "string") throw hostError("io", "the samples cannot be read back", { file: source.name });
    // All that is wanted of it was read.
    if (owned) void source.close?.();
    return opened;
  } finally {
    table.close();
  }
}
