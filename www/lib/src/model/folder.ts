/** Folders of files, as pages and Node have them. */
import type { Input } from "./io.js";

/** A file of a folder. */
export interface FolderFile {
  /** Its place in the folder, with `/` between the parts. */
  readonly path: string;
  /** Its content. */
  readonly input: Input;
}

/**
 * A folder. In a page: what `<input webkitdirectory>` gives (its files know their places), the handle of
 * `showDirectoryPicker()`, or what {@link droppedFiles} makes of a drop. In Node: its path. Elsewhere: a list of files with
 * their places. A folder that lies around everything, as all files of a dropped folder have it, does not count.
 */
export type Folder = FileSystemDirectoryHandle | ArrayLike<File | FolderFile> | Iterable<File | FolderFile>;
