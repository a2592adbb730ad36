/** Another version of the dataset that is open: which samples differ, and how. */
import { Work } from "../ui/work.ts";
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Dataset, Difference, HttpOptions, Input } from "../../../lib/src/model/index.ts";
import type { Engine } from "../files/engine.ts";
import { download } from "../files/targets.ts";
import { Thumbs } from "../samples/thumbs.ts";
import { framed, showModal } from "../ui/modal.ts";
import { controls, questionStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { count, stem } from "../ui/wording.ts";
import { asJson, countsOf, entriesOf, type Entry, type Kind } from "./groups.ts";
import "./pair-list.ts";
import type { PairList } from "./pair-list.ts";
import "./pair-view.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/comparing.ts";
import { titleOf } from "./kinds.ts";
import { isEnter } from "../ui/typing.ts";

/** Samples that are shown at first, and how many more each time. */
const SHOWN = 60;

/** `<forebay-compare>`: sends `jump` with the number of a sample, and `show` with `{ label, samples }`. */
@customElement("forebay-compare")
export class CompareDialog extends LitElement {
  static override styles = [
    controls,
    questionStyles,
    css`
      dialog { width: min(1180px, calc(100vw - 24px)); }
      input.address { flex: 1 1 140px; min-width: 0; }
      forebay-pair { margin-bottom: 14px; }
    `,
  ];
  @property({ attribute: false }) engine!: Engine;
  @property({ attribute: false }) data: Dataset | null = null;
  /** What goes along with requests for an input. */
  @property({ attribute: false }) http: (input: Input) => { readonly http?: HttpOptions } = () => ({});
  @state() private other: Dataset | null = null;
  @state() private every = false;
  @state() private opening = "";
  @state() private found: Difference | null = null;
  @state() private entries: readonly Entry[] = [];
  @state() private kind: Kind | null = null;
  @state() private chosen: Entry | null = null;
  @state() private shown = SHOWN;
  @query("dialog") private dialog!: HTMLDialogElement;
  @query("forebay-pairs") private pairs!: PairList | null;
  @query("input[type=file]") private file!: HTMLInputElement;
  @query("input.address") private address!: HTMLInputElement | null;
  private readonly work = new Work(this);
  private thumbs: { readonly a: Thumbs; readonly b: Thumbs } | null = null;

  show(): void {
    showModal(this.dialog);
  }
  private close(): void {
    if (this.work.running && !this.opening) this.work.stop();
    this.dialog.close();
  }
  override willUpdate(changed: PropertyValues): void {
    if (changed.has("data")) this.leave();
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.leave();
  }
  /** Frees the other version. */
  private leave(): void {
    this.work.reset();
    this.thumbs?.a.close();
    this.thumbs?.b.close();
    this.other?.close();
    this.thumbs = this.other = this.found = this.chosen = this.kind = null;
    this.entries = [];
    this.opening = "";
  }

  private readonly take = (): void => {
    const [file] = this.file.files ?? [];
    this.file.value = "";
    if (file) void this.begin(file, file.name);
  };
  private readonly drop = (e: DragEvent): void => {
    e.preventDefault();
    e.stopPropagation();
    const [file] = e.dataTransfer?.files ?? [];
    if (file) void this.begin(file, file.name);
  };
  private readonly follow = (): void => {
    const text = this.address?.value.trim() ?? "";
    try {
      const url = new URL(text, document.baseURI);
      if (text !== "") void this.begin(url, url.pathname.split("/").pop() || url.host);
    } catch {
      this.work.failure = { message: msg("address"), code: undefined, offset: undefined };
      this.requestUpdate();
    }
  };

  /** Opens the other version, and compares. */
  private async begin(input: Input, name: string): Promise<void> {
    const { data } = this;
    if (!data) return;
    this.leave();
    await this.work.run(async (signal) => {
      this.opening = name;
      const found = await this.engine.open(input, { name, signal, ...this.http(input) }).finally(() => {
        if (!signal.aborted) this.opening = "";
      });
      if (signal.aborted || found.kind !== "samples" || found.format === "warehouse") {
        found.close();
        signal.throwIfAborted();
        throw new Error(found.kind === "samples" ? msg("warehouse") : msg("notSamples"));
      }
      this.other = found;
      this.thumbs = { a: new Thumbs(data, () => this.pairs?.draw()), b: new Thumbs(found, () => this.pairs?.draw()) };
    });
    if (this.other && this.opening === "" && !this.found) await this.compare();
  }
  private async compare(): Promise<void> {
    const { data, other } = this;
    if (!data || !other) return;
    this.found = this.chosen = this.kind = null;
    this.entries = [];
    this.shown = SHOWN;
    await this.work.run(async (signal, onProgress) => {
      const payloads = this.every ? "bytes" : "checksums";
      const found = await this.engine.diff(data, other, { payloads, signal, onProgress });
      if (signal.aborted) return;
      this.found = found;
      this.entries = entriesOf(found);
      this.chosen = this.entries[0] ?? null;
    });
  }

  private get listed(): readonly Entry[] {
    const { kind } = this;
    return kind === null ? this.entries : this.entries.filter(({ kinds }) => kinds.includes(kind));
  }
  private showThem(): void {
    const samples = this.listed.flatMap(({ a }) => (a === null ? [] : [a]));
    const label = msg("label", { kind: this.kind ? titleOf(this.kind) : common("all") });
    this.dispatchEvent(new CustomEvent("show", { detail: { label, samples: Uint32Array.from(samples).sort() } }));
    this.close();
  }
  private save(): void {
    const { found, data, other } = this;
    if (found && data && other)
      download(new Blob([asJson(found, [data.length, other.length])]), `${stem(data.name, "dataset")}-diff.json`);
  }

  override render(): TemplateResult {
    const body = html`<div @dragover=${(e: Event) => e.preventDefault()} @drop=${this.drop}>
          ${this.found ? nothing : html`<p class="muted">${msg("why")}</p>`}
          ${this.renderAsk()}
          ${this.work.alert}
          <div aria-live="polite">${this.renderState()}</div>
          ${this.renderFound()}
          <input type="file" hidden aria-label=${msg("choose")} @change=${this.take} /></div>`;
    return framed(msg("title"), () => this.close(), body);
  }
  private renderAsk(): TemplateResult | typeof nothing {
    if (this.work.running) return nothing;
    const every = html`<label title=${msg("everyWhy")}><input type="checkbox" .checked=${this.every}
      @change=${(e: Event) => {
        this.every = (e.target as HTMLInputElement).checked;
        if (this.other) void this.compare();
      }} />${msg("every")}</label>`;
    if (this.other)
      return html`<div class="row"><button @click=${() => this.file.click()}>${msg("again")}</button>
        <span class="muted">${visible(this.other.name ?? "")}</span>${every}</div>`;
    return html`
      <div class="row"><button class="primary" @click=${() => this.file.click()}>${msg("choose")}</button>
        <span class="muted">${msg("drop")}</span>${every}</div>
      <div class="row"><input class="address" aria-label=${msg("address")} placeholder=${msg("address")}
        @keydown=${(e: KeyboardEvent) => isEnter(e) && this.follow()} />
        <button @click=${this.follow}>${common("open")}</button></div>`;
  }
  private renderState(): TemplateResult | typeof nothing {
    const { opening, found } = this;
    const { running, progress: p } = this.work;
    if (running && !opening)
      return html`<progress aria-label=${msg("progress")} max=${Math.max(1, p?.totalSamples ?? 1)} .value=${p?.samples ?? 0}></progress>
        <p>${p ? msg("done", { done: p.samples, total: p.totalSamples ?? 0 }) : msg("names")} <button @click=${() => this.work.stop()}>${common("cancel")}</button></p>`;
    if (opening)
      return html`<p>${msg("opening", { name: visible(opening) })} <button @click=${() => this.leave()}>${common("cancel")}</button></p>`;
    if (!found) return nothing;
    const verdict = found.same
      ? msg("same", { equal: found.equal })
      : msg("found", { entries: this.entries.length, equal: found.equal });
    return html`<p class=${found.same ? "good" : ""}><b>${verdict}</b>
      ${found.by === "number" ? html`<span class="muted">${msg("byNumber")}</span>` : nothing}</p>`;
  }
  private renderFound(): TemplateResult | typeof nothing {
    const { found, data, other } = this;
    if (!found || found.same || !data || !other) return nothing;
    const counts = countsOf(this.entries);
    const chip = (kind: Kind | null, n: number): TemplateResult =>
      html`<button aria-pressed=${this.kind === kind} @click=${() => {
        this.kind = kind;
        this.shown = SHOWN;
        this.chosen = this.listed[0] ?? null;
      }}>${kind === null ? common("all") : titleOf(kind)} ${count(n)}</button>`;
    const { listed } = this;
    const left = listed.length - this.shown;
    return html`
      <div class="row" role="group" aria-label=${msg("filter")}>${chip(null, this.entries.length)}${[...counts].map(([kind, n]) => chip(kind, n))}</div>
      <div class="row">${listed.some(({ a }) => a !== null) ? html`<button @click=${this.showThem}>${msg("showThem")}</button>` : nothing}
        <button @click=${this.save}>${msg("save")}</button></div>
      <forebay-pair .a=${data} .b=${other} .entry=${this.chosen}
        @jump=${(e: CustomEvent<number>) => {
          this.dispatchEvent(new CustomEvent("jump", { detail: e.detail }));
          this.close();
        }}></forebay-pair>
      <forebay-pairs .thumbs=${this.thumbs} .entries=${listed.slice(0, this.shown)} .chosen=${this.chosen}
        @choose=${(e: CustomEvent<Entry>) => (this.chosen = e.detail)}></forebay-pairs>
      ${left > 0 ? html`<p><button @click=${() => (this.shown += SHOWN)}>${common("showMoreSamples", { left })}</button></p>` : nothing}`;
  }
}
