/** Small choices that stay for the next visit; a browser that keeps nothing has them until the page is left. */

const PREFIX = "forebay-";

/** What was kept under a name, or `null`. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Keeps a choice. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Nothing depends on it.
  }
}
