/** The parts that show rows: fetched when the first table is opened. */
import "../tables/table-view.ts";
import "../ui/menu.ts";
import "./open-menu.ts";
