import { isNode } from "../base/node.js";
import type { Folder, HttpOptions, Input, Source } from "../model/index.js";
import { closedSource } from "../source/file.js";
import { folderOf, type Files } from "../source/folder.js";
import { joinedSource } from "../source/joined.js";
import { sourceOf } from "../source/sources.js";

/** Files that are opened at once. */
const PARALLEL = 16;

/** Files of labels, and of the pictures that they are of: to the module one file, one behind the other. */
export interface LabelFiles {
  readonly names: string[];
  readonly lengths: Float64Array;
  /** The same of the pictures' folder, if there is one. */
  readonly pictures: string[] | null;
  readonly pictureLengths: Float64Array;
  /** One file that was named by itself. */
  readonly alone: boolean;
  readonly joined: Source;
}

/** A file of a folder. On this machine it is open only while it is read. */
async function inFolder(files: Files, path: string, http: HttpOptions, signal?: AbortSignal): Promise<Source | null> {
  const input = await files.find(path);
  if (input === null) return null;
  return isNode && typeof input === "string" ? closedSource(input, path) : sourceOf(input, path, http, signal);
}

/** Every file of a folder. */
async function all(files: Files, http: HttpOptions, signal?: AbortSignal): Promise<[string, Source][]> {
  const paths = await files.list();
  const found: [string, Source][] = [];
  for (let k = 0; k < paths.length; k += PARALLEL) {
    signal?.throwIfAborted();
    const some = paths.slice(k, k + PARALLEL).map(async (path) => [path, await inFolder(files, path, http, signal)]);
    for (const [path, source] of (await Promise.all(some)) as [string, Source | null][])
      if (source) found.push([path, source]);
  }
  return found;
}

/** Finds the files of labels, and of their pictures. */
export async function labelFiles(
  input: Input | Folder,
  pictures: Folder | string | URL | undefined,
  { name, http = {}, signal }: { name?: string; http?: HttpOptions; signal?: AbortSignal },
): Promise<LabelFiles> {
  const folder = await folderOf(input);
  const own: [string, Source][] = folder
    ? await all(folder, http, signal)
    : [
        await sourceOf(input as Input, name, http, signal).then((source): [string, Source] => [
          source.name ?? "",
          source,
        ]),
      ];
  const beside = pictures === undefined ? null : await folderOf(pictures);
  const theirs = beside ? await all(beside, http, signal) : null;
  const lengths = (some: [string, Source][]) => Float64Array.from(some, ([, source]) => source.byteLength);
  const sources = [...own, ...(theirs ?? [])].map(([, source]) => source);
  return {
    names: own.map(([path]) => path),
    lengths: lengths(own),
    pictures: theirs?.map(([path]) => path) ?? null,
    pictureLengths: lengths(theirs ?? []),
    alone: !folder,
    joined: joinedSource(sources, name ?? folder?.name ?? own[0]?.[0]),
  };
}
