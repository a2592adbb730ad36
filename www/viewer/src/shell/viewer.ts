/** `<forebay-viewer>`: everything together. What it does is in its controllers; here they meet, and are drawn. */
import { LitElement, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Dataset, Folder, Input, Table, Warehouse } from "../../../lib/src/model/index.ts";
import "../curating/curate-dialog.ts";
import "../curating/sets-view.ts";
import "../dialogs/about-dialog.ts";
import "../dialogs/check-dialog.ts";
import "../dialogs/convert-dialog.ts";
import "../dialogs/convert-table-dialog.ts";
import "../dialogs/drift-dialog.ts";
import "../dialogs/help-dialog.ts";
import "../dialogs/labels-dialog.ts";
import "../dialogs/warehouse-dialog.ts";
import "../samples/facets-view.ts";
import "../samples/gallery.ts";
import "../samples/sample-panel.ts";
import "../samples/sample-table.ts";
import "../tables/table-view.ts";
import "../ui/filter-box.ts";
import "./open-menu.ts";
import "./welcome.ts";
import type { CurateDialog } from "../curating/curate-dialog.ts";
import type { AboutDialog } from "../dialogs/about-dialog.ts";
import type { CheckDialog } from "../dialogs/check-dialog.ts";
import type { ConvertDialog } from "../dialogs/convert-dialog.ts";
import type { ConvertTableDialog } from "../dialogs/convert-table-dialog.ts";
import type { DriftDialog } from "../dialogs/drift-dialog.ts";
import type { HelpDialog } from "../dialogs/help-dialog.ts";
import type { LabelsDialog } from "../dialogs/labels-dialog.ts";
import type { WarehouseDialog } from "../dialogs/warehouse-dialog.ts";
import type { Engine } from "../files/engine.ts";
import type { Recent } from "../files/recent.ts";
import { boxesOf, type FindBoxes } from "../samples/box-source.ts";
import { forgetColors } from "../samples/colors.ts";
import { USUAL_COLUMNS } from "../samples/columns.ts";
import { Counts } from "../samples/counts.ts";
import type { Clause } from "../ui/clause.ts";
import type { SamplePanel } from "../samples/sample-panel.ts";
import type { ShownTable, TableLink, TableView } from "../tables/table-view.ts";
import type { Collection } from "../ui/collection.ts";
import type { FilterBox } from "../ui/filter-box.ts";
import { keep, recall } from "../ui/remembered.ts";
import { RowCursor } from "../ui/row-cursor.ts";
import type { Rows } from "../ui/rows.ts";
import { controls, tokens } from "../ui/styles.ts";
import { viewerStyles } from "../ui/viewer-styles.ts";
import { visible } from "../ui/visible.ts";
import { count } from "../ui/wording.ts";
import "./column-chooser.ts";
import { CompactController } from "./compact-controller.ts";
import { sampleFacts, tableFacts } from "./facts.ts";
import { FilterController } from "./filter-controller.ts";
import { InputController } from "./input-controller.ts";
import { KeyController } from "./key-controller.ts";
import { LabelController } from "./label-controller.ts";
import { LinkController } from "./link-controller.ts";
import type { Link } from "./link.ts";
import { Messages } from "./messages.ts";
import { damageNotice, growthNotice, labelNotice, thresholdNotice } from "./notices.ts";
import { OpenController } from "./open-controller.ts";
import { ReadMeter } from "./read-meter.ts";
import { RecentController } from "./recent-controller.ts";
import { SelectionController } from "./selection-controller.ts";
import { SortController } from "./sort-controller.ts";
import { ThemeController, type Theme } from "./theme-controller.ts";
import { LOGO } from "./welcome.ts";

/** Milliseconds after which the first pictures are no longer waited for. */
const PATIENCE = 1200;

@customElement("forebay-viewer")
export class Viewer extends LitElement {
  static override styles = [tokens, controls, viewerStyles];

