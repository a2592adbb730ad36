/** What is counted of boxes: their classes, how many a picture has, and what is wrong with them. */
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import { BoxRows } from "./box-rows.ts";
import type { FindBoxes } from "./box-source.ts";

/** Classes that are told apart; files can have a million. */
const MOST = 2000;
/** From this many boxes on to the next number a picture is counted together. */
const STEPS = [0, 1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 32, 64, 128, 256, 1024, 1e9];

/** Shares of a picture's area between which boxes count as of one size: under the first, between two, over the last. */
export const SHARES = [0.001, 0.01, 0.1] as const;

/** The samples in which something is, in order. */
export interface Holding {
  readonly label: string;
  readonly samples: Uint32Array;
}

/** Counts of boxes. */
export interface BoxCounts {
  /** Boxes in all. */
  readonly boxes: number;
  /** Each of them. */
  readonly rows: BoxRows;
  /** Of each class, the most frequent first. */
  readonly classes: readonly Holding[];
  /** Boxes of each sample. */
  readonly perPicture: Uint32Array;
  /** Samples with boxes of each size, the smallest first; none of pictures whose own size is not known. */
  readonly sizes: readonly Uint32Array[];
  /** Samples with boxes outside of the picture. */
  readonly outside: Uint32Array;
  /** Samples with boxes that have no area, or numbers that are none. */
  readonly broken: Uint32Array;
}

/** Which of the sizes a share of the picture's area is. */
function sizeOf(share: number): number {
  const above = SHARES.findIndex((edge) => share < edge);
  return above < 0 ? SHARES.length : above;
}

/** Takes in one record after the other, in any order. */
export class BoxCounter {
  private readonly classes = new Map<string, number[]>();
  private readonly perPicture: Uint32Array;
  private readonly sizes: number[][] = [...SHARES, 1].map(() => []);
  private readonly outside: number[] = [];
  private readonly broken: number[] = [];
  private readonly rows = new BoxRows();
  private boxes = 0;

  constructor(
    private readonly dataset: Dataset,
    private readonly find: () => FindBoxes,
  ) {
    this.perPicture = new Uint32Array(dataset.length);
  }
  add(i: number, record: Json): void {
    const { width, height } = this.dataset.info(i);
    const { boxes, outside, broken } = this.find()(i, record, width, height);
    this.perPicture[i] = boxes.length;
    this.boxes += boxes.length;
    this.rows.add(i, boxes);
    if (outside > 0) this.outside.push(i);
    if (broken > 0) this.broken.push(i);
    if (width > 0 && height > 0)
      for (const size of new Set(boxes.map((b) => sizeOf((b.w * b.h) / (width * height))))) this.sizes[size]!.push(i);
    for (const label of new Set(boxes.map((b) => b.label))) {
      const known = this.classes.get(label);
      if (known) known.push(i);
      else if (this.classes.size < MOST) this.classes.set(label, [i]);
    }
  }
  /** Takes a sample out again, whose boxes were changed. */
  remove(i: number): void {
    this.boxes -= this.perPicture[i] ?? 0;
    this.rows.remove(i);
    this.perPicture[i] = 0;
    for (const list of [...this.classes.values(), ...this.sizes, this.outside, this.broken]) {
      const at = list.indexOf(i);
      if (at >= 0) list.splice(at, 1);
    }
  }
  done(): BoxCounts {
    const sorted = (list: number[]): Uint32Array => Uint32Array.from(list).sort();
    return {
      boxes: this.boxes,
      rows: this.rows,
      classes: [...this.classes]
        .filter(([, list]) => list.length > 0)
        .map(([label, list]) => ({ label, samples: sorted(list) }))
        .sort((a, b) => b.samples.length - a.samples.length),
      perPicture: this.perPicture.slice(),
      sizes: this.sizes.map(sorted),
      outside: sorted(this.outside),
      broken: sorted(this.broken),
    };
  }
}

/** Pictures by how many boxes they have; `kept` says of each sample whether the filter keeps it. */
export function spread(
  perPicture: Uint32Array,
  kept: Uint8Array | null,
): { edges: number[]; all: number[]; kept: number[] } {
  const most = perPicture.reduce((a, b) => Math.max(a, b), 0);
  const edges = STEPS.slice(0, STEPS.findIndex((step) => step > most) + 1);
  const [all, some] = [edges.slice(1).map(() => 0), edges.slice(1).map(() => 0)];
  perPicture.forEach((n, i) => {
    let k = 0;
    while (edges[k + 1]! <= n) k++;
    all[k]!++;
    if (!kept || kept[i]) some[k]!++;
  });
  return { edges, all, kept: some };
}

/** The samples with as many boxes. */
export const withBoxes = (perPicture: Uint32Array, from: number, below: number): Uint32Array =>
  Uint32Array.from(perPicture.keys()).filter((i) => perPicture[i]! >= from && perPicture[i]! < below);

/** Which samples the filter keeps, one byte each; `null` where it keeps all. */
export function maskOfRows(total: number, kept: Uint32Array | null): Uint8Array | null {
  if (!kept) return null;
  const mask = new Uint8Array(total);
  for (const i of kept) mask[i] = 1;
  return mask;
}
