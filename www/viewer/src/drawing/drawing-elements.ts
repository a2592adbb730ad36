/** What drawing shows: fetched when editing begins. */
import "./bulk.ts";
import "./drawing-page.ts";
import "./drawing-stage.ts";
import "./edit-bar.ts";
