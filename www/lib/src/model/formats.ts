import type { Codec, FormatNames, MediaFormat, TableFormat, TextFormat } from "./names.js";

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
export const codecs: readonly Codec[] = ["none", "lz4", "zstd", "deflate", "packed"];

/** The formats of text, each with the extensions of its files. */
const TEXTS: Readonly<Record<TextFormat, readonly string[]>> = {
  csv: ["csv"],
  tsv: ["tsv", "tab"],
  jsonl: ["jsonl", "ndjson"],
};
const texts = Object.keys(TEXTS) as TextFormat[];

/** The formats of samples. */
export const sampleFormats = ["tbl", "tar", "zip"] as const;
type SampleFormat = (typeof sampleFormats)[number];
/** Those that samples are written in. */
export const writtenSamples = ["tbl", "tar"] as const;

/** The format of samples that a name's extension says. */
export function sampleFormatOf(name: string): SampleFormat | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return sampleFormats.find((format) => format === extension);
}

/** Whether a format is that of an archive: it knows the names of its samples, and the size of no picture. */
export const isArchive = (format: string): boolean => format === "tar" || format === "zip";
/** The formats of tables that are told by their content. */
export const tableFormats = ["tbf", "idv", "parquet", "arrow", "arrows"] as const;

/** Whether a format of tables is that of Parquet or Arrow, which a module of their own reads and writes. */
export const isColumnar = (format: string): boolean => /^(parquet|arrows?)$/.test(format);

/** The formats that tables are written in. */
export const writtenTables: readonly TableFormat[] = [...tableFormats, ...texts];

/** Whether a format is one of text. */
export const isText = (format: string): format is TextFormat => texts.includes(format as TextFormat);

/** The format of text that a name's extension says: text has no first bytes of its own. */
export function textFormatOf(name: string | undefined): TextFormat | undefined {
  const extension = /\.([^.]+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? "";
  return texts.find((format) => TEXTS[format].includes(extension));
}
