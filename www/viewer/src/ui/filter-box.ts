/** The filter's text: completion of field names, errors where they are. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { completions, type Choice, type FilterField, type Values } from "./complete.ts";
import { isUnfinished, unknownFields } from "./fields.ts";
import { FILE_ICONS } from "./file-icons.ts";
import { controls } from "./styles.ts";
import { visible } from "./visible.ts";
import type { Trouble } from "./wording.ts";
import { msg, rich } from "../messages/ui.ts";
import { isComposing } from "./typing.ts";

/** Milliseconds without a key after which the filter is applied, if the index answers it, */
const QUIET = 250;
/** and if the metadata must be read for it. */
const QUIET_READING = 600;
const EXAMPLE = "width >= 224 && height >= 224";

/**
 * `<forebay-filter>`: sends `filter` with the text. While somebody types it waits for a filter that is likely meant:
 * what was found before stays until then.
 */
@customElement("forebay-filter")
export class FilterBox extends LitElement {
  static override styles = [
    controls,
    css`
      :host { position: relative; display: block; }
      .box {
        position: relative;
        /* Expressions are written like code, in every language. */
        direction: ltr;
      }
      input { width: 100%; padding-right: 34px; font-family: var(--mono); font-size: 13px; }
      input:placeholder-shown { text-overflow: ellipsis; }
      input[aria-invalid="true"] { border-color: var(--bad); }
      .clear { position: absolute; right: 2px; top: 2px; min-height: 30px; width: 30px; }
      .star { position: absolute; right: 32px; top: 2px; min-height: 30px; width: 30px; }
      .with-star input { padding-right: 66px; }
      .list, .waits, .error {
        position: absolute; z-index: 20; top: calc(100% + 4px); left: 0; right: 0; border: 1px solid var(--line);
        border-radius: 10px; background: var(--card); box-shadow: var(--shadow);
      }
      .list { margin: 0; padding: 4px; list-style: none; max-height: 260px; overflow: auto; }
      .list li {
        display: flex; justify-content: space-between; padding: 6px 10px; border-radius: 7px; cursor: pointer;
        font-family: var(--mono); font-size: 13px;
      }
      .list li.on { background: var(--accent-soft); }
      .list span { color: var(--ink-2); font-family: inherit; }
      .error, .waits { padding: 8px 12px; font-size: 13px; }
      .error { color: var(--bad); }
      .waits { color: var(--ink-2); }
      .error pre {
        margin: 0 0 4px; font-family: var(--mono); color: var(--ink); white-space: pre-wrap; overflow-wrap: anywhere;
      }
      .error mark { background: var(--bad-soft); color: var(--bad); text-decoration: underline wavy; }
    `,
  ];

  @property() value = "";
  @property({ attribute: false }) fields: readonly FilterField[] = [];
  /** Values that fields are known to have. */
  @property({ attribute: false }) values: Values = new Map();
  @property({ attribute: false }) error: Trouble | null = null;
  /** A filter that makes sense here. */
  @property() example = EXAMPLE;
  /** The filter that is applied can be kept: sends `keep` when somebody wants that. */
  @property({ type: Boolean }) keepable = false;
  @state() private choices: readonly Choice[] = [];
  /** Whether a choice was looked for: only then Enter takes it, and else the filter as it is. */
  private moved = false;
  /** Whether choices are wanted, even while there are none: fields and values are found while somebody types. */
  private offering = false;
  private from = 0;
  @state() private chosen = 0;
  @state() private inside = false;
  /** What is written is not applied before Enter says so. */
  @state() private waits = false;
  @query("input") private input!: HTMLInputElement;
  private timer = 0;

  override focus(): void {
    this.input.focus();
    this.input.select();
  }

