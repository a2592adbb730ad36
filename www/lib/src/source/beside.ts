/** What lies beside a file: under its name with something behind it. */
import type { Source } from "../model/index.js";

/** A source that knows where it lies. */
export interface Placed extends Source {
  /** The file beside it, if there is one; `first` bytes of it are likely to be needed at once. */
  beside?(suffix: string, first: number, signal?: AbortSignal): Promise<Source | null>;
}
