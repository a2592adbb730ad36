/** Which columns the table of samples has. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { USUAL_COLUMNS, allColumns } from "../samples/columns.ts";
import { controls } from "../ui/styles.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/shell.ts";

/** `<forebay-columns>`: sends `columns` with the names of those that are wanted, in their order. */
@customElement("forebay-columns")
export class ColumnChooser extends LitElement {
  static override styles = [
    controls,
    css`
      fieldset {
        display: grid; gap: 6px; max-height: min(420px, 60vh); margin: 0; padding: 0 4px 4px 0; border: 0;
        overflow: auto;
      }
      legend { padding: 0 0 6px; font-weight: 650; font-size: 13px; }
      label { display: flex; align-items: center; gap: 8px; font-size: 13px; overflow-wrap: anywhere; }
      button { margin-top: 8px; }
    `,
  ];
  @property({ attribute: false }) columns: readonly string[] = USUAL_COLUMNS;
  @property({ attribute: false }) fields: readonly string[] = [];

  private send(columns: readonly string[]): void {
    this.dispatchEvent(new CustomEvent("columns", { detail: columns }));
  }
  override render(): TemplateResult {
    const all = allColumns(this.fields);
    const change = (id: string, on: boolean): void =>
      this.send(all.map((c) => c.id).filter((one) => (one === id ? on : this.columns.includes(one))));
    return html`
      <fieldset><legend>${common("columns")}</legend>${all.map(
        ({ id, title }) => html`<label><input type="checkbox" .checked=${this.columns.includes(id)}
          @change=${(e: Event) => change(id, (e.target as HTMLInputElement).checked)} />${title}</label>`,
      )}</fieldset>
      ${this.columns.join() === USUAL_COLUMNS.join() ? nothing : html`<button @click=${() => this.send(USUAL_COLUMNS)}>${msg("usualOnes")}</button>`}`;
  }
}
