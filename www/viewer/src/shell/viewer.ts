/** `<forebay-viewer>`: everything together. */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Dataset, Input, OpenOptions, OpenProgress, Table } from "../../../lib/src/model/index.ts";
import "../dialogs/about-dialog.ts";
import "../dialogs/check-dialog.ts";
import "../dialogs/convert-dialog.ts";
import "../dialogs/convert-table-dialog.ts";
import "../samples/facets-view.ts";
import "../ui/filter-box.ts";
import "../samples/gallery.ts";
import "../dialogs/help-dialog.ts";
import "../samples/sample-panel.ts";
import "../tables/table-view.ts";
import "../samples/sample-table.ts";
import type { AboutDialog } from "../dialogs/about-dialog.ts";
import { Rows, type Collection } from "../ui/collection.ts";
import type { CheckDialog } from "../dialogs/check-dialog.ts";
import type { ConvertDialog } from "../dialogs/convert-dialog.ts";
import type { ConvertTableDialog } from "../dialogs/convert-table-dialog.ts";
import type { Engine } from "../files/engine.ts";
import { Counts } from "../samples/counts.ts";
import type { Clause } from "../samples/facets-view.ts";
import { failureOf } from "./failures.ts";
import type { FilterBox } from "../ui/filter-box.ts";
import type { HelpDialog } from "../dialogs/help-dialog.ts";
import { pickJson } from "./json-picker.ts";
import { fileUrl, formatLink, parseLink } from "./link.ts";
import { indexStore } from "../files/index-store.ts";
import { Throttle } from "../ui/throttle.ts";
import { fileOf, forgetRecents, namesakes, recents, remember, type Recent } from "../files/recent.ts";
import type { SamplePanel } from "../samples/sample-panel.ts";
import { removeLeftovers } from "../files/temporary-files.ts";
import { controls, tokens } from "../ui/styles.ts";
import { openAny, TooLarge, type TextSource, type TextTable } from "../files/open-any.ts";
import type { ShownTable, TableLink, TableView } from "../tables/table-view.ts";
import { unpack, unpackedName } from "../files/unpack.ts";
import { viewerStyles } from "../ui/viewer-styles.ts";
import { RowCursor } from "../ui/row-cursor.ts";
import "./welcome.ts";
import { LOGO, type Failure, type Offer, type Opening } from "./welcome.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count, isAbort, plural, trouble, type Trouble } from "../ui/wording.ts";

/** Milliseconds after which the first pictures are no longer waited for. */
const PATIENCE = 1200;
/** Milliseconds that a warning stays. */
const WARNED = 8000;

@customElement("forebay-viewer")
export class Viewer extends LitElement {
  static override styles = [tokens, controls, viewerStyles];

