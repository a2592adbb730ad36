/** Above the samples while they are edited: how far the work is, whether it is kept, and what can be done with it. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import "../ui/menu.ts";
import type { Menu } from "../ui/menu.ts";
import { FILE_ICONS } from "../ui/file-icons.ts";
import { controls } from "../ui/styles.ts";
import "./clash-dialog.ts";
import type { DrawingController } from "./drawing-controller.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/drawing.ts";

/** `<forebay-edit-bar>`. */
@customElement("forebay-edit-bar")
export class EditBar extends LitElement {
  static override styles = [
    controls,
    css`
      :host {
        display: block; flex: 1 1 100%; padding: 6px 10px; border-radius: 9px; background: var(--accent-soft);
        font-size: 13px;
      }
      .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; font-variant-numeric: tabular-nums; }
      .bar > .push { display: flex; flex-wrap: wrap; gap: 6px; margin-inline-start: auto; }
      .far { flex: 0 1 auto; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
      /* In the head of the image that is drawn on: a part of its line. */
      :host([bare]) { flex: 1 1 0; min-width: 0; padding: 0; background: none; }
      :host([bare]) .bar { flex-wrap: nowrap; }
      :host([bare]) .push { flex: none; flex-wrap: nowrap; }
      .kept { flex: none; }
      @container (max-width: 1100px) and (min-width: 761px) {
        :host([bare]) .far { display: none; }
      }
      @media (max-width: 760px) {
        .fold { display: none; }
        :host { padding: 4px 8px; }
        .bar, :host([bare]) .bar { flex-wrap: wrap; gap: 4px 6px; }
        .bar > b { display: none; }
        .far, :host([bare]) { flex: 1 1 100%; }
        .bar > .push { gap: 6px; margin-inline-start: 0; }
      }
      button { min-height: 30px; padding: 0 10px; }
      .wrong {
        display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; margin: 6px 0 0; padding: 6px 10px;
        border-radius: 8px; background: var(--bad-soft); color: var(--ink); overflow-wrap: anywhere;
      }
      .sheet { display: grid; gap: 8px; max-width: 320px; }
      .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; }
      .sheet p { margin: 0; }
      @media (forced-colors: active) {
        :host, .wrong { border: 1px solid CanvasText; }
      :host([bare]) { padding-inline-start: 8px; }
      }
    `,
  ];
  @property({ attribute: false }) drawing!: DrawingController;
  /** It is a part of another line, and says less. */
  @property({ type: Boolean, reflect: true }) bare = false;
  @state() private sure = false;
  @query("#more") private more!: Menu;
  private unlisten: (() => void) | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.unlisten = this.drawing.listen(() => this.requestUpdate());
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.unlisten?.();
  }

  override render(): TemplateResult {
    const { drawing: d } = this;
    const { changed, accepted, rejected, left } = d.progress;
    const far = msg("picturesChangedAcceptedRejectedLeft", { changed, accepted, rejected, left });
    return html`
      <div class="bar" role="group" aria-label=${msg("editing")}>
        ${this.bare ? nothing : html`<b>${msg("editing")}</b>`}
        <span class="far" title=${far}>${far}</span>
        <span class="kept muted" role="status">${keptWords(d)}</span>
        <span class="push">${this.bare ? [this.renderFold("strip", msg("filmstrip"), "⇧F"), this.renderFold("panel", msg("panel"), "⇧P")] : nothing}
        <button ?disabled=${!d.canUndo} title=${common("undoCtrlZ")} @click=${() => d.undo()}>${common("undo")}</button>
        <button ?disabled=${!d.canRedo} title=${common("doAgainCtrlShiftZ")} @click=${() => d.redo()}>${common("redo")}</button>
        <button class="primary" ?disabled=${!d.canUndo} title=${msg("writeNewFileEdits")} @click=${() => d.save()}>${msg("save")}</button>
        ${this.renderMore()}
        <button title=${msg("showDatasetEditsStay")} @click=${() => d.stop()}>${common("done")}</button></span>
      </div>
      ${d.unkept ? this.renderUnkept(d.unkept.message, d.unkept.code, d.unkept.gone) : nothing}
      ${d.clash ? html`<forebay-clash .drawing=${d} .clash=${d.clash}></forebay-clash>` : nothing}
      ${d.trouble ? html`<div class="wrong" role="alert">${d.trouble.message}${d.trouble.code ? html`<code>${d.trouble.code}</code>` : nothing}</div>` : nothing}`;
  }
  private renderFold(what: "strip" | "panel", name: string, key: string): TemplateResult {
    const title = msg("foldWithKey", { what: name, key });
    return html`<button class="icon bare fold" aria-label=${name} title=${title} aria-pressed=${this.drawing[what]}
      @click=${() => this.drawing.fold(what)}>${FILE_ICONS[what]}</button>`;
  }
  /** Why something is not kept, and what to do. */
  private renderUnkept(message: string, code: string | undefined, gone: boolean): TemplateResult {
    const full = /quota|no room|no space/i.test(message) || code === "io.full";
    const help = gone ? "" : full ? ` ${msg("browsersStoreFullFreeRoom")}` : "";
    return html`<div class="wrong" role="alert"><span><b>${msg("notKept")}</b> ${message}${help}</span>${code && !gone ? html`<code>${code}</code>` : nothing}
      <button @click=${() => this.drawing.retry()}>${gone ? msg("writeAgain") : common("tryAgain")}</button>
      ${gone ? nothing : html`<button @click=${() => this.drawing.download()}>${msg("downloadWhatKept")}</button>`}</div>`;
  }
  private renderMore(): TemplateResult {
    const { drawing: d } = this;
    const then = (act: () => void) => (): void => {
      this.more.hide();
      this.sure = false;
      act();
    };
    const { sums } = d.session!;
    return html`<forebay-menu id="more" label=${common("more")}><div class="sheet">
      <button @click=${then(() => d.download())}>${msg("downloadJournal")}</button>
      <button @click=${() => this.renderRoot.querySelector<HTMLInputElement>("#journal")?.click()}>${common("twoJournals")}</button>
      <button ?disabled=${d.progress.changed === 0 && !d.canRedo}
        @click=${this.sure ? then(() => d.discard()) : () => ((this.sure = true))}>${this.sure ? html`<b>${msg("yesThrowThemAllAway")}</b>` : msg("throwAllEditsAway")}</button>
      <p>${msg("sessionDone", { images: sums.images, drawn: sums.drawn!, changed: sums.changed!, minutes: Math.round(sums.seconds! / 60) })}</p>
      <div class="pair"><button @click=${() => d.session!.save(d.of.data()!, "csv")}>${msg("sessionCsv")}</button><button @click=${() => d.session!.save(d.of.data()!, "json")}>${msg("sessionJson")}</button></div>
      <p class="muted">${msg("commandPythonApplyToo", {
        rest:
          d.risk === "page"
            ? msg("browserGivesPageNoStore")
            : d.risk === "full"
              ? msg("browserWhoseDiskFullMay")
              : msg("browserKeepsJournalUntilThrown"),
      })}</p></div></forebay-menu>
      <input type="file" id="journal" hidden aria-label=${msg("journalEdits")} @change=${(e: Event) => {
        const input = e.target as HTMLInputElement;
        const file = input.files?.[0];
        input.value = "";
        if (file) then(() => d.take(file))();
      }} />`;
  }
}

/** Whether the changes are kept, in words. */
function keptWords({ pending, unkept, risk }: DrawingController): string {
  if (unkept) return "";
  if (pending > 1) return msg("keepingChanges", { pending });
  if (pending > 0) return msg("keeping");
  return risk === "page" ? msg("keptWhilePageOpen") : msg("everyChangeKept");
}
