/** Small drawings on buttons whose name is read out: of one size and weight, which signs of a font are not. */
import { svg, type SVGTemplateResult } from "lit";

const icon = (path: SVGTemplateResult): SVGTemplateResult =>
  svg`<svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;

export const ICONS = {
  theme: icon(svg`<circle cx="8" cy="8" r="5.7"/><path d="M8 2.3a5.7 5.7 0 0 1 0 11.4z" fill="currentColor"/>`),
  help: icon(svg`<path d="M5.6 5.7a2.4 2.4 0 1 1 3.6 2.1C8.4 8.3 8 8.8 8 9.7"/><path d="M8 12.6v.1"/>`),
  left: icon(svg`<path d="M13 8H3m4-4L3 8l4 4"/>`),
  right: icon(svg`<path d="M3 8h10M9 4l4 4-4 4"/>`),
  save: icon(svg`<path d="M8 2.5v8m-3.3-3.3L8 10.5l3.3-3.3M3 13.5h10"/>`),
  close: icon(svg`<path d="m4 4 8 8m0-8-8 8"/>`),
  star: icon(svg`<path d="m8 2 1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z"/>`),
  copy: icon(
    svg`<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5"/>`,
  ),
  full: icon(svg`<path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"/>`),
  fold: icon(svg`<path d="m4 6 4 4 4-4"/>`),
  less: icon(svg`<path d="M3.5 8h9"/>`),
  more: icon(svg`<path d="M3.5 8h9M8 3.5v9"/>`),
} as const;
