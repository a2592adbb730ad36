/** What a picture is, by its first bytes and by its name. */
import type { MediaFormat } from "../model/index.js";

/** Bytes that tell. */
export const KIND_BYTES = 512;

/** Extensions of names, and what they say. */
const EXTENSIONS: Readonly<Record<string, MediaFormat>> = {
  jpg: "jpeg",
  jpeg: "jpeg",
  png: "png",
  webp: "webp",
  bmp: "bmp",
  tif: "tiff",
  tiff: "tiff",
  mp4: "mp4",
  avi: "avi",
};

/** The extension of an address or a path, in small letters; "" without one. */
export const extensionOf = (path: string): string => /\.([a-z\d]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";

/** What a name says. */
export function kindByName(path: string): MediaFormat | null {
  const extension = extensionOf(path);
  return Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension]! : null;
}

/** Whether a file is a picture by its name, and none that a system hides. */
export const isPicture = (path: string): boolean => !/(^|\/)(\.|__MACOSX\/)/.test(path) && kindByName(path) !== null;

/** A list of the pictures of a folder, as JSON lines; the folder that a picture lies in is its class. */
export function listOfPictures(paths: readonly string[]): Blob {
  const lines = paths.map((path) => {
    const [above] = path.split("/").slice(-2, -1);
    return JSON.stringify({ file_name: `./${path}`, ...(above !== undefined && { label: above }) });
  });
  return new Blob([lines.join("\n")]);
}

/** What the first bytes say; `null` where they say nothing known. */
export function kindOfBytes(head: Uint8Array): MediaFormat | null {
  const text = String.fromCharCode(...head.subarray(0, 16));
  if (text.startsWith("\xff\xd8\xff")) return "jpeg";
  if (text.startsWith("\x89PNG\r\n")) return "png";
  if (text.startsWith("BM")) return "bmp";
  if (text.startsWith("II*\0") || text.startsWith("MM\0*")) return "tiff";
  if (text.slice(4, 8) === "ftyp") return "mp4";
  if (!text.startsWith("RIFF")) return null;
  return text.slice(8, 12) === "WEBP" ? "webp" : text.slice(8, 11) === "AVI" ? "avi" : null;
}

/** Whether it is a page for people, whatever its server calls it. */
export const isMarkup = (head: Uint8Array): boolean =>
  /^\s*<(!doctype html|html|head|body)/i.test(new TextDecoder().decode(head.subarray(0, KIND_BYTES)));
