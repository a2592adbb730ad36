/** Which key was pressed, and where: fields, dialogs and menus have their own. */
import { isOfOthers } from "../ui/typing.ts";

/** Images that people look for: without labels, rejected, with the class that is drawn. */
export type Wanted = "unlabeled" | "rejected" | "class";

export interface PressedKey {
  readonly key: string;
  readonly shift: boolean;
  readonly ctrl: boolean;
  /** It is held, and says so again. */
  readonly again: boolean;
  /** It is about what the pointer is over. */
  readonly hovered: boolean;
  /** The picture has the focus, or nothing has it. */
  readonly inStage: boolean;
  /** The list of classes has it. */
  readonly inClasses: boolean;
}

/** What lies over the page has its own keys. */
const OVER = "dialog, [popover]";
/** Keys that press a button which has the focus. */
const PRESSES: ReadonlySet<string> = new Set(["Enter", " "]);

const matches = (node: HTMLElement, selector: string): boolean => node.matches?.(selector) ?? false;

/** Whether a key is of those who draw in this viewer. */
export const isDrawn = (e: KeyboardEvent, host: Node): boolean => !isOfOthers(e, host, OVER);

/** The key of an event. */
export function keyOf(e: KeyboardEvent, path: readonly HTMLElement[]): PressedKey {
  const [target] = path;
  const pressed = PRESSES.has(e.key) && !!target && matches(target, "button, a, summary");
  // With Shift a digit is another sign on most keyboards.
  const digit = e.shiftKey && !/\d/.test(e.key) && /^Digit[1-9]$/.test(e.code);
  return {
    key: e.altKey ? "" : digit ? e.code.at(-1)! : e.key,
    shift: e.shiftKey,
    ctrl: e.ctrlKey || e.metaKey,
    again: e.repeat,
    hovered: digit,
    inStage: !pressed && path.some((node) => matches(node, ".stage")),
    inClasses: path.some((node) => matches(node, "forebay-classes")),
  };
}

/** A key of the page itself, while nothing has the focus. */
export const idleKey = (key: string, again = false): PressedKey => ({
  key,
  again,
  shift: false,
  ctrl: false,
  hovered: false,
  inStage: true,
  inClasses: false,
});
