import { ForebayError } from "../model/errors.js";

/** What this page has open, for browsers without locks. */
const held = new Set<string>();

/** Takes several for this tab, or none. */
export async function lockAll(keys: readonly string[], file: string): Promise<() => void> {
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const one of releases) one();
  };
  try {
    for (const key of keys) releases.push(await lock(key, file));
  } catch (e) {
    release();
    throw e;
  }
  return release;
}

/** Takes a journal for this tab, or says that somebody else has it; what lets it go. */
async function lock(name: string, file: string): Promise<() => void> {
  const taken = () =>
    new ForebayError("edits.locked", "usage", "another tab or object has this journal open for changing", { file });
  const locks = globalThis.navigator?.locks;
  if (!locks?.request) {
    if (held.has(name)) throw taken();
    held.add(name);
    return () => held.delete(name);
  }
  return new Promise((resolve, reject) => {
    const asked = locks.request(`forebay-edits/${name}`, { ifAvailable: true }, async (found) => {
      if (!found) return reject(taken());
      // As long as this is not done, the lock is held; a tab that dies lets it go.
      await new Promise<void>((release) => resolve(release));
    });
    (asked as Promise<unknown>).catch(reject);
  });
}
