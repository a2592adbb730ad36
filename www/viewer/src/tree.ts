/** Metadata as a tree that unfolds. Every name and value is text and nothing else. */
import { css, html, type TemplateResult } from "lit";
import type { Json } from "../../lib/src/types.ts";

/** How a tree looks. */
export const treeStyles = css`
  .key {
    color: var(--accent);
    margin-right: 10px;
    font-family: var(--mono);
    font-size: 12.5px;
  }
  .value {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    font-family: var(--mono);
    font-size: 12.5px;
  }
  .branch {
    margin-left: 7px;
    padding-left: 12px;
    border-left: 1px solid var(--line);
  }
  .leaf {
    padding: 2px 0;
  }
  summary {
    cursor: pointer;
    padding: 2px 0;
  }
`;

/** Entries of a list that are shown before a note says how many more there are. */
const SHOWN = 200;
const LONG = 2000;

const scalar = (value: Json): TemplateResult => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const kind = value === null ? "null" : typeof value;
  return html`<span class="value ${kind}">${text.length > LONG ? `${text.slice(0, LONG)}…` : text}</span>`;
};

/** Draws a value under a name. Deep branches start folded, and are drawn when they are opened. */
export function tree(name: string, value: Json, depth = 0): TemplateResult {
  if (value === null || typeof value !== "object") return html`<div class="leaf"><span class="key">${name}</span>${scalar(value)}</div>`;
  const entries: [string, Json][] = Array.isArray(value) ? value.slice(0, SHOWN).map((v, k) => [String(k), v]) : Object.entries(value).slice(0, SHOWN);
  const total = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (Array.isArray(value) && total <= 8 && value.every((v) => v === null || typeof v !== "object")) {
    return html`<div class="leaf"><span class="key">${name}</span><span class="value">[${value.map((v) => JSON.stringify(v)).join(", ")}]</span></div>`;
  }
  const more = total > SHOWN ? html`<div class="leaf muted">and ${total - SHOWN} more</div>` : "";
  return html`
    <details ?open=${depth < 2 && total <= 40}>
      <summary><span class="key">${name}</span><span class="muted">${Array.isArray(value) ? `[${total}]` : `{${total}}`}</span></summary>
      <div class="branch">${depth < 64 ? entries.map(([k, v]) => tree(k, v, depth + 1)) : "deeper than is shown"}${more}</div>
    </details>`;
}
