/** Drawings on buttons that are there only while a file is open: who looks at the empty page need not fetch them. */
import { svg } from "lit";
import { icon } from "./icons.ts";

export const FILE_ICONS = {
  star: icon(svg`<path d="m8 2 1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z"/>`),
  copy: icon(
    svg`<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5"/>`,
  ),
  full: icon(svg`<path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"/>`),
  strip: icon(svg`<rect x="2.5" y="2.5" width="11" height="11" rx="1.5"/><path d="M6 2.5v11M2.5 6.2H6M2.5 9.8H6"/>`),
  panel: icon(svg`<rect x="2.5" y="2.5" width="11" height="11" rx="1.5"/><path d="M10 2.5v11"/>`),
  fold: icon(svg`<path d="m4 6 4 4 4-4"/>`),
} as const;