  /** The package's functions. */
  @property({ attribute: false }) engine!: Engine;
  @property({ reflect: true }) theme: Theme | null = null;
  @property({ type: Boolean, reflect: true }) dragging = false;
  /** What the open table shows, for converting it. */
  @state() private shownTable: ShownTable = { columns: [], filter: null };
  @state() private view: "gallery" | "table" = "gallery";
  @state() private tileSize = 168;
  /** Boxes are drawn, on the tiles and over the picture that is open. */
  @state() private boxes = recall("boxes") !== "off";
  @state() private facetsShown = false;
  /** The columns of the table. */
  @state() private columns: readonly string[] = recall("columns")?.split("\n") ?? USUAL_COLUMNS;
  @query("forebay-about") private aboutDialog!: AboutDialog;
  @query("forebay-check") private checkDialog!: CheckDialog;
  @query("forebay-convert") private convertDialog!: ConvertDialog;
  @query("forebay-convert-table") private convertTableDialog!: ConvertTableDialog;
  @query("forebay-labels") private labelsDialog!: LabelsDialog;
  @query("forebay-warehouse") private warehouseDialog!: WarehouseDialog;
  @query("forebay-drift") private driftDialog!: DriftDialog;
  @query("forebay-curate") private curateDialog!: CurateDialog;
  @query("forebay-help") private helpDialog!: HelpDialog;
  @query("forebay-filter") private filterBox!: FilterBox | null;
  @query("forebay-table-view") private tableView!: TableView | null;
  @query("forebay-sample") private samplePanel!: SamplePanel | null;
  @query("forebay-gallery, forebay-table") private collection!: Collection | null;
  /** Resolves when the first pictures are drawn, or when they take too long. */
  private pictures: Promise<void> = Promise.resolve();
  private pictured = (): void => undefined;

