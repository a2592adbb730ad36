import { builtin, isNode } from "../base/node.js";
import { ForebayError, hostError } from "../model/errors.js";
import type { FolderFile, Input } from "../model/index.js";
import { pathOf } from "./file.js";
import { ofHub } from "./hub.js";

type Fs = typeof import("node:fs/promises");
type Path = typeof import("node:path");

/** The files of a folder, wherever it is. */
export interface Files {
  /** The folder's name, if it has one. */
  readonly name: string | undefined;
  /** The file in this place, if there is one. */
  find(path: string): Promise<Input | null>;
  /** The places of all files, in order; refused where nobody can say, as on a server. */
  list(): Promise<string[]>;
}

/** How deep folders are looked at. */
const DEEPEST = 16;

const kindOf = (input: unknown): string => Object.prototype.toString.call(input).slice(8, -1);

/** What the types of a page do not know yet. */
type Walked = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };

/** The parts of a place that a file system may be asked for; none where one of them means another folder. */
function parts(path: string): string[] | null {
  const all = path.split("/");
  return all.every((part) => part !== "" && part !== "." && part !== "..") ? all : null;
}

const notThere = (e: unknown): boolean =>
  e instanceof Error && (e.name === "NotFoundError" || e.name === "TypeMismatchError");

function ofHandle(folder: FileSystemDirectoryHandle): Files {
  // All into one list: a folder may have more files than a call takes arguments.
  const walk = async (from: Walked, above: string, deep: number, found: string[] = []): Promise<string[]> => {
    for await (const entry of from.values()) {
      const path = above + entry.name;
      if (entry.kind === "file") found.push(path);
      else if (deep < DEEPEST) await walk(entry as Walked, `${path}/`, deep + 1, found);
    }
    return found;
  };
  return {
    name: folder.name,
    async find(path) {
      const names = parts(path);
      const last = names?.pop();
      if (!names || last === undefined) return null;
      try {
        let at = folder;
        for (const name of names) at = await at.getDirectoryHandle(name);
        return await at.getFileHandle(last);
      } catch (e) {
        if (notThere(e)) return null;
        throw hostError("io", `the folder cannot be read: ${(e as Error).message}`, { file: path }, e);
      }
    },
    list: async () => (await walk(folder as Walked, "", 1)).sort(),
  };
}

/** Where a file of a list lies, below the folder that was chosen. */
function placeOf(file: File | FolderFile): string {
  if ("input" in file) return file.path;
  const chosen = file.webkitRelativePath;
  return chosen ? chosen.slice(chosen.indexOf("/") + 1) : file.name;
}

function ofList(given: (File | FolderFile)[]): Files {
  const files = new Map<string, Input>();
  for (const file of given) {
    const path = placeOf(file);
    if (files.has(path)) throw hostError("usage.argument", `two files of the folder lie at ${JSON.stringify(path)}`);
    files.set(path, "input" in file ? file.input : file);
  }
  const first = given[0];
  const name = first && !("input" in first) ? first.webkitRelativePath?.split("/")[0] || undefined : undefined;
  return { name, find: async (path) => files.get(path) ?? null, list: async () => [...files.keys()].sort() };
}

/** A folder of this machine (Node only). A link that leads out of it is refused. */
function ofPath(folder: string): Files {
  const fs = builtin<Fs>("node:fs/promises");
  const { join, sep } = builtin<Path>("node:path");
  const failed = (path: string) => (e: unknown) => {
    throw hostError("io", `cannot look into the folder: ${(e as Error).message}`, { file: path }, e);
  };
  let real: Promise<string> | undefined;
  const walk = async (from: string, above: string, deep: number, found: string[] = []): Promise<string[]> => {
    for (const entry of await fs.readdir(from, { withFileTypes: true }).catch(failed(from))) {
      if (entry.isFile()) found.push(above + entry.name);
      else if (entry.isDirectory() && deep < DEEPEST)
        await walk(join(from, entry.name), `${above}${entry.name}/`, deep + 1, found);
    }
    return found;
  };
  return {
    name: folder,
    async find(path) {
      if (!parts(path)) return null;
      const place = join(folder, path);
      const at = await fs.realpath(place).catch((e: NodeJS.ErrnoException) => {
        if (e.code === "ENOENT" || e.code === "ENOTDIR") return null;
        throw hostError("io", `cannot open: ${e.message}`, { file: place }, e);
      });
      if (at === null) return null;
      const root = await (real ??= fs.realpath(folder).catch(failed(folder)) as Promise<string>);
      if (at !== root && !at.startsWith(root.endsWith(sep) ? root : root + sep))
        throw new ForebayError(
          "warehouse.path",
          "damaged",
          `${JSON.stringify(path)} is a link that leaves the folder`,
          {
            file: place,
          },
        );
      return place;
    },
    list: async () => (await walk(folder, "", 1)).sort(),
  };
}

