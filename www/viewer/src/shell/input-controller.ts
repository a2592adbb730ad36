/** What people hand over: files that are dropped, chosen or were open before, and addresses. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Folder, FolderFile, Input, LabelInput } from "../../../lib/src/model/index.ts";
import { isThumbs, samplesIn, withThumbs } from "../files/beside-thumbs.ts";
import { isListed, listAmong } from "../files/picture-lists.ts";
import { shardsAmong } from "../files/shards.ts";
import { fileOf, type Recent } from "../files/recent.ts";
import { SAMPLE } from "../files/sample-name.ts";
import { isAbort, trouble } from "../ui/wording.ts";
import { fileUrl, type Link } from "./link.ts";
import { nameOf } from "./nameable.ts";
import { msg } from "../messages/shell.ts";

/** What handing over needs of the page around it. */
export interface InputHost {
  /** Whether people may hand anything over. */
  readonly accepts: () => boolean;
  /** What the link that led here calls the file. */
  readonly linked: () => string | undefined;
  /** Makes the page's address that of a file. */
  readonly point: (file: string, more?: Omit<Link, "file">) => void;
  readonly open: (
    input: Input | Folder,
    name: string,
    file: string,
    extra?: { handle?: FileSystemFileHandle; thumbs?: Blob; list?: boolean; near?: boolean; column?: string },
  ) => void;
  /** The files of a folder that is dropped. */
  readonly dropped: (data: DataTransfer) => Promise<FolderFile[]>;
  /** Labels that are handed over; true if there is something that they may be of. */
  readonly labels: (input: LabelInput, name: string) => boolean;
  /** Thumbnails that are handed over by themselves; true if there is something that they may be of. */
  readonly thumbs: (file: File) => boolean;
  /** A warehouse that is dropped; true if there is one that it is compared with. */
  readonly beside: (folder: Folder, name: string) => boolean;
  /** Says why something is not opened. */
  readonly refuse: (name: string, message: string) => void;
  /** The same of what was open before, in whose place the message comes. */
  readonly fail: (name: string, message: string) => void;
  /** The file input, for browsers without a picker. */
  readonly chooser: () => HTMLInputElement | null;
  /** The same for folders. */
  readonly folderChooser: () => HTMLInputElement | null;
}