  private readonly theming = new ThemeController(this);
  private readonly messages = new Messages(this);
  private readonly recents = new RecentController(this);
  private readonly opener: OpenController = new OpenController(this, {
    engine: () => this.engine,
    say: (text) => this.messages.say(text),
    focused: () => this.shadowRoot?.activeElement != null,
    opened: (found, focused) => this.opened(found, focused),
    remember: (entry, file) => void this.recents.remember(entry, file),
    grown: (dataset) => this.grown(dataset),
    settled: (dataset) => this.settled(dataset),
    closed: (left) => this.closed(left),
    convertText: () => this.convertTableDialog.show(),
  });
  private readonly meter = new ReadMeter(this, {
    telemetry: () => this.opener.found?.telemetry,
    wholeBytes: () => this.opener.textual?.text.bytes ?? null,
  });
  private readonly filter: FilterController = new FilterController(this, {
    data: () => this.opener.data,
    growing: () => this.opener.growth !== null,
    say: (text) => this.messages.say(text),
    begun: () => this.counts.clearTrouble(),
    applied: (same) => this.filtered(same),
    failed: () => void (this.counts.facets ?? this.counts.recount()),
  });
  private readonly counts: Counts = new Counts(this, {
    data: () => this.opener.data,
    rows: () => this.filter.rows,
    growing: () => this.opener.growth !== null,
    local: () => isHere(this.opener.source),
    find: () => this.find,
    signal: () => this.opener.signal,
    pictures: () => this.pictures,
  });
  private readonly labels: LabelController = new LabelController(this, {
    engine: () => this.engine,
    data: () => this.opener.data,
    signal: () => this.opener.signal,
    say: (text) => this.messages.say(text),
    changed: () => this.counts.boxesChanged(),
  });
  private readonly compact = new CompactController(this);
  private readonly order: SortController = new SortController(this, {
    data: () => this.opener.data,
    fields: () => this.counts.metadataFields,
    classField: () => this.counts.labelField,
    find: () => this.find,
    signal: () => this.opener.signal,
    say: (text) => this.messages.say(text),
    warn: (text) => this.messages.warn(text),
  });
  private readonly selection: SelectionController = new SelectionController(this, {
    rows: () => this.rows,
    say: (text) => this.messages.say(text),
    warn: (text) => this.messages.warn(text),
  });
  private readonly cursor: RowCursor = new RowCursor(this, {
    unit: "sample",
    rows: () => this.rows,
    list: () => this.collection,
    say: (text) => this.messages.say(text),
    moved: () => this.updateLink(),
  });
  private readonly input: InputController = new InputController(this, {
    open: (input, name, file, extra) => void this.opener.open(input, name, file, extra),
    refuse: (name, message) => this.refuse(name, message),
    fail: (name, message) => this.fail(name, message),
    dropped: (data) => this.engine.droppedFiles(data),
    labels: (input, name) => {
      if (!this.opener.data) return false;
      void this.labels.open(input, name);
      return true;
    },
    beside: (folder, name) => {
      if (!this.warehouse) return false;
      this.driftDialog.show(folder, name);
      return true;
    },
    chooser: () => this.renderRoot.querySelector<HTMLInputElement>("#file-input"),
    folderChooser: () => this.renderRoot.querySelector<HTMLInputElement>("#folder-input"),
  });
  protected readonly keys = new KeyController(this, {
    // A dialog that lost the focus still has the page to itself.
    busy: () => [...this.renderRoot.children].some((child) => child.shadowRoot?.querySelector("dialog[open]")),
    actions: () => this.keyActions(),
    others: [
      (key) => this.cursor.key(key),
      (key) => this.cursor.open !== null && (this.samplePanel?.key(key) ?? false),
      (key, idle) => this.tableView?.key(key, idle) ?? false,
      (key, idle) => idle && this.cursor.begin(key),
    ],
  });
  /** The last: it opens what the address says as soon as the viewer is on a page. */
  private readonly links: LinkController = new LinkController(this, {
    file: () => this.opener.file,
    failed: () => this.opener.failure !== null,
    show: (link) => this.show(link),
    openUrl: (address) => this.input.url(address),
    openRecent: (entry) => void this.input.recent(entry),
    choose: () => void this.input.choose(),
    close: (left) => this.opener.close(left),
    ask: (failure) => this.opener.fail(failure),
  });

  /** The samples that are shown, in the order in which they are. */
  private get rows(): Rows {
    return this.order.apply(this.filter.rows);
  }
  /** Where boxes come from. */
  private get find(): FindBoxes {
    const { data } = this.opener;
    return this.labels.given?.find ?? boxesOf(data!);
  }
  /** What is open, if it is a warehouse. */
  private get warehouse(): Warehouse | null {
    const { data } = this.opener;
    return data?.format === "warehouse" ? (data as Warehouse) : null;
  }
  /** Frees the file. */
  close(): void {
    this.opener.close();
  }

  // Where the controllers meet

  private async opened(found: Dataset | Table, focused: boolean): Promise<void> {
    if (found.kind === "samples") {
      this.filter.showAll(found.length);
      this.pictures = new Promise((resolve) => {
        this.pictured = resolve;
        setTimeout(resolve, PATIENCE);
      });
    }
    await this.links.apply();
    // Who opened it with something on the page goes on in what is opened.
    if (focused && document.activeElement === document.body) this.focusList();
    if (found.kind === "samples") void this.counts.learn(found);
  }
  private grown({ length }: Dataset): void {
    if (length === this.filter.rows.total) return;
    this.filter.grow(length);
    if (this.counts.due) void this.counts.recount();
  }
  private settled(dataset: Dataset): void {
    if (this.filter.active) void this.filter.apply();
    else {
      this.filter.showAll(dataset.length);
      void this.counts.recount();
    }
    void this.counts.learn(dataset);
  }
  private filtered(same: boolean): void {
    if (!same) this.cursor.current = 0;
    this.updateLink();
    void this.counts.recount();
  }
  private closed(left: boolean): void {
    this.filter.reset();
    this.counts.reset();
    this.cursor.reset();
    this.selection.clear();
    this.order.reset();
    this.labels.reset();
    forgetColors();
    if (!left) return;
    void this.recents.recall();
    history.replaceState(null, "", location.pathname + location.search);
  }
  /** Says why something is not opened at all. */
  private refuse(name: string, message: string): void {
    // What is open stays so, and what is on its way too.
    if (this.opener.found || this.opener.opening) return this.messages.warn(message);
    this.opener.close();
    this.fail(name, message);
  }
  private fail(name: string, message: string): void {
    this.opener.fail({ name, trouble: { message, code: undefined, offset: undefined } });
  }

