/** Save: a new file with the edits in it. */
import { html, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Dataset } from "../../../lib/src/model/index.ts";
import type { EditSummary } from "../../../lib/src/model/edits.ts";
import type { DrawnJournal } from "../drawing/journal.ts";
import { outputName } from "../files/output-name.ts";
import { bytes, count, plural } from "../ui/wording.ts";
import { ConvertShell, type Running } from "./convert-shell.ts";

/** `<forebay-save-edits>`. */
@customElement("forebay-save-edits")
export class SaveEditsDialog extends ConvertShell<EditSummary> {
  @property({ attribute: false }) data: Dataset | null = null;
  @property({ attribute: false }) journal: DrawnJournal | null = null;
  protected override readonly called = "Save the edits";
  protected override readonly verb = "Save…";
  protected readonly unit = "sample";

  protected begin(): void {
    this.journal?.rest();
  }
  protected fileName(): string | null {
    if (!this.data || !this.journal) return null;
    const otherwise = outputName(this.data.name, {
      to: "tbl",
      otherwise: "dataset",
      selection: false,
      apart: "edited",
    });
    // Also of a file that is called otherwise, what is edited says so.
    return otherwise.endsWith("-edited.tbl") ? otherwise : otherwise.replace(/\.tbl$/, "-edited.tbl");
  }
  protected async convert({ output, signal, onProgress }: Running): Promise<EditSummary> {
    const { journal } = this;
    if (!journal) throw new Error("editing is over");
    if (!(await journal.kept())) throw new Error("some changes are not kept yet: see above the samples what to do");
    return journal.save(output, { signal, onProgress });
  }

  protected renderAsk(): TemplateResult {
    return html`
      <p>The dataset as it is stays untouched. What nobody changed is copied into the new file as it is stored.</p>
      ${this.renderWay()}`;
  }
  protected renderDone(s: EditSummary): TemplateResult {
    return html`
      ${this.renderVerdict()}
      <dl><dt>Samples</dt><dd>${count(s.samples)}</dd><dt>Changed</dt><dd>${count(s.changed)}</dd>
        ${s.removed > 0 ? html`<dt>Left out</dt><dd>${plural(s.removed, "sample")}</dd>` : nothing}
        ${s.added > 0 ? html`<dt>New</dt><dd>${plural(s.added, "sample")}</dd>` : nothing}
        <dt>Written</dt><dd>${bytes(s.outputBytes)}</dd></dl>
      <p class="muted">The edits of the old file stay in the browser until they are thrown away.</p>`;
  }
}