/** What lies beside a file on a server. A query of its address goes along, as that of a signed folder does. */
function besideUrl(url: URL): Files {
  return {
    name: undefined,
    async find(path) {
      const beside = new URL(path.split("/").map(encodeURIComponent).join("/"), url);
      beside.search = url.search;
      return beside;
    },
    list: async () => {
      throw hostError(
        "usage.argument",
        "a server does not say which files lie in a folder: give the address of a file",
        {
          file: String(url),
        },
      );
    },
  };
}

const isAddress = (text: string): boolean => !isNode || (/^[a-z][a-z\d+.-]+:/i.test(text) && !text.startsWith("file:"));

/** The folder that an input is; nothing for a file. */
export async function folderOf(input: unknown): Promise<Files | null> {
  const kind = kindOf(input);
  if (kind === "FileSystemDirectoryHandle") return ofHandle(input as FileSystemDirectoryHandle);
  if (typeof input === "string" || input instanceof URL) {
    const text = String(input);
    if (isAddress(text)) return null;
    const path = pathOf(text);
    const isFolder = await builtin<Fs>("node:fs/promises")
      .stat(path)
      .then(
        (it) => it.isDirectory(),
        () => false,
      );
    return isFolder ? ofPath(path) : null;
  }
  if (typeof input !== "object" || input === null || ArrayBuffer.isView(input) || "byteLength" in input) return null;
  if (Symbol.iterator in input || "length" in input) {
    const list = Array.from(input as ArrayLike<File | FolderFile>);
    const wrong = list.findIndex(
      (file) => typeof file !== "object" || file === null || !("input" in file || "name" in file),
    );
    if (wrong >= 0)
      throw hostError(
        "usage.argument",
        `a folder is a list of Files or of { path, input }, and item ${wrong} is neither`,
      );
    return ofList(list);
  }
  return null;
}

/** The address that an input is; nothing for what lies here. */
export function addressOf(input: Input): URL | null {
  if (typeof input !== "string" && !(input instanceof URL)) return null;
  const text = ofHub(String(input));
  if (!isAddress(text)) return null;
  const url = new URL(text, globalThis.location?.href);
  return url.protocol === "http:" || url.protocol === "https:" ? url : null;
}

/** The folder that a file lies in; nothing where nobody can say. */
export function folderAround(input: Input): Files | null {
  if (typeof input !== "string" && !(input instanceof URL)) return null;
  const text = String(input);
  if (!isAddress(text)) {
    const { dirname } = builtin<Path>("node:path");
    return ofPath(dirname(pathOf(text)));
  }
  const url = addressOf(input);
  return url && besideUrl(url);
}

/** A folder in a folder. */
export function within(files: Files, folder: string): Files {
  if (folder === "") return files;
  return {
    name: files.name,
    find: (path) => files.find(folder + path),
    list: async () =>
      (await files.list()).filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length)),
  };
}

/** What the types of a page do not know. */
interface Entry {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly name: string;
  file(done: (file: File) => void, failed: (e: unknown) => void): void;
  createReader(): { readEntries(done: (entries: Entry[]) => void, failed: (e: unknown) => void): void };
}

/**
 * The files of a drop, with those of dropped folders: what `open`, `readLabels` and their like take as a folder. To be
 * called while the drop is handled; what was dropped is gone afterwards.
 *
 * ```js
 * element.ondrop = async (event) => {
 *   event.preventDefault();
 *   const dataset = await openSamples(await droppedFiles(event.dataTransfer));
 * };
 * ```
 */
export async function droppedFiles(transfer: DataTransfer): Promise<FolderFile[]> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry() as unknown as Entry | null);
  const files: FolderFile[] = [];
  const walk = async (entry: Entry, path: string, deep: number): Promise<void> => {
    if (entry.isFile) {
      const input = await new Promise<File>((done, failed) => entry.file(done, failed));
      files.push({ path, input });
    } else if (entry.isDirectory && deep < DEEPEST) {
      const reader = entry.createReader();
      // It gives some at a time, and none at the end.
      for (;;) {
        const some = await new Promise<Entry[]>((done, failed) => reader.readEntries(done, failed));
        if (some.length === 0) break;
        for (const one of some) await walk(one, path === "" ? one.name : `${path}/${one.name}`, deep + 1);
      }
    }
  };
  const all = entries.filter((entry) => entry !== null);
  // The only folder is the one that is meant.
  const alone = all.length === 1 && all[0]!.isDirectory;
  for (const entry of all) await walk(entry, alone ? "" : entry.name, 1);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