  // Links

  private async show(link: Link): Promise<void> {
    const { data, table } = this.opener;
    if (table) {
      await this.updateComplete;
      return this.tableView?.follow(link);
    }
    if (link.view) this.view = link.view;
    if ((link.q ?? "") !== this.filter.expression) await this.filter.setText(link.q ?? "", new Map());
    else if (!this.counts.facets) void this.counts.recount();
    if (link.i !== undefined && data && link.i < data.length) this.cursor.show(link.i);
    else if (link.i === undefined) this.cursor.clear();
  }
  private updateLink(of: TableLink = {}): void {
    if (this.opener.table) this.links.update(of);
    if (!this.opener.data) return;
    const { open } = this.cursor;
    this.links.update({
      ...(open !== null && { i: open }),
      ...(this.filter.expression && { q: this.filter.expression }),
      ...(this.view === "table" && { view: "table" }),
    });
  }

  // What people do

  private keyActions(): Record<string, () => void> {
    const { data, table, found } = this.opener;
    return {
      "?": () => this.helpDialog.show(),
      o: () => void this.input.choose(),
      d: () => this.theming.toggle(),
      ...(found && { i: () => this.aboutDialog.show(), c: () => this.checkDialog.show() }),
      ...(table && { e: () => this.convertTableDialog.show() }),
      ...(data && {
        "/": () => this.filterBox?.focus(),
        g: () => this.setView("gallery"),
        t: () => this.setView("table"),
        b: () => this.toggleBoxes(),
        "Ctrl+a": () => this.selection.all(),
        e: () => this.convertDialog.show(),
        l: () => this.labelsDialog.show(),
        u: () => this.curateDialog.show(),
      }),
      ...(this.warehouse && { v: () => this.warehouseDialog.show() }),
    };
  }
  private setView(view: "gallery" | "table"): void {
    this.view = view;
    this.updateLink();
    this.cursor.reveal();
  }
  private toggleBoxes(): void {
    this.boxes = !this.boxes;
    keep("boxes", this.boxes ? "on" : "off");
    this.messages.say(`boxes ${this.boxes ? "on" : "off"}`);
  }
  /** A fault of a check was clicked. */
  private jump(i: number): void {
    if (this.opener.table) void this.tableView?.follow({ i });
    else this.cursor.show(i);
  }
  /** Gives the keys to the samples or rows. */
  private focusList(): void {
    if (this.opener.table) return this.tableView?.focus();
    void this.updateComplete
      .then(() => this.collection?.updateComplete)
      .then(() => this.collection?.renderRoot.querySelector<HTMLElement>(".scroll")?.focus());
  }

  // Drawing

