/** Thumbnails that are handed over beside the file that they are of. */
import type { Folder, FolderFile } from "../../../lib/src/model/index.ts";

/** What stands behind the name of a file to name its thumbnails. */
const SUFFIX = ".thumbs";
/** Names of files of samples. */
const SAMPLES = /\.(tbl|tar)$/i;
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

/** The one file of samples that lies in a folder, with its thumbnails; `null` where there is none, or several. */
export async function samplesIn(folder: Folder): Promise<WithThumbs | null> {
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
  const [name, other] = [...files.keys()].filter((name) => SAMPLES.test(name));
  if (name === undefined || other !== undefined) return null;
  return { file: await files.get(name)!(), thumbs: (await files.get(thumbsName(name))?.()) ?? null };
}
