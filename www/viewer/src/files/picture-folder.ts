/** A folder of pictures, opened as a list that names them all; the folder that a picture lies in is its class. */
import { isPicture, listOfPictures } from "../../../lib/src/base/picture-kind.ts";
import type { Folder, FolderFile, Input } from "../../../lib/src/model/index.ts";

/** Files of a folder that are looked at, and how deep. */
const MOST = 200_000;
const DEEPEST = 16;
/** Files that may be labels of what is open. */
const LABELS = /\.(txt|xml|json|csv)$/i;

/** What lies in a folder. */
export interface PictureFolder {
  /** The pictures, and a list of them. */
  readonly files: readonly FolderFile[];
  readonly pictures: number;
  /** There are files that may be labels. */
  readonly labels: boolean;
}

/** The pictures of a folder; `null` where there are none, or more than a list may have. */
export async function picturesIn(folder: Folder): Promise<PictureFolder | null> {
  const found: FolderFile[] = [];
  let [labels, looked] = [false, 0];
  const look = (path: string, input: Input): boolean => {
    if (LABELS.test(path)) labels = true;
    if (isPicture(path)) found.push({ path, input });
    return ++looked <= MOST;
  };
  if ("getFileHandle" in folder) {
    if (!(await walk(folder, "", look))) return null;
  } else
    for (const file of folder as Iterable<File | FolderFile>) {
      const given = "path" in file;
      const path = given ? file.path : file.webkitRelativePath.split("/").slice(1).join("/") || file.name;
      if (!look(path, given ? file.input : file)) return null;
    }
  if (found.length === 0) return null;
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  const list = { path: nameBeside(found), input: listOfPictures(found.map(({ path }) => path)) };
  return { files: [...found, list], pictures: found.length, labels };
}

/** A name for the list that no picture has. */
const nameBeside = (found: readonly FolderFile[]): string => {
  let name = "pictures.jsonl";
  while (found.some(({ path }) => path === name)) name = `_${name}`;
  return name;
};

/** Whether all of it could be looked at. */
async function walk(
  folder: FileSystemDirectoryHandle,
  above: string,
  look: (path: string, input: Input) => boolean,
  deep = 1,
): Promise<boolean> {
  const walked = folder as FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };
  for await (const entry of walked.values()) {
    const path = above + entry.name;
    if (entry.kind === "file") {
      if (!look(path, entry as FileSystemFileHandle)) return false;
    } else if (deep < DEEPEST && !(await walk(entry as FileSystemDirectoryHandle, `${path}/`, look, deep + 1)))
      return false;
  }
  return true;
}