  override render(): TemplateResult {
    const { data, table, found, textual, tooLarge, growth } = this.opener;
    const text = textual?.text ?? null;
    const made = (e: CustomEvent<File>): void => this.input.file(e.detail);
    return html`
      ${data ? this.renderDataset(data) : table ? this.renderTable(table) : this.renderWelcome()}
      <forebay-convert-table .engine=${this.engine} .data=${table} .text=${text ?? tooLarge}
        .shown=${this.shownTable.columns} .filter=${this.shownTable.filter} @open=${made}></forebay-convert-table>
      <forebay-about .data=${found} .text=${text} ?growing=${growth !== null}
        @forget=${() => void this.opener.reread()}></forebay-about>
      <forebay-check .engine=${this.engine} .data=${found} .text=${text} ?growing=${growth !== null}
        @jump=${(e: CustomEvent<number>) => this.jump(e.detail)}></forebay-check>
      <forebay-convert .engine=${this.engine} .data=${data} ?growing=${growth !== null}
        .kept=${this.filter.rows.kept} .picked=${this.selection.picked} @open=${made}></forebay-convert>
      <forebay-labels .engine=${this.engine} .data=${data} .kept=${this.filter.rows.kept} .picked=${this.selection.picked}
        .find=${data ? this.find : null} ?given=${this.labels.given !== null}
        @choose=${() => this.renderRoot.querySelector<HTMLInputElement>("#labels-input")?.click()}></forebay-labels>
      <forebay-warehouse .manifest=${this.warehouse?.manifest ?? null}></forebay-warehouse>
      <forebay-drift .engine=${this.engine} .data=${this.warehouse}
        @open=${({ detail: d }: CustomEvent<{ folder: Folder; name: string }>) => this.input.warehouse(d.folder, d.name)}></forebay-drift>
      <forebay-curate .data=${growth ? null : data} .where=${this.filter.rows.where}
        @pick=${(e: CustomEvent<number[]>) => this.selection.add(e.detail)} @jump=${(e: CustomEvent<number>) => this.jump(e.detail)}
        @show=${({ detail: d }: CustomEvent<Pick<Clause, "label" | "samples">>) => this.filter.setClause("curate", { ...d, expression: "" })}></forebay-curate>
      <forebay-help></forebay-help>
      <input type="file" id="file-input" hidden aria-label="Open a file" @change=${this.input.chosen} />
      <input type="file" id="folder-input" webkitdirectory hidden aria-label="Open a folder" @change=${this.input.folderChosen} />
      <input type="file" id="labels-input" hidden aria-label="Open a label file" @change=${this.input.labelsChosen} />
      <div class="warning" role="alert" ?hidden=${this.messages.warning === ""}>${this.messages.warning}</div>
      <div class="visually-hidden" role="status" aria-live="polite">${this.messages.said}</div>`;
  }

  private renderTools(): TemplateResult {
    return html`
      <button class="icon bare" aria-label="Dark or light" title="Dark or light (d)"
        @click=${() => this.theming.toggle()}>◐</button>
      <button class="icon bare" aria-label="Keys and filters" title="Keys and filters (?)"
        @click=${() => this.helpDialog.show()}>?</button>`;
  }

  private renderWelcome(): TemplateResult {
    const { opening, failure } = this.opener;
    const { offers, list, keptIndexes } = this.recents;
    return html`
      <div class="app">
        <header class="top"><span class="brand">${BRAND}</span><div class="file"></div>${this.renderTools()}</header>
        <forebay-welcome role="main" .opening=${opening} .failure=${failure} .offers=${offers} .recent=${list}
          .kept=${keptIndexes} @choose=${() => this.input.choose()}
          @url=${(e: CustomEvent<string>) => this.input.url(e.detail)}
          @recent=${(e: CustomEvent<Recent>) => void this.input.recent(e.detail)}
          @folder=${() => void this.input.chooseFolder()} @sample=${() => void this.input.sample()} @back=${() => this.close()} @forget=${() => void this.recents.forget()}></forebay-welcome>
      </div>`;
  }