  /** The package's functions. */
  @property({ attribute: false }) engine!: Engine;
  @property({ reflect: true }) theme: "light" | "dark" | null = null;
  @property({ type: Boolean, reflect: true }) dragging = false;
  /** What is open: samples, or a table. */
  @state() private data: Dataset | null = null;
  @state() private table: Table | null = null;
  @state() private opening: Opening | null = null;
  @state() private failure: Failure | null = null;
  /** The text that the table was made of. */
  @state() private textual: TextTable | null = null;
  /** A text that is too large to be shown. */
  @state() private tooLarge: TextSource | null = null;
  /** What the open table shows, for converting it. */
  @state() private looked: ShownTable = { columns: [], filter: null };
  @state() private recent: readonly Recent[] = [];
  @state() private keptIndexes = 0;
  /** How far the headers of a growing file are read. */
  @state() private growth: OpenProgress | null = null;
  @state() private offers: readonly Offer[] = [];
  @state() private rows = new Rows(0, null);
  @state() private view: "gallery" | "table" = "gallery";
  @state() private text = "";
  @state() private clauses: ReadonlyMap<string, Clause> = new Map();
  @state() private filterError: Trouble | null = null;
  @state() private filtering = false;
  private readonly counts = new Counts(this, {
    data: () => this.data,
    rows: () => this.rows,
    growing: () => this.growth !== null,
    local: () => this.source instanceof Blob,
    signal: () => this.work.signal,
    pictures: () => this.pictures,
  });
  private readonly cursor = new RowCursor(this, {
    unit: "sample",
    rows: () => this.rows,
    list: () => this.collection,
    say: (text) => this.say(text),
    moved: () => this.updateLink(),
  });
  @state() private picked: ReadonlySet<number> = new Set();
  @state() private tileSize = 168;
  @state() private facetsShown = false;
  @state() private read = "";
  @state() private said = "";
  @state() private warning = "";
  private warned: ReturnType<typeof setTimeout> | undefined;
  @query("forebay-about") private aboutDialog!: AboutDialog;
  @query("forebay-check") private checkDialog!: CheckDialog;
  @query("forebay-convert") private convertDialog!: ConvertDialog;
  @query("forebay-convert-table") private convertTableDialog!: ConvertTableDialog;
  @query("forebay-help") private helpDialog!: HelpDialog;
  @query("forebay-filter") private filterBox!: FilterBox | null;
  @query("forebay-table-view") private tableView!: TableView | null;
  @query("forebay-sample") private samplePanel!: SamplePanel | null;
  @query("forebay-gallery, forebay-table") private collection!: Collection | null;
  private file = "";
  private source: Input | null = null;
  private work = new AbortController();
  private filterWork = new AbortController();
  private timer = 0;
  /** Resolves when the first pictures are drawn, or when they take too long. */
  private pictures: Promise<void> = Promise.resolve();
  private pictured = (): void => undefined;
  private readonly throttle = new Throttle();
  /** Lets go of what lies in the store for what is open. */
  private letGo: () => void = () => undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    const theme = readTheme();
    if (theme) this.theme = theme;
    document.addEventListener("keydown", this.onKey);
    window.addEventListener("hashchange", this.onHash);
    this.addEventListener("dragover", this.onDrag);
    this.addEventListener("dragleave", () => (this.dragging = false));
    this.addEventListener("drop", this.onDrop);
    this.timer = window.setInterval(() => this.updateRead(), 400);
    void this.recall();
    void this.findOffers();
    void removeLeftovers().catch(() => undefined);
    this.onHash();
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this.onKey);
    window.removeEventListener("hashchange", this.onHash);
    clearInterval(this.timer);
    this.close(false);
  }

  // Opening

  /** Opens a file, an address or anything else that the package opens. */
  async open(
    input: Input,
    name: string,
    file: string,
    { tbfSchema, forget, ...extra }: { handle?: FileSystemFileHandle; tbfSchema?: object; forget?: () => void } = {},
  ): Promise<void> {
    // Who opened it with something on the page goes on in what is opened.
    const led = this.shadowRoot?.activeElement != null;
    this.close(false);
    if (forget) this.letGo = forget;
    const work = new AbortController();
    this.work = work;
    this.file = file;
    this.source = input;
    this.opening = { name, progress: null };
    try {
      const onProgress = (progress: OpenProgress): void => {
        if (this.work !== work) return;
        if (this.data) this.grown(progress);
        else this.opening = { name, progress };
      };
      const options: OpenOptions = {
        name,
        signal: work.signal,
        keepGoing: true,
        grow: true,
        indexStore,
        onProgress,
        ...(tbfSchema && { tbfSchema }),
      };
      const { found, textual } = await openAny(this.engine, input, options, work.signal);
      if (this.work !== work) {
        textual?.forget();
        return found.close();
      }
      this.textual = textual;
      this.opening = null;
      document.title = `${visible(name)} – Forebay`;
      this.say(`${visible(name)}: ${plural(found.length, found.kind === "table" ? "row" : "sample")}`);
      if (found.kind === "table") this.table = found;
      else this.beginSamples(found);
      const url = fileUrl(file, location.href);
      await this.applyLink();
      if (led && document.activeElement === document.body) this.focusList();
      void remember({
        name,
        bytes: textual?.text.bytes ?? found.byteLength,
        when: Date.now(),
        ...(url && !file.startsWith("local:") ? { url: url.href } : {}),
        ...extra,
      }).then(() => this.recall());
      if (found.kind === "samples") void this.counts.learn(found);
    } catch (e) {
      if (this.work !== work) return;
      this.opening = null;
      if (!isAbort(e)) {
        this.failure = this.failed(e, input, name, file, extra);
        this.say(`${visible(name)} could not be opened`);
      }
    }
  }
  /** What went wrong with a file, and what may help. */
  private failed(
    e: unknown,
    input: Input,
    name: string,
    file: string,
    extra: { handle?: FileSystemFileHandle },
  ): Failure {
    if (e instanceof TooLarge) this.tooLarge = e.text;
    const chooseSchema = (): void =>
      pickJson(
        (schema) => void this.open(input, name, file, { ...extra, tbfSchema: schema }),
        (why) => {
          this.failure = { ...failure, trouble: { ...failure.trouble, message: why } };
        },
      );
    const failure = failureOf(e, name, file, {
      chooseSchema,
      convertText: () => this.convertTableDialog.show(),
      unpack: () => void this.openUnpacked(input, name, file, extra),
    });
    return failure;
  }
  /** Unpacks what is packed as a whole, and opens that. */
  private async openUnpacked(
    input: Input,
    name: string,
    file: string,
    extra: { handle?: FileSystemFileHandle },
  ): Promise<void> {
    this.close(false);
    const work = new AbortController();
    [this.work, this.file] = [work, file];
    this.opening = { name, progress: null, unpacking: true };
    try {
      const onProgress = (bytes: number, totalBytes: number): void => {
        if (this.work === work) this.opening = { name, progress: { bytes, totalBytes, samples: 0 }, unpacking: true };
      };
      const { file: plain, forget } = await unpack(input, name, work.signal, onProgress);
      if (this.work !== work) forget();
      else await this.open(plain, unpackedName(name), file, { ...extra, forget });
    } catch (e) {
      if (this.work !== work || isAbort(e)) return;
      this.opening = null;
      this.failure = { name, trouble: trouble(e) };
    }
  }
  private beginSamples(dataset: Dataset): void {
    this.data = dataset;
    this.rows = new Rows(dataset.length, null);
    this.pictures = new Promise((resolve) => {
      this.pictured = resolve;
      setTimeout(resolve, PATIENCE);
    });
    if (dataset.growing)
      dataset.whole.then(
        () => this.settled(dataset),
        () => this.settled(dataset),
      );
  }
  /** Lets go of the file. */
  close(forget = true): void {
    this.work.abort();
    this.filterWork.abort();
    // Once nothing on the page draws it any more.
    const open = this.data ?? this.table;
    const { textual, letGo } = this;
    this.letGo = () => undefined;
    void this.updateComplete.then(() => {
      open?.close();
      textual?.forget();
      letGo();
    });
    this.data =
      this.table =
      this.textual =
      this.tooLarge =
      this.opening =
      this.failure =
      this.filterError =
      this.growth =
        null;
    this.counts.reset();
    this.cursor.reset();
    this.picked = new Set();
    this.text = "";
    this.clauses = new Map();
    this.rows = new Rows(0, null);
    this.filtering = false;
    document.title = "Forebay";
    if (forget) {
      void this.recall();
      this.source = null;
      this.file = "";
      history.replaceState(null, "", location.pathname + location.search);
    }
  }
  /** Says why something is not opened at all. */
  private refuse(name: string, message: string): void {
    // What is open stays so, and what is on its way too.
    if (this.data || this.table || this.opening) return this.warn(message);
    this.close();
    this.failure = { name, trouble: { message, code: undefined, offset: undefined } };
  }
  private openUrl(text: string): void {
    if (text.trim() === "") return;
    const url = fileUrl(text.trim(), location.href);
    if (!url) return this.refuse(text, "This is no address of the web: it begins with http:// or https://.");
    const own = url.href.startsWith(new URL("./", location.href).href);
    const file = own ? text.trim() : url.href;
    this.point(file);
    const last = url.pathname.split("/").pop() ?? "";
    void this.open(url, decodeURIComponentSafely(last) || url.host, file);
  }
  /** The address of the page is that of this file; from the empty page, "back" leads to the empty page. */
  private point(file: string): void {
    const link = formatLink({ file });
    if (location.hash === "") history.pushState(null, "", link);
    else history.replaceState(null, "", link);
  }
  private openFile(file: File, handle?: FileSystemFileHandle): void {
    // A link to this file may say more than its name.
    if (parseLink(location.hash).file !== `local:${file.name}`) this.point(`local:${file.name}`);
    void this.open(file, file.name, `local:${file.name}`, handle ? { handle } : {});
  }
  private openMade(e: CustomEvent<File>): void {
    this.openFile(e.detail);
  }
  private async openRecent(entry: Recent): Promise<void> {
    if (entry.url) return this.openUrl(entry.url);
    const file = entry.handle && (await fileOf(entry.handle).catch(() => null));
    if (file) this.openFile(file, entry.handle);
    else
      this.failure = {
        name: entry.name,
        trouble: {
          message: "The browser no longer gives access to this file; drop it again.",
          code: undefined,
          offset: undefined,
        },
      };
  }
  private async choose(): Promise<void> {
    const picker = (globalThis as { showOpenFilePicker?: () => Promise<FileSystemFileHandle[]> }).showOpenFilePicker;
    if (!picker) return this.renderRoot.querySelector<HTMLInputElement>("input[type=file]")?.click();
    try {
      const [handle] = await picker();
      if (handle) this.openFile(await handle.getFile(), handle);
    } catch (e) {
      if (!isAbort(e)) throw e;
    }
  }
  /** More of a growing file is known. */
  private grown(progress: OpenProgress): void {
    const { data: dataset } = this;
    if (!dataset) return;
    this.growth = progress;
    if (dataset.length === this.rows.total) return;
    if (!this.expression) this.rows = new Rows(dataset.length, null);
    else if (!this.filtering && this.throttle.due) void this.refilter();
    if (this.counts.due) void this.counts.recount();
  }
  /** All of it is known, or no more will be. */
  private settled(dataset: Dataset): void {
    if (this.data !== dataset) return;
    this.growth = null;
    this.say(
      `${visible(dataset.name ?? "the file")}: ${plural(dataset.length, "sample")}${dataset.damage ? ", and then it could not be read" : ""}`,
    );
    if (this.expression) void this.refilter();
    else {
      this.rows = new Rows(dataset.length, null);
      void this.counts.recount();
    }
    void this.counts.learn(dataset);
  }
  private async recall(): Promise<void> {
    [this.recent, this.keptIndexes] = await Promise.all([recents(), indexStore.size().catch(() => 0)]);
  }
  private async forget(): Promise<void> {
    await Promise.all([forgetRecents(), indexStore.forget()]);
    await this.recall();
  }
  /** Opens the same file again, its index read anew. */
  private async reread(): Promise<void> {
    const { data: dataset, file, source } = this;
    await indexStore.forget();
    if (dataset && source) await this.open(source, dataset.name ?? "dataset", file);
  }
  private chosen(e: Event): void {
    const input = e.target as HTMLInputElement;
    const file = input.files?.[0];
    // Choosing the same file again is a choice too.
    input.value = "";
    if (file) this.openFile(file);
  }
  /** What `forebay serve` offers; other servers have no such list and say so, which is no fault. */
  private async findOffers(): Promise<void> {
    if (!document.querySelector('link[rel="forebay-files"]')) return;
    try {
      const answer = await fetch("files.json");
      const list = (await answer.json()) as { files?: Offer[] };
      this.offers = Array.isArray(list.files) ? list.files : [];
    } catch {
      this.offers = [];
    }
  }

  // Links

  private readonly onHash = (): void => {
    const link = parseLink(location.hash);
    if (!link.file) {
      if (this.file !== "" || this.failure) this.close();
      return;
    }
    if (link.file === this.file) void this.applyLink();
    else if (!link.file.startsWith("local:")) this.openUrlKeepingLink(link.file);
    else void this.askFor(link.file.slice("local:".length));
  };
  /** A link to a file of this machine, which a page cannot open by itself. */
  private async askFor(name: string): Promise<void> {
    this.close(false);
    const known = await namesakes(name);
    const message = `This link is to a file of your own machine, which a page cannot open by itself: choose it, or drop it here.${known.length > 1 ? ` There are ${known.length} of this name.` : ""}`;
    // A link knows a file by its name, which others may have too.
    const ways = known.map((entry) => ({
      words: `Open ${visible(name)}${known.length > 1 ? `, ${bytes(entry.bytes)}, of ${new Date(entry.when).toLocaleDateString()}` : ""}`,
      go: () => void this.openRecent(entry),
    }));
    this.failure = {
      name,
      trouble: { message, code: undefined, offset: undefined },
      ways: [...ways, { words: "Choose the file", go: () => void this.choose() }],
      kind: "asks",
    };
  }
  private openUrlKeepingLink(file: string): void {
    const hash = location.hash;
    this.openUrl(file);
    history.replaceState(null, "", hash);
  }
  private async applyLink(): Promise<void> {
    const link = parseLink(location.hash);
    if (this.table) {
      await this.updateComplete;
      return this.tableView?.follow(link);
    }
    if (link.view) this.view = link.view;
    if ((link.q ?? "") !== this.expression) {
      this.text = link.q ?? "";
      this.clauses = new Map();
      await this.refilter();
    } else if (!this.counts.facets) void this.counts.recount();
    if (link.i !== undefined && this.data && link.i < this.data.length) this.cursor.show(link.i);
    else if (link.i === undefined) this.cursor.clear();
  }
  private updateLink(of: TableLink = {}): void {
    if (this.table) history.replaceState(null, "", formatLink({ file: this.file, ...of }));
    if (!this.data) return;
    history.replaceState(
      null,
      "",
      formatLink({
        file: this.file,
        ...(this.cursor.open !== null && { i: this.cursor.open }),
        ...(this.expression && { q: this.expression }),
        ...(this.view === "table" && { view: "table" as const }),
      }),
    );
  }

  // Filter and facets

  /** The filter as it is applied: the text and what was clicked together. */
  private get expression(): string {
    const clauses = [...this.clauses.values()].map((c) => c.expression);
    const text = this.text.trim();
    if (clauses.length === 0) return text;
    return [...(text ? [`(${text})`] : []), ...clauses].join(" && ");
  }
  private async refilter(): Promise<void> {
    const { data: dataset } = this;
    if (!dataset) return;
    this.filterWork.abort();
    const work = new AbortController();
    this.filterWork = work;
    this.filtering = true;
    this.counts.clearTrouble();
    const { expression } = this;
    const same = expression === this.rows.filter;
    const stop = this.throttle.start();
    try {
      const total = dataset.length;
      const kept = expression ? await dataset.matches(expression, { signal: work.signal }) : null;
      if (work.signal.aborted) return;
      this.filterError = null;
      this.rows = new Rows(kept ? total : dataset.length, kept, expression);
      if (!same) this.cursor.current = 0;
      if (!this.growth)
        this.say(
          kept
            ? `${plural(kept.length, "sample")} of ${count(dataset.length)} match`
            : `all ${plural(dataset.length, "sample")}`,
        );
      this.updateLink();
      void this.counts.recount();
    } catch (e) {
      if (work.signal.aborted || isAbort(e)) return;
      this.filterError = trouble(e);
      if (!this.counts.facets) void this.counts.recount();
    } finally {
      stop();
      if (this.filterWork === work) this.filtering = false;
    }
  }
  private setClause(key: string, clause: Clause | null): void {
    const clauses = new Map(this.clauses);
    if (clause) clauses.set(key, clause);
    else clauses.delete(key);
    this.clauses = clauses;
    void this.refilter();
  }

  // Samples

  private pick(i: number): void {
    const picked = new Set(this.picked);
    if (!picked.delete(i)) picked.add(i);
    this.picked = picked;
    this.say(`${plural(picked.size, "sample")} picked`);
  }

  // Keys, files dropped, words

  private readonly onKey = (e: KeyboardEvent): void => {
    const target = e.composedPath()[0] as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || target.matches?.("input:not([type=checkbox]), select, textarea")) return;
    // A dialog that lost the focus still has the page to itself.
    if ([...this.renderRoot.children].some((child) => child.shadowRoot?.querySelector("dialog[open]"))) return;
    const open = this.cursor.open !== null;
    const idle = target === document.body;
    const actions: Record<string, (() => void) | undefined> = {
      "?": () => this.helpDialog.show(),
      o: () => void this.choose(),
      d: () => this.toggleTheme(),
      ...((this.data || this.table) && { i: () => this.aboutDialog.show(), c: () => this.checkDialog.show() }),
      ...(this.table && { e: () => this.convertTableDialog.show() }),
      ...(this.data && {
        "/": () => this.filterBox?.focus(),
        g: () => this.setView("gallery"),
        t: () => this.setView("table"),
        e: () => this.convertDialog.show(),
      }),
    };
    const action = actions[e.key];
    if (action) action();
    else if (this.cursor.key(e.key)) {
      /* It stepped or closed. */
    } else if (open && this.samplePanel?.key(e.key)) {
      /* The picture's. */
    } else if (!this.tableView?.key(e.key, idle) && !(idle && this.cursor.begin(e.key))) return;
    e.preventDefault();
  };
  private readonly onDrag = (e: DragEvent): void => {
    e.preventDefault();
    this.dragging = true;
  };
  private readonly onDrop = (e: DragEvent): void => {
    e.preventDefault();
    this.dragging = false;
    const items = [...(e.dataTransfer?.items ?? [])];
    const item = items.find((i) => i.kind === "file");
    if (item?.webkitGetAsEntry?.()?.isDirectory)
      return this.refuse("the folder", "This is a folder: drop one of its files.");
    const file = item?.getAsFile();
    if (!file) {
      // A link that was dragged from elsewhere.
      const address = (e.dataTransfer?.getData("text/uri-list") || e.dataTransfer?.getData("text/plain") || "")
        .split(/\r?\n/)
        .find((line) => /^https?:/i.test(line));
      if (address) this.openUrl(address);
      return;
    }
    const asking = item as DataTransferItem & { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> };
    const handle = asking.getAsFileSystemHandle?.().catch(() => null) ?? Promise.resolve(null);
    void handle.then((h) => this.openFile(file, h?.kind === "file" ? (h as FileSystemFileHandle) : undefined));
  };
  /** Gives the keys to the samples or rows. */
  private focusList(): void {
    if (this.table) return this.tableView?.focus();
    void this.updateComplete
      .then(() => this.collection?.updateComplete)
      .then(() => this.collection?.renderRoot.querySelector<HTMLElement>(".scroll")?.focus());
  }
  private setView(view: "gallery" | "table"): void {
    this.view = view;
    this.updateLink();
    this.cursor.reveal();
  }
  private toggleTheme(): void {
    const dark = this.theme ? this.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    this.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("forebay-theme", this.theme);
    } catch {
      // A browser that keeps nothing shows the theme until the page is left.
    }
  }
  private say(text: string): void {
    this.said = text;
  }
  /** Shows why nothing came of what was just tried, for as long as it takes to read. */
  private warn(text: string): void {
    this.warning = text;
    clearTimeout(this.warned);
    this.warned = setTimeout(() => (this.warning = ""), WARNED);
  }
  private updateRead(): void {
    const t = (this.data ?? this.table)?.telemetry;
    // A text was read whole; what is counted since then is the table that was made of it.
    if (this.textual) return void (this.read = `all ${bytes(this.textual.text.bytes)} read`);
    // Bytes that were looked at twice count twice, so that "of" would be wrong where they are more than there are.
    const of = t && t.bytesRead <= t.byteLength ? ` of ${bytes(t.byteLength)}` : "";
    this.read = t ? `${plural(t.requests, "request")}, ${bytes(t.bytesRead)}${of} read` : "";
  }

  // Drawing

  override updated(changed: PropertyValues): void {
    if (changed.has("data" as never) || changed.has("table" as never)) this.updateRead();
  }

  override render(): TemplateResult {
    return html`
      ${this.data ? this.renderDataset(this.data) : this.table ? this.renderTable(this.table) : this.renderWelcome()}
      <forebay-convert-table .engine=${this.engine} .data=${this.table} .text=${this.textual?.text ?? this.tooLarge} .shown=${this.looked.columns} .filter=${this.looked.filter} @open=${this.openMade}></forebay-convert-table>
      <forebay-about .data=${this.data ?? this.table} .text=${this.textual?.text ?? null} ?growing=${this.growth !== null} @forget=${() => void this.reread()}></forebay-about>
      <forebay-check .engine=${this.engine} .data=${this.data ?? this.table} .text=${this.textual?.text ?? null} ?growing=${this.growth !== null} @jump=${(e: CustomEvent<number>) => (this.table ? void this.tableView?.follow({ i: e.detail }) : this.cursor.show(e.detail))}></forebay-check>
      <forebay-convert .engine=${this.engine} .data=${this.data} ?growing=${this.growth !== null} .kept=${this.rows.kept} .picked=${this.picked} @open=${this.openMade}></forebay-convert>
      <forebay-help></forebay-help>
      <input type="file" hidden aria-label="Open a file" @change=${this.chosen} />
      <div class="warning" role="alert" ?hidden=${this.warning === ""}>${this.warning}</div>
      <div class="visually-hidden" role="status" aria-live="polite">${this.said}</div>`;
  }

  private renderTools(): TemplateResult {
    return html`
      <button class="icon bare" aria-label="Dark or light" title="Dark or light (d)" @click=${this.toggleTheme}>◐</button>
      <button class="icon bare" aria-label="Keys and filters" title="Keys and filters (?)" @click=${() => this.helpDialog.show()}>?</button>`;
  }

  private renderWelcome(): TemplateResult {
    return html`
      <div class="app">
        <header class="top"><span class="brand"><svg viewBox="0 0 32 32" aria-hidden="true">${LOGO}</svg><span>Forebay</span></span><div class="file"></div>${this.renderTools()}</header>
        <forebay-welcome role="main" .opening=${this.opening} .failure=${this.failure} .offers=${this.offers} .recent=${this.recent} .kept=${this.keptIndexes}
          @choose=${this.choose} @url=${(e: CustomEvent<string>) => this.openUrl(e.detail)} @recent=${(e: CustomEvent<Recent>) => void this.openRecent(e.detail)}
          @back=${() => this.close()} @forget=${() => void this.forget()}></forebay-welcome>
      </div>`;
  }

  /** What is open, and what can be done with all of it. */
  private renderHeader(open: Dataset | Table, facts: readonly unknown[], convert: () => void): TemplateResult {
    return html`
      <header class="top">
        <button class="skip" @click=${this.focusList}>To the ${open.kind === "table" ? "rows" : "samples"}</button>
        <button class="brand" title="Close the file" aria-label="Forebay: close the file" @click=${() => this.close()}><svg viewBox="0 0 32 32" aria-hidden="true">${LOGO}</svg><span>Forebay</span></button>
        <div class="file">
          <button class="badge" title="About this file (i)" @click=${() => this.aboutDialog.show()}>${(this.textual?.text.format ?? open.format).toUpperCase()}</button>
          <h1 title=${visible(open.name ?? "")}>${visible(open.name ?? "dataset")}</h1>
          <span class="facts">${facts.join(" · ")}</span>
          <span class="facts more" title="What was read so far">${this.read}</span>
        </div>
        <span class="spacer"></span>
        <button title="Open another file (o)" @click=${this.choose}>Open</button>
        <button title="Check (c)" @click=${() => this.checkDialog.show()}>Check</button>
        <button title="Convert or export (e)" @click=${convert}>Convert</button>
        ${this.renderTools()}
      </header>`;
  }
  private renderTable(table: Table): TemplateResult {
    const { metadata: m } = table;
    const facts = [
      m.document ? "one value" : plural(table.length, "row"),
      !m.document && plural(table.schema.length, "column"),
      bytes(this.textual?.text.bytes ?? table.byteLength),
      !this.textual && m.layout && `layout ${m.layout}`,
      !this.textual && m.groups > 1 && plural(m.groups, "row group"),
    ].filter(Boolean);
    return html`
      <div class="app">
        ${this.renderHeader(table, facts, () => this.convertTableDialog.show())}
        <forebay-table-view .data=${table} .text=${this.textual?.text ?? null} @shown=${(e: CustomEvent<ShownTable>) => (this.looked = e.detail)} @link=${(e: CustomEvent<TableLink>) => this.updateLink(e.detail)} @say=${(e: CustomEvent<string>) => this.say(e.detail)}></forebay-table-view>
      </div>`;
  }
  private renderDataset(dataset: Dataset): TemplateResult {
    const { metadata } = dataset;
    const { counts } = this;
    const facts = [
      plural(dataset.length, "sample"),
      bytes(dataset.byteLength),
      metadata.layout && `${metadata.layout} layout`,
      metadata.compression && metadata.compression !== "none" && metadata.compression.toUpperCase(),
      metadata.members !== undefined && plural(metadata.members, "member"),
    ].filter(Boolean);
    return html`
      <div class="app">
        ${this.renderHeader(dataset, facts, () => this.convertDialog.show())}
        <div class="work ${this.cursor.open === null ? "" : "sample-open"}">
          <forebay-facets class=${this.facetsShown ? "shown" : ""} role="complementary" aria-label="Facets" .facets=${counts.facets} .clauses=${this.clauses} .classes=${counts.classes} .classField=${counts.classField} .fields=${counts.metadataFields} .trouble=${counts.trouble} ?counting=${counts.counting}
            @clause=${(e: CustomEvent<{ key: string; clause: Clause | null }>) => this.setClause(e.detail.key, e.detail.clause)}
            ?sizeless=${dataset.format === "tar" && !this.growth} @sizes=${() => void counts.readSizes()} @classes=${(e: CustomEvent<string>) => counts.countClasses(e.detail)}></forebay-facets>
          <main class="main">
            <div class="bar">
              <button class="narrow-only" aria-expanded=${this.facetsShown} @click=${() => (this.facetsShown = !this.facetsShown)}>Facets</button>
              <forebay-filter .value=${this.text} .fields=${counts.fields} .values=${counts.values} .error=${this.filterError} @filter=${(
                e: CustomEvent<string>,
              ) => {
                this.text = e.detail;
                void this.refilter();
              }}></forebay-filter>
              <span class="counts">${this.filtering ? "filtering…" : this.rows.kept ? `${count(this.rows.length)} of ${count(dataset.length)}` : count(dataset.length)}${this.picked.size > 0 ? `, ${count(this.picked.size)} picked` : ""}</span>
              ${this.view === "gallery" ? html`<input type="range" aria-label="Size of the pictures" min="90" max="360" step="6" .value=${String(this.tileSize)} @input=${(e: Event) => (this.tileSize = Number((e.target as HTMLInputElement).value))} />` : nothing}
              <div class="views" role="group" aria-label="View">
                <button aria-pressed=${this.view === "gallery"} title="Gallery (g)" @click=${() => this.setView("gallery")}>Gallery</button>
                <button aria-pressed=${this.view === "table"} title="Table (t)" @click=${() => this.setView("table")}>Table</button>
              </div>
            </div>
            ${this.growth ? this.renderGrowth(this.growth) : nothing}
            <div class="chips">${this.renderDamage(dataset)}${[...this.clauses].map(([key, clause]) => html`<button aria-label="Remove ${visible(clause.label)}" @click=${() => this.setClause(key, null)}><bdi>${visible(clause.label)}</bdi> ✕</button>`)}</div>
            ${this.renderCollection(dataset)}
          </main>
          ${
            this.cursor.open === null
              ? nothing
              : html`
            <forebay-sample role="complementary" aria-label="Sample" .data=${dataset} .index=${this.cursor.open} .next=${this.cursor.following} .picked=${this.picked.has(this.cursor.open)}
              @step=${(e: CustomEvent<number>) => this.cursor.step(e.detail)} @close=${() => this.cursor.close()} @pick=${(e: CustomEvent<number>) => this.pick(e.detail)}></forebay-sample>`
          }
        </div>
      </div>`;
  }
  /** What is wrong with the file, as far as opening it tells. */
  private renderDamage(dataset: Dataset): TemplateResult | typeof nothing {
    const { damage, length } = dataset;
    const lost = this.counts.facets?.damaged ?? 0;
    if (damage) {
      const what =
        damage.kind === "damaged"
          ? "This file is damaged. What comes before the damage is shown."
          : "Reading ended early. What was found before is shown.";
      return html`<div class="notice" role="alert"><span><b>${what}</b> ${trouble(damage).message}</span><code>${damage.code}</code></div>`;
    }
    if (holdsZeros(dataset))
      return html`<div class="notice" role="alert"><span><b>This file holds only zeros.</b> A file is like this where its download ended before it began, or where only its place was made.</span></div>`;
    if (lost === 0) return nothing;
    return html`<div class="notice" role="alert"><span><b>This file is damaged, or ends too early.</b> ${count(lost)} of ${plural(length, "sample")} cannot be read: their entries in the index are wrong, or they lie behind the end of the file.</span><button @click=${() => this.checkDialog.show()}>Check it</button></div>`;
  }
  private renderGrowth({ bytes: at, totalBytes, samples }: OpenProgress): TemplateResult {
    const part = totalBytes > 0 ? at / totalBytes : 0;
    return html`
      <div class="growing">
        <span>Reading headers: ${plural(samples, "file")} found</span>
        <progress aria-label="Headers read" max="1" .value=${part}></progress>
        <span>${bytes(at)} of ${bytes(totalBytes)}, ${Math.floor(part * 100)} %</span>
      </div>`;
  }
  private renderCollection(dataset: Dataset): TemplateResult {
    if (this.rows.length === 0)
      return html`<div class="empty">${this.rows.kept ? "No sample matches the filter." : "There are no samples in this file."}</div>`;
    const current = (e: CustomEvent<number>): void => this.cursor.move(e.detail);
    const step = (e: CustomEvent<number>): void => this.cursor.follow(e.detail);
    const open = (e: CustomEvent<number>): void => this.cursor.show(e.detail);
    const pick = (e: CustomEvent<number>): void => this.pick(e.detail);
    return this.view === "gallery"
      ? html`<forebay-gallery .data=${dataset} .rows=${this.rows} .picked=${this.picked} .current=${this.cursor.current} .size=${this.tileSize} @drawn=${() => this.pictured()} @current=${current} @step=${step} @open=${open} @pick=${pick}></forebay-gallery>`
      : html`<forebay-table .data=${dataset} .rows=${this.rows} .picked=${this.picked} .current=${this.cursor.current} @current=${current} @step=${step} @open=${open} @pick=${pick}></forebay-table>`;
  }
}

/** Bytes that an archive without members has at most, of all zeros: a tape's record. */
const EMPTY_ARCHIVE = 10_240;

/** Zeros alone are a TAR's end, and so an archive in which nothing is: larger than that nobody makes one. */
const holdsZeros = ({ format, length, damage, growing, byteLength, metadata: m }: Dataset): boolean =>
  format === "tar" &&
  length === 0 &&
  !damage &&
  !growing &&
  !m.members &&
  !m.skippedMembers &&
  m.notes.length === 0 &&
  byteLength > EMPTY_ARCHIVE;

function readTheme(): "light" | "dark" | null {
  try {
    const kept = localStorage.getItem("forebay-theme");
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    return null;
  }
}
function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
