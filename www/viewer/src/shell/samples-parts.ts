/** The parts that show samples, and edit them: fetched when the first file is opened. */
import "../curating/saved-filters.ts";
import "../curating/sets-view.ts";
import "../samples/facets-view.ts";
import "../samples/gallery.ts";
import "../samples/sample-panel.ts";
import "../samples/sample-table.ts";
import "../ui/filter-box.ts";
import "../ui/menu.ts";
import "./column-chooser.ts";
import "./open-menu.ts";

export { DrawingController } from "../drawing/drawing-controller.ts";
export { boxesOf } from "../samples/box-source.ts";
