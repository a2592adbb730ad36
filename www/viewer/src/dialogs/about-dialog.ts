/** What is known about the file as a whole. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Dataset, Json, Table } from "../../../lib/src/model/index.ts";
import { controls, factStyles } from "../ui/styles.ts";
import type { TextSource } from "../files/open-any.ts";
import { tree, treeStyles } from "../ui/tree.ts";
import { hasStrip } from "../samples/strips.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count, isAbort, plural, trouble, type Trouble } from "../ui/wording.ts";

/** `<forebay-about>`: sends `forget` where the index that was kept is not wanted. */
@customElement("forebay-about")
export class AboutDialog extends LitElement {
  static override styles = [
    controls,
    treeStyles,
    factStyles,
    css`
    dl {
      gap: 6px 18px;
      margin: 0 0 16px;
      font-size: 13.5px;
    }
    .body {
      overflow: auto;
      max-height: min(600px, calc(100vh - 120px));
    }
    .document {
      margin-top: 6px;
      font-size: 13px;
    }
    dd button {
      min-height: 26px;
      margin-inline-start: 8px;
      font-size: 12.5px;
    }
  `,
  ];
  @property({ attribute: false }) data: Dataset | Table | null = null;
  /** The text that a table was made of. */
  @property({ attribute: false }) text: TextSource | null = null;
  /** The rest of the file's headers is still being read. */
  @property({ type: Boolean }) growing = false;
  @query("dialog") private dialog!: HTMLDialogElement;
  @state() private document_: { [key: string]: Json } | null = null;
  @state() private failure: Trouble | null = null;
  private of: Dataset | Table | null = null;

  show(): void {
    this.dialog.showModal();
    const { data } = this;
    if (!data || this.of === data) return this.requestUpdate();
    this.of = data;
    this.document_ = this.failure = null;
    // A table's document is all that it holds, and is shown in its place.
    if (data.kind === "table") return;
    data.document().then(
      (found) => {
        if (this.of === data) this.document_ = found;
      },
      (e: unknown) => {
        if (this.of === data && !isAbort(e)) this.failure = trouble(e);
      },
    );
  }

  override render(): TemplateResult {
    return html`
      <dialog aria-labelledby="title" @keydown=${(e: Event) => {
        if (this.dialog.open) e.stopPropagation();
      }}>
        <div class="head"><h2 id="title">About this file</h2><button class="bare icon" aria-label="Close"
          @click=${() => this.dialog.close()}>✕</button></div>
        <div class="body" tabindex="0" role="group"
          aria-label="About this file">${this.data?.kind === "samples" ? this.renderFacts(this.data) : this.data ? this.renderTableFacts(this.data) : nothing}</div>
      </dialog>`;
  }
  private renderTableFacts(data: Table): TemplateResult {
    const { metadata: m, telemetry: t } = data;
    const { text } = this;
    const facts: (readonly [string, string] | false | undefined | "" | null)[] = [
      ["Name", visible(data.name ?? "–")],
      text && ["Format", `${text.format.toUpperCase()}, ${count(text.bytes)} bytes (${bytes(text.bytes)})`],
      [
        text ? "Shown as" : "Format",
        `${data.format.toUpperCase()}${m.layout ? `, layout ${m.layout}` : ""}${m.version ? `, version ${m.version}` : ""}`,
      ],
      ["Size", `${count(data.byteLength)} bytes (${bytes(data.byteLength)})`],
      !m.document && ["Rows", count(data.length)],
      !m.document && ["Columns", count(data.schema.length)],
      m.groups > 0 && ["Row groups", count(m.groups)],
      m.createdBy && ["Written by", visible(m.createdBy)],
      ["Read so far", `${plural(t.requests, "request")}, ${bytes(t.bytesRead)}`],
    ];
    return html`
      <dl>${facts.map((fact) => (fact ? html`<dt>${fact[0]}</dt><dd>${fact[1]}</dd>` : nothing))}</dl>
      ${[...(text?.notes ?? []), ...m.notes].map((note) => html`<p class="muted">Note: ${visible(note)}</p>`)}`;
  }
  private renderFacts(data: Dataset): TemplateResult {
    const { metadata: m, telemetry: t } = data;
    const facts: (readonly [string, string | TemplateResult] | false | undefined)[] = [
      ["Name", visible(data.name ?? "–")],
      ["Format", `${data.format.toUpperCase()}${m.layout ? `, ${m.layout} layout` : ""}`],
      ["Size", `${count(data.byteLength)} bytes (${bytes(data.byteLength)})`],
      ["Samples", `${count(data.length)}${data.growing ? " so far" : ""}`],
      m.members !== undefined && [
        "Members",
        `${count(m.members)}${m.skippedMembers ? `, and ${plural(m.skippedMembers, "folder, link or device", "folders, links and devices")}` : ""}`,
      ],
      m.compression && ["Compression", m.compression === "none" ? "none" : m.compression.toUpperCase()],
      m.metadataFormat && ["Metadata", m.metadataFormat],
      [
        "Index",
        data.fromStore
          ? html`kept from an earlier visit <button title="Forget what is kept, and read the file's headers again"
            @click=${() => {
              this.dialog.close();
              this.dispatchEvent(new CustomEvent("forget"));
            }}>Read again</button>`
          : data.format === "tbl"
            ? "in the file"
            : this.growing || data.growing
              ? "being read"
              : "read from the headers",
      ],
      data.format !== "warehouse" && [
        "Thumbnails",
        html`${hasStrip(data) ? "in use, from a file beside it" : "none"} <button ?disabled=${this.growing || data.growing}
          title="Small pictures of all samples, in a file beside this one"
          @click=${() => {
            this.dialog.close();
            this.dispatchEvent(new CustomEvent("thumbs"));
          }}>Make them</button>`,
      ],
      ["Read so far", `${plural(t.requests, "request")}, ${bytes(t.bytesRead)}`],
    ];
    const some = this.document_ !== null && Object.keys(this.document_).length > 0;
    return html`
      <dl>${facts.map((fact) => (fact ? html`<dt>${fact[0]}</dt><dd>${fact[1]}</dd>` : nothing))}</dl>
      ${m.notes.map((note) => html`<p class="muted">Note: ${visible(note)}</p>`)}
      ${this.failure ? html`<p class="bad">${this.failure.message} <code>${this.failure.code ?? ""}</code></p>` : nothing}
      ${some ? html`<h3>Metadata of the whole</h3><div class="document">${tree("document", this.document_!)}</div>` : nothing}`;
  }
}