  /** What is open, and what can be done with all of it. */
  private renderHeader(open: Dataset | Table, facts: string, convert: () => void): TemplateResult {
    const format = this.opener.textual?.text.format ?? open.format;
    return html`
      <header class="top">
        <button class="skip" @click=${this.focusList}>To the ${open.kind === "table" ? "rows" : "samples"}</button>
        <button class="brand" title="Close the file" aria-label="Forebay: close the file"
          @click=${() => this.close()}>${BRAND}</button>
        <div class="file">
          <button class="badge" title="About this file (i)"
            @click=${() => this.aboutDialog.show()}>${format.toUpperCase()}</button>
          <h1 title=${visible(open.name ?? "")}>${visible(open.name ?? "dataset")}</h1>
          ${this.compact.on && open.kind === "samples" ? this.renderCount(open.length) : html`<span class="facts">${facts}</span>`}
          <span class="facts more" title="What was read so far">${this.meter.words}</span>
        </div>
        <span class="spacer"></span>
        <forebay-open .offers=${this.recents.offers} .recent=${this.recents.list}
          @choose=${() => this.input.choose()} @folder=${() => void this.input.chooseFolder()}
          @url=${(e: CustomEvent<string>) => this.input.url(e.detail)}
          @recent=${(e: CustomEvent<Recent>) => void this.input.recent(e.detail)}></forebay-open>
        ${
          this.compact.on
            ? html`<forebay-menu label="More" icon="⋯"><div class="sheet">
          ${this.renderActions(convert)}
          <button @click=${() => this.aboutDialog.show()}>About the file</button>
          <button @click=${() => this.theming.toggle()}>Dark or light</button>
          <button @click=${() => this.helpDialog.show()}>Keys and filters</button></div></forebay-menu>`
            : html`${this.renderActions(convert)}${this.renderTools()}`
        }
      </header>`;
  }

  private renderActions(convert: () => void): TemplateResult {
    return html`
      <button title="Check (c)" @click=${() => this.checkDialog.show()}>Check</button>
      <button title="Convert or export (e)" @click=${convert}>Convert</button>
      ${
        this.opener.data
          ? html`<button title="Labels of a file, and labels as a file (l)" @click=${() => this.labelsDialog.show()}>Labels</button>
        <button title="Duplicates and outliers (u)" ?disabled=${this.opener.growth !== null} @click=${() => this.curateDialog.show()}>Curate</button>`
          : nothing
      }
      ${this.warehouse ? html`<button title="What became of the frames (v)" @click=${() => this.warehouseDialog.show()}>Validation</button>` : nothing}`;
  }

  private renderTable(table: Table): TemplateResult {
    const text = this.opener.textual?.text ?? null;
    return html`
      <div class="app">
        ${this.renderHeader(table, tableFacts(table, text), () => this.convertTableDialog.show())}
        <forebay-table-view .data=${table} .text=${text}
          @shown=${(e: CustomEvent<ShownTable>) => (this.shownTable = e.detail)}
          @link=${(e: CustomEvent<TableLink>) => this.updateLink(e.detail)}
          @say=${(e: CustomEvent<string>) => this.messages.say(e.detail)}></forebay-table-view>
      </div>`;
  }

