/** What is known about the file as a whole. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Dataset, Json, Table } from "../../../lib/src/model/index.ts";
import { framed, showModal } from "../ui/modal.ts";
import { controls, factStyles } from "../ui/styles.ts";
import type { TextSource } from "../files/open-any.ts";
import { tree, treeStyles } from "../ui/tree.ts";
import { hasStrip } from "../samples/strips.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count, isAbort, trouble, type Trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/dialogs.ts";

/** `<forebay-about>`: sends `forget` where the index that was kept is not wanted. */
@customElement("forebay-about")
export class AboutDialog extends LitElement {
  static override styles = [
    controls,
    treeStyles,
    factStyles,
    css`
      dl { gap: 6px 18px; margin: 0 0 16px; font-size: 13.5px; }
      .document { margin-top: 6px; font-size: 13px; }
      dd button { min-height: 26px; margin-inline-start: 8px; font-size: 12.5px; }
    `,
  ];
  @property({ attribute: false }) data: Dataset | Table | null = null;
  /** The text that a table was made of. */
  @property({ attribute: false }) text: TextSource | null = null;
  /** The rest of the file's headers is still being read. */
  @property({ type: Boolean }) growing = false;
  /** It is a list of pictures. */
  @property({ type: Boolean }) listed = false;
  @query("dialog") private dialog!: HTMLDialogElement;
  @state() private document_: { [key: string]: Json } | null = null;
  @state() private failure: Trouble | null = null;
  private of: Dataset | Table | null = null;

  /** What is known of one file is not said of another that is open in its place. */
  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has("data") && this.dialog?.open && this.of !== this.data) this.dialog.close();
  }
  show(): void {
    showModal(this.dialog);
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
    const { data } = this;
    const facts = data?.kind === "samples" ? this.renderFacts(data) : data ? this.renderTableFacts(data) : nothing;
    return framed(msg("aboutFile"), () => this.dialog.close(), facts);
  }
  private renderTableFacts(data: Table): TemplateResult {
    const { metadata: m, telemetry: t } = data;
    const { text } = this;
    const facts: (readonly [string, string] | false | undefined | "" | null)[] = [
      [common("name"), visible(data.name ?? "–")],
      text && [
        common("format"),
        msg("bytes", { format: text.format.toUpperCase(), bytes: text.bytes, bytes2: bytes(text.bytes) }),
      ],
      [
        text ? msg("shownAs") : common("format"),
        [
          data.format.toUpperCase(),
          m.layout && msg("layout", { layout: m.layout }),
          m.version && msg("version", { version: m.version }),
        ]
          .filter(Boolean)
          .join(", "),
      ],
      [common("size"), msg("bytes2", { byteLength: data.byteLength, byteLength2: bytes(data.byteLength) })],
      !m.document && [common("rows"), count(data.length)],
      !m.document && [common("columns"), count(data.schema.length)],
      m.groups > 0 && [msg("rowGroups"), count(m.groups)],
      m.createdBy && [msg("writtenBy"), visible(m.createdBy)],
      [msg("readSoFar"), msg("requests", { requests: t.requests, bytesRead: bytes(t.bytesRead) })],
    ];
    return html`
      <dl>${facts.map((fact) => (fact ? html`<dt>${fact[0]}</dt><dd>${fact[1]}</dd>` : nothing))}</dl>
      ${[...(text?.notes ?? []), ...m.notes].map((note) => html`<p class="muted">${msg("note", { note: visible(note) })}</p>`)}`;
  }
  private renderFacts(data: Dataset): TemplateResult {
    const { metadata: m, telemetry: t } = data;
    const facts: (readonly [string, string | TemplateResult] | false | undefined)[] = [
      [common("name"), visible(data.name ?? "–")],
      [
        common("format"),
        this.listed
          ? msg("picturesOfList")
          : m.layout
            ? msg("layout2", { format: data.format.toUpperCase(), layout: m.layout })
            : data.format.toUpperCase(),
      ],
      [common("size"), msg("bytes2", { byteLength: data.byteLength, byteLength2: bytes(data.byteLength) })],
      [common("samples"), data.growing ? msg("soFar", { length: data.length }) : count(data.length)],
      !this.listed &&
        m.members !== undefined && [
          msg("members"),
          m.skippedMembers
            ? msg("foldersLinksDevices", { members: m.members, skippedMembers: m.skippedMembers })
            : count(m.members),
        ],
      m.compression && [common("compression"), m.compression === "none" ? common("none") : m.compression.toUpperCase()],
      m.metadataFormat && [common("metadata"), m.metadataFormat],
      !this.listed && [
        msg("index"),
        data.fromStore
          ? html`${msg("keptFromEarlierVisit")} <button title=${msg("forgetWhatKeptReadFiles")}
            @click=${() => {
              this.dialog.close();
              this.dispatchEvent(new CustomEvent("forget"));
            }}>${msg("readAgain")}</button>`
          : data.format === "tbl"
            ? msg("inTheFile")
            : this.growing || data.growing
              ? msg("beingRead")
              : msg("readFromHeaders"),
      ],
      data.format !== "warehouse" && [
        msg("thumbnails"),
        html`${hasStrip(data) ? msg("inUseFromBeside") : common("none")} <button ?disabled=${this.growing || data.growing}
          title=${msg("smallPicturesBeside")}
          @click=${() => {
            this.dialog.close();
            this.dispatchEvent(new CustomEvent("thumbs"));
          }}>${msg("makeThem")}</button>`,
      ],
      [msg("readSoFar"), msg("requests", { requests: t.requests, bytesRead: bytes(t.bytesRead) })],
    ];
    const some = this.document_ !== null && Object.keys(this.document_).length > 0;
    return html`
      <dl>${facts.map((fact) => (fact ? html`<dt>${fact[0]}</dt><dd>${fact[1]}</dd>` : nothing))}</dl>
      ${m.notes.map((note) => html`<p class="muted">${msg("note", { note: visible(note) })}</p>`)}
      ${this.failure ? html`<p class="bad">${this.failure.message} <code>${this.failure.code ?? ""}</code></p>` : nothing}
      ${some ? html`<h3>${msg("metadataWhole")}</h3><div class="document">${tree("document", this.document_!)}</div>` : nothing}`;
  }
}
