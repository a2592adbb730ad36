/** What a service worker and the pages of its site say to each other. */

/** What a page is asked for, in the words of a request. */
export interface Asked {
  /** What stands behind the dataset's name: `17.jpg`, `17/thumb`. */
  readonly path: string;
  readonly search: string;
  readonly method: string;
  readonly range: string | null;
  readonly ifRange: string | null;
  readonly ifNoneMatch: string | null;
}

/** From the worker to a page, each with a port for the answer. */
export type ToPage =
  /** Whether it has samples under this name: answered with `true` or `false`. */
  | { readonly forebay: "who"; readonly id: string }
  /** Answered with `Taken`, then with `Head`, then with a `Piece` for each "pull". */
  | { readonly forebay: "get"; readonly id: string; readonly asked: Asked };

/** From a page to the worker, with a port: it is answered once the worker serves the page. */
export interface Hello {
  readonly forebay: "hello";
}

/** Whether the page has these samples: then an answer comes, in its own time. */
export interface Taken {
  readonly taken: boolean;
}

/** An answer without its bytes, or with all of them. */
export interface Head {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** `"pieces"` come one by one, each when it is pulled. */
  readonly body: Blob | "pieces" | null;
}

/** A piece of an answer; `null` after the last. */
export interface Piece {
  readonly piece: Uint8Array<ArrayBuffer> | null;
  readonly failed?: string;
}

/** From the worker on the port of an answer. */
export type Pull = "pull" | "stop";

/** What stands in front of the names of datasets, below the worker's scope. */
export const PREFIX = "ds/";
