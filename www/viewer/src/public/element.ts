/** `<forebay-viewer>` as those see it who put it on their page. */
import type { Dataset, Folder, Input, Source, Table } from "forebay";
import type { ViewerMessages } from "../messages/en.ts";

export type { ViewerMessages };

/** Gives what an address of `src` stands for: a source of ranges with a sign-in, a file that is kept elsewhere. */
export type SourceOf = (src: string, options: { signal: AbortSignal }) => Input | Promise<Input>;

/** Where bytes come from in place of the address in `src`: one source, which is opened at once, or what gives one for an address. */
export type DataProvider = Source | SourceOf;

/** What can be left out with `hide`. */
export type HiddenPart =
  | "header"
  | "brand"
  | "open"
  | "check"
  | "convert"
  | "labels"
  | "curate"
  | "compare"
  | "theme"
  | "help"
  | "facets"
  | "bar"
  | "sample";

/** A file is open. */
export interface OpenDetail {
  readonly dataset: Dataset | Table;
  readonly name: string;
}

/** Another sample or row is looked at, or others are picked. */
export interface SelectDetail {
  /** The number of the one that is open. */
  readonly selected: number | null;
  /** The numbers of those that are picked, ascending. */
  readonly picked: readonly number[];
}

/** Other samples or rows are shown. */
export interface FilterDetail {
  readonly filter: string;
}

/** A file could not be opened. */
export interface ErrorDetail {
  readonly name: string;
  readonly message: string;
  /** As in the package's errors, such as `tbl.magic`. */
  readonly code: string | undefined;
}

/** Something was changed in the viewer. */
export interface EditDetail {
  /** The sample; `null` where it is about many or none. */
  readonly index: number | null;
  /** What was done; `labels`: those of a file, or of a journal, became edits; `discard`: all edits were thrown away. */
  readonly kind: "boxes" | "review" | "labels" | "undo" | "redo" | "discard" | "other";
  /** How many boxes the picture has then. */
  readonly boxes?: number;
  /** What a reviewer said; `null` is nothing again. */
  readonly review?: "accepted" | "rejected" | null;
}

/** The events, by their names. None of them bubbles but `edit`. */
export interface ViewerEvents {
  open: CustomEvent<OpenDetail>;
  close: CustomEvent<null>;
  select: CustomEvent<SelectDetail>;
  filter: CustomEvent<FilterDetail>;
  /** Annotations were changed in the viewer: what changed is in `detail`. */
  edit: CustomEvent<EditDetail>;
  error: CustomEvent<ErrorDetail>;
}

/** How something is opened that has no name of its own. */
export interface OpenInputOptions {
  readonly name?: string;
}

/** What the element has besides that of every element. */
export interface ViewerMembers {
  /** The address of the file that is shown. Attribute: `src`. */
  src: string | null;
  /** The filter, in the language of the command. Attribute: `filter`. */
  filter: string;
  /** The number of the sample or row that is open. Attribute: `selected`. */
  selected: number | null;
  /** The numbers of the samples that are picked. */
  picked: readonly number[];
  /** How samples are shown. Attribute: `view`. */
  view: "gallery" | "table" | "boxes" | "map";
  /** Light or dark; without it, what the system has. Attribute: `theme`. */
  theme: "light" | "dark" | null;
  /** Annotations may be changed. Attribute: `editable`. */
  editable: boolean;
  /** Names of {@link HiddenPart}s, with spaces between them. Attribute: `hide`. */
  hide: string;
  /** The page is the viewer's own: it uses its address, title, history, keys and storage. Attribute: `own-page`. */
  ownPage: boolean;
  /** Where bytes come from. */
  dataProvider: DataProvider | null;
  /** What it says in the language of its `lang`, by room; what is missing is said in English. All viewers of a page speak one language. */
  messages: ViewerMessages | null;
  /** What is open. */
  readonly opened: Dataset | Table | null;
  /** Opens a file, a handle of one, a folder, an address or a source. Resolves to what is open; rejects if it could not be opened. */
  open(input: Input | Folder, options?: OpenInputOptions): Promise<Dataset | Table>;
  /** Closes what is open, and frees it. */
  close(): void;
}

/** The element. */
export interface ForebayViewerElement extends HTMLElement, ViewerMembers {
  addEventListener<K extends keyof ViewerEvents>(
    type: K,
    listener: (this: ForebayViewerElement, event: ViewerEvents[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof ViewerEvents>(
    type: K,
    listener: (this: ForebayViewerElement, event: ViewerEvents[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "forebay-viewer": ForebayViewerElement;
  }
}
