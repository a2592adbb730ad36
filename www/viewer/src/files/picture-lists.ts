/** Lists of pictures: JSON lines that name pictures, as a table that could be samples, and as a folder that is. */
import { FIELDS, pictureField, pictureIn } from "../../../lib/src/base/picture-field.ts";
import { kindByName } from "../../../lib/src/base/picture-kind.ts";
import { sampleFormatOf, textFormatOf } from "../../../lib/src/model/formats.ts";
import type { Folder, FolderFile, Json, Table } from "../../../lib/src/model/index.ts";

/** The field of a table of JSON lines that names pictures. */
export interface ListedBy {
  readonly field: string;
  /** They have addresses of their own, or the list has one that theirs are relative to. */
  readonly reachable: boolean;
}

/** Files of a folder that are looked at. */
const MOST = 200_000;

const isList = (name: string): boolean => textFormatOf(name) === "jsonl";
const placeOf = (file: File | FolderFile): string =>
  "path" in file ? file.path : file.webkitRelativePath.split("/").slice(1).join("/") || file.name;

/** Which field of a table names pictures, by its first row; `far` if the table itself has an address. */
export async function listedBy(table: Table, far: boolean, signal: AbortSignal): Promise<ListedBy | null> {
  const wanted = new Set<string>(FIELDS.map((field) => field.replace(/\..*/, "")));
  const columns = table.schema.map(({ name }) => name).filter((name) => wanted.has(name));
  if (columns.length === 0 || table.length === 0) return null;
  const row = (await table.take([0], columns, { signal })).row(0);
  const record = Object.fromEntries(columns.map((name) => [name, nested(row[name])])) as Json;
  const field = pictureField(record);
  if (field === undefined) return null;
  return { field, reachable: far || /^https?:/i.test(pictureIn(record, field) ?? "") };
}

/** A cell; what JSON lines nest is a text of JSON in a table. */
function nested(cell: unknown): Json {
  if (typeof cell !== "string" || !cell.startsWith("{")) return typeof cell === "string" ? cell : null;
  try {
    return JSON.parse(cell) as Json;
  } catch {
    return null;
  }
}

/** Whether a folder is a list with its pictures: one list, which nothing lies above, and no other file of samples beside it. */
export async function isListed(folder: Folder): Promise<boolean> {
  let names: string[] = [];
  if ("getFileHandle" in folder) {
    const walked = folder as FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };
    for await (const { kind, name } of walked.values()) {
      if (names.length >= MOST) return false;
      if (kind === "file") names.push(name);
    }
  } else names = Array.from(folder as Iterable<File | FolderFile>, placeOf).filter((path) => !path.includes("/"));
  return names.filter(isList).length === 1 && !names.some((name) => sampleFormatOf(name) !== undefined);
}

/** Files that were dropped together: a list and pictures, as a folder of them. */
export function listAmong(files: readonly File[]): { folder: FolderFile[]; name: string } | null {
  const [list, other] = files.filter(({ name }) => isList(name));
  if (!list || other || files.length === 1) return null;
  if (!files.every((file) => file === list || kindByName(file.name) !== null)) return null;
  return { folder: files.map((file) => ({ path: file.name, input: file })), name: list.name };
}
