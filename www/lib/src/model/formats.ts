import type { Codec, FormatNames, MediaFormat, TextFormat } from "./names.js";

/** Names of media formats, in the order of their numbers. */
export const mediaFormats: readonly MediaFormat[] = [
  "unknown",
  "jpeg",
  "png",
  "webp",
  "bmp",
  "tiff",
  "mp4",
  "avi",
  "raw_u8",
];

/** Media type and extension of each format. */
export const formats: Readonly<Record<MediaFormat, FormatNames>> = {
  unknown: { mime: "application/octet-stream", extension: "bin" },
  jpeg: { mime: "image/jpeg", extension: "jpg" },
  png: { mime: "image/png", extension: "png" },
  webp: { mime: "image/webp", extension: "webp" },
  bmp: { mime: "image/bmp", extension: "bmp" },
  tiff: { mime: "image/tiff", extension: "tiff" },
  mp4: { mime: "video/mp4", extension: "mp4" },
  avi: { mime: "video/x-msvideo", extension: "avi" },
  raw_u8: { mime: "application/octet-stream", extension: "rgb" },
};

/** Names of codecs, in the order of their numbers. */
export const codecs: readonly Codec[] = ["none", "lz4", "zstd"];

const EXTENSIONS: Readonly<Record<string, TextFormat>> = {
  csv: "csv",
  tsv: "tsv",
  tab: "tsv",
  jsonl: "jsonl",
  ndjson: "jsonl",
};

/** The format of text that a name's extension says: text has no first bytes of its own. */
export function textFormatOf(name: string | undefined): TextFormat | undefined {
  return EXTENSIONS[/\.([^.]+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? ""];
}
