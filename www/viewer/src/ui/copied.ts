/** Copying: what is marked is the browser's matter, what is not marked is said here. */

/** Whether text is marked, in the page or within one of its parts. */
export function isMarked(root: ParentNode): boolean {
  const inside = (root as { getSelection?: () => Selection | null }).getSelection?.();
  return [inside, document.getSelection()].some((one) => !!one && !one.isCollapsed && one.toString() !== "");
}

/** Answers a "copy" of somebody who marked nothing. */
export function copyUnmarked(e: ClipboardEvent, root: ParentNode, text: () => string | null): void {
  if (isMarked(root)) return;
  const copied = text();
  if (copied === null) return;
  e.clipboardData?.setData("text/plain", copied);
  e.preventDefault();
}

/** Copies a text; whether it was done. Also where pages have no clipboard of their own, over plain HTTP from another machine. */
export function copyText(text: string): boolean {
  let done = false;
  const put = (e: ClipboardEvent): void => {
    e.clipboardData?.setData("text/plain", text);
    e.preventDefault();
    e.stopImmediatePropagation();
    done = true;
  };
  document.addEventListener("copy", put, { capture: true, once: true });
  try {
    document.execCommand("copy");
  } finally {
    document.removeEventListener("copy", put, { capture: true });
  }
  return done;
}

/** Cells side by side, as tables of other programs take them. */
export const inTabs = (cells: readonly string[]): string =>
  cells.map((cell) => (/[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join("\t");

/** A line of CSV with its end, the same as the command writes: fields that need it stand in quotes. */
export const csvLine = (fields: readonly string[]): string =>
  `${fields.map((field) => (/["\n\r,]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",")}\n`;