  private renderDataset(dataset: Dataset): TemplateResult {
    const { counts, filter } = this;
    const { growth } = this.opener;
    const lost = counts.facets?.damaged ?? 0;
    return html`
      <div class="app">
        ${this.renderHeader(dataset, sampleFacts(dataset), () => this.convertDialog.show())}
        <div class="work ${this.cursor.open === null ? "" : "sample-open"}">
          <forebay-facets class=${this.facetsShown ? "shown" : ""} role="complementary" aria-label="Facets"
            .facets=${counts.facets} .clauses=${filter.clauses} .classes=${counts.classes}
            .classField=${counts.classField} .fields=${counts.metadataFields} .trouble=${counts.trouble}
            ?counting=${counts.counting} ?alike=${dataset.format === "warehouse"} ?sizeless=${dataset.format === "tar" && !growth}
            @clause=${({ detail: d }: CustomEvent<ClauseChange>) => filter.setClause(d.key, d.clause)}
            @sizes=${() => void counts.readSizes()}
            .boxes=${counts.boxes} .boxProgress=${counts.boxProgress} .boxTrouble=${counts.boxTrouble} .rows=${filter.rows}
            @boxes=${() => void counts.countBoxes()}
            @uncount=${(e: CustomEvent<string>) => counts.removeClasses(e.detail)}
            @classes=${({ detail: d }: CustomEvent<{ field: string; instead?: string }>) => counts.countClasses(d.field, d.instead)}>
            <forebay-sets .data=${growth ? null : dataset} .picked=${this.selection.picked} .clauses=${filter.clauses} .rows=${filter.rows}
              @clause=${({ detail: d }: CustomEvent<ClauseChange>) => filter.setClause(d.key, d.clause)}
              @pick=${(e: CustomEvent<number[]>) => this.selection.add(e.detail)}></forebay-sets></forebay-facets>
          <main class="main">
            ${this.renderBar(dataset)}
            ${this.selection.picked.size > 0 ? this.renderSelection() : nothing}
            ${growth ? growthNotice(growth) : nothing}
            <div class="chips">${damageNotice(dataset, lost, () => this.checkDialog.show())}${this.warehouse ? thresholdNotice(this.warehouse.manifest, () => this.warehouseDialog.show()) : nothing}${labelNotice(this.labels, () => this.labels.remove())}${this.renderChips()}</div>
            ${this.renderCollection(dataset)}
          </main>
          ${this.cursor.open === null ? nothing : this.renderSample(dataset, this.cursor.open)}
        </div>
      </div>`;
  }

  /** How many samples the filter keeps. */
  private renderCount(length: number): TemplateResult {
    const { rows, running } = this.filter;
    const { progress } = this.order;
    const kept = running
      ? "filtering…"
      : progress
        ? `sorting, ${Math.floor((100 * progress.done) / Math.max(1, progress.total))} %`
        : rows.kept
          ? `${count(rows.length)} of ${count(length)}`
          : count(length);
    return html`<span class="counts">${kept}</span>`;
  }
  /** The filter, how many samples it keeps, and how they are shown. */
  private renderBar({ length }: Dataset): TemplateResult {
    const { text, error } = this.filter;
    const compact = this.compact.on;
    return html`
      <div class="bar ${compact ? "compact" : ""}">
        <button class="narrow-only" aria-expanded=${this.facetsShown}
          @click=${() => (this.facetsShown = !this.facetsShown)}>Facets</button>
        <forebay-filter .value=${text} .fields=${this.counts.fields} .values=${this.counts.values} .error=${error}
          @filter=${(e: CustomEvent<string>) => void this.filter.setText(e.detail)}></forebay-filter>
        ${compact ? nothing : this.renderCount(length)}
        ${
          compact
            ? html`<forebay-menu label="View"><div class="sheet">${this.renderViews()}${this.renderLook(true)}</div></forebay-menu>`
            : html`${this.renderLook(false)}${this.renderViews()}`
        }
      </div>`;
  }
  private renderViews(): TemplateResult {
    const view = (name: "gallery" | "table", title: string): TemplateResult =>
      html`<button aria-pressed=${this.view === name} title="${title} (${name[0]})"
        @click=${() => this.setView(name)}>${title}</button>`;
    return html`<div class="views" role="group" aria-label="View">${view("gallery", "Gallery")}${view("table", "Table")}</div>`;
  }
  /** How gallery or table look; `folded` where they are in a menu. */
  private renderLook(folded: boolean): TemplateResult {
    const size = (e: Event): void => {
      this.tileSize = Number((e.target as HTMLInputElement).value);
    };
    const columns = html`<forebay-columns .columns=${this.columns} .fields=${this.counts.metadataFields}
      @columns=${(e: CustomEvent<readonly string[]>) => this.setColumns(e.detail)}></forebay-columns>`;
    if (this.view === "table") return folded ? columns : html`<forebay-menu label="Columns">${columns}</forebay-menu>`;
    return html`
      <button aria-pressed=${this.boxes} title="Boxes on the pictures (b)"
        @click=${() => this.toggleBoxes()}>Boxes</button>
      <input type="range" aria-label="Size of the pictures" min="90" max="360" step="6"
        .value=${String(this.tileSize)} @input=${size} />`;
  }
  private setColumns(columns: readonly string[]): void {
    this.columns = columns;
    keep("columns", columns.join("\n"));
  }

