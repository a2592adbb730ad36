/** Which key was pressed, and where: fields, dialogs and menus have their own. */

export interface PressedKey {
  readonly key: string;
  readonly shift: boolean;
  readonly ctrl: boolean;
  /** The picture has the focus, or nothing has it. */
  readonly inStage: boolean;
  /** The list of classes has it. */
  readonly inClasses: boolean;
}

const TYPED = "input:not([type=checkbox], [type=range], [type=radio]), select, textarea, dialog, [popover]";
/** Keys that press a button which has the focus. */
const PRESSES: ReadonlySet<string> = new Set(["Enter", " "]);

const matches = (node: HTMLElement, selector: string): boolean => node.matches?.(selector) ?? false;

/** Whether keys are text here, or belong to something that lies over the page. */
export const isTyped = (path: readonly HTMLElement[]): boolean => path.some((node) => matches(node, TYPED));

/** The key of an event. */
export function keyOf(e: KeyboardEvent, path: readonly HTMLElement[]): PressedKey {
  const [target] = path;
  const pressed = PRESSES.has(e.key) && !!target && matches(target, "button, a, summary");
  return {
    key: e.altKey ? "" : e.key,
    shift: e.shiftKey,
    ctrl: e.ctrlKey || e.metaKey,
    inStage: !pressed && path.some((node) => matches(node, ".stage")),
    inClasses: path.some((node) => matches(node, "forebay-classes")),
  };
}

/** A key of the page itself, while nothing has the focus. */
export const idleKey = (key: string, ctrl = false, shift = false): PressedKey => ({
  key,
  shift,
  ctrl,
  inStage: true,
  inClasses: false,
});
