/** Thumbnails that are handed over beside the file that they are of. */
import type { Folder, FolderFile } from "../../../lib/src/model/index.ts";
import { sampleNames } from "./shards.ts";

/** What stands behind the name of a file to name its thumbnails. */
const SUFFIX = ".thumbs";
/** Files of a folder that are looked at. */
const MOST = 10_000;

/** Whether a file is called as thumbnails are. */
export const isThumbs = (name: string): boolean => name.toLowerCase().endsWith(SUFFIX);

/** The name of the thumbnails of a file. */
export const thumbsName = (name: string): string => `${name}${SUFFIX}`;

/** A file, and its thumbnails if they are there too. */
export interface WithThumbs {
  readonly file: File;
  readonly thumbs: File | null;
}

/** Of several files the first that is not a file of thumbnails, with its own. */
export function withThumbs(files: readonly File[]): WithThumbs | null {
  const file = files.find(({ name }) => !isThumbs(name)) ?? files[0];
  return file ? { file, thumbs: files.find(({ name }) => name === thumbsName(file.name)) ?? null } : null;
}

/** What of samples lies in a folder: one file with its thumbnails, or several that are one dataset. */
export type SamplesIn = WithThumbs | { readonly shards: readonly File[] };

/** The files of samples that lie in a folder, of one kind; `null` where there is none, or more than one kind. */
export async function samplesIn(folder: Folder): Promise<SamplesIn | null> {
  const files = new Map<string, () => Promise<File> | File>();
  if ("getFileHandle" in folder) {
    const walked = folder as FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };
    for await (const entry of walked.values()) {
      if (files.size >= MOST) return null;
      if (entry.kind === "file") files.set(entry.name, () => (entry as FileSystemFileHandle).getFile());
    }
  } else
    for (const entry of folder as Iterable<File | FolderFile>) {
      const path = "path" in entry ? entry.path : entry.webkitRelativePath.split("/").slice(1).join("/") || entry.name;
      const content = "path" in entry ? entry.input : entry;
      // What lies deeper is another folder's.
      if (!path.includes("/") && content instanceof File) files.set(path, () => content);
    }
  const names = sampleNames(files.keys());
  if (names.length > 1) return { shards: await Promise.all(names.map((name) => files.get(name)!())) };
  const [name] = names;
  if (name === undefined) return null;
  return { file: await files.get(name)!(), thumbs: (await files.get(thumbsName(name))?.()) ?? null };
}
