/** Puts the viewer on a page of its own, with an engine behind it. */
import type { Engine } from "../files/engine.ts";
import { Viewer } from "./viewer.ts";

customElements.define("forebay-viewer", Viewer);

export function start(engine: Engine): Viewer {
  const viewer = new Viewer();
  viewer.ownPage = true;
  viewer.engine = engine;
  document.body.append(viewer);
  return viewer;
}
