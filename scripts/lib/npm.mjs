// The packages of package-lock.json, installed where they are not.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './run.mjs';

/** Runs `npm ci` unless what is installed is newer than the lock file. */
export async function ensurePackages() {
  const installed = join(ROOT, 'node_modules/.package-lock.json');
  const age = (path) => statSync(path).mtimeMs;
  if (existsSync(installed) && age(installed) >= age(join(ROOT, 'package-lock.json'))) return;
  await run('npm', ['ci', '--no-audit', '--no-fund']);
}
