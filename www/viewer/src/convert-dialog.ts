/** Convert and export: all samples, those of the filter, or those picked by hand, into a TBL or a TAR. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { ConvertOptions, ConvertSummary, Dataset, Output, Progress } from "../../lib/src/types.ts";
import type { Engine } from "./engine.ts";
import { controls } from "./styles.ts";
import { bytes, count, isAbort, plural, trouble, type Trouble } from "./words.ts";

type Scope = "all" | "filtered" | "picked";
/** Where bytes go, and what to do with them at the end. */
interface Target {
  readonly output: Output;
  readonly finish: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** `<forebay-convert>`. */
@customElement("forebay-convert")
export class ConvertDialog extends LitElement {
  static override styles = [controls, css`
    fieldset {
      margin: 0 0 14px;
      padding: 0;
      border: 0;
    }
    legend {
      padding: 0 0 6px;
      font-weight: 650;
      font-size: 13px;
    }
    .choices {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    .choices label {
      display: flex;
      align-items: center;
      gap: 8px;
      padding: 8px 12px;
      border: 1px solid var(--line);
      border-radius: 9px;
      cursor: pointer;
    }
    .choices label:has(:checked) {
      border-color: var(--accent);
      background: var(--accent-soft);
    }
    .choices label:has(:disabled) {
      opacity: 0.5;
    }
    dl {
      display: grid;
      grid-template-columns: max-content 1fr;
      gap: 4px 16px;
    }
    dt {
      color: var(--ink-2);
    }
    dd {
      margin: 0;
    }
    .verdict {
      font-size: 17px;
      font-weight: 650;
      margin: 0 0 8px;
      color: var(--good);
    }
    .body {
      overflow: auto;
      max-height: min(560px, calc(100vh - 170px));
    }
  `];

  @property({ attribute: false }) engine!: Engine;
  @property({ attribute: false }) data: Dataset | null = null;
  /** The rest of the file's headers is still being read. */
  @property({ type: Boolean }) growing = false;
  @property({ attribute: false }) kept: Uint32Array | null = null;
  @property({ attribute: false }) picked: ReadonlySet<number> = new Set();
  @state() private to: "tbl" | "tar" = "tbl";
  @state() private layout: "guide" | "turboloader" = "guide";
  @state() private compression: "none" | "lz4" = "none";
  @state() private scope: Scope = "all";
  @state() private keepGoing = false;
  @state() private step: "ask" | "work" | "done" = "ask";
  @state() private progress: Progress | null = null;
  @state() private summary: ConvertSummary | null = null;
  @state() private failure: Trouble | null = null;
  @query("dialog") private dialog!: HTMLDialogElement;
  private work: AbortController | undefined;
  private saved = "";
  private started = 0;

  show(): void {
    if (this.step !== "work") {
      this.step = "ask";
      this.failure = null;
      this.scope = this.picked.size > 0 ? "picked" : this.kept ? "filtered" : "all";
      this.to = this.data?.format === "tbl" && this.scope === "all" ? "tar" : "tbl";
    }
    this.dialog.showModal();
  }
  private close(): void {
    if (this.step === "work") return;
    this.dialog.close();
  }

  private async run(): Promise<void> {
    const { data: dataset } = this;
    if (!dataset) return;
    const stem = (dataset.name ?? "dataset").split("/").pop()!.replace(/\.[^.]*$/, "");
    this.saved = `${stem}${this.scope === "all" ? "" : "-selection"}.${this.to}`;
    let target: Target;
    try {
      target = await makeTarget(this.saved);
    } catch (e) {
      if (!isAbort(e)) this.failure = trouble(e);
      return;
    }
    const work = new AbortController();
    this.work = work;
    this.step = "work";
    this.started = performance.now();
    this.failure = this.summary = this.progress = null;
    const indexes = this.scope === "filtered" ? this.kept : this.scope === "picked" ? Uint32Array.from(this.picked).sort() : null;
    const options: ConvertOptions = {
      to: this.to,
      ...(this.to === "tbl" && { layout: this.layout, compression: this.compression }),
      ...(indexes && { indexes }),
      keepGoing: this.keepGoing,
      signal: work.signal,
      onProgress: (p) => (this.progress = p),
    };
    try {
      this.summary = await this.engine.convert(dataset, target.output, options);
      await target.finish();
      this.step = "done";
    } catch (e) {
      await target.discard().catch(() => undefined);
      this.failure = isAbort(e) ? { message: "Cancelled; nothing was kept.", code: undefined, offset: undefined } : trouble(e);
      this.step = "ask";
    }
  }

  override render(): TemplateResult {
    return html`
      <dialog aria-labelledby="title" @cancel=${(e: Event) => { e.preventDefault(); this.close(); }} @keydown=${(e: Event) => e.stopPropagation()}>
        <div class="head"><h2 id="title">Convert and export</h2><button class="bare icon" aria-label="Close" ?disabled=${this.step === "work"} @click=${this.close}>✕</button></div>
        <div class="body">${this.step === "ask" ? this.renderAsk() : this.step === "work" ? this.renderWork() : this.renderDone()}
          ${this.failure ? html`<p class="bad" role="alert">${this.failure.message} ${this.failure.code ? html`<code>${this.failure.code}</code>` : nothing}</p>` : nothing}</div>
        <div class="foot">${this.step === "ask"
          ? html`<button @click=${this.close}>Close</button><button class="primary" @click=${this.run}>Convert…</button>`
          : this.step === "work"
            ? html`<button @click=${() => this.work?.abort()}>Cancel</button>`
            : html`<button @click=${() => (this.step = "ask")}>Another</button><button class="primary" @click=${this.close}>Done</button>`}</div>
      </dialog>`;
  }

