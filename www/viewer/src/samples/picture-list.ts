/** Lists of small pictures that are buttons: what they look like, and their canvases, drawn as their pictures come. */
import { css, unsafeCSS, type CSSResult } from "lit";
import type { Thumb, Thumbs } from "./thumbs.ts";
import { drawTile } from "./tile-picture.ts";

/** What the list looks like, with pictures of this many pixels a side. */
export const pictureListStyles = (side: number): CSSResult => css`
  :host { display: block; }
  ul { display: flex; flex-wrap: wrap; gap: 8px; margin: 0; padding: 0; list-style: none; }
  button {
    display: grid; gap: 3px; height: 100%; padding: 6px; text-align: start; white-space: normal; font-size: 12px;
    line-height: 1.35;
  }
  canvas { width: ${unsafeCSS(side)}px; height: ${unsafeCSS(side)}px; border-radius: 6px; background: var(--soft); }
  .muted { color: var(--ink-2); }
`;

/** Draws the pictures that have come, each on the canvas that names its sample; what is drawn already stays. */
export function drawPictures(
  root: ParentNode,
  side: number,
  thumbsOf: (canvas: HTMLCanvasElement) => Thumbs | null | undefined,
): void {
  const sharp = Math.min(2, devicePixelRatio || 1);
  for (const canvas of root.querySelectorAll("canvas")) {
    const { side: whose = "", sample } = canvas.dataset;
    const thumb: Thumb | undefined = thumbsOf(canvas)?.get(Number(sample));
    const key = thumb ? `${whose} ${sample} ${thumb.state}` : "";
    if (canvas.dataset.drawn === key) continue;
    [canvas.width, canvas.height] = [side * sharp, side * sharp];
    if (thumb?.state === "ready") drawTile(canvas, thumb, null, false, sharp);
    canvas.dataset.drawn = key;
  }
}
