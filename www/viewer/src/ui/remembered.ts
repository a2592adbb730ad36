/**
 * Small choices that stay for the next visit. On other people's pages nothing is kept: their storage is theirs. A browser
 * that keeps nothing has them until the page is left.
 */

const PREFIX = "forebay-";
let store: Storage | null = null;

/** The page is the viewer's own: choices are kept in its storage from now on. */
export function rememberChoices(): void {
  try {
    store = localStorage;
  } catch {
    // Nothing depends on it.
  }
}

/** What was kept under a name, or `null`. */
export function recall(name: string): string | null {
  try {
    return store?.getItem(PREFIX + name) ?? null;
  } catch {
    return null;
  }
}

/** Keeps a choice. */
export function keep(name: string, value: string): void {
  try {
    store?.setItem(PREFIX + name, value);
  } catch {
    // Nothing depends on it.
  }
}