  private choice<T extends string>(name: string, value: T, now: T, set: (value: T) => void, label: string, disabled = false): TemplateResult {
    return html`<label><input type="radio" name=${name} .checked=${value === now} ?disabled=${disabled} @change=${() => set(value)} />${label}</label>`;
  }
  private renderAsk(): TemplateResult {
    return html`
      <fieldset><legend>Samples</legend><div class="choices">
        ${this.choice("scope", "all", this.scope, (v) => (this.scope = v), `All ${count(this.data?.length ?? 0)}`)}
        ${this.choice("scope", "filtered", this.scope, (v) => (this.scope = v), this.kept ? `The filter's ${count(this.kept.length)}` : "The filter's", !this.kept)}
        ${this.choice("scope", "picked", this.scope, (v) => (this.scope = v), this.picked.size > 0 ? `The picked ${count(this.picked.size)}` : "The picked", this.picked.size === 0)}
      </div></fieldset>
      <fieldset><legend>Format</legend><div class="choices">
        ${this.choice("to", "tbl", this.to, (v) => (this.to = v), "TBL")}
        ${this.choice("to", "tar", this.to, (v) => (this.to = v), "TAR (WebDataset)")}
      </div></fieldset>
      ${this.to === "tbl" ? html`
        <fieldset><legend>Layout</legend><div class="choices">
          ${this.choice("layout", "guide", this.layout, (v) => (this.layout = v), "Format guide")}
          ${this.choice("layout", "turboloader", this.layout, (v) => (this.layout = v), "TurboLoader")}
        </div></fieldset>
        <fieldset><legend>Compression</legend><div class="choices">
          ${this.choice("compression", "none", this.compression, (v) => (this.compression = v), "None")}
          ${this.choice("compression", "lz4", this.compression, (v) => (this.compression = v), "LZ4, where it helps")}
        </div></fieldset>` : nothing}
      <div class="choices"><label><input type="checkbox" .checked=${this.keepGoing} @change=${(e: Event) => (this.keepGoing = (e.target as HTMLInputElement).checked)} />Leave broken samples out and list them</label></div>
      <p class="muted">Everything happens on this machine. The file is written as it is made, and never held in memory.</p>`;
  }
  private renderWork(): TemplateResult {
    const p = this.progress;
    const seconds = (performance.now() - this.started) / 1000;
    const part = p?.totalSamples ? p.samples / p.totalSamples : 0;
    const left = part > 0.02 && seconds > 2 ? (seconds * (1 - part)) / part : null;
    return html`
      ${this.growing ? html`<p>First the rest of the headers is read.</p>` : nothing}
      <p>Writing <b>${this.saved}</b>${p ? html`: ${count(p.samples)}${p.totalSamples === null ? "" : ` of ${count(p.totalSamples)}`} samples, ${bytes(p.bytes)}` : "…"}</p>
      <progress aria-label="Converted" max="1" .value=${part}></progress>
      ${p && seconds > 2 ? html`<p class="muted">${bytes(Math.round(p.bytes / seconds))} a second${left === null ? "" : left < 90 ? `, about ${Math.ceil(left)} seconds left` : `, about ${Math.ceil(left / 60)} minutes left`}</p>` : nothing}`;
  }
  private renderDone(): TemplateResult {
    const s = this.summary!;
    return html`
      <p class="verdict">✓ ${this.saved}</p>
      <dl><dt>Samples</dt><dd>${count(s.samples)}</dd><dt>Written</dt><dd>${bytes(s.outputBytes)}</dd>
        ${s.compressedSamples > 0 ? html`<dt>Compressed</dt><dd>${plural(s.compressedSamples, "sample")}, ${bytes(s.payloadBytes)} to ${bytes(s.storedBytes)}</dd>` : nothing}
        ${s.skippedMembers > 0 ? html`<dt>Left out</dt><dd>${plural(s.skippedMembers, "member")} that are no files</dd>` : nothing}
        ${s.faults.length > 0 ? html`<dt>Broken</dt><dd class="bad">${plural(s.faults.length, "sample")} left out: ${s.faults.slice(0, 20).map((f) => f.sample ?? f.code).join(", ")}</dd>` : nothing}</dl>`;
  }
}

/** A file that the user names where the browser can; else one in the browser's own store, then a download. */
async function makeTarget(name: string): Promise<Target> {
  const nothing = async (): Promise<void> => undefined;
  const picker = (globalThis as { showSaveFilePicker?: (o: object) => Promise<FileSystemFileHandle> }).showSaveFilePicker;
  if (picker) {
    const output = await picker({ suggestedName: name });
    return { output, finish: nothing, discard: nothing };
  }
  const store = await navigator.storage.getDirectory();
  const spool = `forebay-${crypto.randomUUID()}`;
  const output = await store.getFileHandle(spool, { create: true });
  const discard = (): Promise<void> => store.removeEntry(spool);
  const finish = async (): Promise<void> => {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(await output.getFile());
    a.download = name;
    a.click();
    // The download reads the spooled file for as long as it takes; it goes when the page does, at the latest.
    setTimeout(() => { URL.revokeObjectURL(a.href); void discard().catch(() => undefined); }, 10 * 60_000);
  };
  return { output, finish, discard };
}
