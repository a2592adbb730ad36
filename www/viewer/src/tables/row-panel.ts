/** One row of a table, every column of it in full. */
import { Work } from "../ui/work.ts";
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { TableBatch } from "../../../lib/src/model/table-batch.ts";
import type { Json, Table } from "../../../lib/src/model/index.ts";
import { cellText, wholeText } from "./cells.ts";
import { FILE_ICONS } from "../ui/file-icons.ts";
import { ICONS } from "../ui/icons.ts";
import { copyText } from "../ui/copied.ts";
import { controls, panelStyles } from "../ui/styles.ts";
import { tree, treeStyles } from "../ui/tree.ts";
import { visible } from "../ui/visible.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/tables.ts";

/** Columns that are shown; a table may have a hundred thousand. */
const SHOWN = 2000;

/** `<forebay-row>`: sends `step` with -1 or 1, and `close`. */
@customElement("forebay-row")
export class RowPanel extends LitElement {
  static override styles = [
    controls,
    treeStyles,
    panelStyles,
    css`
      h2 { flex: 1; }
      dl { margin: 0; }
      dt {
        display: flex; gap: 8px; color: var(--accent); font-family: var(--mono); font-size: 12.5px;
        overflow-wrap: anywhere;
      }
      dt span { color: var(--ink-2); }
      dd, dt span { unicode-bidi: plaintext; }
      dd { margin: 0 0 10px; overflow-wrap: anywhere; white-space: pre-wrap; font-variant-numeric: tabular-nums; }
      .copy { float: inline-end; width: 26px; min-height: 22px; margin: -2px 0 -2px 6px; color: var(--ink-2); }
      /* Seen under the pointer and the focus; by fingers, which hover over nothing, always. */
      @media (hover: hover) {
        .copy { opacity: 0; }
        dd:hover > .copy, .copy:focus-visible { opacity: 1; }
      }
      .copy svg { width: 13px; height: 13px; }
      dd.null { color: var(--ink-2); font-style: italic; }
    `,
  ];
  @property({ attribute: false }) data!: Table;
  @property({ attribute: false }) index = 0;
  @state() private batch: TableBatch | null = null;
  private readonly work = new Work(this);

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("index") || changed.has("data")) void this.load();
  }
  private async load(): Promise<void> {
    await this.work.run(async (signal) => {
      const batch = await this.data.columns(this.index, this.index + 1, undefined, { signal });
      if (!signal.aborted) this.batch = batch;
    });
    if (this.work.failure) this.batch = null;
  }

  override render(): TemplateResult {
    const send = (type: string, detail?: unknown) => () => this.dispatchEvent(new CustomEvent(type, { detail }));
    return html`
      <div class="head">
        <h2>${msg("row", { index: this.index })}</h2>
        <button class="icon bare" aria-label=${msg("previousRow")} title=${common("previous")} @click=${send("step", -1)}>${ICONS.left}</button>
        <button class="icon bare" aria-label=${msg("nextRow")} title=${common("next")} @click=${send("step", 1)}>${ICONS.right}</button>
        <button class="icon bare" aria-label=${msg("closeRow")} title=${common("closeEsc")} @click=${send("close")}>${ICONS.close}</button>
      </div>
      <div class="page" tabindex="0" role="group" aria-label=${msg("columnsRow", { index: this.index })}>
        ${this.work.alert}
        ${this.batch ? this.renderCells(this.batch) : nothing}
      </div>`;
  }
  private renderCopy(name: string, text: () => string): TemplateResult {
    const copy = (): void => {
      this.dispatchEvent(new CustomEvent("say", { detail: copyText(text()) ? msg("copied") : msg("notCopied") }));
    };
    return html`<button class="bare icon copy" aria-label=${msg("copyValue", { column: visible(name) })} title=${msg("copyIt")}
      @click=${copy}>${FILE_ICONS.copy}</button>`;
  }
  private renderCells(batch: TableBatch): TemplateResult {
    return html`
      <dl>${batch.columns.slice(0, SHOWN).map((column, k) => {
        const cell = column.get(0);
        const value = this.data.schema[k]?.type === "json" && typeof cell === "string" ? parsed(cell) : undefined;
        return html`<dt><bdi>${visible(column.name)}</bdi><span>${column.type}</span></dt>
          <dd class=${cell === null ? "null" : ""}>${cell === null ? nothing : this.renderCopy(column.name, () => wholeText(cell, column.type))}${value !== undefined && value !== null && typeof value === "object" ? tree("json", value) : cellText(cell, column.type, false)}</dd>`;
      })}</dl>
      ${batch.columns.length > SHOWN ? html`<p class="muted">${msg("moreColumns", { columns: batch.columns.length - SHOWN })}</p>` : nothing}`;
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
