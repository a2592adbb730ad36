/** To whom a key belongs: to the viewer, or to somebody who types, or who has put something of their own into it. */

/** Fields in which keys are text; a check box is none. */
const TYPED =
  "input:not([type=checkbox], [type=range], [type=radio]), select, textarea, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=searchbox], [role=combobox]";

/** Where arrows lead: right and down. */
export const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ...{ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] },
};

const isElement = (one: EventTarget): one is HTMLElement => "matches" in one;

/** Whether a key writes a letter of several, as of Chinese: Enter ends the letter then, and nothing else. */
export const isComposing = (e: KeyboardEvent): boolean =>
  // Safari ends it before it tells of the key, and has this number for that.
  e.isComposing || e.keyCode === 229;

/** Whether a key ends what was typed. */
export const isEnter = (e: KeyboardEvent): boolean => e.key === "Enter" && !isComposing(e);

/** Whether a key that the host hears is not for it: it is text, or of something that others put into a slot of the host. */
export function isOfOthers(e: KeyboardEvent, host: Node, also = ""): boolean {
  if (isComposing(e)) return true;
  const path = e.composedPath();
  const end = path.indexOf(host);
  // What the host stands in says nothing of its keys.
  const inside = (end < 0 ? path : path.slice(0, end)).filter(isElement);
  const typed = also ? `${TYPED}, ${also}` : TYPED;
  return inside.some((one) => one.matches(typed) || (one !== host && host.contains(one)));
}
