// Stamps: what a set of files was made of, kept beside them, so that making them again can be left out.
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The SHA-256 of bytes or of a text, in hex. */
export function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * What was noted in the stamp, if it is one for these ingredients and every file is still what it was; `null`
 * otherwise. `ingredients` is anything that JSON holds.
 */
export function stamped(folder, name, ingredients) {
  try {
    const { key, files, notes } = JSON.parse(readFileSync(pathOf(folder, name), 'utf8'));
    if (key !== digest(JSON.stringify(ingredients))) return null;
    return Object.entries(files).every(([file, hash]) => digest(readFileSync(join(folder, file))) === hash)
      ? notes
      : null;
  } catch {
    return null;
  }
}

/** Takes the stamp away: call it before the first of its files changes. */
export function unstamp(folder, name) {
  rmSync(pathOf(folder, name), { force: true });
}

/** Says what the files are made of, once all of them are there. The stamp appears whole or not at all. */
export function stamp(folder, name, ingredients, files, notes) {
  const hashes = Object.fromEntries(files.map((file) => [file, digest(readFileSync(join(folder, file)))]));
  const path = pathOf(folder, name);
  writeFileSync(`${path}.part`, JSON.stringify({ key: digest(JSON.stringify(ingredients)), files: hashes, notes }));
  renameSync(`${path}.part`, path);
}

function pathOf(folder, name) {
  return join(folder, `${name}.stamp.json`);
}
