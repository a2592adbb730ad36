/** What does not belong into a dataset: pictures that are there twice, and those that stand out; and who goes where in a split. */
import { Work } from "../ui/work.ts";
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, queryAll, state } from "lit/decorators.js";
import type { AlikeSample, Dataset, Duplicates, OutlierReason, Outliers } from "../../../lib/src/model/index.ts";
import { isEdited } from "../files/edited.ts";
import type { Engine } from "../files/engine.ts";
import { download } from "../files/targets.ts";
import { Thumbs } from "../samples/thumbs.ts";
import { framed, showModal } from "../ui/modal.ts";
import { controls, questionStyles } from "../ui/styles.ts";
import { bytes, count, short, stem } from "../ui/wording.ts";
import { journalOf } from "./journal.ts";
import "./divide-view.ts";
import type { DivideView } from "./divide-view.ts";
import "./tiles.ts";
import type { Tile, Tiles } from "./tiles.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/curating.ts";

/** Groups, and outliers, that are shown at first, and how many more each time; pictures of a group that are shown. */
const SHOWN = { duplicates: 20, outliers: 60, parts: 0 } as const;
const OF_A_GROUP = 24;

type Question = "duplicates" | "outliers" | "parts";

/** What is done with what was found: samples that go, or tags. */
type Wanted = { readonly remove: number[] } | { readonly tags: [number, string[]][] };

/** A measure for people. */
function measure(trait: OutlierReason["trait"], value: number): string {
  if (trait === "bytes") return bytes(value);
  return trait === "pixels" ? msg("pixels", { value }) : short(value);
}
const because = ({ reason, trait, value, median }: OutlierReason): string =>
  msg("measuredBesideUsual", { reason: msg(reason), trait: measure(trait, value), trait2: measure(trait, median) });
const others = (groups: Duplicates["groups"]): number[] =>
  groups.flatMap((group) => group.slice(1).map(({ index }) => index));

/** `<forebay-curate>`: sends `pick` with numbers of samples, `show` with `{ label, samples }`, and `jump` with a number. */
@customElement("forebay-curate")
export class CurateDialog extends LitElement {
  static override styles = [
    controls,
    questionStyles,
    css`
      dialog { width: min(980px, calc(100vw - 24px)); }
      section { padding: 12px 0; border-top: 1px solid var(--line); }
      section .row { margin-bottom: 8px; }
      input[type="number"] { width: 74px; }
    `,
  ];
  @property({ attribute: false }) data: Dataset | null = null;
  /** The part of the filter that its language says. */
  @property() where = "";
  /** The samples that are left where more was clicked than its language says. */
  @property({ attribute: false }) narrowed: Uint32Array | null = null;
  /** The package's functions. */
  @property({ attribute: false }) engine!: Engine;
  /** The fields of the metadata. */
  @property({ attribute: false }) fields: readonly string[] = [];
  /** The one that has the class, if that is known. */
  @property() classField = "";
  /** The page keeps sets of samples. */
  @property({ type: Boolean }) keeps = false;
  @state() private question: Question = "duplicates";
  @state() private distance = 6;
  @state() private duplicates: Duplicates | null = null;
  @state() private outliers: Outliers | null = null;
  /** The reason whose outliers are shown; all without one. */
  @state() private reason: OutlierReason["reason"] | null = null;
  @state() private shown: number = SHOWN.duplicates;
  @state() private saved = "";
  @query("dialog") private dialog!: HTMLDialogElement;
  @query("forebay-divide") private parts!: DivideView | null;
  @queryAll("forebay-tiles") private rows!: NodeListOf<Tiles>;
  private readonly work = new Work(this);
  private readonly saving = new Work(this);
  private thumbs: Thumbs | null = null;

