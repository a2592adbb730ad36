/** The order in which samples are shown: that of the file, or by a column. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Sortable } from "../../../lib/src/base/ordering.ts";
import type { Dataset, Progress } from "../../../lib/src/model/index.ts";
import type { FindBoxes } from "../samples/box-source.ts";
import { allColumns, ranks, ranksOf } from "../samples/columns.ts";
import { walkRecords } from "../samples/walk.ts";
import type { Rows } from "../ui/rows.ts";
import { isAbort, trouble } from "../ui/wording.ts";
import { msg } from "../messages/shell.ts";

/** More are not sorted in the page. */
const MOST = 1_000_000;

/** By which column, and which way. */
export interface Sorting {
  readonly by: string;
  readonly down: boolean;
}

/** What sorting needs to know and to say. */
export interface SortHost {
  readonly data: () => Dataset | null;
  readonly fields: () => readonly string[];
  readonly classField: () => string;
  readonly find: () => FindBoxes;
  readonly signal: () => AbortSignal;
  readonly say: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** Sorts; only the last wish counts. */
export class SortController implements ReactiveController {
  sorting: Sorting | null = null;
  /** How far reading what is sorted by is. */
  progress: { done: number; total: number } | null = null;
  private rank: Uint32Array | null = null;
  private last: { rows: Rows; rank: Uint32Array; sorted: Rows } | null = null;
  private work = new AbortController();
  /** What was asked for last, and which field was the class then. */
  private asked: { readonly sorting: Sorting; readonly classField: string } | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: SortHost,
  ) {
    host.addController(this);
  }
  hostConnected(): void {}
  /** Which field is the class may be learned, or chosen, after the rows were sorted by it. */
  hostUpdate(): void {
    const { asked } = this;
    if (asked?.sorting.by === "class" && asked.classField !== this.of.classField()) void this.sort(asked.sorting);
  }

  /** The file's own order. */
  reset(): void {
    this.work.abort();
    this.asked = null;
    this.sorting = this.rank = this.last = this.progress = null;
    this.host.requestUpdate();
  }
  /** Boxes come from elsewhere: what was sorted by them is so again. */
  boxesChanged(): void {
    if (this.asked?.sorting.by === "boxes") void this.sort(this.asked.sorting);
  }
  /** Rows in the order that was asked for. */
  apply(rows: Rows): Rows {
    const { rank, sorting } = this;
    if (!rank || !sorting || rows.total !== rank.length) return rows;
    if (this.last?.rows !== rows || this.last.rank !== rank)
      this.last = { rows, rank, sorted: rows.sorted(rank, `${sorting.by} ${sorting.down}`) };
    return this.last.sorted;
  }
  /** Up, down, and back to the file's order. */
  next(by: string): void {
    const { sorting } = this;
    if (sorting?.by !== by) void this.sort({ by, down: false });
    else if (!sorting.down) void this.sort({ by, down: true });
    else this.reset();
  }

  private async sort(sorting: Sorting): Promise<void> {
    const dataset = this.of.data();
    const classField = this.of.classField();
    this.asked = { sorting, classField };
    const column = allColumns(this.of.fields()).find(({ id }) => id === sorting.by);
    if (!dataset || !column) return;
    if (dataset.growing) return this.of.warn(msg("restHeadersStillBeingRead"));
    if (dataset.length > MOST) return this.of.warn(msg("moreThanSamplesNotSorted", { most: MOST }));
    this.work.abort();
    const work = (this.work = new AbortController());
    const signal = AbortSignal.any([work.signal, this.of.signal()]);
    try {
      const values = column.values?.(dataset, classField, this.of.find());
      let rank: Uint32Array;
      if (values) {
        const list = new Array<Sortable>(dataset.length).fill(null);
        this.told(0, dataset.length);
        await walkRecords(dataset, (i, record) => (list[i] = values(i, record)), {
          signal,
          onProgress: (done, total) => this.told(done, total),
        });
        rank = ranks(list, sorting.down);
      } else if (column.index) rank = ranks(column.index(dataset.columns()), sorting.down);
      else {
        const onProgress = ({ samples }: Progress): void => this.told(samples, dataset.length);
        rank = ranksOf(await dataset.sort(column.by ?? "index", { descending: sorting.down, signal, onProgress }));
      }
      if (signal.aborted) return;
      this.rank = rank;
      this.sorting = sorting;
      this.of.say(
        sorting.down ? msg("sortedDownward", { title: column.title }) : msg("sortedUpward", { title: column.title }),
      );
    } catch (e) {
      if (!isAbort(e) && !signal.aborted) this.of.warn(msg("couldNotSorted", { message: trouble(e).message }));
    } finally {
      if (this.work === work) this.progress = null;
      this.host.requestUpdate();
    }
  }
  private told(done: number, total: number): void {
    this.progress = { done, total };
    this.host.requestUpdate();
  }
}
