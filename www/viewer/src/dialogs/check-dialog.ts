/** The check: every fault of the file, each a way to its sample. */
import { Work } from "../ui/work.ts";
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { CheckReport, Dataset, Fault, OpenProgress, Progress, Table } from "../../../lib/src/model/index.ts";
import type { Engine } from "../files/engine.ts";
import { framed, showModal } from "../ui/modal.ts";
import { controls } from "../ui/styles.ts";
import { textInput } from "../files/text-input.ts";
import type { TextSource } from "../files/open-any.ts";
import { visible } from "../ui/visible.ts";
import { bytes } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/dialogs.ts";

/** Faults that are listed; a ruined file has as many as it has samples. */
const SHOWN = 500;

/** `<forebay-check>`: sends `jump` with the number of a sample or row. */
@customElement("forebay-check")
export class CheckDialog extends LitElement {
  static override styles = [
    controls,
    css`
      ol {
        margin: 12px 0 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 10px;
        overflow: hidden;
      }
      li + li { border-top: 1px solid var(--line); }
      li > div, li > button {
        display: grid; grid-template-columns: 1fr auto; gap: 2px 12px; width: 100%; padding: 8px 12px; border: 0;
        border-radius: 0; text-align: start; white-space: normal; justify-content: stretch; font-size: 13px;
      }
      li code { color: var(--bad); }
      li .message { grid-column: 1 / -1; overflow-wrap: anywhere; }
    `,
  ];

  @property({ attribute: false }) engine!: Engine;
  @property({ attribute: false }) data: Dataset | Table | null = null;
  /** The text that the table was made of: it is what is checked then. */
  @property({ attribute: false }) text: TextSource | null = null;
  /** The rest of the file's headers is still being read. */
  @property({ type: Boolean }) growing = false;
  @state() private report: CheckReport | null = null;
  @query("dialog") private dialog!: HTMLDialogElement;
  private readonly work = new Work(this);
  private of: Dataset | Table | null = null;

  /** What was found of one file is not said of another that is open in its place. */
  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has("data") || !this.dialog?.open || this.of === this.data) return;
    this.work.reset();
    this.of = this.report = null;
    this.dialog.close();
  }
  /** Shows the dialog; a file that was not checked yet is checked. */
  show(): void {
    showModal(this.dialog);
    if (this.of !== this.data || this.work.failure) void this.run();
  }
  private async run(): Promise<void> {
    const { data: dataset } = this;
    if (!dataset) return;
    this.of = dataset;
    this.report = null;
    await this.work.run(async (signal, onProgress) => {
      const how = { signal, onProgress: (p: Progress | OpenProgress) => onProgress({ totalSamples: null, ...p }) };
      const report = await (this.text
        ? this.engine.check(this.text.input, { ...textInput(this.text), ...how })
        : dataset.check(how));
      if (!signal.aborted) this.report = report;
    });
    if (this.work.failure) this.of = null;
  }
  private close(): void {
    if (!this.report) {
      this.work.stop();
      this.of = null;
    }
    this.dialog.close();
  }

  private get isTable(): boolean {
    return this.data?.kind === "table";
  }
  /** How many of what was looked at, in words. */
  private many(n: number): string {
    return this.isTable ? msg("rows", { count: n }) : msg("samples", { count: n });
  }

  override render(): TemplateResult {
    const { report, work } = this;
    const { progress, failure } = work;
    const body = html`
          ${work.alert}
          ${
            !report && !failure
              ? html`<p>${this.growing ? `${msg("firstRestHeadersRead")} ` : ""}${this.text ? msg("readingEveryRow") : msg("readingEverythingVerifyingEveryChecksum")}${progress ? `: ${this.far(progress)}` : ""}…</p>
              <progress aria-label=${msg("checked")} max="1"
                .value=${progress?.totalBytes ? progress.bytes / progress.totalBytes : progress?.totalSamples ? progress.samples / progress.totalSamples : 0}></progress>`
              : nothing
          }
          ${report ? this.renderReport(report) : nothing}`;
    const foot = html`
          ${report || failure ? html`<button @click=${() => this.run()}>${msg("checkAgain")}</button>` : html`<button @click=${this.close}>${common("cancel")}</button>`}
          <button class="primary" ?disabled=${!report} @click=${this.close}>${common("done")}</button>`;
    return framed(msg("check"), () => this.close(), body, { label: msg("result"), live: true, foot });
  }
  private far({ samples, totalSamples, bytes: read, totalBytes }: Progress): string {
    if (this.text)
      return msg("ofManyReadTotalBytes", {
        many: this.many(samples),
        read: bytes(read),
        totalBytes: bytes(totalBytes ?? this.text.bytes),
      });
    return msg("ofSamplesMany", { samples, many: this.many(totalSamples ?? this.data?.length ?? 0) });
  }
  private renderReport(report: CheckReport): TemplateResult {
    return html`
      <p class="verdict ${report.ok ? "good" : "bad"}">${report.ok ? msg("sound") : msg("damagedFaults", { faultCount: report.faultCount })}</p>
      <p class="muted">${this.text ? msg("couldReadTextHasNo", { many: this.many(report.samples) }) : msg("everyChecksumVerifiedWhereFormat", { many: this.many(report.samples) })}</p>
      ${report.faults.length > 0 ? html`<ol aria-label=${msg("faults")}>${report.faults.slice(0, SHOWN).map((f) => this.renderFault(f))}</ol>` : nothing}
      ${report.faultCount > SHOWN ? html`<p class="muted">${rich("moreCommandListsAll", { faultCount: report.faultCount - SHOWN, code: html`<code>forebay check --json</code>` })}</p>` : nothing}
      ${report.notes.map((note) => html`<p class="muted">${msg("note2", { message: visible(note.message) })}</p>`)}`;
  }
  private renderFault(fault: Fault): TemplateResult {
    const sample = fault.sample ?? fault.row ?? null;
    const place = [
      fault.section,
      fault.member && visible(fault.member),
      fault.column && msg("column", { column: visible(fault.column) }),
      sample !== null && (this.isTable ? msg("row", { sample }) : msg("sample", { sample })),
      typeof fault.block === "number" && msg("block", { block: fault.block }),
      fault.offset !== null && msg("byte", { offset: fault.offset }),
    ]
      .filter(Boolean)
      .join(", ");
    const inner = html`<code>${fault.code}</code><span class="muted">${place}</span><span class="message">${visible(fault.message)}</span>`;
    // Of a text the rows that cannot be read are not among those that are shown.
    const there = !this.text && sample !== null && this.data !== null && sample < this.data.length;
    return html`<li>${
      there
        ? html`<button title=${this.isTable ? msg("showRow") : msg("showSample")} @click=${() => {
            this.close();
            this.dispatchEvent(new CustomEvent("jump", { detail: sample }));
          }}>${inner}</button>`
        : html`<div>${inner}</div>`
    }</li>`;
  }
}
