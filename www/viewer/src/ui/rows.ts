/** The samples that are shown: those of the filter, or all. */
export class Rows {
  /** `filter` is the expression behind `kept`: rows of the same filter are the same rows, perhaps more of them. */
  constructor(
    readonly total: number,
    readonly kept: Uint32Array | null,
    readonly filter = "",
    /** The part of the filter that the filter language says; what was counted in the page says the rest. */
    readonly where = filter,
    /** The samples in another order than the file's, which `sort` names. */
    private readonly order: Uint32Array | null = null,
    readonly sort = "",
  ) {}
  /** Where each sample of another order stands, once that is asked for. */
  private places: Map<number, number> | undefined;
  /** The same samples in the order of their ranks. */
  sorted(rank: Uint32Array, sort: string): Rows {
    const order = this.kept ? this.kept.slice() : Uint32Array.from({ length: this.total }, (_, i) => i);
    order.sort((a, b) => rank[a]! - rank[b]!);
    return new Rows(this.total, this.kept, this.filter, this.where, order, sort);
  }
  /** More than an expression keeps them. */
  get narrowed(): boolean {
    return this.filter !== this.where;
  }
  get length(): number {
    return this.kept ? this.kept.length : this.total;
  }
  /** The sample at a position. */
  at(position: number): number {
    if (this.order) return this.order[position] ?? -1;
    return this.kept ? (this.kept[position] ?? -1) : position;
  }
  /** The position of a sample; -1 where the filter leaves it out. */
  find(sample: number): number {
    if (this.order) {
      this.places ??= new Map(Array.from(this.order, (i, position) => [i, position]));
      return this.places.get(sample) ?? -1;
    }
    if (!this.kept) return sample < this.total ? sample : -1;
    let low = 0;
    let high = this.kept.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.kept[middle]!;
      if (found === sample) return middle;
      if (found < sample) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

/** What both lists have; both are in order. */
export function both(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out: number[] = [];
  for (let i = 0, k = 0; i < a.length && k < b.length; ) {
    if (a[i] === b[k]) out.push(a[i]!);
    const step = a[i]! - b[k]!;
    if (step <= 0) i++;
    if (step >= 0) k++;
  }
  return Uint32Array.from(out);
}