/** Opens what is handed over. */
export class InputController implements ReactiveController {
  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement & { dragging: boolean },
    private readonly of: InputHost,
  ) {
    host.addController(this);
  }
  hostConnected(): void {
    this.host.addEventListener("dragover", this.onDrag);
    this.host.addEventListener("dragleave", this.onLeave);
    this.host.addEventListener("drop", this.onDrop);
  }
  hostDisconnected(): void {
    this.host.removeEventListener("dragover", this.onDrag);
    this.host.removeEventListener("dragleave", this.onLeave);
    this.host.removeEventListener("drop", this.onDrop);
  }

  url(text: string): void {
    if (text.trim() === "") return;
    if (text === SAMPLE) return void this.sample();
    this.turn++;
    const url = fileUrl(text.trim(), document.baseURI);
    if (!url) return this.of.refuse(text, msg("notWebAddressBeginsHttp"));
    const own = url.href.startsWith(new URL("./", document.baseURI).href);
    const file = own ? text.trim() : url.href;
    this.of.point(file);
    this.of.open(url, nameOf(url.pathname) || url.host, file);
  }
  /** Draws the sample dataset and opens it as `more` says, unless something else was handed over meanwhile. */
  async sample(more?: Omit<Link, "file">): Promise<void> {
    const turn = ++this.turn;
    this.of.point(SAMPLE, more);
    try {
      const { makeSample } = await import("../files/sample-dataset.ts");
      const file = await makeSample();
      if (turn === this.turn) this.of.open(file, file.name, SAMPLE);
    } catch (e) {
      if (turn === this.turn) this.of.refuse("The sample dataset", trouble(e).message);
    }
  }
  private turn = 0;
  file(file: File, handle?: FileSystemFileHandle, thumbs?: Blob | null): void {
    if (isThumbs(file.name) && this.of.thumbs(file)) return;
    this.turn++;
    // A link to this file may say more than its name.
    if (this.of.linked() !== `local:${file.name}`) this.of.point(`local:${file.name}`);
    this.of.open(file, file.name, `local:${file.name}`, { ...(handle && { handle }), ...(thumbs && { thumbs }) });
  }
  async recent(entry: Recent): Promise<void> {
    if (entry.url) return this.url(entry.url);
    const turn = ++this.turn;
    const file = entry.handle && (await fileOf(entry.handle).catch(() => null));
    // The browser asks people meanwhile, who may take something else.
    if (turn !== this.turn) return;
    if (file) this.file(file, entry.handle);
    else this.of.fail(entry.name, msg("browserNoLongerGivesAccess"));
  }
  /** A folder: a warehouse, a list with its pictures, labels of what is open, one dataset in one file or several, or pictures. */
  async folder(coming: Promise<Folder>, name: string, dropped = false): Promise<void> {
    const turn = ++this.turn;
    try {
      const files = await coming;
      if (turn !== this.turn) return;
      if (await hasManifest(files)) {
        if (dropped && this.of.beside(files, name)) return;
        return this.warehouse(files, name);
      }
      if (await isListed(files)) {
        if (turn === this.turn) this.list(files, name);
        return;
      }
      const samples = await samplesIn(files);
      const pictures = samples ? null : await (await import("../files/picture-folder.ts")).picturesIn(files);
      if (turn !== this.turn) return;
      // A folder of pictures alone holds no labels of what is open.
      if ((!pictures || pictures.labels) && this.of.labels(files, name)) return;
      if (samples && "shards" in samples) return this.together(samples.shards, name);
      if (samples) return this.file(samples.file, undefined, samples.thumbs);
      if (pictures) return this.list(pictures.files, name, true);
      this.of.refuse(name, msg("folderHasNothing"));
    } catch (e) {
      if (!isAbort(e)) this.of.refuse(name, trouble(e).message);
    }
  }
  /** A folder that is known to be a warehouse. */
  warehouse(files: Folder, name: string): void {
    this.together(files, name);
  }
  /** A folder that is known to be a list of pictures. */
  private list(files: Folder, name: string, near = false): void {
    this.together(files, name, { list: true, near, ...(near && { column: NAMED }) });
  }
  /** Files that are one dataset, under one name. */
  private together(files: Folder, name: string, extra: { list?: boolean; near?: boolean; column?: string } = {}): void {
    this.turn++;
    this.of.point(`local:${name}`);
    this.of.open(files, name, `local:${name}`, extra);
  }
  /** Asks for a folder, or for a label file. */
  async chooseFolder(): Promise<void> {
    const picker = (globalThis as { showDirectoryPicker?: () => Promise<FileSystemDirectoryHandle> })
      .showDirectoryPicker;
    if (!picker) return this.of.folderChooser()?.click();
    try {
      const handle = await picker();
      await this.folder(Promise.resolve(handle), handle.name);
    } catch (e) {
      if (!isAbort(e)) this.of.refuse("The folder", trouble(e).message);
    }
  }
  /** The folder input has another folder. */
  readonly folderChosen = (e: Event): void => {
    const input = e.target as HTMLInputElement;
    const files = [...(input.files ?? [])];
    input.value = "";
    const name = files[0]?.webkitRelativePath.split("/")[0] ?? "";
    if (files.length > 0) void this.folder(Promise.resolve(files), name);
  };
  /** The label input has another file. */
  readonly labelsChosen = (e: Event): void => {
    const input = e.target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = "";
    if (file) this.of.labels(file, file.name);
  };
  async choose(): Promise<void> {
    const picker = (globalThis as { showOpenFilePicker?: () => Promise<FileSystemFileHandle[]> }).showOpenFilePicker;
    if (!picker) return this.of.chooser()?.click();
    let name = "The file";
    try {
      const [handle] = await picker();
      name = handle?.name ?? name;
      if (handle) this.file(await handle.getFile(), handle);
    } catch (e) {
      if (!isAbort(e)) this.of.refuse(name, trouble(e).message);
    }
  }
  /** The file input has another file. */
  readonly chosen = (e: Event): void => {
    const input = e.target as HTMLInputElement;
    const file = input.files?.[0];
    // Choosing the same file again is a choice too.
    input.value = "";
    if (file) this.file(file);
  };

  private readonly onDrag = (e: DragEvent): void => {
    if (!this.of.accepts()) return;
    e.preventDefault();
    this.host.dragging = true;
  };
  private readonly onLeave = (): void => {
    this.host.dragging = false;
  };
  private readonly onDrop = (e: DragEvent): void => {
    if (!this.of.accepts()) return;
    e.preventDefault();
    this.host.dragging = false;
    const item = [...(e.dataTransfer?.items ?? [])].find((one) => one.kind === "file");
    const entry = item?.webkitGetAsEntry?.();
    if (entry?.isDirectory) return void this.folder(this.of.dropped(e.dataTransfer!), entry.name, true);
    const files = [...(e.dataTransfer?.items ?? [])].flatMap((one) => (one.kind === "file" && one.getAsFile()) || []);
    const listed = listAmong(files);
    if (listed) return this.list(listed.folder, listed.name);
    const shards = shardsAmong(files.filter(({ name }) => !isThumbs(name)));
    if (shards) return this.together(shards, msg("firstAndMore", { name: shards[0]!.name, more: shards.length - 1 }));
    const given = withThumbs(files);
    if (!given) {
      // A link that was dragged from elsewhere.
      const text = e.dataTransfer?.getData("text/uri-list") || e.dataTransfer?.getData("text/plain") || "";
      const address = text.split(/\r?\n/).find((line) => /^https?:/i.test(line));
      if (address) this.url(address);
      return;
    }
    const { file, thumbs } = given;
    if (/\.(json|xml|txt)$/i.test(file.name) && this.of.labels(file, file.name)) return;
    // Of several files the browser says what the first is by; that is of no use where another one is meant.
    const asking = (file === files[0] ? item : {}) as DataTransferItem & {
      getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
    };
    const handle = asking.getAsFileSystemHandle?.().catch(() => null) ?? Promise.resolve(null);
    const turn = ++this.turn;
    void handle.then((h) => {
      if (turn === this.turn) this.file(file, h?.kind === "file" ? (h as FileSystemFileHandle) : undefined, thumbs);
    });
  };
}

/** The field of a list that was made here: which it is need not be found out by what names look like. */
const NAMED = "file_name";

/** Folders that a manifest may lie in, below the one that was handed over: those of versions. */
const VERSIONS = 64;

/** Whether a folder, or one in it, has a manifest: then it is a warehouse. */
async function hasManifest(folder: Folder): Promise<boolean> {
  const named = (path: string): boolean => /(^|\/)manifest\.json$/.test(path);
  if (!("getFileHandle" in folder))
    return [...(folder as Iterable<File | FolderFile>)].some((file) =>
      named("path" in file ? file.path : file.webkitRelativePath || file.name),
    );
  const has = (at: FileSystemDirectoryHandle): Promise<boolean> =>
    at.getFileHandle("manifest.json").then(
      () => true,
      () => false,
    );
  if (await has(folder)) return true;
  let looked = 0;
  const walked = folder as FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemHandle> };
  for await (const entry of walked.values())
    if (entry.kind === "directory" && looked++ < VERSIONS && (await has(entry as FileSystemDirectoryHandle)))
      return true;
  return false;
}
