/** Parts for training, validation and test: asked for, shown, kept as sets, and taken along as files. */
import { Work } from "../ui/work.ts";
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Dataset, Divided, DividedPart, Progress } from "../../../lib/src/model/index.ts";
import { isEdited } from "../files/edited.ts";
import type { Engine } from "../files/engine.ts";
import { outputName } from "../files/output-name.ts";
import { download, makeTarget } from "../files/targets.ts";
import { controls } from "../ui/styles.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/curating.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count, plural, stem } from "../ui/wording.ts";
import { partsCsv, partsTags } from "./divided.ts";
import { journalOf } from "./journal.ts";
import { keepSets, recallSets, withSet, type Sets } from "./sets.ts";

const PARTS = ["train", "val", "test"] as const;
type PartName = (typeof PARTS)[number];
/** Classes of a part that are named. */
const NAMED = 6;

/** Has the browser ask before the page goes with what it is at. */
const stay = (e: Event): void => e.preventDefault();

/** What the parts are called. */
const titleOf = (part: PartName): string =>
  msg(part === "train" ? "partsTrain" : part === "val" ? "partsVal" : "partsTest");

/** `<forebay-divide>`: sends `show` with `{ label, samples }`. */
@customElement("forebay-divide")
export class DivideView extends LitElement {
  static override styles = [
    controls,
    css`
      :host { display: block; }
      .row { display: flex; flex-wrap: wrap; align-items: center; gap: 10px; margin: 0 0 12px; }
      .row label { display: flex; align-items: center; gap: 8px; }
      input[type="number"] { width: 74px; }
      table { border-collapse: collapse; margin: 0 0 12px; font-size: 14px; }
      th, td {
        padding-block: 5px; padding-inline-end: 16px; border-top: 1px solid var(--line); text-align: start;
        vertical-align: top;
      }
      td.number { text-align: end; }
    `,
  ];
  @property({ attribute: false }) engine!: Engine;
  @property({ attribute: false }) data: Dataset | null = null;
  @property() where = "";
  /** The samples that are left where more was clicked than the filter's language says. */
  @property({ attribute: false }) narrowed: Uint32Array | null = null;
  /** The fields of the metadata. */
  @property({ attribute: false }) fields: readonly string[] = [];
  /** The page keeps sets. */
  @property({ type: Boolean }) keeps = false;
  @state() private shares: Readonly<Record<PartName, number>> = { train: 80, val: 20, test: 0 };
  /** The field of the class, if that is known. */
  @property() classField = "";
  /** The field that somebody chose instead. */
  @state() private chosen: string | null = null;
  @state() private group = "";
  @state() private near = false;
  @state() private seed = 0;
  @state() private found: Divided | null = null;
  @state() private said = "";
  private readonly work = new Work(this);

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("data")) return;
    this.work.reset();
    this.found = this.chosen = null;
    this.said = "";
  }
  /** Ends what is going on. */
  stop(): void {
    this.work.stop();
  }

  /** The field by which every class is divided in the same way. */
  private get by(): string {
    return this.chosen ?? this.classField;
  }
  private get sum(): number {
    return PARTS.reduce((sum, part) => sum + this.shares[part], 0);
  }
  /** Does something that may take its time, and says what went wrong. */
  private async at(
    body: (data: Dataset, signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<void>,
  ): Promise<void> {
    const { data } = this;
    this.said = "";
    if (data) await this.work.run((signal, onProgress) => body(data, signal, onProgress));
  }
  private divide(): Promise<void> {
    this.found = null;
    return this.at(async (data, signal, onProgress) => {
      const wanted = PARTS.filter((part) => this.shares[part] > 0);
      const found = await data.divide({
        parts: Object.fromEntries(wanted.map((part) => [part, this.shares[part] / 100])),
        seed: this.seed,
        ...(this.by && { by: this.by }),
        ...(this.group && { group: this.group }),
        ...(this.near && { near: 6 }),
        ...(this.narrowed ? { indexes: this.narrowed } : this.where && { where: this.where }),
        signal,
        onProgress,
      });
      if (!signal.aborted) this.found = found;
    });
  }
  private keep(): Promise<void> {
    return this.at(async (data) => {
      const of = { name: data.name ?? "", bytes: data.byteLength, samples: data.length };
      let sets: Sets = (await recallSets(of)) ?? new Map();
      for (const { part, samples } of this.found?.parts ?? []) sets = withSet(sets, part, samples);
      this.said = (await keepSets(of, sets)) ? msg("partsKept") : msg("partsLost");
    });
  }
  private csv(): Promise<void> {
    return this.at(async (data, signal) => {
      const name = `${stem(data.name, "dataset")}-parts.csv`;
      download(await partsCsv(data, this.found!, signal), name);
      this.said = name;
    });
  }
  private journal(): Promise<void> {
    return this.at(async (data, signal) => {
      const name = `${stem(data.name, "dataset")}-parts.jsonl`;
      download(await journalOf(data, { tags: partsTags(this.found!) }, signal), name);
      this.said = name;
    });
  }
  private async files(): Promise<void> {
    window.addEventListener("beforeunload", stay);
    await this.at(async (data, signal, onProgress) => {
      const written: string[] = [];
      for (const { part, samples } of this.found?.parts ?? []) {
        const to = data.format === "tar" ? "tar" : "tbl";
        const name = outputName(data.name, { to, otherwise: "dataset", selection: false, apart: part });
        this.said = msg("partsWriting", { name: visible(name) });
        const target = await makeTarget(name, "download");
        try {
          const { outputBytes } = await this.engine.convert(data, target.output, {
            to,
            indexes: samples,
            allowEmpty: true,
            signal,
            onProgress,
          });
          (await target.finish()).keep();
          written.push(msg("partsWritten", { name: visible(name), bytes: bytes(outputBytes) }));
        } catch (e) {
          await target.discard();
          throw e;
        }
      }
      this.said = written.join("; ");
    });
    window.removeEventListener("beforeunload", stay);
  }

  override render(): TemplateResult {
    const { said, work } = this;
    const { running } = work;
    return html`
      <p class="muted">${msg("partsWhy")}</p>
      ${this.renderAsk()}
      ${work.alert}
      ${running ? this.renderProgress() : nothing}
      <div aria-live="polite">${said ? html`<p class=${running ? "muted" : "good"}>${running ? "" : "✓ "}${said}</p>` : nothing}</div>
      ${this.found ? this.renderFound(this.found) : nothing}`;
  }
  private renderProgress(): TemplateResult {
    const { progress: p } = this.work;
    const total = p?.totalSamples ?? this.data?.length ?? 0;
    return html`<progress aria-label=${msg("lookedAt")} max=${Math.max(1, total)} .value=${p?.samples ?? 0}></progress>
      <p>${count(p?.samples ?? 0)} / ${count(total)} <button @click=${() => this.stop()}>${common("cancel")}</button></p>`;
  }
  private renderAsk(): TemplateResult {
    const wrong = Math.abs(this.sum - 100) > 1e-6;
    const number = (e: Event, most: number, otherwise: number): number => {
      const { valueAsNumber: n } = e.target as HTMLInputElement;
      return Number.isFinite(n) ? Math.min(most, Math.max(0, n)) : otherwise;
    };
    const field = (label: string, value: string, first: TemplateResult, set: (to: string) => void): TemplateResult =>
      html`<label>${label} <select @change=${(e: Event) => set((e.target as HTMLSelectElement).value)}>
        ${first}${this.fields.map((name) => html`<option value=${name} ?selected=${name === value}>${visible(name)}</option>`)}</select></label>`;
    const none = (value: string): TemplateResult =>
      html`<option value="" ?selected=${value === ""}>${common("none")}</option>`;
    return html`
      <div class="row">${PARTS.map(
        (part) => html`<label>${titleOf(part)} <input type="number" min="0" max="100" step="any"
          aria-label=${msg("partsPercent", { name: titleOf(part) })} .value=${String(this.shares[part])}
          @change=${(e: Event) => (this.shares = { ...this.shares, [part]: number(e, 100, this.shares[part]) })} /> %</label>`,
      )}</div>
      <div class="row">
        ${field(common("class"), this.by, none(this.by), (to) => (this.chosen = to))}
        ${field(msg("partsGroup"), this.group, none(this.group), (to) => (this.group = to))}
        <label title=${msg("partsNearWhy")}><input type="checkbox" .checked=${this.near}
          @change=${(e: Event) => (this.near = (e.target as HTMLInputElement).checked)} />${msg("partsNear")}</label>
        <label>${msg("partsSeed")} <input type="number" min="0" step="1" .value=${String(this.seed)}
          @change=${(e: Event) => (this.seed = Math.floor(number(e, Number.MAX_SAFE_INTEGER, this.seed)))} /></label></div>
      ${wrong ? html`<p class="bad">${msg("partsSum", { sum: this.sum })}</p>` : nothing}
      <div class="row"><button class="primary" ?disabled=${wrong || this.work.running} @click=${() => void this.divide()}>${msg("partsBegin")}</button></div>`;
  }
  private renderFound({ parts, groups, faultCount }: Divided): TemplateResult {
    const classes = ({ classes }: DividedPart): string => {
      const named = classes
        .slice(0, NAMED)
        .map(({ label, samples }) => `${visible(label) || common("noClass")} ${count(samples)}`);
      return classes.length > NAMED ? `${named.join(", ")}…` : named.join(", ");
    };
    return html`
      <table><tbody>${parts.map(
        (
          part,
        ) => html`<tr><th scope="row">${part.part}</th><td class="number">${plural(part.samples.length, "sample")}</td><td>${classes(part)}</td>
          <td><button @click=${() => this.dispatchEvent(new CustomEvent("show", { detail: { label: part.part, samples: part.samples } }))}>${msg("partsPick")}</button></td></tr>`,
      )}</tbody></table>
      ${groups > 0 ? html`<p class="muted">${msg("partsGroups", { groups })}</p>` : nothing}
      ${faultCount > 0 ? html`<p class="bad">${msg("partsUnread", { faults: faultCount })}</p>` : nothing}
      <div class="row">
        ${this.keeps ? html`<button ?disabled=${this.work.running} @click=${() => void this.keep()}>${msg("partsKeep")}</button>` : nothing}
        <button ?disabled=${this.work.running} @click=${() => void this.csv()}>${msg("partsCsv")}</button>
        ${isEdited(this.data) ? html`<button ?disabled=${this.work.running} @click=${() => void this.journal()}>${msg("partsJournal")}</button>` : nothing}
        <button ?disabled=${this.work.running} @click=${() => void this.files()}>${msg("partsFiles")}</button></div>`;
  }
}
