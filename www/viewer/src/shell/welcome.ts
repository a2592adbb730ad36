/** The page before a file is open: where to drop it, what is served, what was opened before, and what went wrong. */
import { LitElement, css, html, nothing, svg, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import type { OpenProgress } from "../../../lib/src/model/index.ts";
import type { Recent } from "../files/recent.ts";
import { controls } from "../ui/styles.ts";
import { SHOWN_SIZE } from "../files/open-any.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count, type Trouble } from "../ui/wording.ts";

/** The mark of the project. */
export const LOGO = svg`<rect width="32" height="32" rx="8" fill="#0b6e69"/><path d="M7 10h18M7 16h12M7 22h15" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/>`;

/** A file that the server of the page offers. */
export interface Offer {
  readonly name: string;
  readonly url: string;
  readonly bytes: number | null;
}

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

/** `<forebay-welcome>`: sends `choose`, `url` with a text, `recent` with an entry, `back` and `forget`. */
@customElement("forebay-welcome")
export class Welcome extends LitElement {
  static override styles = [
    controls,
    css`
    :host {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      place-items: center;
      padding: 24px;
      overflow: auto;
    }
    .middle {
      width: min(640px, 100%);
    }
    .drop {
      display: grid;
      justify-items: center;
      gap: 12px;
      padding: 48px 24px 40px;
      border: 2px dashed var(--line);
      border-radius: 18px;
      background: var(--card);
      text-align: center;
    }
    .drop svg {
      width: 54px;
      height: 54px;
    }
    .drop h1 {
      margin: 0;
      font-size: 22px;
      letter-spacing: -0.02em;
    }
    .drop p {
      margin: 0;
      color: var(--ink-2);
      max-width: 48ch;
    }
    .url {
      display: flex;
      gap: 8px;
      margin-top: 16px;
    }
    .url input {
      flex: 1;
      min-width: 0;
    }
    section {
      margin-top: 22px;
    }
    .title {
      display: flex;
      justify-content: space-between;
      align-items: center;
    }
    .title button {
      min-height: 26px;
      font-size: 12.5px;
      color: var(--ink-2);
    }
    ul {
      list-style: none;
      margin: 8px 0 0;
      padding: 0;
      display: grid;
      gap: 6px;
    }
    li button {
      width: 100%;
      justify-content: space-between;
    }
    li span {
      overflow: hidden;
      text-overflow: ellipsis;
    }
    .private {
      margin-top: 18px;
      text-align: center;
      font-size: 12.5px;
      color: var(--ink-2);
    }
    .opening,
    .failed {
      display: grid;
      grid-template-columns: minmax(0, 1fr);
      gap: 12px;
      padding: 34px;
      border: 1px solid var(--line);
      border-radius: 18px;
      background: var(--card);
      overflow-wrap: anywhere;
    }
    .failed h1,
    .opening h1 {
      margin: 0;
      font-size: 19px;
    }
    .buttons {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
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
      <p class="private">Nothing leaves this machine: files are read by this page and nobody else.</p>
    </div>`;
  }

  private renderDrop(): TemplateResult {
    return html`
      <div class="drop">
        <svg viewBox="0 0 32 32" aria-hidden="true">${LOGO}</svg>
        <h1>Drop a dataset file here</h1>
        <p>TBL or TAR with samples, TBF or IDV with rows, of any size: only the index is read, then what you look at. CSV and JSON lines up to ${SHOWN_SIZE}.</p>
        <button class="primary" @click=${() => this.send("choose")}>Choose a file</button>
      </div>
      <div class="url">
        <input type="url" aria-label="Address of a file" placeholder="https://… the address of a file"
          @keydown=${(e: KeyboardEvent) => {
            if (e.key === "Enter") this.send("url", this.address.value);
          }} />
        <button @click=${() => this.send("url", this.address.value)}>Open</button>
      </div>`;
  }
  private renderLists(): TemplateResult {
    const recent = this.recent.filter((r) => r.url || r.handle);
    const row = (name: string, size: number | null, act: () => void, where = ""): TemplateResult => html`
      <li><button title=${where || nothing}
        @click=${act}><span>${visible(name)}${where ? html` <span class="muted">${visible(where)}</span>` : nothing}</span><span class="muted">${size === null ? "" : bytes(size)}</span></button></li>`;
    const twice = (name: string): boolean => recent.filter((r) => r.name === name).length > 1;
    return html`
      ${
        this.offers.length === 0
          ? nothing
          : html`<section><h2>Served here</h2>
        <ul>${this.offers.map((o) => row(o.name, o.bytes, () => this.send("url", o.url)))}</ul></section>`
      }
      ${
        recent.length === 0 && this.kept === 0
          ? nothing
          : html`<section>
        <div class="title"><h2>Recent</h2><button class="bare"
          title="Forget these files and the indexes that are kept of them"
          @click=${() => this.send("forget")}>Forget${this.kept > 0 ? `, with ${bytes(this.kept)} of indexes` : ""}</button></div>
        <ul>${recent.map((r) => row(r.name, r.bytes, () => this.send("recent", r), twice(r.name) ? placeOf(r) : ""))}</ul></section>`
      }`;
  }
  private renderOpening(): TemplateResult {
    const { name, progress: p, unpacking } = this.opening!;
    return html`
      <div class="opening" role="group" aria-label="Opening">
        <h1>${unpacking ? "Unpacking" : "Opening"} <bdi>${visible(name)}</bdi></h1>
        <progress aria-label="Opened" max="1" .value=${p && p.totalBytes > 0 ? p.bytes / p.totalBytes : 0}></progress>
        <div class="muted">${unpacking ? `${bytes(p?.bytes ?? 0)}${p?.totalBytes ? ` of ${bytes(p.totalBytes)}` : ""} unpacked` : p ? `${count(p.samples)} found, ${bytes(p.bytes)} of ${bytes(p.totalBytes)} looked through` : "reading the index…"}</div>
        <div class="buttons"><button @click=${() => this.send("back")}>Cancel</button></div>
      </div>`;
  }
  private renderFailure(): TemplateResult {
    const { name, trouble: t, ways = [], kind } = this.failure!;
    return html`
      <div class="failed" role="alert">
        <h1>${kind === "asks" ? html`Open <bdi>${visible(name)}</bdi>` : html`<bdi>${visible(name)}</bdi> could not be opened`}</h1>
        <div>${t.message}</div>
        ${t.code ? html`<code class="bad">${t.code}</code>` : nothing}
        <div class="buttons">${ways.map(
          (way, k) => html`<button class=${k === 0 ? "primary" : ""}
          @click=${way.go}>${way.words}</button>`,
        )}<button class=${ways.length > 0 ? "" : "primary"}
          @click=${() => this.send("back")}>Open another</button></div>
      </div>`;
  }
}

/** What tells files of one name apart: the address, or when one was opened. */
function placeOf({ url, when }: Recent): string {
  return url === undefined
    ? `opened ${new Date(when).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`
    : url.replace(/^https?:\/\//, "").replace(/[^/]*$/, "");
}
