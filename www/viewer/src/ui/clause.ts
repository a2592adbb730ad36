/** A part of the filter that was clicked together. */
export interface Clause {
  readonly label: string;
  /** Empty where it is not said by the filter language. */
  readonly expression: string;
  /** The samples that it keeps, in order, where these were counted in the page. */
  readonly samples?: Uint32Array;
  /** Finds them in other counts, where boxes come from elsewhere or were changed. */
  readonly again?: (counts: never) => Uint32Array;
}

/** A clause that is set, or taken away where it is null. */
export interface ClauseChange {
  readonly key: string;
  readonly clause: Clause | null;
}
