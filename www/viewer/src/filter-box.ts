/** The filter's text: completion of field names, errors where they are. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { controls } from "./styles.ts";
import type { Trouble } from "./words.ts";

/** Milliseconds without a key after which the filter is applied. */
const QUIET = 250;
const EXAMPLES = ["width >= 224 && height >= 224", 'format == "jpeg"', "aspect < 0.8", "bytes > 100000"];

/** `<forebay-filter>`: sends `filter` with the text. */
@customElement("forebay-filter")
export class FilterBox extends LitElement {
  static override styles = [controls, css`
    :host {
      position: relative;
      display: block;
    }
    .box {
      position: relative;
    }
    input {
      width: 100%;
      padding-right: 34px;
      font-family: var(--mono);
      font-size: 13px;
    }
    input[aria-invalid="true"] {
      border-color: var(--bad);
    }
    .clear {
      position: absolute;
      right: 2px;
      top: 2px;
      min-height: 30px;
      width: 30px;
    }
    .list,
    .error {
      position: absolute;
      z-index: 20;
      top: calc(100% + 4px);
      left: 0;
      right: 0;
      border: 1px solid var(--line);
      border-radius: 10px;
      background: var(--card);
      box-shadow: var(--shadow);
    }
    .list {
      margin: 0;
      padding: 4px;
      list-style: none;
      max-height: 260px;
      overflow: auto;
    }
    .list li {
      display: flex;
      justify-content: space-between;
      padding: 6px 10px;
      border-radius: 7px;
      cursor: pointer;
      font-family: var(--mono);
      font-size: 13px;
    }
    .list li.on {
      background: var(--accent-soft);
    }
    .list span {
      color: var(--ink-2);
      font-family: inherit;
    }
    .error {
      padding: 8px 12px;
      font-size: 13px;
      color: var(--bad);
    }
    .error pre {
      margin: 0 0 4px;
      font-family: var(--mono);
      color: var(--ink);
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }
    .error mark {
      background: var(--bad-soft);
      color: var(--bad);
      text-decoration: underline wavy;
    }
  `];

  @property() value = "";
  @property({ attribute: false }) fields: readonly { name: string; type: string }[] = [];
  @property({ attribute: false }) error: Trouble | null = null;
  @state() private choices: readonly { name: string; type: string }[] = [];
  @state() private chosen = 0;
  @state() private inside = false;
  @query("input") private input!: HTMLInputElement;
  private timer = 0;

  override focus(): void {
    this.input.focus();
    this.input.select();
  }

  override render(): TemplateResult {
    const listed = this.choices.length > 0 && this.inside;
    return html`
      <div class="box">
        <input type="text" role="combobox" spellcheck="false" autocomplete="off" aria-label="Filter" aria-autocomplete="list"
          aria-controls="fields" aria-expanded=${listed} aria-invalid=${this.error !== null}
          aria-activedescendant=${listed ? `f${this.chosen}` : nothing} aria-describedby=${this.error ? "error" : nothing}
          placeholder="Filter, such as  ${EXAMPLES[0]}" .value=${this.value}
          @input=${this.typed} @keydown=${this.onKey} @focus=${() => (this.inside = true)} @blur=${() => (this.inside = false)} />
        ${this.value ? html`<button class="bare icon clear" aria-label="Clear the filter" @click=${() => this.apply("")}>✕</button>` : nothing}
      </div>
      <ul class="list" id="fields" role="listbox" aria-label="Fields" ?hidden=${!listed}>
        ${this.choices.map((field, k) => html`
          <li id="f${k}" role="option" aria-selected=${k === this.chosen} class=${k === this.chosen ? "on" : ""}
            @mousedown=${(e: Event) => { e.preventDefault(); this.complete(field.name); }}>${field.name}<span>${field.type}</span></li>`)}
      </ul>
      ${this.error && !listed ? this.renderError(this.error) : nothing}`;
  }

  private renderError(error: Trouble): TemplateResult {
    // The offset counts characters, as people do, and not UTF-16 units.
    const text = [...this.value];
    const at = Math.min(error.offset ?? text.length, text.length);
    return html`<div class="error" id="error" role="alert">
      ${error.offset === undefined ? nothing : html`<pre>${text.slice(0, at).join("")}<mark>${text[at] ?? " "}</mark>${text.slice(at + 1).join("")}</pre>`}
      ${error.message}</div>`;
  }

  private word(): { start: number; text: string } | null {
    const end = this.input.selectionStart ?? 0;
    const before = this.input.value.slice(0, end);
    // Inside a string nothing is completed.
    if ((before.replace(/\\./g, "").match(/["']/g)?.length ?? 0) % 2 === 1) return null;
    const text = before.match(/[\p{L}_][\p{L}\p{N}_.]*$/u)?.[0] ?? "";
    return { start: end - text.length, text };
  }
  private typed(): void {
    this.value = this.input.value;
    const word = this.word();
    this.choices = word?.text ? this.fields.filter((f) => f.name.startsWith(word.text) && f.name !== word.text).slice(0, 12) : [];
    this.chosen = 0;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.apply(this.value), QUIET);
  }
  private complete(name: string): void {
    const word = this.word();
    if (!word) return;
    const { value } = this.input;
    const done = `${value.slice(0, word.start)}${name} `;
    this.input.value = done + value.slice(word.start + word.text.length).trimStart();
    this.input.setSelectionRange(done.length, done.length);
    this.choices = [];
    this.value = this.input.value;
  }
  private apply(text: string): void {
    clearTimeout(this.timer);
    this.value = text;
    this.choices = [];
    this.dispatchEvent(new CustomEvent("filter", { detail: text }));
  }
  private onKey(e: KeyboardEvent): void {
    const listed = this.choices.length > 0;
    if (listed && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
      this.chosen = (this.chosen + (e.key === "ArrowDown" ? 1 : this.choices.length - 1)) % this.choices.length;
    } else if (listed && (e.key === "Tab" || e.key === "Enter")) this.complete(this.choices[this.chosen]!.name);
    else if (e.key === "Enter") this.apply(this.input.value);
    else if (e.key === "Escape") {
      if (listed) this.choices = [];
      else this.input.blur();
    } else {
      e.stopPropagation();
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  }
}
