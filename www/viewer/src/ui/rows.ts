/** The samples that are shown: those of the filter, or all. */
export class Rows {
  /** `filter` is the expression behind `kept`: rows of the same filter are the same rows, perhaps more of them. */
  constructor(
    readonly total: number,
    readonly kept: Uint32Array | null,
    readonly filter = "",
    /** The part of the filter that the filter language says; what was counted in the page says the rest. */
    readonly where = filter,
  ) {}
  /** More than an expression keeps them. */
  get narrowed(): boolean {
    return this.filter !== this.where;
  }
  get length(): number {
    return this.kept ? this.kept.length : this.total;
  }
  /** The sample at a position. */
  at(position: number): number {
    return this.kept ? (this.kept[position] ?? -1) : position;
  }
  /** The position of a sample; -1 where the filter leaves it out. */
  find(sample: number): number {
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
