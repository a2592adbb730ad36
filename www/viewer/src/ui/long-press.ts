/** A finger that rests on something, for those who have no second button and no Ctrl. */

/** Milliseconds that it rests, */
const RESTS = 500;
/** and pixels that it may stray meanwhile: more is scrolling. */
const STRAYS = 10;

/** Calls `held` with what a finger or pen rests on; true says that it did something, and then no click follows. */
export function onLongPress(element: HTMLElement, held: (on: Element) => boolean): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let from = { x: 0, y: 0 };
  let used = false;
  const stop = (): void => clearTimeout(timer);
  element.addEventListener("pointerdown", (e) => {
    stop();
    used = false;
    if (e.pointerType === "mouse" || !e.isPrimary) return;
    from = { x: e.clientX, y: e.clientY };
    const on = e.target as Element;
    timer = setTimeout(() => (used = held(on)), RESTS);
  });
  element.addEventListener("pointermove", (e) => {
    if (Math.hypot(e.clientX - from.x, e.clientY - from.y) > STRAYS) stop();
  });
  for (const type of ["pointerup", "pointercancel", "scroll"]) element.addEventListener(type, stop);
  const swallow = (e: Event): void => {
    if (!used) return;
    e.preventDefault();
    e.stopPropagation();
    // A menu comes while the finger rests, a click when it is lifted.
    if (e.type === "click") used = false;
  };
  element.addEventListener("click", swallow, { capture: true });
  element.addEventListener("contextmenu", swallow, { capture: true });
}
