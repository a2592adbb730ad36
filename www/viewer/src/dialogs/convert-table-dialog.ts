/** Convert and export a table: all rows or those of the filter, all columns or those that are shown. */
import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type {
  Input,
  Table,
  TableConvertOptions,
  TableConvertSummary,
  TableFormat,
} from "../../../lib/src/model/index.ts";
import { ConvertShell, type Running } from "./convert-shell.ts";
import { outputName } from "../files/output-name.ts";
import { textInput } from "../files/text-input.ts";
import type { TextSource } from "../files/open-any.ts";
import { visible } from "../ui/visible.ts";
import { bytes } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/dialogs.ts";

/** Notes that are shown. */
const SHOWN = 12;
const formats = (): readonly (readonly [TableFormat, string])[] => [
  ["tbf", "TBF"],
  ["parquet", "Parquet"],
  ["arrow", "Arrow"],
  ["idv", "IDV (ML.NET)"],
  ["csv", "CSV"],
  ["tsv", "TSV"],
  ["jsonl", common("jsonLines")],
];

/** `<forebay-convert-table>`. */
@customElement("forebay-convert-table")
export class ConvertTableDialog extends ConvertShell<TableConvertSummary> {
  /** What is open; `null` for a text that is not. */
  @property({ attribute: false }) data: Table | null = null;
  /** The text that is open, or that is too large to be. */
  @property({ attribute: false }) text: TextSource | null = null;
  /** The numbers of the columns that are shown. */
  @property({ attribute: false }) shown: readonly number[] = [];
  /** The filter, and the rows that it keeps. */
  @property({ attribute: false }) filter: { readonly where: string; readonly kept: Uint32Array } | null = null;
  @state() private to: TableFormat = "tbf";
  @state() private rows: "all" | "filtered" = "all";
  @state() private columns: "all" | "shown" = "all";
  @state() private packing: "deflate" | "none" = "deflate";
  /** The filter of a text that is not shown. */
  @state() private where = "";
  @state() private lossy = false;
  @state() private skip = false;
  protected override many(n: number): string {
    return msg("rows", { count: n });
  }

  protected begin(): void {
    this.rows = this.filter ? "filtered" : "all";
    this.columns =
      this.data && this.shown.length < this.data.schema.length && this.shown.length > 0 ? this.columns : "all";
    const own: string = this.text?.format ?? this.data?.format ?? "";
    if (this.to === own) this.to = own === "tbf" ? "csv" : "tbf";
  }
  private get name(): string | undefined {
    return this.data?.name ?? this.text?.name;
  }
  private get selects(): boolean {
    return (this.data ? this.rows === "filtered" : this.where.trim() !== "") || this.columns === "shown";
  }
  protected fileName(): string {
    return outputName(this.name, { to: this.to, otherwise: "table", selection: this.selects, apart: "copy" });
  }
  protected convert({ output, signal, onProgress }: Running): Promise<TableConvertSummary> {
    const { data, text } = this;
    const filter = this.rows === "filtered" ? this.filter : null;
    const options: TableConvertOptions = {
      to: this.to,
      // Of a text these very rows: what was changed so that it can be shown is not what the filter would look at there.
      ...(filter && text ? { indexes: filter.kept } : { where: data ? (filter?.where ?? "") : this.where }),
      ...(this.columns === "shown" && data && { columns: this.shown.map((c) => data.schema[c]!.name) }),
      ...(this.to === "idv" && { compression: this.packing }),
      // What is shown of a text is made of it; what is exported comes from the text itself.
      ...(text && { ...textInput(text), onBadRow: this.skip || filter ? ("skip" as const) : ("error" as const) }),
      lossy: this.lossy,
      signal,
      onProgress,
    };
    const source: Input | Table = text ? text.input : data!;
    return this.engine.convert(source, output, options);
  }

  protected renderAsk(): TemplateResult {
    const { data, filter } = this;
    const some = data && this.shown.length < data.schema.length && this.shown.length > 0;
    return html`
      ${
        data
          ? html`
        <fieldset><legend>${common("rows")}</legend><div class="choices">
          ${this.choice("rows", "all", this.rows, (v) => (this.rows = v), msg("all", { length: data.length }))}
          ${this.choice("rows", "filtered", this.rows, (v) => (this.rows = v), filter ? msg("theFilters", { kept: filter.kept.length }) : msg("theFilters2"), !filter)}
        </div></fieldset>
        <fieldset><legend>${common("columns")}</legend><div class="choices">
          ${this.choice("columns", "all", this.columns, (v) => (this.columns = v), msg("all2", { schema: data.schema.length }))}
          ${this.choice("columns", "shown", this.columns, (v) => (this.columns = v), some ? msg("theThatAreShown", { shown: this.shown.length }) : msg("thoseShown"), !some)}
        </div></fieldset>`
          : html`<p>${this.text ? html`${rich("tooLargeShownTbfOpens", { text: html`<b>${visible(this.text.name)}</b>` })}` : nothing}</p>
        <p><input class="where" type="text" aria-label=${msg("onlyRowsWhere")}
          placeholder=${msg("onlyRowsWhereAge30")} .value=${this.where}
          @input=${(e: Event) => (this.where = (e.target as HTMLInputElement).value)} /></p>`
      }
      <fieldset><legend>${common("format")}</legend><div class="choices">
        ${formats().map(([format, label]) => this.choice("to", format, this.to, (v) => (this.to = v), label))}
      </div></fieldset>
      ${
        this.to === "idv"
          ? html`
        <fieldset><legend>${common("compression")}</legend><div class="choices">
          ${this.choice("packing", "deflate", this.packing, (v) => (this.packing = v), "Deflate")}
          ${this.choice("packing", "none", this.packing, (v) => (this.packing = v), msg("none"))}
        </div></fieldset>`
          : nothing
      }
      <div class="choices">
        ${this.tick(this.lossy, (on) => (this.lossy = on), msg("lossesChangeWhatFormatCannot"))}
        ${this.text ? this.tick(this.skip, (on) => (this.skip = on), msg("leaveBadRowsOutList")) : nothing}
      </div>
      ${this.renderWay()}`;
  }
  protected renderDone(s: TableConvertSummary): TemplateResult {
    return html`
      ${this.renderVerdict()}
      <dl><dt>${common("rows")}</dt><dd>${msg("inColumns", { rows: s.rows, columns: s.columns })}</dd><dt>${common("written")}</dt><dd>${bytes(s.outputBytes)}</dd>
        ${s.skippedRows > 0 ? html`<dt>${common("leftOut")}</dt><dd class="bad">${msg("badRows", { skippedRows: s.skippedRows })}</dd>` : nothing}</dl>
      ${s.notes.length === 0 ? nothing : html`<ul class="notes">${s.notes.slice(0, SHOWN).map((note) => html`<li>${visible(note)}</li>`)}${s.notes.length > SHOWN ? html`<li>${msg("moreNotes", { notes: s.notes.length - SHOWN })}</li>` : nothing}</ul>`}`;
  }
}
