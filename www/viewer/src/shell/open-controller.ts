/** What is open, and how it comes to be: files, addresses, texts, what must be unpacked first; and how it is closed. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type {
  Dataset,
  Folder,
  HttpOptions,
  Input,
  OpenOptions,
  OpenProgress,
  Table,
} from "../../../lib/src/model/index.ts";
import type { Engine } from "../files/engine.ts";
import { textFormatOf } from "../../../lib/src/model/formats.ts";
import { indexStore } from "../files/index-store.ts";
import { openAny, TooLarge, type TextSource, type TextTable } from "../files/open-any.ts";
import { listedBy, type ListedBy } from "../files/picture-lists.ts";
import type { Recent } from "../files/recent.ts";
import { removeLeftovers } from "../files/temporary-files.ts";
import { unpack, unpackedName } from "../files/unpack.ts";
import { seekStrip } from "../samples/strips.ts";
import { visible } from "../ui/visible.ts";
import { isAbort, trouble } from "../ui/wording.ts";
import { Access } from "./access.ts";
import { failureOf } from "./failures.ts";
import { pickJson } from "./json-picker.ts";
import type { Failure, Opening } from "./welcome.ts";
import { msg } from "../messages/shell.ts";

/** What goes along with a file that is opened. */
export interface OpenExtra {
  /** To open it again another day. */
  readonly handle?: FileSystemFileHandle;
  readonly tbfSchema?: object;
  /** Its thumbnails, which were handed over with it. */
  readonly thumbs?: Blob;
  /** The column of a table whose pictures are shown as samples. */
  readonly column?: string;
  /** It is a list of pictures with these beside it. */
  readonly list?: boolean;
  /** Its pictures are files of this machine, all of them. */
  readonly near?: boolean;
  /** Frees what lies in the store for it. */
  readonly forget?: () => void;
}

/** What opening needs of the page around it. */
export interface OpenHost {
  /** The page is the viewer's own: it keeps indexes for the next visit. */
  readonly ownPage: () => boolean;
  /** Something else says what is opened: an address in `src`, or that of the page. */
  readonly asks: () => boolean;
  /** Loads the parts that show what is opened. */
  readonly load: (kind: "samples" | "table") => Promise<void>;
  /** What the page is called now; nothing where no file is open. */
  readonly title: (name: string | null) => void;
  /** Something could not be opened. */
  readonly failed: (failure: Failure) => void;
  readonly engine: () => Engine;
  readonly say: (text: string) => void;
  /** Whether somebody is at something on the page. */
  readonly focused: () => boolean;
  /** Something is open: shows it as the link says; `focused` as the page was before. Resolves when that is done. */
  readonly opened: (found: Dataset | Table, focused: boolean) => Promise<void>;
  /** It may be opened again another day. */
  readonly remember: (entry: Omit<Recent, "id" | "url">, file: string) => void;
  /** More samples of a growing file are known. */
  readonly grown: (dataset: Dataset) => void;
  /** All of a growing file is known, or no more will be. */
  readonly settled: (dataset: Dataset) => void;
  /** Nothing is open any more; `left` if no other file follows. */
  readonly closed: (left: boolean) => void;
  /** Offers to convert the text that is too large to be shown. */
  readonly convertText: () => void;
}

