/** The page before a file is open: where to drop it, what is served, what was opened before, and what went wrong. */
import { LitElement, css, html, nothing, svg, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import type { OpenProgress } from "../../../lib/src/model/index.ts";
import type { Recent } from "../files/recent.ts";
import { controls } from "../ui/styles.ts";
import { shownSize } from "../files/open-any.ts";
import { offerList, placeStyles, recentList, type Offer } from "./places.ts";
import { visible } from "../ui/visible.ts";
import { bytes, type Trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/shell.ts";
import { isEnter } from "../ui/typing.ts";

/** The mark of the project. */
export const LOGO = svg`<rect width="32" height="32" rx="8" fill="#0b6e69"/><path d="M7 10h18M7 16h12M7 22h15" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/>`;

/** Whether this is the quick build, as the bundler says. */
declare const FOREBAY_QUICK: boolean;
const isQuick = typeof FOREBAY_QUICK !== "undefined" && FOREBAY_QUICK;

/** A way on: its words, and what it does. */
export interface Way {
  readonly words: string;
  readonly go: () => void;
}

/** A file that is on its way. */
export interface Opening {
  readonly name: string;
  readonly progress: OpenProgress | null;
  /** It is unpacked first. */
  readonly unpacking?: boolean;
}

/** A file that could not be opened, and what may help. */
export interface Failure {
  readonly name: string;
  readonly trouble: Trouble;
  /** Ways on, the likeliest first. */
  readonly ways?: readonly Way[];
  /** Nothing failed: something is needed first. */
  readonly kind?: "asks";
}

/** What is opened, and what is in it. */
const formats = () =>
  [
    ["TBL", msg("samplesPicturesLabels")],
    ["TAR", msg("samplesWebDataset")],
    ["ZIP", msg("samplesByDirectory")],
    [msg("picturesChip"), msg("folderOfPictures")],
    [msg("warehouse"), msg("folderTensorsManifest")],
    ["TBF", common("rows")],
    ["Parquet", common("rows")],
    ["Arrow", msg("rowsFileStream")],
    ["IDV", msg("rowsMlNetKeepsThem")],
    ["CSV", msg("rowsUp", { value: shownSize() })],
    ["TSV", msg("rowsUp", { value: shownSize() })],
    [common("jsonLines"), msg("rowsUp", { value: shownSize() })],
  ] as const;

/** Three things to do with the sample dataset: drawn, in words, and as a link. */
const uses = () =>
  [
    [
      svg`<g fill="currentColor" opacity="0.18"><rect x="4" y="6" width="34" height="26" rx="3"/><rect x="43" y="6" width="34" height="26" rx="3"/><rect x="82" y="6" width="34" height="26" rx="3"/><rect x="4" y="37" width="34" height="26" rx="3"/><rect x="43" y="37" width="34" height="26" rx="3"/><rect x="82" y="37" width="34" height="26" rx="3"/></g><g fill="none" stroke="currentColor" stroke-width="2"><rect x="12" y="12" width="14" height="14"/><rect x="56" y="16" width="16" height="10"/><rect x="90" y="42" width="12" height="16"/><rect x="50" y="43" width="20" height="15"/></g>`,
      msg("seeLabels"),
      msg("classesBoxesOnEveryPicture"),
      { i: 3 },
    ],
    [
      svg`<g fill="currentColor"><rect x="8" y="8" width="78" height="10" rx="3" opacity="0.3"/><rect x="8" y="8" width="52" height="10" rx="3"/><rect x="8" y="24" width="60" height="10" rx="3" opacity="0.3"/><rect x="8" y="24" width="20" height="10" rx="3"/><rect x="8" y="40" width="34" height="10" rx="3" opacity="0.3"/><rect x="8" y="40" width="30" height="10" rx="3"/></g><path d="M90 34h24l-9 11v11l-6 4V45z" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round"/>`,
      msg("findCount"),
      msg("facetsHistogramsFilterOverSizes"),
      { q: 'json.label == "boat"' },
    ],
    [
      svg`<g fill="currentColor"><g opacity="0.3"><circle cx="22" cy="18" r="7"/><circle cx="38" cy="26" r="7"/><circle cx="26" cy="36" r="7"/></g><circle cx="84" cy="38" r="7"/><circle cx="98" cy="46" r="7"/><circle cx="97" cy="29" r="7"/></g><path d="M74 22 111 18l2 38-38 2z" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" stroke-dasharray="4 4"/>`,
      msg("mapThem"),
      msg("imagesAlikeNearEachOther"),
      { view: "map" },
    ],
  ] as const;

/** `<forebay-welcome>`: sends `sample` with a link or without, `folder`, `choose`, `url` with a text, `recent` with an entry, `back` and `forget`. */
@customElement("forebay-welcome")
export class Welcome extends LitElement {
  static override styles = [
    controls,
    placeStyles,
    css`
      :host {
        display: grid; grid-template-columns: minmax(0, 1fr); place-items: center; padding: 24px; overflow: auto;
      }
      .middle { width: min(720px, 100%); }
      .drop {
        display: grid;
        justify-items: center;
        gap: 12px;
        padding: 34px 24px 28px;
        border: 2px dashed var(--line);
        border-radius: 18px;
        background: var(--card);
        text-align: center;
        /* No chip or word is left alone in a row. */
        text-wrap: balance;
      }
      .drop svg { width: 54px; height: 54px; }
      .drop h1 { margin: 0; font-size: 22px; letter-spacing: -0.02em; }
      .drop p { margin: 0; color: var(--ink-2); max-width: 48ch; }
      .url { display: flex; gap: 8px; margin-top: 16px; }
      .url input { flex: 1; min-width: 0; }
      section { margin-top: 22px; }
      .drop .buttons { justify-content: center; }
      .formats { display: block; }
      .formats li {
        display: inline-block; margin: 3px; padding: 1px 9px; border: 1px solid var(--line); border-radius: 999px;
        font-size: 12px; color: var(--ink-2);
      }
      .hint { margin-top: 8px; font-size: 12.5px; color: var(--ink-2); overflow-wrap: anywhere; }
      .uses { grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 12px; }
      .uses li { display: grid; }
      .uses button {
        display: grid; gap: 2px; align-content: start; height: auto; padding: 12px; text-align: start;
        white-space: normal; border: 1px solid var(--line); border-radius: 12px; background: var(--card);
      }
      .uses svg { width: 100%; height: 64px; margin-bottom: 6px; color: var(--accent); }
      .uses span { font-size: 12.5px; color: var(--ink-2); }
      .private { margin-top: 18px; text-align: center; font-size: 12.5px; color: var(--ink-2); }
      .opening, .failed {
        display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; padding: 34px; border: 1px solid var(--line);
        border-radius: 18px; background: var(--card); overflow-wrap: anywhere;
      }
      .failed h1, .opening h1 { margin: 0; font-size: 19px; }
      .buttons { display: flex; flex-wrap: wrap; gap: 8px; }
    `,
  ];

  @property({ attribute: false }) opening: Opening | null = null;
  @property({ attribute: false }) failure: Failure | null = null;
  @property({ attribute: false }) offers: readonly Offer[] = [];
  @property({ attribute: false }) recent: readonly Recent[] = [];
  /** Bytes of indexes that are kept. */
  @property({ type: Number }) kept = 0;
  @query(".url input") private address!: HTMLInputElement;

  private send(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  override render(): TemplateResult {
    return html`<div class="middle">
      ${this.opening ? this.renderOpening() : this.failure ? this.renderFailure() : this.renderDrop()}
      ${this.opening ? nothing : this.renderLists()}
      ${this.opening || this.failure ? nothing : this.renderUses()}
      <p class="private">${msg("nothingLeavesMachineFilesRead")}${isQuick ? html`<br />${msg("quickBuild")}` : nothing}</p>
    </div>`;
  }

  private renderDrop(): TemplateResult {
    return html`
      <div class="drop">
        <svg viewBox="0 0 32 32" aria-hidden="true">${LOGO}</svg>
        <h1>${msg("dropDatasetFileHere")}</h1>
        <p>${msg("anySizeOnlyIndexRead")}</p>
        <div class="buttons">
          <button class="primary" @click=${() => this.send("choose")}>${msg("chooseFile2")}</button>
          <button @click=${() => this.send("folder")}>${msg("aFolder")}</button>
          <button @click=${() => this.send("sample")}>${msg("trySampleDataset")}</button>
        </div>
        <ul class="formats" aria-label=${msg("formats")}>${formats().map(
          ([name, what]) => html`<li title=${what}>${name}</li>`,
        )}</ul>
      </div>
      <div class="url">
        <input type="url" aria-label=${msg("addressFile")} aria-describedby="addresses"
          placeholder=${msg("httpsAddressFile")}
          @keydown=${(e: KeyboardEvent) => {
            if (isEnter(e)) this.send("url", this.address.value);
          }} />
        <button @click=${() => this.send("url", this.address.value)}>${common("open")}</button>
      </div>
      <div class="hint" id="addresses">${rich("suchServerMustAnswerRanges", { code: html`<code>https://BUCKET.s3.amazonaws.com/train.tbl</code>`, code2: html`<code>hf://datasets/OWNER/NAME/train.tar</code>` })}</div>`;
  }
  private renderUses(): TemplateResult {
    const use = ([picture, title, text, link]: ReturnType<typeof uses>[number]): TemplateResult =>
      html`<li><button @click=${() => this.send("sample", link)}><svg viewBox="0 0 120 64" aria-hidden="true">${picture}</svg>
        <b>${title}</b><span>${text}</span></button></li>`;
    return html`<section><h2>${msg("whatDoes")}</h2><ul class="uses">${uses().map(use)}</ul></section>`;
  }
  private renderLists(): TemplateResult {
    const go = {
      url: (address: string): void => this.send("url", address),
      recent: (entry: Recent): void => this.send("recent", entry),
    };
    const some = this.kept > 0 || this.recent.some((r) => r.url || r.handle);
    const forget = html`<button class="bare"
      title=${msg("forgetTheseFilesIndexesKept")}
      @click=${() => this.send("forget")}>${this.kept > 0 ? msg("forgetIndexes", { kept: bytes(this.kept) }) : msg("forget")}</button>`;
    return html`${offerList(this.offers, go)}${recentList(this.recent, go, some ? forget : nothing)}`;
  }
  private renderOpening(): TemplateResult {
    const { name, progress: p, unpacking } = this.opening!;
    return html`
      <div class="opening" role="group" aria-label=${msg("opening")}>
        <h1>${unpacking ? html`${rich("unpacking", { name: html`<bdi>${visible(name)}</bdi>` })}` : html`${rich("opening2", { name: html`<bdi>${visible(name)}</bdi>` })}`}</h1>
        <progress aria-label=${msg("opened2")} max="1" .value=${p && p.totalBytes > 0 ? p.bytes / p.totalBytes : 0}></progress>
        <div class="muted">${unpacking ? (p?.totalBytes ? msg("ofUnpacked", { bytes: bytes(p.bytes), totalBytes: bytes(p.totalBytes) }) : msg("unpacked", { bytes: bytes(p?.bytes ?? 0) })) : p ? msg("foundLookedThrough", { samples: p.samples, bytes: bytes(p.bytes), totalBytes: bytes(p.totalBytes) }) : msg("readingIndex")}</div>
        <div class="buttons"><button @click=${() => this.send("back")}>${common("cancel")}</button></div>
      </div>`;
  }
  private renderFailure(): TemplateResult {
    const { name, trouble: t, ways = [], kind } = this.failure!;
    return html`
      <div class="failed" role="alert">
        <h1>${kind === "asks" ? html`${rich("open", { name: html`<bdi>${visible(name)}</bdi>` })}` : html`${rich("couldNotOpened", { name: html`<bdi>${visible(name)}</bdi>` })}`}</h1>
        <div>${t.message}</div>
        ${t.code ? html`<code class="bad">${t.code}</code>` : nothing}
        <div class="buttons">${ways.map(
          (way, k) => html`<button class=${k === 0 ? "primary" : ""}
          @click=${way.go}>${way.words}</button>`,
        )}<button class=${ways.length > 0 ? "" : "primary"}
          @click=${() => this.send("back")}>${msg("openAnother")}</button></div>
      </div>`;
  }
}
