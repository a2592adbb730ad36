/** Puts the viewer on the page with an engine behind it. */
import type { Engine } from "../files/engine.ts";
import { Viewer } from "./viewer.ts";

export function start(engine: Engine): Viewer {
  const viewer = new Viewer();
  viewer.engine = engine;
  document.body.append(viewer);
  return viewer;
}