/** Opens one file after the other; whoever is late is not shown. */
export class OpenController implements ReactiveController {
  /** What is open: samples, or a table. */
  data: Dataset | null = null;
  table: Table | null = null;
  opening: Opening | null = null;
  failure: Failure | null = null;
  /** The text that the table was made of. */
  textual: TextTable | null = null;
  /** What is open is a list of pictures: each is fetched by itself. */
  listed = false;
  /** Reading any of it goes to no server. */
  near = false;
  /** The field of the open table that names pictures. */
  listedBy: ListedBy | null = null;
  /** A text that is too large to be shown. */
  tooLarge: TextSource | null = null;
  /** How far the headers of a growing file are read. */
  growth: OpenProgress | null = null;
  /** What links call the file. */
  file = "";
  source: Input | Folder | null = null;
  private work = new AbortController();
  private readonly access: Access;
  /** Frees what lies in the store for what is open. */
  private letGo: () => void = () => undefined;
  /** How what is open was opened. */
  private extra: OpenExtra = {};
  /** Opens what was open when the viewer was taken off its page. */
  private again: (() => void) | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: OpenHost,
  ) {
    this.access = new Access(host);
    host.addController(this);
  }
  hostConnected(): void {
    if (this.of.ownPage()) void removeLeftovers().catch(() => undefined);
    // Whoever takes it off the page and puts it elsewhere means the same file; one of an address is asked for by that.
    if (!this.of.asks()) this.again?.();
    this.again = null;
  }
  hostDisconnected(): void {
    const { found, source, file, extra } = this;
    // What was unpacked for it is gone from the store.
    if (found && source && !extra.forget)
      this.again = () => void this.open(source, found.name ?? "dataset", file, extra);
    this.close(false);
  }

  /** Ends with what is open. */
  get signal(): AbortSignal {
    return this.work.signal;
  }
  /** What goes along with requests for an input. */
  http(input: Input): { readonly http?: HttpOptions } {
    return this.access.http(input);
  }
  /** What is open, whichever it is. */
  get found(): Dataset | Table | null {
    return this.data ?? this.table;
  }

  /** Opens a file, an address or anything else that the package opens. Nothing if it could not be opened, or another one was meanwhile. */
  async open(
    input: Input | Folder,
    name: string,
    file: string,
    extra: OpenExtra = {},
  ): Promise<Dataset | Table | null> {
    const { tbfSchema, forget, column, thumbs, list, near = false, ...kept } = extra;
    const focused = this.of.focused();
    this.close(false);
    if (forget) this.letGo = forget;
    this.extra = extra;
    const work = this.begin(name, file);
    const late = (): boolean => this.work !== work || work.signal.aborted;
    this.source = input;
    // Most files hold samples: what shows them comes while the file is looked at.
    const coming = this.of.load("samples");
    coming.catch(() => undefined);
    try {
      const onProgress = (progress: OpenProgress): void => {
        if (late()) return;
        if (this.data) this.grown(this.data, progress);
        else this.set({ opening: { name, progress } });
      };
      const { signal } = work;
      const options: OpenOptions = {
        name,
        signal,
        keepGoing: true,
        grow: true,
        onProgress,
        ...this.access.http(input),
        ...(column !== undefined && { column }),
      };
      if (this.of.ownPage()) options.indexStore = indexStore;
      const { found, textual } = await openAny(
        this.of.engine(),
        input,
        tbfSchema ? { ...options, tbfSchema } : options,
        signal,
      );
      const dropped = await (found.kind === "samples" ? coming : this.of.load("table")).then(late, (e: unknown) => {
        textual?.forget();
        found.close();
        throw e;
      });
      if (dropped) {
        textual?.forget();
        found.close();
        return null;
      }
      if (found.kind === "samples") seekStrip(found, isFar(input), thumbs ?? null);
      const listed = list === true || (column !== undefined && textFormatOf(name) === "jsonl");
      this.set({
        textual,
        listed,
        near: near || (!listed && isHere(input)),
        opening: null,
        ...(found.kind === "table" ? { table: found } : { data: found }),
      });
      if (found.kind === "table" && textual?.text.format === "jsonl") void this.seekPictures(found, isFar(input));
      this.of.title(name);
      this.of.say(
        found.kind === "table"
          ? msg("rows2", { name: visible(name), found: found.length })
          : msg("samples2", { name: visible(name), found: found.length }),
      );
      if (found.kind === "samples" && found.growing) {
        const settled = (): void => this.settled(found);
        found.whole.then(settled, settled);
      }
      await this.of.opened(found, focused);
      this.of.remember({ name, bytes: textual?.text.bytes ?? found.byteLength, when: Date.now(), ...kept }, file);
      return late() ? null : found;
    } catch (e) {
      if (late()) return null;
      this.set({ opening: null });
      if (isAbort(e)) return null;
      this.fail(this.failed(e, input, name, file, kept, near ? "" : (column ?? (list ? "" : undefined))));
      this.of.say(msg("couldNotOpened", { name: visible(name) }));
      return null;
    }
  }

  /** What went wrong with a file, and what may help. */
  private failed(
    e: unknown,
    input: Input | Folder,
    name: string,
    file: string,
    extra: OpenExtra,
    listed?: string,
  ): Failure {
    if (e instanceof TooLarge) this.tooLarge = e.text;
    const refuse = (message: string): void =>
      this.set({ failure: { ...failure, trouble: { ...failure.trouble, message } } });
    const failure = failureOf(e, name, file, {
      chooseSchema: () => pickJson((tbfSchema) => void this.open(input, name, file, { ...extra, tbfSchema }), refuse),
      convertText: this.of.convertText,
      unpack: () => void this.openUnpacked(input as Input, name, file, extra),
      listed: listed !== undefined,
      // Of a folder the list is not what was handed over.
      rows: listed ? () => void this.open(input, name, file, extra) : null,
    });
    if (!this.access.isAsked(input, failure.trouble)) return failure;
    const signIn = async (): Promise<void> => {
      if (await this.access.ask(input)) await this.open(input, name, file, extra);
    };
    return { ...failure, ways: [{ words: msg("signIn"), go: () => void signIn() }, ...(failure.ways ?? [])] };
  }

  /** Unpacks what is packed as a whole, and opens that. */
  private async openUnpacked(input: Input, name: string, file: string, extra: OpenExtra): Promise<void> {
    this.close(false);
    const work = this.begin(name, file, { unpacking: true });
    try {
      const onProgress = (bytes: number, totalBytes: number): void => {
        const progress = { bytes, totalBytes, samples: 0 };
        if (this.work === work) this.set({ opening: { name, progress, unpacking: true } });
      };
      const { file: plain, forget } = await unpack(input, name, work.signal, onProgress, this.access.http(input).http);
      if (this.work !== work) forget();
      else await this.open(plain, unpackedName(name), file, { ...extra, forget });
    } catch (e) {
      if (this.work !== work || isAbort(e)) return;
      this.set({ opening: null });
      this.fail({ name, trouble: trouble(e) });
    }
  }

  /** Finds out whether the lines name pictures. Nobody waits for it. */
  private async seekPictures(table: Table, far: boolean): Promise<void> {
    const found = await listedBy(table, far, this.signal).catch(() => null);
    if (this.table === table) this.set({ listedBy: found });
  }
  /** Opens the same table again, the pictures of this column as samples. */
  async showPictures(column: string): Promise<void> {
    const { table, file, source } = this;
    if (table && source) await this.open(source, table.name ?? "table", file, { column });
  }

  /** Opens the same file again, its index read anew. */
  async reread(): Promise<void> {
    const { data, file, source } = this;
    if (this.of.ownPage()) await indexStore.forget();
    if (data && source) await this.open(source, data.name ?? "dataset", file);
  }

  /** Says why something is not opened. */
  fail(failure: Failure): void {
    this.set({ failure });
    if (failure.trouble.code === "http.network") void this.explain(failure);
    if (failure.kind !== "asks") this.of.failed(failure);
  }

  /** Finds out whether the server is out of reach, or only closed to pages of other sites; nobody waits for it. */
  private async explain(failure: Failure): Promise<void> {
    const { source } = this;
    if (!source || !isFar(source)) return;
    const { isClosed } = await import("./reach.ts");
    const url = new URL(source as string | URL, location.href);
    if (!(await isClosed(url, this.signal)) || this.failure !== failure) return;
    const message = msg("serverIsClosed", { server: url.host, origin: location.origin });
    this.set({ failure: { ...failure, trouble: { ...failure.trouble, message } } });
  }

  /** Frees the file; `left` where no other one follows. */
  close(left = true): void {
    this.work.abort();
    const { found, textual, letGo } = this;
    this.letGo = () => undefined;
    this.set({ listed: false, near: false, listedBy: null });
    this.set({ data: null, table: null, textual: null, tooLarge: null, opening: null, failure: null, growth: null });
    this.of.title(null);
    if (left) [this.source, this.file] = [null, ""];
    this.of.closed(left);
    // Once nothing on the page draws it any more.
    void this.host.updateComplete.then(() => {
      found?.close();
      textual?.forget();
      letGo();
    });
  }

  private begin(name: string, file: string, how: { unpacking?: boolean } = {}): AbortController {
    this.work = new AbortController();
    this.file = file;
    this.set({ opening: { name, progress: null, ...how } });
    return this.work;
  }
  private grown(dataset: Dataset, growth: OpenProgress): void {
    this.set({ growth });
    this.of.grown(dataset);
  }
  private settled(dataset: Dataset): void {
    if (this.data !== dataset) return;
    this.set({ growth: null });
    const name = visible(dataset.name ?? msg("theFile"));
    this.of.say(
      dataset.damage
        ? msg("samplesThenCouldNotRead", { name, length: dataset.length })
        : msg("samples3", { name, length: dataset.length }),
    );
    this.of.settled(dataset);
  }
  private set(change: Partial<OpenController>): void {
    Object.assign(this, change);
    this.host.requestUpdate();
  }
}

/** Whether reading costs nobody anything: a file or a folder of this machine. */
const isHere = (source: Input | Folder): boolean =>
  typeof source === "object" && source !== null && !(source instanceof URL) && !("read" in source);

/** Whether reading goes to a server. */
const isFar = (input: Input | Folder): boolean => typeof input === "string" || input instanceof URL;
