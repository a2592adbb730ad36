/**
 * Where a conversion writes to: a place of its own, never a file that is there already.
 *
 * The browser's "Save as" is not used. It empties the file that is chosen in it before the page hears of it, so that
 * choosing the dataset that is open would destroy it, and canceling would bring nothing back. A folder, in which this
 * page makes a file under a free name, and a download, which the browser puts in place once it is whole, take nothing
 * from anybody.
 */
import type { Output } from "../../../lib/src/model/index.ts";
import { blobSink } from "./blob-sink.ts";
import { temporaryFile } from "./temporary-files.ts";
import { msg } from "../messages/files.ts";

/** Milliseconds that a download may take to read its file, at least, */
const LASTS = 10 * 60_000;
/** and for this many bytes one more: the slowest disk that is thought of. */
const BYTES_EACH = 4000;

/** How a file reaches its owner. */
export type Way = "download" | "folder";

/** Where bytes go, and what to do with them at the end. */
export interface Target {
  readonly output: Output;
  /** What the file is called. */
  readonly name: string;
  /** What it is called until it is whole. */
  readonly part: string;
  /** The folder that it is in; a download has none that a page knows. */
  readonly folder?: string;
  /** Hands the file over. */
  readonly finish: () => Promise<Finished>;
  /** Takes back what was begun; whether nothing is left of it. */
  readonly discard: () => Promise<boolean>;
}

/** A file that was made. */
export interface Finished {
  /** To be looked at. */
  readonly file: File;
  /** It stays as long as this page does. */
  readonly keep: () => void;
}

type Picker = (options: object) => Promise<FileSystemDirectoryHandle>;
const folderPicker = (): Picker | undefined => (globalThis as { showDirectoryPicker?: Picker }).showDirectoryPicker;

/** Whether the browser lets a page write into folders. */
export const canFolder = (): boolean => folderPicker() !== undefined;

/** Whether the browser has a store of its own for this page: not in private windows, nor over http from another machine. */
export async function hasStore(): Promise<boolean> {
  return !!(await navigator.storage?.getDirectory?.().catch(() => null));
}

/** Lets the browser download a file; `then` is called when it has had the time to. What this gives takes that back. */
export function download(file: Blob, name: string, then: () => void = () => undefined): () => void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(file);
  a.download = name;
  a.click();
  const timer = setTimeout(
    () => {
      URL.revokeObjectURL(a.href);
      then();
    },
    LASTS + file.size / BYTES_EACH,
  );
  return () => clearTimeout(timer);
}

/** A place for a file of this name, or of one like it. */
export function makeTarget(name: string, way: Way): Promise<Target> {
  const picker = folderPicker();
  return way === "folder" && picker ? inFolder(picker, name) : asDownload(name);
}

/** A file in the browser's own store, or a Blob where there is none; then a download. */
async function asDownload(name: string): Promise<Target> {
  const temporary = await temporaryFile("download").catch(() => null);
  const named = (blob: Blob): File => new File([blob], name);
  if (!temporary) {
    const output = blobSink();
    const finish = async (): Promise<Finished> => {
      const file = named(output.blob());
      return { file, keep: download(file, name) };
    };
    return { output, name, part: name, finish, discard: () => output.abort().then(() => true) };
  }
  const { output, remove } = temporary;
  const finish = async (): Promise<Finished> => {
    const file = named(await output.getFile());
    return { file, keep: download(file, name, () => void remove().catch(() => undefined)) };
  };
  return {
    output,
    name,
    part: name,
    finish,
    discard: () =>
      remove().then(
        () => true,
        () => false,
      ),
  };
}

/** A new file in a folder that is chosen. It gets its name when it is whole: a page may die while it writes. */
async function inFolder(picker: Picker, wanted: string): Promise<Target> {
  const folder = await picker({ id: "forebay", mode: "readwrite", startIn: "downloads" });
  let name = await freeName(folder, wanted);
  const part = await newPart(folder, `${name}.part`);
  const output = part ?? (await newFile(folder, name));
  const begun = output.name;
  const finish = async (): Promise<Finished> => {
    if (part) {
      // Somebody may have taken the name meanwhile.
      name = await freeName(folder, wanted);
      await part.move(name);
    }
    const file = await (await folder.getFileHandle(name)).getFile();
    return { file, keep: () => undefined };
  };
  return {
    output,
    get name() {
      return name;
    },
    part: begun,
    folder: folder.name,
    finish,
    discard: () =>
      folder.removeEntry(begun).then(
        () => true,
        () => false,
      ),
  };
}

async function newFile(folder: FileSystemDirectoryHandle, name: string): Promise<FileSystemFileHandle> {
  const file = await folder.getFileHandle(name, { create: true });
  // The name was free a moment ago; what somebody wrote there since then is theirs.
  if ((await file.getFile()).size > 0) throw new Error(msg("wasMadeSomebodyElseMoment", { name }));
  return file;
}

/** A file that can be renamed, which the types of a page do not know. */
type Movable = FileSystemFileHandle & { move(name: string): Promise<void> };

/** A file that is renamed later; nothing if this browser renames none here, which shows when one is renamed. */
async function newPart(folder: FileSystemDirectoryHandle, wanted: string): Promise<Movable | null> {
  const trial = await newFile(folder, await freeName(folder, `${wanted}.new`));
  const called = trial.name;
  try {
    await (trial as Movable).move(await freeName(folder, wanted));
    return trial as Movable;
  } catch {
    await folder.removeEntry(called).catch(() => undefined);
    return null;
  }
}

/** The name itself, or with a number behind it: one that nothing in the folder has. */
export async function freeName(folder: FileSystemDirectoryHandle, wanted: string): Promise<string> {
  const at = wanted.lastIndexOf(".");
  for (let k = 1; ; k++) {
    const name = k === 1 ? wanted : `${wanted.slice(0, at)} (${k})${wanted.slice(at)}`;
    const is = await folder.getFileHandle(name).then(
      () => "taken",
      (e: Error) => e.name,
    );
    if (is === "NotFoundError") return name;
    // A folder of that name is something else, and there all the same.
    if (is !== "taken" && is !== "TypeMismatchError")
      throw new Error(msg("cannotWrittenIntoFolder", { name, folder: folder.name, is }));
  }
}
