/** One value of a facet, as long as it is frequent. */
import { css, html, nothing, type TemplateResult } from "lit";
import { visible } from "./visible.ts";
import { count } from "./wording.ts";

/** How bars look. */
export const barStyles = css`
  .bar {
    position: relative; display: flex; justify-content: space-between; width: 100%; min-height: 28px;
    margin-bottom: 3px; padding: 0 8px; border-color: transparent; border-radius: 6px; background: transparent;
    font-size: 13px; overflow: hidden;
  }
  .bar:disabled { opacity: 1; }
  .bar i { position: absolute; inset-block: 0; inset-inline-start: 0; background: var(--soft); border-radius: 6px; }
  .bar i + i { background: var(--accent-soft); }
  @media (forced-colors: active) {
    .bar i { forced-color-adjust: none; inset-block: auto 0; height: 5px; border-radius: 0; background: GrayText; }
    .bar i + i { background: Highlight; }
  }
  .bar b { position: relative; flex: none; width: 9px; height: 9px; border-radius: 3px; forced-color-adjust: none; }
  .bar b + span { flex: 1; text-align: start; }
  .bar span { position: relative; overflow: hidden; text-overflow: ellipsis; }
  .bar span:last-child { flex: none; font-variant-numeric: tabular-nums; }
`;

/** What a bar stands for. */
export interface BarOf {
  readonly label: string;
  readonly all: number;
  readonly kept: number;
  /** How many the longest bar has. */
  readonly most: number;
  readonly on: boolean;
  readonly color?: string;
  /** What is written, if the label is too long for that. */
  readonly short?: string;
}

/** A bar: how many there are in all, how many of them the filter keeps, and whether it is the filter. Without `act` it is none. `color` is the one in which boxes of it are drawn. */
export function bar(
  { label, all, kept, most, on, color, short = label }: BarOf,
  act: (() => void) | null,
): TemplateResult {
  return html`
    <button class="bar" aria-pressed=${on} title=${visible(label)} ?disabled=${act === null} @click=${act}>
      <i .style=${`width:${(100 * all) / most}%`}></i><i .style=${`width:${(100 * kept) / most}%`}></i>
      ${color ? html`<b .style=${`background:${color}`}></b>` : nothing}<span>${visible(short)}</span><span>${count(kept)}</span>
    </button>`;
}
