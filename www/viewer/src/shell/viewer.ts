/** `<forebay-viewer>`: everything together. What it does is in its controllers; here they meet, and are drawn. */
import { LitElement, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { property, query, state } from "lit/decorators.js";
import { isArchive } from "../../../lib/src/model/formats.ts";
import type { Dataset, Folder, Input, Table, Warehouse } from "../../../lib/src/model/index.ts";
import type { DrawingController } from "../drawing/drawing-controller.ts";
import type { Engine } from "../files/engine.ts";
import type { Recent } from "../files/recent.ts";
import type { ViewerMessages } from "../messages/en.ts";
import type { Translated } from "../messages/language.ts";
import type { DataProvider, HiddenPart, OpenInputOptions, ViewerMembers } from "../public/element.ts";
import type { FindBoxes } from "../samples/box-source.ts";
import type { SavedFilters } from "../curating/saved-filters.ts";
import type { SetsOf } from "../curating/sets.ts";
import type { SetsView } from "../curating/sets-view.ts";
import type { MapView } from "../mapping/map-view.ts";
import { USUAL_COLUMNS } from "../samples/columns.ts";
import { Counts } from "../samples/counts.ts";
import type { SamplePanel } from "../samples/sample-panel.ts";
import { takeStrip } from "../samples/strips.ts";
import type { ShownTable, TableLink, TableView } from "../tables/table-view.ts";
import { renderChips, type ClauseChange } from "../ui/clause.ts";
import type { Collection } from "../ui/collection.ts";
import type { FilterBox } from "../ui/filter-box.ts";
import { keep, recall, rememberChoices } from "../ui/remembered.ts";
import { RowCursor } from "../ui/row-cursor.ts";
import type { Rows } from "../ui/rows.ts";
import { controls, tokens } from "../ui/styles.ts";
import { viewerStyles } from "../ui/viewer-styles.ts";
import { visible } from "../ui/visible.ts";
import { trouble } from "../ui/wording.ts";
import { renderBar, renderPicked } from "./bar.ts";
import { renderCollection } from "./collections.ts";
import { CompactController } from "./compact-controller.ts";
import { DialogController } from "./dialog-controller.ts";
import { elementStyles } from "./element-styles.ts";
import { keptWords, sampleFacts, shownFormat, tableFacts } from "./facts.ts";
import { FilterController } from "../samples/filter-controller.ts";
import { renderHead, type Opened } from "./head.ts";
import { InputController } from "./input-controller.ts";
import { KeyController } from "./key-controller.ts";
import { LabelController } from "./label-controller.ts";
import { LanguageController } from "./language-controller.ts";
import { LinkController } from "./link-controller.ts";
import type { Link, View } from "./link.ts";
import { Messages } from "./messages.ts";
import { nameable } from "./nameable.ts";
import { damageNotice, growthNotice, labelNotice, picturesNotice, thresholdNotice } from "./notices.ts";
import { OpenController } from "./open-controller.ts";
import { PublicController } from "./public-controller.ts";
import { ReadMeter } from "./read-meter.ts";
import { RecentController } from "./recent-controller.ts";
import { SelectionController } from "./selection-controller.ts";
import { SortController } from "./sort-controller.ts";
import { ThemeController, type Theme } from "./theme-controller.ts";
import "./welcome.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/shell.ts";

/** Milliseconds after which the first pictures are no longer waited for. */
const PATIENCE = 1200;

export class Viewer extends LitElement implements ViewerMembers {
  static override styles = [tokens, controls, viewerStyles, elementStyles];

  /** The package's functions. */
  @property({ attribute: false }) engine!: Engine;
  @property() src: string | null = null;
  @property() filter = "";
  @property({ type: Number }) selected: number | null = null;
  @property() view: View = "gallery";
  @property({ reflect: true }) theme: Theme | null = null;
  @property({ type: Boolean }) editable = false;
  @property() hide = "";
  @property({ type: Boolean, attribute: "own-page" }) ownPage = false;
  @property({ attribute: false }) dataProvider: DataProvider | null = null;
  @property({ attribute: false }) messages: ViewerMessages | null = null;
  @property({ type: Boolean, reflect: true }) dragging = false;
  /** What the open table shows, for converting it. */
  @state() private shownTable: ShownTable = { columns: [], filter: null };
  @state() private tileSize = 168;
  /** Boxes are drawn, on the tiles and over the picture that is open. */
  @state() private boxes = true;
  @state() private facetsShown = false;
  /** The columns of the table. */
  @state() private columns: readonly string[] = USUAL_COLUMNS;
  @query("forebay-filter") private filterBox!: FilterBox | null;
  @query("forebay-table-view") private tableView!: TableView | null;
  @query("forebay-sample") private samplePanel!: SamplePanel | null;
  @query("forebay-gallery, forebay-table, forebay-box-table, forebay-map") private collection!:
    | Collection
    | MapView
    | null;
  /** The box of a sample that is to be looked at. */
  private box: { readonly i: number; readonly nth: number } | null = null;
  /** What is left out. */
  private leftOut: ReadonlySet<string> = new Set();
  /** Resolves when the first pictures are drawn, or when they take too long. */
  private pictures: Promise<void> = Promise.resolve();
  private pictured = (): void => undefined;
  private turn = 0;

  /** First: all that comes after it speaks. */
  protected readonly language = new LanguageController(this, () => this.messages as Translated | null);
  private readonly theming = new ThemeController(this);
  private readonly told = new Messages(this);
  /** What its controllers need to know and to say. */
  private readonly page = {
    data: () => this.opener.data,
    rows: () => this.rows,
    find: () => this.find,
    signal: () => this.opener.signal,
    say: (text: string) => this.told.say(text),
    warn: (text: string) => this.told.warn(text),
  };
  private readonly recents = new RecentController(this, () => this.ownPage);
  private readonly opener: OpenController = new OpenController(this, {
    ownPage: () => this.ownPage,
    asks: () => this.ownPage || this.src !== null || this.dataProvider !== null,
    load: async (kind) =>
      kind === "samples" ? this.take(await import("./samples-parts.ts")) : void (await import("./table-parts.ts")),
    title: (name) => {
      if (this.ownPage) document.title = name === null ? "Forebay" : msg("forebay", { name: visible(name) });
    },
    failed: ({ name, trouble: { message, code } }) => this.outside.send("error", { name, message, code }),
    engine: () => this.engine,
    say: (text) => this.told.say(text),
    focused: () => this.shadowRoot?.activeElement != null,
    opened: (found, focused) => this.settleIn(found, focused),
    remember: (entry, file) => void this.recents.remember(entry, file),
    grown: (dataset) => this.grown(dataset),
    settled: (dataset) => this.settled(dataset),
    closed: (left) => this.closed(left),
    convertText: () => this.dialogs.show("convert-table"),
  });
  private readonly meter = new ReadMeter(this, {
    telemetry: () => this.opener.found?.telemetry,
    wholeBytes: () => this.opener.textual?.text.bytes ?? null,
  });
  private readonly filtering: FilterController = new FilterController(this, {
    ...this.page,
    words: (kept, length) => (kept === null ? msg("allSamples", { length }) : msg("samplesMatch", { kept, length })),
    growing: () => this.opener.growth !== null,
    begun: () => this.counts.clearTrouble(),
    applied: (same) => this.filtered(same),
    failed: () => void (this.counts.facets ?? this.counts.recount()),
  });
  private readonly counts: Counts = new Counts(this, {
    ...this.page,
    rows: () => this.filtering.rows,
    growing: () => this.opener.growth !== null,
    local: () => this.opener.near,
    listed: () => this.opener.listed,
    counted: (boxes, all) => {
      this.filtering.recounted(boxes, all);
      this.edits?.learn(boxes.classes.map(({ label }) => label));
    },
    pictures: () => this.pictures,
  });
  private readonly labels: LabelController = new LabelController(this, {
    engine: () => this.engine,
    ...this.page,
    changed: () => this.boxesChanged(),
    followed: () => this.edits?.follow(),
  });
  private readonly compact = new CompactController(this);
  private readonly order: SortController = new SortController(this, {
    ...this.page,
    fields: () => this.counts.metadataFields,
    classField: () => this.counts.labelField,
  });
  private readonly selection: SelectionController = new SelectionController(this, {
    ...this.page,
    changed: () => this.outside.select(),
  });
  private readonly cursor: RowCursor = new RowCursor(this, {
    unit: "sample",
    ...this.page,
    // The map is an element without anything until it is fetched.
    list: () => (this.collection && "reveal" in this.collection ? this.collection : null),
    moved: () => this.updateLink(),
  });
  /** Editing what is open: fetched with what shows samples. */
  private edits: DrawingController | null = null;
  private boxesOf!: SamplesParts["boxesOf"];
  private readonly dialogs: DialogController = new DialogController(this, {
    state: () => ({
      engine: this.engine,
      opener: this.opener,
      shown: this.shownTable,
      rows: this.filtering.rows,
      picked: this.selection.picked,
      find: this.opener.data ? this.find : null,
      labels: this.labels,
      edits: this.edits,
      counts: this.counts,
      ownPage: this.ownPage,
    }),
    warn: (text) => this.told.warn(text),
    resume: () => this.edits?.resume(),
    file: (file) => this.input.file(file),
    warehouse: (folder, name) => this.input.warehouse(folder, name),
    jump: (i) => (this.opener.table ? void this.tableView?.follow({ i }) : this.cursor.show(i)),
    reread: () => void this.opener.reread(),
    chooseLabels: (what) => this.labels.ask(what, this.chooser("labels")),
    mean: (meaning) => this.labels.mean(meaning),
    pick: (samples) => this.selection.add(samples),
    only: (clause) => this.filtering.setClause("curate", { ...clause, expression: "" }),
  });
  private readonly input: InputController = new InputController(this, {
    accepts: () => !this.hides("open"),
    linked: () => this.links.asked.file,
    point: (file, more) => this.links.point(file, more),
    open: (input, name, file, extra) => {
      this.begin();
      void this.opener.open(input, name, file, extra);
    },
    refuse: (name, message) => this.refuse(name, message),
    fail: (name, message) => this.fail(name, message),
    dropped: (data) => this.engine.droppedFiles(data),
    labels: (input, name) => {
      if (!this.opener.data) return false;
      void this.labels.open(input, name);
      return true;
    },
    thumbs: (file) => {
      const { data } = this.opener;
      if (!data) return false;
      takeStrip(data, file).then(
        () => this.told.say(msg("thumbnailsOfThisFile", { name: visible(file.name) })),
        (e: unknown) => this.told.warn(trouble(e).message),
      );
      return true;
    },
    beside: (folder, name) => {
      if (!this.warehouse) return false;
      this.dialogs.show("drift", folder, name);
      return true;
    },
    chooser: () => this.chooser("file"),
    folderChooser: () => this.chooser("folder"),
  });
  protected readonly keys = new KeyController(this, {
    ownPage: () => this.ownPage,
    busy: () => this.dialogs.busy,
    actions: () => this.keyActions(),
    others: [
      (key, _, again) => this.edits?.idle(key, again) ?? false,
      (key) => this.cursor.key(key),
      (key) => this.cursor.open !== null && (this.samplePanel?.key(key) ?? false),
      (key, idle) => this.tableView?.key(key, idle) ?? false,
      (key, idle) => idle && this.cursor.begin(key),
    ],
  });
  /** The last: it opens what the address says as soon as the viewer is on a page. */
  private readonly links: LinkController = new LinkController(this, {
    ownPage: () => this.ownPage,
    file: () => this.opener.file,
    failed: () => this.opener.failure !== null,
    show: (link) => this.show(link),
    openUrl: (address) => this.input.url(address),
    openRecent: (entry) => void this.input.recent(entry),
    choose: () => void this.input.choose(),
    close: (left) => this.opener.close(left),
    ask: (failure) => this.opener.fail(failure),
  });

  /** What those set and hear who put the element on their page. */
  private readonly outside: PublicController = new PublicController(this, {
    found: () => this.opener.found,
    open: (input, name, file) => this.opener.open(input, name, file),
    fail: (name, message, code) => {
      this.opener.close(false);
      this.fail(name, message, code);
    },
    close: () => this.opener.close(),
    show: (link) => this.show(link),
    picked: () => this.selection.picked,
    pick: (all) => this.selection.pick(all),
    drawn: (i) => this.counts.boxesDrawn(i),
  });

  /** The samples that are shown, in the order in which they are. */
  private get rows(): Rows {
    return this.order.apply(this.filtering.rows);
  }
  /** Where boxes come from. */
  private get find(): FindBoxes {
    return this.edits!.boxesOf(this.ownBoxes);
  }
  /** The same, but for edits. */
  private get ownBoxes(): FindBoxes {
    return this.labels.find(this.opener.data!, this.boxesOf);
  }
  /** Whether people may edit: on a page of others only if it says so. */
  private get mayEdit(): boolean {
    return this.ownPage || this.editable;
  }
  /** What is open, if it is a warehouse. */
  private get warehouse(): Warehouse | null {
    const { data } = this.opener;
    return data?.format === "warehouse" ? (data as Warehouse) : null;
  }
  /** Whether the page for drawing is shown. */
  private get draws(): boolean {
    return this.cursor.open !== null && !this.hides("sample") && !!this.edits?.editor;
  }
  private hides(part: HiddenPart): boolean {
    return this.leftOut.has(part);
  }
  private chooser(what: "file" | "folder" | "labels"): HTMLInputElement | null {
    return this.renderRoot.querySelector<HTMLInputElement>(`#${what}-input`);
  }

  // What others call

  get opened(): Dataset | Table | null {
    return this.opener.found;
  }
  get picked(): readonly number[] {
    return [...this.selection.picked].sort((a, b) => a - b);
  }
  set picked(all: readonly number[]) {
    this.outside.pick(all);
  }
  async open(input: Input | Folder, { name }: OpenInputOptions = {}): Promise<Dataset | Table> {
    this.outside.listen();
    const turn = this.begin();
    const given = await nameable(input, name);
    if (turn !== this.turn) throw tooLate();
    if (this.ownPage) this.links.point(given.file);
    const found = await this.opener.open(given.input, given.name, given.file);
    if (found) return found;
    const { failure } = this.opener;
    if (!failure) throw tooLate();
    const { message, code, offset } = failure.trouble;
    throw Object.assign(new Error(message), { code, offset });
  }
  close(): void {
    this.begin();
    this.opener.close();
  }
  /** Whoever comes last is shown, however long others take to find out what they open. */
  private begin(): number {
    this.outside.cancel();
    return ++this.turn;
  }

  override connectedCallback(): void {
    if (this.ownPage) {
      rememberChoices();
      this.boxes = recall("boxes") !== "off";
      this.columns = recall("columns")?.split("\n") ?? USUAL_COLUMNS;
    }
    super.connectedCallback();
  }
  override disconnectedCallback(): void {
    // Nobody looks at what is still on its way.
    this.begin();
    super.disconnectedCallback();
  }
  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("editable") && (this.editable || changed.get("editable"))) this.edits?.edit(this.editable);
    // Fetched when it is first looked at: few look at it.
    const part =
      this.view === "map"
        ? import("../mapping/map-view.ts")
        : this.view === "boxes" && import("../samples/box-table.ts");
    if (part) part.catch((e: unknown) => this.told.warn(trouble(e).message));
    if (this.view === "boxes") this.counts.wantBoxes();
    if (changed.has("hide")) this.leftOut = new Set((this.hide ?? "").split(/\s+/));
  }

  // Where the controllers meet

  /** What shows samples is fetched, and what edits them. */
  private take({ DrawingController, boxesOf }: SamplesParts): void {
    this.boxesOf = boxesOf;
    this.edits ??= new DrawingController(this, {
      ...this.page,
      elements: () => import("../drawing/drawing-elements.ts"),
      // Nobody judges what they do not see.
      open: () => (this.hides("sample") ? null : this.cursor.open),
      show: (i) => this.cursor.show(i),
      base: () => ({ find: this.ownBoxes, laid: this.labels.given }),
      counted: () => this.counts.boxes?.classes.map(({ label }) => label) ?? [],
      changed: (many) => void (many && this.boxesChanged()),
      project: () => this.labels.project,
      removed: (gone) => this.filtering.leaveOut(gone),
      save: () => this.dialogs.show("save-edits"),
      mean: (questions) => this.dialogs.show("labels", questions),
    });
  }
  private boxesChanged(): void {
    this.counts.boxesChanged();
    this.order.boxesChanged();
  }

  private async settleIn(found: Dataset | Table, focused: boolean): Promise<void> {
    this.outside.pickAsked();
    this.labels.settle(found);
    if (found.kind === "samples") {
      this.filtering.showAll(found.length);
      this.pictures = new Promise((resolve) => {
        this.pictured = resolve;
        setTimeout(resolve, PATIENCE);
      });
    }
    if (this.editable) void this.edits?.start();
    else if (this.mayEdit) this.edits?.look();
    if (this.ownPage) await this.links.apply();
    else await this.show(this.outside.link);
    // Who opened it with something on the page goes on in what is opened.
    if (focused && document.activeElement === document.body) this.focusList();
    if (found.kind === "samples") void this.counts.learn(found);
    if (this.opener.found === found) this.outside.send("open", { dataset: found, name: found.name ?? "dataset" });
  }
  private grown({ length }: Dataset): void {
    if (length === this.filtering.rows.total) return;
    this.filtering.grow(length);
    this.cursor.grown(length);
    if (this.counts.due) void this.counts.recount();
  }
  private settled(dataset: Dataset): void {
    if (this.filtering.active) void this.filtering.apply();
    else {
      this.filtering.showAll(dataset.length);
      void this.counts.recount();
    }
    this.cursor.grown(dataset.length);
    this.cursor.await(null);
    void this.counts.learn(dataset);
  }
  private filtered(same: boolean): void {
    // Of the same filter fewer may be left, such as of a set that became smaller.
    this.cursor.current = same ? Math.max(0, Math.min(this.cursor.current, this.rows.length - 1)) : 0;
    this.updateLink();
    void this.counts.recount();
  }
  private closed(left: boolean): void {
    this.filtering.reset();
    this.counts.reset();
    this.cursor.reset();
    this.selection.clear();
    this.order.reset();
    this.labels.reset();
    this.edits?.reset();
    this.outside.reset();
    if (!left) return;
    void this.recents.recall();
    this.links.leave();
    this.outside.send("close", null);
  }
  /** Says why something is not opened at all. */
  private refuse(name: string, message: string): void {
    // What is open stays so, and what is on its way too.
    if (this.opener.found || this.opener.opening) return this.told.warn(message);
    this.opener.close();
    this.fail(name, message);
  }
  private fail(name: string, message: string, code?: string): void {
    this.opener.fail({ name, trouble: { message, code, offset: undefined } });
  }

  // Links

  private async show(link: Link): Promise<void> {
    const { data, table } = this.opener;
    if (table) {
      const shown = this.updateComplete.then(() => this.tableView?.follow(link));
      return this.isConnected ? shown : undefined; // What is on no page yet is drawn once it is.
    }
    if (link.view) this.view = link.view;
    if ((link.q ?? "") !== this.filtering.expression) await this.filtering.setText(link.q ?? "", new Map());
    else if (!this.counts.facets) void this.counts.recount();
    if (link.i !== undefined && data && link.i < data.length) this.cursor.show(link.i);
    else if (link.i === undefined) this.cursor.clear();
    // A step of the cursor, and another link, is a wish that came later.
    this.cursor.await(data?.growing && link.i !== undefined && link.i >= data.length ? link.i : null);
  }
  private updateLink(of: TableLink = {}): void {
    const { data, table } = this.opener;
    if (!data && !table) return;
    const { open } = this.cursor;
    const { expression } = this.filtering;
    const link: TableLink = table ? of : { ...(open !== null && { i: open }), ...(expression && { q: expression }) };
    this.links.update({ ...link, ...(data && this.view !== "gallery" && { view: this.view }) });
    this.outside.tell({ filter: link.q ?? "", selected: link.i ?? null });
  }

  // What people do

  private keyActions(): Record<string, () => void> {
    const [{ data, table, found }, { show }] = [this.opener, this.dialogs];
    const may = (part: HiddenPart, key: string, act: () => void): Record<string, () => void> =>
      this.hides(part) ? {} : { [key]: act };
    return {
      ...may("help", "?", () => show("help")),
      ...may("open", "o", () => void this.input.choose()),
      ...may("theme", "d", () => this.theming.toggle()),
      ...(found && { i: () => show("about"), ...may("check", "c", () => show("check")) }),
      ...(table && may("convert", "e", () => show("convert-table"))),
      ...(data && {
        ...may("bar", "/", () => this.filterBox?.focus()),
        g: () => this.setView("gallery"),
        t: () => this.setView("table"),
        T: () => this.setView("boxes"),
        h: () => this.setView("map"),
        b: () => this.toggleBoxes(),
        "Ctrl+a": () => this.selection.all(),
        ...may("convert", "e", () => show("convert")),
        ...may("labels", "l", () => show("labels")),
        ...may("curate", "u", () => show("curate")),
        ...(this.warehouse ? {} : may("compare", "m", () => show("compare"))),
      }),
      ...(this.mayEdit && this.edits?.chords()),
      ...(this.warehouse && { v: () => show("warehouse") }),
    };
  }
  private setView(view: View): void {
    const keys = this.collection && this.shadowRoot?.activeElement === (this.collection as HTMLElement);
    this.view = view;
    // The keys stay where they were, though that is gone.
    if (keys) this.focusList();
    this.updateLink();
    this.cursor.reveal();
  }
  private toggleBoxes(): void {
    this.boxes = !this.boxes;
    keep("boxes", this.boxes ? "on" : "off");
    this.told.say(this.boxes ? msg("boxesOn") : msg("boxesOff"));
  }
  /** Gives the keys to the samples or rows; to a map once it is fetched. */
  private focusList(): void {
    if (this.opener.table) return this.tableView?.focus();
    void this.updateComplete
      .then(() => this.collection && customElements.whenDefined(this.collection.localName))
      .then(() => this.collection?.updateComplete)
      .then(() => this.collection?.renderRoot.querySelector<HTMLElement>(".scroll")?.focus());
  }

  // Drawing

  override render(): TemplateResult {
    const { data, table } = this.opener;
    return html`
      ${data ? this.renderDataset(data) : table ? this.renderTable(table) : this.renderWelcome()}
      ${this.dialogs.render()}
      <input type="file" id="file-input" hidden aria-label=${msg("openFile")} @change=${this.input.chosen} />
      <input type="file" id="folder-input" webkitdirectory hidden aria-label=${msg("openFolder")} @change=${this.input.folderChosen} />
      <input type="file" id="labels-input" hidden aria-label=${msg("openLabelFile")} @change=${this.input.labelsChosen} />
      <div class="warning" role="alert" ?hidden=${this.told.warning === ""}>${this.told.warning}</div>
      <div class="visually-hidden" role="status" aria-live="polite">${this.told.said}</div>`;
  }

  /** A landmark on a page of its own; other people's pages have theirs. */
  private landmark(role: "main" | "complementary"): string {
    return this.ownPage ? role : "group";
  }
  private renderHead(opened: Opened | null): TemplateResult | typeof nothing {
    return renderHead({
      opened,
      compact: this.compact.on,
      ownPage: this.ownPage,
      warehouse: this.warehouse !== null,
      offers: this.recents.offers,
      recent: this.recents.list,
      hides: (part) => this.hides(part),
      growing: this.opener.growth !== null,
      edit: (this.mayEdit && this.edits?.button()) || nothing,
      show: (dialog) => this.dialogs.show(dialog),
      close: () => this.close(),
      toggleTheme: () => this.theming.toggle(),
      focusList: () => this.focusList(),
      choose: () => void this.input.choose(),
      chooseFolder: () => void this.input.chooseFolder(),
      url: (address) => this.input.url(address),
      openRecent: (entry) => void this.input.recent(entry),
    });
  }

  private renderWelcome(): TemplateResult {
    const { opening, failure } = this.opener;
    const { offers, list, keptIndexes } = this.recents;
    const quiet = this.hides("open") && !opening && !failure;
    const welcome = html`<forebay-welcome part="welcome" role=${this.landmark("main")} .opening=${opening}
      .failure=${failure} .offers=${offers} .recent=${list} .kept=${keptIndexes} @choose=${() => this.input.choose()}
      @url=${(e: CustomEvent<string>) => this.input.url(e.detail)}
      @recent=${(e: CustomEvent<Recent>) => void this.input.recent(e.detail)}
      @folder=${() => void this.input.chooseFolder()} @sample=${(e: CustomEvent<Link | null>) => void this.input.sample(e.detail ?? {})}
      @back=${() => this.close()} @forget=${() => void this.recents.forget()}></forebay-welcome>`;
    const empty = quiet ? html`<div class="empty">${msg("noFileOpen")}</div>` : welcome;
    return html`
      <div class="app">
        ${this.renderHead(null)}
        ${opening || failure ? welcome : html`<slot name="empty">${empty}</slot>`}
      </div>`;
  }

  private renderTable(table: Table): TemplateResult {
    const text = this.opener.textual?.text ?? null;
    const facts = html`<span class="facts">${tableFacts(table, text)}</span>`;
    return html`
      <div class="app">
        ${this.renderHead({ found: table, format: text?.format ?? table.format, facts, read: this.meter.words })}
        ${picturesNotice(table, this.opener.listedBy, (column) => void this.opener.showPictures(column))}
        <div class="beside">
          <forebay-table-view part="rows" .data=${table} .text=${text} ?within=${!this.ownPage}
            @shown=${(e: CustomEvent<ShownTable>) => (this.shownTable = e.detail)}
            @link=${(e: CustomEvent<TableLink>) => this.updateLink(e.detail)}
            @say=${(e: CustomEvent<string>) => this.told.say(e.detail)}></forebay-table-view>
          <slot name="panel"></slot>
        </div>
      </div>`;
  }

  private renderDataset(dataset: Dataset): TemplateResult {
    const [{ growth }, { show }] = [this.opener, this.dialogs];
    const lost = this.counts.facets?.damaged ?? 0;
    const facts = this.compact.on
      ? this.renderCount(dataset.length)
      : html`<span class="facts">${sampleFacts(dataset, this.opener.listed)}</span>`;
    const open = this.hides("sample") ? null : this.cursor.open;
    // The page for drawing is all image; other people's buttons in the head stay.
    const whole = this.draws && this.ownPage;
    return html`
      <div class="app ${this.draws ? "drawing" : ""} ${whole ? "whole" : ""}">
        ${whole ? html`<header class="visually-hidden"><h1>${visible(dataset.name ?? "")}</h1></header>` : this.renderHead({ found: dataset, format: this.opener.listed ? msg("pictures") : shownFormat(dataset), facts, read: this.meter.words })}
        <div class="beside">
          <div class="work ${open === null ? "" : "sample-open"} ${this.hides("facets") ? "no-facets" : ""} ${this.edits?.strip ? "" : "no-strip"}">
            ${this.hides("facets") ? nothing : this.renderFacets(dataset)}
            <div class="main" part="main" role=${this.landmark("main")} aria-label=${this.ownPage ? nothing : common("samples")}>
              ${this.hides("bar") ? nothing : [this.renderBar(dataset), this.ownPage ? this.renderSaved() : nothing]}
              ${this.selection.picked.size > 0 ? this.renderPicked() : nothing}
              ${growth ? growthNotice(growth) : nothing}
              <div class="chips">${this.draws ? nothing : this.edits?.bar(() => show("convert"))}${damageNotice(dataset, lost, () => show("check"))}${this.warehouse ? thresholdNotice(this.warehouse.manifest, () => show("warehouse")) : nothing}${labelNotice(
                this.labels,
                () => this.labels.remove(),
                () => this.labels.cancel(),
              )}${renderChips(this.filtering.clauses, (key, clause) => this.filtering.setClause(key, clause))}</div>
              ${this.renderCollection(dataset)}
            </div>
            ${open === null ? nothing : this.renderSample(dataset, open)}
          </div>
          <slot name="panel"></slot>
        </div>
      </div>`;
  }

  private renderFacets(dataset: Dataset): TemplateResult {
    const { counts, filtering } = this;
    return html`
      <forebay-facets part="facets" class=${this.facetsShown ? "shown" : ""} role=${this.landmark("complementary")}
        aria-label=${common("facets")} ?within=${!this.ownPage} .facets=${counts.facets} .clauses=${filtering.clauses} .classes=${counts.classes}
        .classField=${counts.classField} .fields=${counts.metadataFields} .trouble=${counts.trouble}
        ?counting=${counts.counting} ?alike=${dataset.format === "warehouse"} ?sizeless=${isArchive(dataset.format) && !this.opener.growth} ?listed=${this.opener.listed}
        @clause=${this.setClause}
        @sizes=${() => void counts.readSizes()}
        .boxes=${counts.boxes} .boxProgress=${counts.boxProgress} .boxTrouble=${counts.boxTrouble} .rows=${filtering.rows}
        @boxes=${(e: CustomEvent<boolean>) => counts.askBoxes(e.detail)}
        @uncount=${(e: CustomEvent<string>) => counts.removeClasses(e.detail)}
        @classes=${({ detail: d }: CustomEvent<{ field: string; instead?: string }>) => counts.countClasses(d.field, d.instead)}>
        ${this.ownPage ? this.renderSets(dataset) : nothing}</forebay-facets>`;
  }

  private setClause(e: CustomEvent<ClauseChange>): void {
    e.stopPropagation();
    this.filtering.setClause(e.detail.key, e.detail.clause);
  }
  /** Named sets of samples. They are kept in the browser's store, which is the page's own. */
  private renderSets(dataset: Dataset): TemplateResult {
    const { clauses, rows } = this.filtering;
    return html`
      <forebay-sets .data=${this.opener.growth ? null : dataset} .picked=${this.selection.picked} .clauses=${clauses} .rows=${rows}
        @clause=${this.setClause}
        @pick=${(e: CustomEvent<number[]>) => this.selection.add(e.detail)}></forebay-sets>`;
  }
  /** To where what is picked gets a name; on a phone the facets lie over the samples then. */
  private async nameSet(): Promise<void> {
    this.facetsShown = true;
    await this.updateComplete;
    this.renderRoot.querySelector<SetsView>("forebay-sets")?.name();
  }
  private renderCount(length: number): TemplateResult {
    return html`<span class="counts">${keptWords(this.filtering, this.order.progress, length)}</span>`;
  }
  private renderBar({ length }: Dataset): TemplateResult {
    const { text, error } = this.filtering;
    return renderBar({
      compact: this.compact.on,
      text,
      error,
      fields: this.counts.fields,
      values: this.counts.values,
      counted: this.renderCount(length),
      view: this.view,
      boxes: this.boxes,
      tileSize: this.tileSize,
      columns: this.columns,
      columnFields: this.counts.metadataFields,
      facets: this.hides("facets") ? null : this.facetsShown,
      toggleFacets: () => (this.facetsShown = !this.facetsShown),
      keepable: this.ownPage && this.identity !== null && !error && this.filtering.expression !== "",
      keep: () => void this.renderRoot.querySelector<SavedFilters>("forebay-saved")?.ask(),
      setText: (text) => void this.filtering.setText(text),
      setView: (view) => this.setView(view),
      toggleBoxes: () => this.toggleBoxes(),
      setTileSize: (size) => (this.tileSize = size),
      setColumns: (columns) => {
        this.columns = columns;
        keep("columns", columns.join("\n"));
      },
    });
  }
  private renderSaved(): TemplateResult {
    return html`<forebay-saved .of=${this.identity} .expression=${this.filtering.expression}
      @filter=${(e: CustomEvent<string>) => void this.filtering.setText(e.detail, new Map())}
      @done=${() => this.filterBox?.focus()}></forebay-saved>`;
  }
  /** What tells the dataset that is open from others, once all of it is known. */
  private get identity(): SetsOf | null {
    const { data, growth } = this.opener;
    return data && !growth ? { name: data.name ?? "", bytes: data.byteLength, samples: data.length } : null;
  }
  private renderPicked(): TemplateResult {
    return renderPicked({
      size: this.selection.picked.size,
      length: this.rows.length,
      exporting: this.hides("convert") ? null : () => this.dialogs.show("convert"),
      all: () => this.selection.all(),
      naming: this.ownPage && !this.hides("facets") && !this.opener.growth ? () => void this.nameSet() : null,
      clear: () => this.selection.clear(),
      changes: this.edits?.editor ? this.edits.changes(this.selection.picked) : null,
    });
  }

  private renderSample(dataset: Dataset, open: number): TemplateResult {
    return html`
      <forebay-sample part="sample" role=${this.landmark("complementary")} aria-label=${common("sample")} .data=${dataset} .index=${open} .box=${this.box?.i === open ? this.box.nth : null}
        .classField=${this.counts.labelField} .find=${this.find} .editor=${this.edits?.editor ?? null} ?wide=${!this.edits?.panel} .next=${this.cursor.following} .picked=${this.selection.picked.has(open)} ?boxesOn=${this.boxes}
        @boxes=${() => this.toggleBoxes()}
        @step=${(e: CustomEvent<number>) => this.cursor.step(e.detail)}
        @close=${() => this.cursor.close()} @mean=${(e: CustomEvent) => this.dialogs.show("labels", e.detail)}
        @pick=${(e: CustomEvent<number>) => this.selection.toggle(e.detail)}></forebay-sample>`;
  }

  private renderCollection(data: Dataset): TemplateResult {
    return renderCollection({
      data,
      rows: this.rows,
      shown: this.draws ? "strip" : this.view,
      find: this.find,
      boxes: this.boxes,
      tileSize: this.tileSize,
      columns: this.columns,
      verdict: this.edits?.editor ? this.edits.verdict : null,
      opener: this.opener,
      filtering: this.filtering,
      counts: this.counts,
      order: this.order,
      cursor: this.cursor,
      selection: this.selection,
      drawn: () => this.pictured(),
      say: (text) => this.told.say(text),
      showBox: (i, nth) => {
        this.box = { i, nth };
        this.cursor.show(i);
      },
    });
  }
}

const tooLate = (): Error => new DOMException(msg("somethingElseWasOpenedWas"), "AbortError");

type SamplesParts = typeof import("./samples-parts.ts");
