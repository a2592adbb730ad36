/** Metadata as a tree that unfolds. Every name and value is text and nothing else. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { digitsOf } from "../../../lib/src/base/exact.ts";
import type { Json } from "../../../lib/src/model/index.ts";
import { visible } from "./visible.ts";
import { msg } from "../messages/ui.ts";

/** How a tree looks. */
export const treeStyles = css`
  .key {
    color: var(--accent); margin-inline-end: 10px; font-family: var(--mono); font-size: 12.5px; unicode-bidi: isolate;
  }
  .value {
    unicode-bidi: plaintext; white-space: pre-wrap; overflow-wrap: anywhere; font-family: var(--mono);
    font-size: 12.5px;
  }
  .branch { margin-inline-start: 7px; padding-inline-start: 12px; border-inline-start: 1px solid var(--line); }
  .branch.flat { margin-inline-start: 0; padding-inline-start: 0; border-inline-start: 0; }
  .leaf { padding: 2px 0; }
  summary { cursor: pointer; padding: 2px 0; }
`;

/** Entries of a list that are shown before a note says how many more there are. */
const SHOWN = 200;
const LONG = 2000;
/** Levels that stand further to the right each; below them there would be no room for what they hold. */
const INDENTED = 12;
/** Levels that can be opened. */
const DEEPEST = 64;

/** A value in words; `digits` of an integer that JavaScript rounds. */
const scalar = (value: Json, digits?: string): TemplateResult => {
  const text = digits ?? (typeof value === "string" ? value : JSON.stringify(value));
  const kind = value === null ? "null" : typeof value;
  return html`<span class="value ${kind}">${text.length > LONG ? `${visible(text.slice(0, LONG))}…` : visible(text)}</span>`;
};

/** Draws a value under a name. Deep branches start folded, and are drawn once they are opened. */
export function tree(name: string, value: Json, depth = 0, digits?: string): TemplateResult {
  if (value === null || typeof value !== "object")
    return html`<div class="leaf"><span class="key">${visible(name)}</span>${scalar(value, digits)}</div>`;
  if (Array.isArray(value) && value.length <= 8 && value.every((v) => v === null || typeof v !== "object")) {
    return html`<div class="leaf"><span class="key">${visible(name)}</span><span class="value">[${visible(value.map((v, k) => digitsOf(value, String(k)) ?? JSON.stringify(v)).join(", "))}]</span></div>`;
  }
  return html`<forebay-branch .name=${name} .value=${value} .depth=${depth}></forebay-branch>`;
}

/** `<forebay-branch>`: a list or an object. A picture may have tens of thousands of points: what is folded is not there. */
@customElement("forebay-branch")
export class Branch extends LitElement {
  @property({ attribute: false }) name = "";
  @property({ attribute: false }) value: Json[] | { [key: string]: Json } = [];
  @property({ attribute: false }) depth = 0;
  @state() private opened = false;

  /** Among what it belongs to, whose styles it has. */
  protected override createRenderRoot(): this {
    return this;
  }
  private get total(): number {
    return Array.isArray(this.value) ? this.value.length : Object.keys(this.value).length;
  }
  protected override willUpdate(): void {
    if (!this.hasUpdated) this.opened = this.depth < 2 && this.total <= 40;
  }
  override render(): TemplateResult {
    const { value, depth, total } = this;
    return html`
      <details ?open=${this.opened} @toggle=${(e: Event) => (this.opened = (e.target as HTMLDetailsElement).open)}>
        <summary><span class="key">${visible(this.name)}</span><span class="muted">${Array.isArray(value) ? `[${total}]` : `{${total}}`}</span></summary>
        <div class="branch ${depth < INDENTED ? "" : "flat"}">${this.opened ? this.renderEntries() : nothing}</div>
      </details>`;
  }
  private renderEntries(): unknown {
    const { value, depth, total } = this;
    if (depth >= DEEPEST) return msg("deeperThanShown");
    const entries: [string, Json][] = Array.isArray(value)
      ? value.slice(0, SHOWN).map((v, k) => [String(k), v])
      : Object.entries(value).slice(0, SHOWN);
    return [
      ...entries.map(([k, v]) => tree(k, v, depth + 1, digitsOf(value, k))),
      total > SHOWN ? html`<div class="leaf muted">${msg("andMore", { total: total - SHOWN })}</div>` : nothing,
    ];
  }
}
