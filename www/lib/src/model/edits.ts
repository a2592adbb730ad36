/** Journals of changes to a dataset that stays as it is. */
import type { Output } from "./io.js";
import type { Json } from "./names.js";
import type { Progress } from "./opened.js";
import type { EditsWritten } from "./reports.js";

/** Where a journal lies: what is written there is there when a page is closed, or dies. */
export interface EditStore {
  /** All that a file of this name has; nothing if there is none. */
  read(name: string): Promise<Uint8Array | null>;
  /**
   * Writes bytes at a position, beyond which the file ends then; they are on the disk when this is done. Rejects where the file
   * ends before that position: somebody took it away, and it is written again from its beginning.
   */
  write(name: string, position: number, bytes: Uint8Array): Promise<void>;
  /** Removes a file, if there is one. */
  remove(name: string): Promise<void>;
}

/** How a journal is opened. */
export interface EditOptions {
  /**
   * Where it lies: a folder, or a store of one's own. Default: the origin-private file system of the page; if there is none, as in
   * Node, memory.
   */
  store?: FileSystemDirectoryHandle | EditStore;
  /**
   * The name of the journal there. Default: made of the dataset's digest, so that a file that is renamed keeps its edits. Of a store of
   * one's own that is not a folder, journals of one name are taken for the same, and only one of them is open at a time.
   */
  name?: string;
  /** Ends the opening. */
  signal?: AbortSignal;
}

/** An annotation, by the convention of a sample's record. */
export interface EditBox {
  /** The name of its class. */
  class?: string;
  /** Left, in pixels. */
  xmin: number;
  /** Top. */
  ymin: number;
  /** Right. */
  xmax: number;
  /** Bottom. */
  ymax: number;
  [more: string]: Json | undefined;
}

/** What a sample gets: fields by the paths that filters use; `undefined` takes one away. `boxes` are all that it has then. */
export interface EditFields {
  /** All annotations that the sample has then. */
  boxes?: readonly EditBox[];
  [path: string]: Json | readonly EditBox[] | undefined;
}

/** A journal as files. */
export interface EditFiles {
  /** The journal. */
  journal: Blob;
  /** The bytes of added samples, if there are any: the file beside it, called as it is with `.blobs` behind. */
  blobs: Blob | null;
}

/** How to save. */
export interface EditSaveOptions {
  /** What is written, of a TBL as of a TAR. An archive has no document: what was changed there is left out. Default: `tbl`. */
  to?: "tbl" | "tar";
  /**
   * The output is the handle of the very file that is open, a TBL of the guide layout, and only metadata changed: payloads stay where
   * they are, and metadata and header are written, in an order by which the old file or the new one is there at every moment. The
   * dataset has to be opened again then, and the journal, which does not fit any more, is discarded.
   */
  inPlace?: boolean;
  /** Ends it; the output's `abort` is called. */
  signal?: AbortSignal;
  /** Hears how far it is. */
  onProgress?: (progress: Progress) => void;
}

/** What saving did. */
export interface EditSummary extends EditsWritten {
  /** Bytes that were written: all of a new file, and in place the metadata. */
  readonly writtenBytes: number;
}

/**
 * A journal of changes. Every function that changes something ends when the change is kept: then it outlasts the page.
 *
 * ```js
 * const edits = await dataset.edit();
 * await edits.set(17, { label: "boat", boxes: [{ class: "boat", xmin: 1, ymin: 2, xmax: 30, ymax: 40 }] });
 * await edits.remove(18);
 * await edits.save(handle);
 * ```
 */
export interface Edits {
  /** The journal's name in its store. */
  readonly name: string;
  /** Samples, those that were added included, and those that were removed: numbers stay. */
  readonly samples: number;
  /** Lines of the journal so far. */
  readonly changes: number;
  /** Whether a change stands. */
  readonly dirty: boolean;
  /** Whether there is something to undo. */
  readonly canUndo: boolean;
  /** Whether there is something to redo. */
  readonly canRedo: boolean;
  /** Sets fields and annotations of a sample. */
  set(i: number, fields: EditFields): Promise<void>;
  /** Leaves a sample out. */
  remove(i: number): Promise<void>;
  /** Takes a removal back. */
  restore(i: number): Promise<void>;
  /** Adds a sample of this name at the end, before those that were moved there; its number. */
  add(payload: Blob | Uint8Array, fields: EditFields & { name: string }): Promise<number>;
  /** Gives a sample's file another name. */
  rename(i: number, name: string): Promise<void>;
  /** Moves a sample before another one, or to the end. */
  move(i: number, before?: number): Promise<void>;
  /** Gives a sample tags, and takes some. */
  tag(i: number, add: readonly string[], remove?: readonly string[]): Promise<void>;
  /** Says what a reviewer said; `null` is nothing again. */
  review(i: number, state: "accepted" | "rejected" | null): Promise<void>;
  /** Fields of the document beside the samples, such as `classes`. */
  document(fields: { [path: string]: Json | undefined }): Promise<void>;
  /** Takes the last change back that stands. */
  undo(): Promise<void>;
  /** Makes the last change again that was undone. */
  redo(): Promise<void>;
  /** The numbers of the samples in their new order, without those that were removed. */
  order(): Promise<number[]>;
  /** The bytes of a sample that was added; those of the dataset's own are the dataset's to give. */
  blob(i: number): Promise<Blob>;
  /** A sample's record with its changes. */
  record(i: number): Promise<Json>;
  /**
   * A sample's annotations with its changes, as `set` takes them: in pixels, of the raster that `annotations_size` says if the record has
   * that. `null` where nobody said anything, an empty list where somebody said that there is nothing. Rejects with a `label.*` code
   * as `boxes` of the dataset does, for annotations of another convention: `set` of boxes takes their place.
   */
  boxes(i: number): Promise<EditBox[] | null>;
  /** The journal as files, for the command and Python. */
  export(): Promise<EditFiles>;
  /** Writes a new file, or changes the old one: the bytes are those that `forebay apply` writes. Of a new file dataset and journal stay. */
  save(output: Output, options?: EditSaveOptions): Promise<EditSummary>;
  /** Removes the journal from its store, and closes it. */
  discard(): Promise<void>;
  /** Lets the journal go: another tab may open it. */
  close(): void;
}
