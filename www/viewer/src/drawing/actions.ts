/** What the parts of the page that are about drawing know and do. */
import type { Question } from "../samples/boxes.ts";
import type { Trouble } from "../ui/wording.ts";
import type { Classes } from "./classes.ts";
import type { Conflict, Side } from "./conflicts.ts";
import type { Progress, Review } from "./history.ts";
import type { Unkept } from "./journal.ts";
import type { Sketch } from "./sketch.ts";

/** A journal that was to be taken over, and what it says otherwise than this one. */
export interface Clash {
  readonly file: File;
  readonly conflicts: readonly Conflict[];
}

/** Images that people look for: without labels, rejected, with the class that is drawn. */
export type Wanted = "unlabeled" | "rejected" | "class";

export interface DrawingActions {
  readonly sketch: Sketch;
  readonly classes: Classes;
  /** Changes with the classes. */
  readonly classVersion: number;
  /** The sample that is drawn on; `null` while none is. */
  readonly index: number | null;
  /** Why the open picture cannot be drawn on, or what of it is lost when it is. */
  readonly remark: string;
  /** It cannot be drawn on because the file does not state this. */
  readonly guessed: readonly Question[] | null;
  readonly review: Review | null;
  readonly progress: Progress;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** How many changes are not kept yet, and why. */
  readonly pending: number;
  readonly unkept: Unkept | null;
  /** What the last thing that was asked for came to. */
  readonly trouble: Trouble | null;
  /** The browser may throw the journal away when its disk is full, or with the page. */
  readonly risk: "none" | "full" | "page";
  /** Calls when any of this changes; what this gives ends that. */
  listen(changed: () => void): () => void;

  name(label: string): void;
  give(key: number, name: string): void;
  point(at: number | null): void;
  copy(): void;
  undo(): void;
  redo(): void;
  judge(review: Review | null): void;
  /** Gives the keys to the picture. */
  focus(): void;
  retry(): void;
  save(): void;
  /** Asks what the numbers of boxes mean. */
  mean(): void;
  download(): void;
  take(file: File): void;
  /** What both journals say differently, until somebody says which counts. */
  readonly clash: Clash | null;
  /** Takes that journal over with one side winning, or not at all. */
  settle(side: Side | null): void;
  discard(): void;
  stop(): void;

  /** The strip of images, and what lies beside the image: folded or not. */
  readonly strip: boolean;
  readonly panel: boolean;
  fold(what: "strip" | "panel"): void;
  /** Opens the next image of a kind, in the order in which they are shown. */
  find(wanted: Wanted): void;
  /** Does what a key of the open sample does. */
  press(key: string): void;
  /** Another light for the image, for looking only; as CSS has it. */
  light(filter: string): void;
}