  /** What was written for a file that is gone does not filter the next. */
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.rest();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (this.offering && !this.moved && (changed.has("fields") || changed.has("values"))) this.offer();
  }

  override render(): TemplateResult {
    const listed = this.choices.length > 0 && this.inside;
    return html`
      <div class="box ${this.keepable && this.value ? "with-star" : ""}">
        <input type="text" role="combobox" spellcheck="false" autocomplete="off" aria-label=${msg("filter")}
          aria-autocomplete="list"
          aria-controls="fields" aria-expanded=${listed} aria-invalid=${this.error !== null && !this.waits}
          aria-activedescendant=${listed ? `f${this.chosen}` : nothing}
            aria-describedby=${this.error && !this.waits ? "error" : nothing}
          placeholder=${msg("filterSuch", { example: visible(this.example) })} .value=${this.value}
          @input=${this.typed} @keydown=${this.onKey} @focus=${() => (this.inside = true)} @blur=${this.left} />
        ${
          this.keepable && this.value
            ? html`<button class="bare icon star" aria-label=${msg("keepFilter")} title=${msg("keepFilter")}
          @click=${() => this.dispatchEvent(new CustomEvent("keep"))}>${FILE_ICONS.star}</button>`
            : nothing
        }
        ${
          this.value
            ? html`<button class="bare icon clear" aria-label=${msg("clearFilter")}
          @click=${() => this.apply("")}>✕</button>`
            : nothing
        }
      </div>
      <ul class="list" id="fields" role="listbox" aria-label=${msg("whatCouldComeHere")} ?hidden=${!listed}>
        ${this.choices.map(
          (choice, k) => html`
          <li id="f${k}" role="option" aria-selected=${k === this.chosen} class=${k === this.chosen ? "on" : ""}
            @mousedown=${(e: Event) => {
              e.preventDefault();
              this.complete(choice.text);
            }}><bdi>${visible(choice.text)}</bdi><span>${choice.note}</span></li>`,
        )}
      </ul>
      ${this.error && !listed && !this.waits ? this.renderError(this.error) : nothing}
      ${this.waits && !listed ? this.renderWaits() : nothing}`;
  }

  private renderWaits(): TemplateResult {
    const unknown = unknownFields(
      this.value,
      this.fields.map((f) => f.name),
    )
      .map(visible)
      .join(", ");
    return html`<div class="waits">${unknown ? html`${rich("firstSampleHasNoEnter", { unknown: html`<code>${unknown}</code>` })}` : msg("enterFiltersWhatWrittenSo")}</div>`;
  }
  private renderError(error: Trouble): TemplateResult {
    // The offset counts characters, as people do, and not UTF-16 units.
    const text = [...this.value];
    const at = Math.min(error.offset ?? text.length, text.length);
    return html`<div class="error" id="error" role="alert">
      ${error.offset === undefined ? nothing : html`<pre>${visible(text.slice(0, at).join(""))}<mark>${visible(text[at] ?? " ")}</mark>${visible(text.slice(at + 1).join(""))}</pre>`}
      ${error.message}</div>`;
  }

  private typed(): void {
    this.value = this.input.value;
    this.offer();
    this.soon();
  }
  /** Applies what is written once nothing more is, if it is likely meant. */
  private soon(): void {
    this.rest();
    const { value } = this;
    this.waits = false;
    const reads = this.fields.some((f) => f.indexed === false && value.includes(f.name));
    this.timer = window.setTimeout(
      () => {
        this.timer = 0;
        this.waits = isUnfinished(
          value,
          this.fields.map((f) => f.name),
        );
        if (!this.waits) this.apply(value, true);
      },
      reads ? QUIET_READING : QUIET,
    );
  }
  private rest(): void {
    clearTimeout(this.timer);
    this.timer = 0;
  }
  private left(): void {
    this.inside = false;
    // Whoever leaves means what is written, also if it was written just now.
    if (this.waits || this.timer) this.apply(this.value);
  }
  private offer(): void {
    const { start, choices } = completions(this.input.value, this.input.selectionStart ?? 0, this.fields, this.values);
    this.from = start;
    this.choices = choices;
    this.chosen = 0;
    this.moved = false;
    this.offering = true;
  }
  private complete(text: string): void {
    const { value } = this.input;
    const caret = this.input.selectionStart ?? value.length;
    // A list is only opened; its values come next.
    const done = `${value.slice(0, this.from)}${text}${text.endsWith("[") ? "" : " "}`;
    this.input.value = done + value.slice(caret).trimStart();
    this.input.setSelectionRange(done.length, done.length);
    this.value = this.input.value;
    this.offer();
    this.soon();
  }
  private close(): void {
    this.choices = [];
    this.offering = false;
  }
  private apply(text: string, typing = false): void {
    this.rest();
    this.waits = false;
    this.value = text;
    if (!typing) this.close();
    this.dispatchEvent(new CustomEvent("filter", { detail: text }));
  }
  private onKey(e: KeyboardEvent): void {
    if (isComposing(e)) return;
    const listed = this.choices.length > 0;
    if (listed && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
      this.moved = true;
      this.chosen = (this.chosen + (e.key === "ArrowDown" ? 1 : this.choices.length - 1)) % this.choices.length;
    } else if (listed && (e.key === "Tab" || (e.key === "Enter" && this.moved)))
      this.complete(this.choices[this.chosen]!.text);
    else if (e.key === "Enter") this.apply(this.input.value);
    else if (e.key === "Escape") {
      if (listed) this.close();
      else this.input.blur();
    } else {
      e.stopPropagation();
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  }
}
