/** The samples: tiles, rows, their boxes, a map, or the strip beside the image that is drawn on. */
import { html, nothing, type TemplateResult } from "lit";
import type { Dataset } from "../../../lib/src/model/index.ts";
import type { FindBoxes } from "../samples/box-source.ts";
import type { Counts } from "../samples/counts.ts";
import type { FilterController } from "../samples/filter-controller.ts";
import type { RowCursor } from "../ui/row-cursor.ts";
import type { Rows } from "../ui/rows.ts";
import type { View } from "./link.ts";
import type { OpenController } from "./open-controller.ts";
import type { SelectionController } from "./selection-controller.ts";
import type { SortController } from "./sort-controller.ts";
import { msg } from "../messages/shell.ts";

/** What is shown, and the controllers that hear what people do with it. */
interface Shown {
  readonly data: Dataset;
  readonly rows: Rows;
  readonly shown: View | "strip";
  readonly find: FindBoxes;
  readonly boxes: boolean;
  readonly tileSize: number;
  readonly columns: readonly string[];
  readonly verdict: ((i: number) => string | null) | null;
  readonly opener: OpenController;
  readonly filtering: FilterController;
  readonly counts: Counts;
  readonly order: SortController;
  readonly cursor: RowCursor;
  readonly selection: SelectionController;
  /** The first images are drawn. */
  readonly drawn: () => void;
  readonly say: (text: string) => void;
  readonly showBox: (i: number, nth: number) => void;
}

export function renderCollection(of: Shown): TemplateResult {
  const { data, rows, shown, filtering, counts, cursor, selection } = of;
  if (rows.length === 0) {
    // What cannot be read keeps nothing back: these are the rows of the filter before.
    const why = filtering.error
      ? msg("filterCannotBeRead")
      : rows.kept
        ? msg("noSampleMatchesFilter")
        : msg("thereNoSamplesFile");
    const clear = html`<button @click=${() => void filtering.setText("", new Map())}>${msg("showAllSamples")}</button>`;
    return html`<div class="empty">${why}${rows.kept ? clear : nothing}</div>`;
  }
  const current = (e: CustomEvent<number>): void => cursor.move(e.detail);
  const step = (e: CustomEvent<number>): void => cursor.follow(e.detail);
  const open = (e: CustomEvent<number>): void => cursor.show(e.detail);
  const pick = (e: CustomEvent<number>): void => selection.toggle(e.detail);
  const range = (e: CustomEvent<[number, number]>): void => selection.range(...e.detail);
  if (shown === "map")
    return html`<forebay-map part="map" .data=${data} .rows=${rows} .picked=${selection.picked} .current=${cursor.current}
      ?here=${of.opener.near} ?growing=${of.opener.growth !== null}
      @current=${current} @step=${step} @open=${open} @pick=${pick}
      @add=${(e: CustomEvent<number[]>) => selection.add(e.detail)}
      @say=${(e: CustomEvent<string>) => of.say(e.detail)}></forebay-map>`;
  if (shown === "boxes") return renderBoxes(of);
  return shown !== "table"
    ? html`<forebay-gallery part="gallery" .data=${data} .rows=${rows} .picked=${selection.picked} .current=${cursor.current}
        .size=${of.tileSize} ?strip=${shown === "strip"} .classField=${counts.labelField} .find=${of.find} ?boxes=${of.boxes} .verdict=${of.verdict} @drawn=${() => of.drawn()}
        @current=${current} @step=${step} @open=${open} @pick=${pick} @range=${range}></forebay-gallery>`
    : html`<forebay-table part="table" .data=${data} .rows=${rows} .picked=${selection.picked} .current=${cursor.current}
        .columns=${of.columns} .fields=${counts.metadataFields} .classField=${counts.labelField}
        .find=${of.find} .sorting=${of.order.sorting} @sort=${(e: CustomEvent<string>) => of.order.next(e.detail)}
        @current=${current} @step=${step} @open=${open} @pick=${pick} @range=${range}></forebay-table>`;
}
/** A row a box, once they are counted. */
function renderBoxes({ data, rows, find, counts, cursor, selection, showBox }: Shown): TemplateResult {
  const { boxes, boxProgress, boxTrouble } = counts;
  if (!boxes || boxes.boxes === 0)
    return html`<div class="empty"><forebay-box-facets within .counts=${boxes} .progress=${boxProgress} .trouble=${boxTrouble}
      .rows=${rows} @boxes=${(e: CustomEvent<boolean>) => counts.askBoxes(e.detail)}></forebay-box-facets></div>`;
  const show = (row: number): void => showBox(boxes.rows.sample(row), boxes.rows.nth(row));
  return html`<forebay-box-table part="boxes" .data=${data} .samples=${rows} .counts=${boxes} .find=${find} .picked=${selection.picked}
    @open=${(e: CustomEvent<number>) => show(e.detail)} @step=${(e: CustomEvent<number>) => cursor.open !== null && show(e.detail)}
    @pick=${(e: CustomEvent<number>) => selection.toggle(boxes.rows.sample(e.detail))}></forebay-box-table>`;
}
