/** What converting samples and tables have in common: a dialog that asks, works, and says what came of it. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { property, query, state } from "lit/decorators.js";
import type { Output, Progress } from "../../../lib/src/model/index.ts";
import type { Engine } from "../files/engine.ts";
import { framed, showModal } from "../ui/modal.ts";
import { choiceStyles, controls, factStyles } from "../ui/styles.ts";
import { canFolder, hasStore, makeTarget, type Finished, type Target, type Way } from "../files/targets.ts";
import { visible } from "../ui/visible.ts";
import { writeHelp } from "./write-help.ts";
import { bytes, isAbort, trouble, type Trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/dialogs.ts";

/** What a conversion is given by the dialog. */
export interface Running {
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

const shellStyles = css`
  .where { width: 100%; }
  .notes {
    margin: 12px 0 0; padding-inline-start: 20px; color: var(--ink-2); font-size: 13px; overflow-wrap: anywhere;
  }
`;

/** Has the browser ask before the page goes with what it is at. */
const stay = (e: Event): void => e.preventDefault();

/** A dialog that converts; what it asks and does is up to who extends it. Sends `open` with a `File` that was made. */
export abstract class ConvertShell<S> extends LitElement {
  static override styles = [controls, factStyles, choiceStyles, shellStyles];

  @property({ attribute: false }) engine!: Engine;
  @state() protected step: "ask" | "work" | "done" = "ask";
  @state() protected progress: Progress | null = null;
  @state() protected summary: S | null = null;
  @state() protected failure: Trouble | null = null;
  @state() private way: Way = "download";
  @query("dialog") private dialog!: HTMLDialogElement;
  private work: AbortController | undefined;
  private target: Target | null = null;
  private made: Finished | null = null;
  private started = 0;
  /** A place for it is being looked for. */
  private placing = false;
  /** The browser has a store of its own for what is to be downloaded. */
  private stored = false;

  /** What the dialog is called, and the button that begins. */
  protected get called(): string {
    return msg("convertExport");
  }
  protected get verb(): string {
    return msg("convert");
  }
  /** `sample` or `row`. */
  /** How many of what is written, in words. */
  protected many(n: number): string {
    return msg("samples", { count: n });
  }
  /** The name of the file to write; `null` where there is nothing to convert. */
  protected abstract fileName(): string | null;
  /** Converts. */
  protected abstract convert(running: Running): Promise<S>;
  /** Chooses what is likely wanted, before it is asked. */
  protected abstract begin(): void;
  protected abstract renderAsk(): TemplateResult;
  protected abstract renderDone(summary: S): TemplateResult;
  /** Hears of the file that was made. */
  protected async finished(_file: File): Promise<void> {
    // Most have nothing to do with it.
  }
  /** What is said above the progress. */
  protected renderNote(): TemplateResult | typeof nothing {
    return nothing;
  }

  show(): void {
    if (this.step !== "work") {
      this.step = "ask";
      this.failure = this.made = null;
      this.begin();
      void hasStore().then((has) => {
        this.stored = has;
        this.requestUpdate();
      });
    }
    if (!this.dialog.open) showModal(this.dialog);
  }
  protected close(): void {
    if (this.step === "work") return;
    this.dialog.close();
  }

  private async run(): Promise<void> {
    const name = this.fileName();
    // Of a double click the second would write another file.
    if (name === null || this.placing) return;
    let target: Target;
    this.placing = true;
    try {
      target = await makeTarget(name, this.way);
    } catch (e) {
      if (!isAbort(e)) this.failure = trouble(e);
      return;
    } finally {
      this.placing = false;
    }
    const work = new AbortController();
    this.work = work;
    this.target = target;
    this.step = "work";
    this.started = performance.now();
    this.failure = this.summary = this.progress = this.made = null;
    window.addEventListener("beforeunload", stay);
    try {
      this.summary = await this.convert({
        output: target.output,
        signal: work.signal,
        onProgress: (p) => (this.progress = p),
      });
      this.made = await target.finish();
      await this.finished(this.made.file);
      this.step = "done";
    } catch (e) {
      const gone = await target.discard();
      this.failure = this.failed(
        e,
        gone
          ? ""
          : target.folder === undefined
            ? msg("fileNotWholeLeftRemove", { target: target.part })
            : msg("fileNotWholeLeftRemove2", { target: target.part, folder: target.folder }),
      );
      this.step = "ask";
    } finally {
      window.removeEventListener("beforeunload", stay);
    }
  }
  /** Why there is no file, and what is left of it. */
  private failed(e: unknown, left: string): Trouble {
    if (isAbort(e))
      return {
        message: left === "" ? msg("canceledNothingWasKept") : `${msg("canceled")} ${left}`,
        code: undefined,
        offset: undefined,
      };
    const told = trouble(e);
    const help = writeHelp(e, this.way, canFolder());
    return { ...told, message: [told.message, help, left].filter(Boolean).join(" ") };
  }
  private openMade(): void {
    const { made } = this;
    if (!made) return;
    made.keep();
    this.close();
    this.dispatchEvent(new CustomEvent<File>("open", { detail: made.file }));
  }

