/** Thumbnails of the whole file, in a file of their own. */
import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { ConvertSummary, Dataset } from "../../../lib/src/model/index.ts";
import { thumbsName } from "../files/beside-thumbs.ts";
import { takeStrip } from "../samples/strips.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/dialogs.ts";
import { ConvertShell, type Running } from "./convert-shell.ts";

/** Edges of thumbnails that are offered. */
const SIZES = ["96", "160", "256"] as const;
type Size = (typeof SIZES)[number];

/** `<forebay-thumbs>`. */
@customElement("forebay-thumbs")
export class ThumbsDialog extends ConvertShell<ConvertSummary> {
  @property({ attribute: false }) data: Dataset | null = null;
  @state() private size: Size = "160";
  @state() private used = false;
  protected override get called(): string {
    return msg("makeThumbnails");
  }
  protected override get verb(): string {
    return msg("makeThumbnailsVerb");
  }

  protected begin(): void {
    // It asks for one thing, which is likely right.
  }
  protected fileName(): string | null {
    return this.data ? thumbsName(this.data.name ?? "dataset.tbl") : null;
  }
  protected async convert({ output, signal, onProgress }: Running): Promise<ConvertSummary> {
    return this.engine.writeThumbs(this.data!, output, { size: Number(this.size), signal, onProgress });
  }
  protected override async finished(file: File): Promise<void> {
    const { data } = this;
    // What cannot be used at once is a file all the same.
    this.used =
      data !== null &&
      (await takeStrip(data, file).then(
        () => true,
        () => false,
      ));
  }
  protected override get opens(): boolean {
    return false;
  }

  protected renderAsk(): TemplateResult {
    return html`
      <p>${msg("whyThumbnails")}</p>
      <fieldset><legend>${msg("longestEdge")}</legend><div class="choices">
        ${SIZES.map((size) => this.choice<Size>("size", size, this.size, (v) => (this.size = v), msg("pixelsWide", { size })))}
      </div></fieldset>
      ${this.renderWay()}`;
  }
  protected renderDone(s: ConvertSummary): TemplateResult {
    const name = this.data && visible(this.data.name ?? "dataset.tbl");
    return html`
      ${this.renderVerdict()}
      <dl><dt>${common("samples")}</dt><dd>${count(s.samples)}</dd><dt>${common("written")}</dt><dd>${bytes(s.outputBytes)}</dd></dl>
      ${this.used ? html`<p>${msg("thumbnailsInUse")}</p>` : nothing}
      ${name ? html`<p class="muted">${rich("placeThumbnails", { name: html`<b>${thumbsName(name)}</b>` })}</p>` : nothing}`;
  }
}
