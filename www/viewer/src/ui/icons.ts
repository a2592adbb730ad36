/** Small drawings on buttons whose name is read out: of one size and weight, which signs of a font are not. */
import { svg, type SVGTemplateResult } from "lit";

export const icon = (path: SVGTemplateResult): SVGTemplateResult =>
  svg`<svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;

export const ICONS = {
  theme: icon(svg`<circle cx="8" cy="8" r="5.7"/><path d="M8 2.3a5.7 5.7 0 0 1 0 11.4z" fill="currentColor"/>`),
  help: icon(svg`<path d="M5.6 5.7a2.4 2.4 0 1 1 3.6 2.1C8.4 8.3 8 8.8 8 9.7"/><path d="M8 12.6v.1"/>`),
  left: icon(svg`<path d="M13 8H3m4-4L3 8l4 4"/>`),
  right: icon(svg`<path d="M3 8h10M9 4l4 4-4 4"/>`),
  save: icon(svg`<path d="M8 2.5v8m-3.3-3.3L8 10.5l3.3-3.3M3 13.5h10"/>`),
  close: icon(svg`<path d="m4 4 8 8m0-8-8 8"/>`),
  less: icon(svg`<path d="M3.5 8h9"/>`),
  more: icon(svg`<path d="M3.5 8h9M8 3.5v9"/>`),
} as const;