  override render(): TemplateResult {
    const { step, failure } = this;
    const body = html`
      ${step === "ask" ? this.renderAsk() : step === "work" ? this.renderWork() : this.summary ? this.renderDone(this.summary) : nothing}
      ${failure ? html`<p class="bad" role="alert">${failure.message} ${failure.code ? html`<code>${failure.code}</code>` : nothing}</p>` : nothing}
      <div class="visually-hidden" role="status">${step === "done" ? common("done") : ""}</div>`;
    const end = (title: string): TemplateResult =>
      html`<button class=${step === "done" ? "primary" : ""} @click=${this.close}>${title}</button>`;
    const foot =
      step === "ask"
        ? html`${end(common("close"))}<button class="primary" @click=${this.run}>${this.verb}</button>`
        : step === "work"
          ? html`<button @click=${() => this.work?.abort()}>${common("cancel")}</button>`
          : html`<button @click=${() => (this.step = "ask")}>${msg("another")}</button>${this.opens ? html`<button @click=${this.openMade}>${msg("openIt")}</button>` : nothing}${end(common("done"))}`;
    return framed(this.called, () => this.close(), body, { foot, busy: step === "work" });
  }

  /** One of several choices. */
  protected choice<T extends string>(
    name: string,
    value: T,
    now: T,
    set: (value: T) => void,
    label: string,
    disabled = false,
  ): TemplateResult {
    return html`<label><input type="radio" name=${name} .checked=${value === now} ?disabled=${disabled}
      @change=${() => set(value)} />${label}</label>`;
  }
  /** Something that is done or not. */
  protected tick(on: boolean, set: (on: boolean) => void, label: string): TemplateResult {
    return html`<label><input type="checkbox" .checked=${on}
      @change=${(e: Event) => set((e.target as HTMLInputElement).checked)} />${label}</label>`;
  }
  /** Whether the file can be looked at here. */
  protected get opens(): boolean {
    return this.made !== null;
  }
  /** What the file is called, if it is; above what became of it. */
  protected renderVerdict(): TemplateResult {
    const { name, folder } = this.target!;
    return html`<p class="verdict good">✓ ${visible(name)}</p><p class="muted">${folder === undefined ? msg("browserDownloads") : html`${rich("itIsInTheFolder", { folder: html`<b>${visible(folder)}</b>` })}`}</p>`;
  }
  /** Where the file goes, and what that means. */
  protected renderWay(): TemplateResult {
    const name = this.fileName();
    const held =
      this.way === "folder"
        ? msg("writtenThereMadeNeverHeld")
        : this.stored
          ? msg("madeBrowsersOwnStoreDownloaded")
          : msg("browserGivesPageNoStore");
    return html`
      ${
        canFolder()
          ? html`<fieldset><legend>${msg("whereTo")}</legend><div class="choices">
        ${this.choice<Way>("way", "download", this.way, (v) => (this.way = v), msg("aDownload"))}
        ${this.choice<Way>("way", "folder", this.way, (v) => (this.way = v), msg("folderChosen"))}
      </div></fieldset>`
          : html`<p class="muted">${msg("browserDoesNotLetPage")}</p>`
      }
      <p class="muted">${name === null ? nothing : html`${rich("newFile", { name: html`<b>${visible(name)}</b>` })} `}${msg("everythingHappensOnMachine", { held })}</p>`;
  }

  private rate(speed: number, left: number | null): string {
    if (left === null) return msg("aSecond", { speed: bytes(speed) });
    return left < 90
      ? msg("secondAboutSecondsLeft", { speed: bytes(speed), left: Math.ceil(left) })
      : msg("secondAboutMinutesLeft", { speed: bytes(speed), left: Math.ceil(left / 60) });
  }
  private renderWork(): TemplateResult {
    const p = this.progress;
    const seconds = (performance.now() - this.started) / 1000;
    const part = p?.totalSamples ? p.samples / p.totalSamples : p?.totalBytes ? p.bytes / p.totalBytes : 0;
    const left = part > 0.02 && seconds > 2 ? (seconds * (1 - part)) / part : null;
    const many =
      p &&
      (p.totalSamples
        ? msg("ofSamplesMany", { samples: p.samples, many: this.many(p.totalSamples) })
        : this.many(p.samples));
    const size =
      p &&
      (p.totalBytes
        ? msg("ofBytesTotalBytes", { bytes: bytes(p.bytes), totalBytes: bytes(p.totalBytes) })
        : bytes(p.bytes));
    return html`
      ${this.renderNote()}
      <p>${rich("writing", { target: html`<b>${visible(this.target?.name ?? "")}</b>`, rest: p ? `: ${many}, ${size}` : "…" })}</p>
      <progress aria-label=${common("written")} max="1" .value=${part}></progress>
      ${p && seconds > 2 ? html`<p class="muted">${this.rate(Math.round(p.bytes / seconds), left)}</p>` : nothing}`;
  }
}
