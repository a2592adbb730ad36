/** Convert and export: all samples, those of the filter, or those picked by hand, into a TBL or a TAR. */
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { ConvertOptions, ConvertSummary, Dataset } from "../../../lib/src/model/index.ts";
import { ConvertShell, type Running } from "./convert-shell.ts";
import { outputName } from "../files/output-name.ts";
import { bytes, count } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/dialogs.ts";

type Scope = "all" | "filtered" | "picked";

/** `<forebay-convert>`. */
@customElement("forebay-convert")
export class ConvertDialog extends ConvertShell<ConvertSummary> {
  @property({ attribute: false }) data: Dataset | null = null;
  /** The rest of the file's headers is still being read. */
  @property({ type: Boolean }) growing = false;
  /** Something was changed: that is in the journal, and not in what is converted. */
  @property({ type: Boolean }) edited = false;
  @property({ attribute: false }) kept: Uint32Array | null = null;
  @property({ attribute: false }) picked: ReadonlySet<number> = new Set();
  @state() private to: "tbl" | "tar" = "tbl";
  @state() private layout: "guide" | "turboloader" = "guide";
  @state() private compression: "none" | "lz4" = "none";
  @state() private scope: Scope = "all";
  @state() private keepGoing = false;
  /** The scope is the one that the dialog began with. */
  private likely = true;

  /** A filter that was still at work when the dialog came is wanted as much as one that was done. */
  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has("kept") && this.kept && this.scope === "all" && this.likely && this.step === "ask") this.begin();
  }
  private choose(scope: Scope): void {
    this.scope = scope;
    this.likely = false;
  }
  protected begin(): void {
    this.likely = true;
    this.scope = this.picked.size > 0 ? "picked" : this.kept ? "filtered" : "all";
    this.to = this.data?.format === "tbl" && this.scope === "all" ? "tar" : "tbl";
  }
  protected fileName(): string | null {
    if (!this.data) return null;
    const apart = this.to === "tar" ? "copy" : this.compression === "none" ? this.layout : this.compression;
    return outputName(this.data.name, { to: this.to, otherwise: "dataset", selection: this.scope !== "all", apart });
  }
  protected convert({ output, signal, onProgress }: Running): Promise<ConvertSummary> {
    const indexes =
      this.scope === "filtered" ? this.kept : this.scope === "picked" ? Uint32Array.from(this.picked).sort() : null;
    const options: ConvertOptions = {
      to: this.to,
      ...(this.to === "tbl" && { layout: this.layout, compression: this.compression }),
      ...(indexes && { indexes }),
      keepGoing: this.keepGoing,
      signal,
      onProgress,
    };
    return this.engine.convert(this.data!, output, options);
  }

  protected renderAsk(): TemplateResult {
    return html`
      ${this.renderEdited()}
      <fieldset><legend>${common("samples")}</legend><div class="choices">
        ${this.choice("scope", "all", this.scope, (v) => this.choose(v), msg("all", { length: this.data?.length ?? 0 }))}
        ${this.choice("scope", "filtered", this.scope, (v) => this.choose(v), this.kept ? msg("theFilters", { kept: this.kept.length }) : msg("theFilters2"), !this.kept)}
        ${this.choice("scope", "picked", this.scope, (v) => this.choose(v), this.picked.size > 0 ? msg("thePicked", { picked: this.picked.size }) : msg("thePicked2"), this.picked.size === 0)}
      </div></fieldset>
      <fieldset><legend>${common("format")}</legend><div class="choices">
        ${this.choice("to", "tbl", this.to, (v) => (this.to = v), "TBL")}
        ${this.choice("to", "tar", this.to, (v) => (this.to = v), msg("tarWebDataset"))}
      </div></fieldset>
      ${
        this.to === "tbl"
          ? html`
        <fieldset><legend>${msg("layout3")}</legend><div class="choices">
          ${this.choice("layout", "guide", this.layout, (v) => (this.layout = v), msg("formatGuide"))}
          ${this.choice("layout", "turboloader", this.layout, (v) => (this.layout = v), "TurboLoader")}
        </div></fieldset>
        <fieldset><legend>${common("compression")}</legend><div class="choices">
          ${this.choice("compression", "none", this.compression, (v) => (this.compression = v), msg("none"))}
          ${this.choice("compression", "lz4", this.compression, (v) => (this.compression = v), msg("lZ4IfHelps"))}
        </div></fieldset>`
          : nothing
      }
      <div class="choices">${this.tick(this.keepGoing, (on) => (this.keepGoing = on), msg("leaveBrokenSamplesOutList"))}</div>
      ${this.renderWay()}`;
  }
  protected override renderNote(): TemplateResult | typeof nothing {
    return this.growing ? html`<p>${msg("firstRestHeadersRead")}</p>` : nothing;
  }
  /** Nobody is to believe that what was drawn is in the new file. */
  private renderEdited(): TemplateResult | typeof nothing {
    if (!this.edited) return nothing;
    const save = (): void => {
      this.close();
      this.dispatchEvent(new CustomEvent("save"));
    };
    return html`<p class="bad" role="note">${msg("convertsWithoutEdits")} <button @click=${save}>${msg("saveWithEdits")}</button></p>`;
  }
  protected renderDone(s: ConvertSummary): TemplateResult {
    return html`
      ${this.renderVerdict()}
      <dl><dt>${common("samples")}</dt><dd>${count(s.samples)}</dd><dt>${common("written")}</dt><dd>${bytes(s.outputBytes)}</dd>
        ${s.compressedSamples > 0 ? html`<dt>${msg("compressed")}</dt><dd>${msg("samplesTo", { compressedSamples: s.compressedSamples, payloadBytes: bytes(s.payloadBytes), storedBytes: bytes(s.storedBytes) })}</dd>` : nothing}
        ${s.skippedMembers > 0 ? html`<dt>${common("leftOut")}</dt><dd>${msg("membersNotFiles", { skippedMembers: s.skippedMembers })}</dd>` : nothing}
        ${
          s.faults.length > 0
            ? html`<dt>${msg("broken")}</dt><dd class="bad">${msg("samplesLeftOut", { faults: s.faults.length })} ${s.faults
                .slice(0, 20)
                .map((f) => f.sample ?? f.code)
                .join(", ")}</dd>`
            : nothing
        }</dl>`;
  }
}
