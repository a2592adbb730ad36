/** Boxes as rows: the table of samples, with a row a box of what the filter keeps. Fetched when it is first looked at. */
import { html, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { inOrder, type Sortable } from "../../../lib/src/base/ordering.ts";
import { isOnItsSide } from "../../../lib/src/base/picture-header.ts";
import { Rows } from "../ui/rows.ts";
import { visible } from "../ui/visible.ts";
import { count, short } from "../ui/wording.ts";
import { maskOfRows, type BoxCounts } from "./box-counts.ts";
import type { BoxRows } from "./box-rows.ts";
import type { Column, Row } from "./columns.ts";
import { meant } from "./meaning.ts";
import { unturned } from "./orientation.ts";
import { decode, type Decoded } from "./picture.ts";
import { PICTURE, Table } from "./sample-table.ts";
import type { Load, Turn } from "./thumbs.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/pictures.ts";

/** What is shown around a box, as a share of it, and in pixels at least. */
const AROUND = 0.12;
const MARGIN = 2;
/** A pixel of an image is drawn this large at most. */
const LARGEST = 6;
/** Very large images are decoded to this many pixels of the longer edge. */
const EDGE = 4096;

/** `<forebay-box-table>`: sends what the table of samples does, with numbers of rows in the place of samples. */
@customElement("forebay-box-table")
export class BoxTable extends Table {
  /** What was counted of the boxes. */
  @property({ attribute: false }) counts!: BoxCounts;
  /** The samples that are shown. */
  @property({ attribute: false }) samples!: Rows;
  private boxes!: BoxRows;
  protected override readonly kind = "boxes";

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("counts") || changed.has("samples") || changed.has("sorting")) {
      const other = this.boxes !== this.counts.rows;
      const held = other ? -1 : this.rows.at(this.current);
      this.boxes = this.counts.rows;
      if (other) this.begin();
      const mask = maskOfRows(this.data.length, this.samples.kept);
      const order = this.sorted(this.boxes.of(mask));
      this.columns = this.all.map(({ id }) => id);
      const sort = this.sorting ? `${this.sorting.by} ${this.sorting.down}` : "";
      this.rows = new Rows(order.length, order, this.samples.filter, "", order, sort);
      this.current = Math.max(0, order.indexOf(held));
    }
    super.willUpdate(changed);
  }
  private sorted(rows: Uint32Array): Uint32Array {
    const { by, down } = this.sorting ?? {};
    const value = by && this.all.find(({ id }) => id === by)?.values?.(this.data, "", this.find);
    if (!value) return rows;
    const values = new Array<Sortable>(this.boxes.length);
    for (const row of rows) values[row] = value(row, null);
    return inOrder(rows, (row) => values[row]!, down!);
  }
  protected override sortBy(by: string): void {
    const { sorting } = this;
    this.sorting = sorting?.by !== by ? { by, down: false } : sorting.down ? null : { by, down: true };
  }
  protected override sampleOf(row: number): number {
    return this.boxes.sample(row);
  }
  /** Samples are stepped through elsewhere: the first box of the one at a position comes into sight. */
  override reveal(position: number): void {
    const i = this.samples.at(position);
    const own = (row: number): boolean => this.boxes.sample(row) === i;
    if (!own(this.rows.at(this.current))) {
      const at = Array.from({ length: this.rows.length }, (_, k) => k).find((k) => own(this.rows.at(k)));
      if (at === undefined) return;
      this.current = at;
    }
    this.bring(this.current);
  }
  protected override get load(): Load {
    return (row, signal, turn) => this.crop(row, signal, turn);
  }
  /** What is in a box, and a little around it. */
  private async crop(row: number, signal: AbortSignal, turn: Turn): Promise<Decoded> {
    const i = this.boxes.sample(row);
    const record = await this.data.record(i, { signal });
    const whole = await decode(this.data, i, { signal, largeEdge: EDGE, sized: true, turn });
    const { annotations, asStored } = meant(this.find, i, record, whole);
    const [x, y, w, h] = this.boxes.place(row);
    const { bitmap, orientation } = whole;
    const side = asStored && isOnItsSide(orientation);
    const [wide, tall] = side ? [bitmap.height, bitmap.width] : [bitmap.width, bitmap.height];
    const fine = bitmap.width / whole.width;
    // Where an image is turned, its box counts in the turned one.
    const box = annotations.boxes[this.boxes.nth(row)] ?? { x, y, w, h };
    const [across, down] = [box.w, box.h].map((size) => (size + 2 * Math.max(MARGIN, AROUND * size)) * fine);
    const [width, height] = [PICTURE.width * 2, PICTURE.height * 2];
    const canvas = new OffscreenCanvas(width, height);
    const g = canvas.getContext("2d")!;
    const scale = Math.min(width / across!, height / down!, LARGEST);
    g.translate(width / 2, height / 2);
    g.scale(scale, scale);
    g.translate(-(box.x + box.w / 2) * fine, -(box.y + box.h / 2) * fine);
    g.imageSmoothingEnabled = scale < 3;
    g.save();
    if (asStored) g.transform(...unturned(orientation, wide, tall));
    g.drawImage(bitmap, 0, 0);
    g.restore();
    bitmap.close();
    return { ...whole, bitmap: canvas.transferToImageBitmap(), width, height, orientation: 1 };
  }
  protected override get all(): readonly Column[] {
    const { boxes, data } = this;
    const place = (id: string, title: string, part: 0 | 1 | 2 | 3): Column => ({
      id,
      title,
      width: "84px",
      number: true,
      text: ({ at }) => pixels(boxes.place(at)[part]),
      values: () => (row) => boxes.place(row)[part],
    });
    const area = (row: number): number => boxes.place(row)[2] * boxes.place(row)[3];
    const label = ({ at }: Row): string => boxes.label(at);
    return [
      { id: "index", title: common("sample"), width: "92px", number: true, text: ({ i }) => count(i) },
      { id: "picture", title: msg("box"), width: "68px", text: () => "" },
      {
        id: "class",
        title: common("class"),
        width: "minmax(110px, 1fr)",
        label,
        text: (row) => visible(label(row)) || msg("withoutClass"),
        values: () => (row) => boxes.label(row),
      },
      place("x", msg("left"), 0),
      place("y", msg("top"), 1),
      place("width", common("width"), 2),
      place("height", common("height"), 3),
      {
        id: "area",
        title: msg("area"),
        width: "92px",
        number: true,
        text: ({ at }) => pixels(area(at)),
        values: () => area,
      },
      {
        id: "score",
        title: msg("score"),
        width: "76px",
        number: true,
        text: ({ at }) => ((score) => (score === null ? "–" : short(score)))(boxes.score(at)),
        values: () => (row) => boxes.score(row),
      },
      {
        id: "name",
        title: common("name"),
        width: "minmax(130px, 1.4fr)",
        text: ({ name }) => visible(name ?? ""),
        values: () => (row) => data.nameOf(boxes.sample(row)) ?? null,
      },
    ];
  }
  override render(): TemplateResult {
    return html`${super.render()}${this.rows.length > 0 ? "" : html`<p class="none" role="status">${msg("samplesHaveNoBoxes")}</p>`}`;
  }
}

/** Pixels, to a tenth. */
const pixels = (n: number): string => count(Math.round(10 * n) / 10);