  /** What is picked, and what can be done with it. */
  private renderSelection(): TemplateResult {
    const { picked } = this.selection;
    const { length } = this.rows;
    return html`
      <div class="selection" role="group" aria-label="Picked samples">
        <b>${count(picked.size)} picked</b>
        <button @click=${() => this.convertDialog.show()}>Export</button>
        ${picked.size < length ? html`<button title="Ctrl+A" @click=${() => this.selection.all()}>All ${count(length)}</button>` : nothing}
        <button @click=${() => this.selection.clear()}>Clear</button>
      </div>`;
  }

  private renderChips(): TemplateResult[] {
    return [...this.filter.clauses].map(
      ([key, { label }]) => html`<button aria-label="Remove ${visible(label)}"
        @click=${() => this.filter.setClause(key, null)}><bdi>${visible(label)}</bdi> ✕</button>`,
    );
  }

  private renderSample(dataset: Dataset, open: number): TemplateResult {
    return html`
      <forebay-sample role="complementary" aria-label="Sample" .data=${dataset} .index=${open}
        .classField=${this.counts.labelField} .find=${this.find} .next=${this.cursor.following} .picked=${this.selection.picked.has(open)} ?boxesOn=${this.boxes}
        @boxes=${() => this.toggleBoxes()}
        @step=${(e: CustomEvent<number>) => this.cursor.step(e.detail)}
        @close=${() => this.cursor.close()}
        @pick=${(e: CustomEvent<number>) => this.selection.toggle(e.detail)}></forebay-sample>`;
  }

  private renderCollection(dataset: Dataset): TemplateResult {
    const { rows } = this;
    if (rows.length === 0) {
      const why = rows.kept ? "No sample matches the filter." : "There are no samples in this file.";
      return html`<div class="empty">${why}</div>`;
    }
    const current = (e: CustomEvent<number>): void => this.cursor.move(e.detail);
    const step = (e: CustomEvent<number>): void => this.cursor.follow(e.detail);
    const open = (e: CustomEvent<number>): void => this.cursor.show(e.detail);
    const pick = (e: CustomEvent<number>): void => this.selection.toggle(e.detail);
    const range = (e: CustomEvent<[number, number]>): void => this.selection.range(...e.detail);
    return this.view === "gallery"
      ? html`<forebay-gallery .data=${dataset} .rows=${rows} .picked=${this.selection.picked} .current=${this.cursor.current}
          .size=${this.tileSize} .classField=${this.counts.labelField} .find=${this.find} ?boxes=${this.boxes} @drawn=${() => this.pictured()}
          @current=${current} @step=${step} @open=${open} @pick=${pick} @range=${range}></forebay-gallery>`
      : html`<forebay-table .data=${dataset} .rows=${rows} .picked=${this.selection.picked} .current=${this.cursor.current}
          .columns=${this.columns} .fields=${this.counts.metadataFields} .classField=${this.counts.labelField}
          .find=${this.find} .sorting=${this.order.sorting} @sort=${(e: CustomEvent<string>) => this.order.next(e.detail)}
          @current=${current} @step=${step} @open=${open} @pick=${pick} @range=${range}></forebay-table>`;
  }
}

/** A clause that is set, or taken away where it is null. */
interface ClauseChange {
  readonly key: string;
  readonly clause: Clause | null;
}

/** Whether reading costs nobody anything: a file or a folder of this machine. */
const isHere = (source: Input | Folder | null): boolean =>
  typeof source === "object" && source !== null && !(source instanceof URL) && !("read" in source);

const BRAND = html`<svg viewBox="0 0 32 32" aria-hidden="true">${LOGO}</svg><span>Forebay</span>`;