  show(): void {
    showModal(this.dialog);
  }
  private close(): void {
    this.work.stop();
    this.saving.stop();
    this.parts?.stop();
    this.dialog.close();
  }
  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("data")) return;
    // Another file: nothing of the last one is shown.
    this.work.reset();
    this.saving.reset();
    this.thumbs?.close();
    this.thumbs = this.data ? new Thumbs(this.data, () => this.draw()) : null;
    this.duplicates = this.outliers = this.reason = null;
    this.saved = "";
  }
  override updated(): void {
    const tiles = this.dialog.open ? [...this.rows].flatMap((row) => row.tiles.map(({ index }) => index)) : [];
    this.thumbs?.want(tiles);
  }
  private draw(): void {
    for (const row of this.rows) row.draw();
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.thumbs?.close();
    this.thumbs = null;
  }

  private async ask(): Promise<void> {
    const { data, question, distance, where, narrowed } = this;
    if (!data) return;
    this.saving.reset();
    this.reason = null;
    this.saved = "";
    this.shown = SHOWN[question];
    if (question === "duplicates") this.duplicates = null;
    else this.outliers = null;
    await this.work.run(async (signal, onProgress) => {
      const how = { signal, onProgress, ...(narrowed ? { indexes: narrowed } : where && { where }) };
      if (question === "duplicates") {
        const found = await data.duplicates({ ...how, distance });
        if (!signal.aborted) this.duplicates = found;
      } else {
        const found = await data.outliers(how);
        if (!signal.aborted) this.outliers = found;
      }
    });
  }

  private async save(wanted: Wanted): Promise<void> {
    const { data } = this;
    if (!data) return;
    await this.saving.run(async (signal) => {
      const name = `${stem(data.name, "dataset")}-${"remove" in wanted ? "duplicates" : "outliers"}.jsonl`;
      download(await journalOf(data, wanted, signal), name);
      this.saved = name;
    });
  }
  private send(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
  private pick(samples: number[]): void {
    this.send("pick", samples);
    this.close();
  }
  private showOnly(label: string, samples: number[]): void {
    this.send("show", { label, samples: Uint32Array.from(samples).sort() });
    this.close();
  }
  private jump(i: number): void {
    this.send("jump", i);
    this.close();
  }

  override render(): TemplateResult {
    const { question, work, saving } = this;
    const turn = (to: Question, title: string): TemplateResult =>
      html`<button aria-pressed=${question === to} ?disabled=${work.running} @click=${() => {
        this.question = to;
        this.shown = SHOWN[to];
        work.reset();
        saving.reset();
      }}>${title}</button>`;
    const body = html`
          <div class="row" role="group" aria-label=${msg("whatLook")}>${turn("duplicates", msg("duplicates"))}${turn("outliers", msg("outliers"))}${turn("parts", msg("trainValidateTest"))}</div>
          ${question === "parts" ? this.renderParts() : this.renderAsk()}
          ${work.alert}${saving.alert}
          <div aria-live="polite">${this.saved ? html`<p class="good">${rich("browserDownloadsApplies", { saved: this.saved, code: html`<code>forebay apply</code>` })}</p>` : nothing}</div>
          ${question === "duplicates" ? this.renderDuplicates() : question === "outliers" ? this.renderOutliers() : nothing}`;
    return framed(msg("curate"), () => this.close(), body);
  }
  private renderParts(): TemplateResult {
    return html`<forebay-divide .engine=${this.engine} .data=${this.data} .where=${this.where} .narrowed=${this.narrowed} .fields=${this.fields} .classField=${this.classField}
      ?keeps=${this.keeps}
      @show=${({ detail: d }: CustomEvent<{ label: string; samples: Uint32Array }>) => this.showOnly(d.label, [...d.samples])}></forebay-divide>`;
  }
  private renderAsk(): TemplateResult {
    const { question, where, narrowed } = this;
    const { running, progress: p } = this.work;
    const which =
      where || narrowed ? msg("lookSamplesFilter") : msg("lookAllSamples", { length: this.data?.length ?? 0 });
    if (running)
      return html`<progress aria-label=${msg("lookedAt")} max=${Math.max(1, p?.totalSamples ?? 1)} .value=${p?.samples ?? 0}></progress>
        <p>${msg("ofSamplesTotalSamples", { samples: p?.samples ?? 0, totalSamples: p?.totalSamples ?? this.data?.length ?? 0 })} <button @click=${() => this.work.stop()}>${common("cancel")}</button></p>`;
    const distance = html`<label>${msg("bitsMayDiffer")} <input type="number" min="0" max="15" .value=${String(this.distance)}
      @change=${(e: Event) => {
        const { valueAsNumber: n } = e.target as HTMLInputElement;
        this.distance = Number.isInteger(n) ? Math.min(15, Math.max(0, n)) : 6;
      }} /></label>`;
    const what = question === "duplicates" ? msg("sameBytesPicturesLookSame") : msg("darkBlurredTinyOddShape");
    return html`<p class="muted">${msg("everyPictureDecodedOnMachine", { what })}</p>
      <div class="row">${question === "duplicates" ? distance : nothing}
        <button class="primary" @click=${() => void this.ask()}>${which}</button></div>`;
  }

  private renderFaults({
    faultCount,
    faults,
  }: Pick<Duplicates, "faultCount" | "faults">): TemplateResult | typeof nothing {
    if (faultCount === 0) return nothing;
    const first = faults.slice(0, 3).map(({ sample, code }) => `${sample} (${code})`);
    return html`<p class="bad">${msg("samplesCouldNotReadDecoded", { faultCount, first: first.join(", "), rest: faultCount > 3 ? "…" : "" })}</p>`;
  }
  private renderDuplicates(): TemplateResult | typeof nothing {
    const found = this.duplicates;
    if (!found || this.work.running) return nothing;
    const { groups, duplicates, samples } = found;
    const all = others(groups);
    return html`
      <p>${groups.length > 0 ? html`<b>${msg("groups", { groups: groups.length })}</b>${msg("samplesThereBetter", { duplicates, samples })}` : html`<b>${msg("noGroups", { samples })}</b>`}
        ${found.plain > 0 ? html`<span class="muted">${msg("plainPicturesComparedBytesAlone", { plain: found.plain })}</span>` : nothing}</p>
      ${this.renderFaults(found)}
      ${
        groups.length > 0
          ? html`<div class="row"><button @click=${() => this.pick(all)}>${msg("pickAllButBest")}</button>
        <button @click=${() =>
          this.showOnly(
            msg("shownDuplicates"),
            groups.flatMap((group) => group.map(({ index }) => index)),
          )}>${msg("showThem")}</button>
        ${this.renderSave({ remove: all }, msg("saveEditsRemoveThem"))}</div>`
          : nothing
      }
      ${groups.slice(0, this.shown).map((group) => this.renderGroup(group))}
      ${this.renderMore(groups.length, (left) => msg("showMoreGroups", { left }))}`;
  }
  /** In a page journals are of TBL and TAR files. */
  private renderSave(wanted: Wanted, title: string): TemplateResult | typeof nothing {
    return isEdited(this.data) ? html`<button @click=${() => void this.save(wanted)}>${title}</button>` : nothing;
  }
  private renderMore(all: number, words: (left: number) => string): TemplateResult | typeof nothing {
    const left = all - this.shown;
    if (left <= 0) return nothing;
    return html`<button @click=${() => (this.shown += SHOWN[this.question])}>${words(left)}</button>`;
  }
  private renderGroup(group: readonly AlikeSample[]): TemplateResult {
    const tiles = group.slice(0, OF_A_GROUP).map(({ index, distance, exact, width, height, bytes: size }, at): Tile => {
      const how = at === 0 ? [] : [exact ? msg("sameBytes") : msg("bits", { distance })];
      return { index, best: at === 0, words: [...how, ...(width > 0 ? [`${width} × ${height}`] : []), bytes(size)] };
    });
    return html`<section role="group" aria-label=${msg("groupBest", { group: group.length, index: group[0]?.index })}>
      <div class="row"><h3>${msg("samples", { group: group.length })}</h3>
        <button @click=${() => this.pick(group.slice(1).map(({ index }) => index))}>${msg("pickOthers")}</button></div>
      ${this.renderTiles(tiles)}
      ${group.length > OF_A_GROUP ? html`<p class="muted">${msg("andMore", { group: group.length - OF_A_GROUP })}</p>` : nothing}</section>`;
  }
  private renderTiles(tiles: readonly Tile[]): TemplateResult {
    return html`<forebay-tiles .data=${this.data} .thumbs=${this.thumbs} .tiles=${tiles}
      @jump=${(e: CustomEvent<number>) => this.jump(e.detail)}></forebay-tiles>`;
  }
  private renderOutliers(): TemplateResult | typeof nothing {
    const found = this.outliers;
    if (!found || this.work.running) return nothing;
    const counts = new Map<OutlierReason["reason"], number>();
    for (const { reasons } of found.outliers)
      for (const { reason } of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    const of = (name: OutlierReason["reason"] | null): boolean => name === null || counts.has(name);
    const reason = of(this.reason) ? this.reason : null;
    const rows = found.outliers.filter(
      ({ reasons }) => reason === null || reasons.some((one) => one.reason === reason),
    );
    const tiles = rows
      .slice(0, this.shown)
      .map(({ index, reasons }): Tile => ({ index, words: reasons.slice(0, 3).map(because) }));
    const chip = (name: OutlierReason["reason"] | null, title: string, n: number): TemplateResult =>
      html`<button aria-pressed=${reason === name} @click=${() => (this.reason = name)}>${title} ${count(n)}</button>`;
    const few = found.traits.length === 0 ? msg("tooFewSamplesSayWhat") : "";
    const indexes = rows.map(({ index }) => index);
    const tags = rows.map(({ index, reasons }): [number, string[]] => [index, reasons.map((one) => one.reason)]);
    return html`
      <p>${rich("samplesStandOut", { outliers: html`<b>${count(found.outliers.length)}</b>`, samples: found.samples, few })}</p>
      ${this.renderFaults(found)}
      ${
        found.outliers.length > 0
          ? html`<div class="row" role="group" aria-label=${msg("reasons")}>${chip(null, common("all"), found.outliers.length)}${[...counts].map(([name, n]) => chip(name, msg(name), n))}</div>
        <div class="row"><button @click=${() => this.pick(indexes)}>${msg("pickThese")}</button>
          <button @click=${() => this.showOnly(reason ? msg(reason) : msg("shownOutliers"), indexes)}>${msg("showThem")}</button>
          ${this.renderSave({ tags }, msg("saveEditsTagThem"))}</div>`
          : nothing
      }
      ${this.renderTiles(tiles)}
      ${this.renderMore(rows.length, (left) => common("showMoreSamples", { left }))}`;
  }
}
