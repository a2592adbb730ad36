/**
 * `<forebay-viewer>` for other people's pages: importing this defines the element. Whatever opens files is fetched when the
 * first one is opened.
 *
 * @module
 */
import { packageEngine } from "./files/package-engine.ts";
import type { ForebayViewerElement } from "./public/element.ts";
import { Viewer } from "./shell/viewer.ts";

export type * from "./public/element.ts";

class PackagedViewer extends Viewer {
  override engine = packageEngine;
}
const TAG = "forebay-viewer";
// Two copies of the package on one page share the first one's element.
if (!customElements.get(TAG)) customElements.define(TAG, PackagedViewer);

/** The class of the element, for `new ForebayViewer()` and `instanceof`. */
export const ForebayViewer = customElements.get(TAG) as unknown as {
  new (): ForebayViewerElement;
  readonly prototype: ForebayViewerElement;
};
