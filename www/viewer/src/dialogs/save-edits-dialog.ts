/** Save: a new file with the edits in it. */
import { html, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Dataset, Project } from "../../../lib/src/model/index.ts";
import type { EditSummary } from "../../../lib/src/model/edits.ts";
import { followProject } from "../drawing/keeping.ts";
import type { DrawnJournal } from "../drawing/journal.ts";
import { outputName } from "../files/output-name.ts";
import { bytes, count } from "../ui/wording.ts";
import { ConvertShell, type Running } from "./convert-shell.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/dialogs.ts";

/** `<forebay-save-edits>`. */
@customElement("forebay-save-edits")
export class SaveEditsDialog extends ConvertShell<EditSummary> {
  @property({ attribute: false }) data: Dataset | null = null;
  @property({ attribute: false }) journal: DrawnJournal | null = null;
  @property({ attribute: false }) project: Project | null = null;
  protected override get called(): string {
    return msg("saveEdits");
  }
  protected override get verb(): string {
    return msg("save");
  }

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
    if (!journal) throw new Error(common("editingOver"));
    if (this.project) await followProject(this.data!, journal, this.project);
    if (!(await journal.kept())) throw new Error(msg("someChangesNotKeptYet"));
    return journal.save(output, { signal, onProgress });
  }

  protected renderAsk(): TemplateResult {
    return html`
      <p>${msg("datasetStaysUntouchedWhatNobody")}</p>
      ${this.renderWay()}`;
  }
  protected renderDone(s: EditSummary): TemplateResult {
    return html`
      ${this.renderVerdict()}
      <dl><dt>${common("samples")}</dt><dd>${count(s.samples)}</dd><dt>${msg("changed")}</dt><dd>${count(s.changed)}</dd>
        ${s.removed > 0 ? html`<dt>${common("leftOut")}</dt><dd>${msg("samples2", { removed: s.removed })}</dd>` : nothing}
        ${s.added > 0 ? html`<dt>${msg("new")}</dt><dd>${msg("samples3", { added: s.added })}</dd>` : nothing}
        <dt>${common("written")}</dt><dd>${bytes(s.outputBytes)}</dd></dl>
      <p class="muted">${msg("editsOldFileStayBrowser")}</p>`;
  }
}
