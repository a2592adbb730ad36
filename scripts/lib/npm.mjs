// The packages of package-lock.json, installed where they are not.
import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, run } from './run.mjs';

const MODULES = join(ROOT, 'node_modules');
/** What only tests and published builds need: one of these packages. */
const DEV = join(MODULES, 'typescript');

/** Installs the packages unless they are newer than the lock file; with `lean` only those that make the site. */
export async function ensurePackages({ lean = false } = {}) {
  const age = (path) => statSync(path).mtimeMs;
  const installed = join(MODULES, '.package-lock.json');
  const fresh = existsSync(installed) && age(installed) >= age(join(ROOT, 'package-lock.json'));
  if (fresh && (lean || existsSync(DEV))) return;
  // npm would follow it, and empty the packages of another checkout.
  if (lstatSync(MODULES, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Failure('node_modules is a link; please remove it');
  await run('npm', ['ci', '--no-audit', '--no-fund', ...(lean ? ['--omit=dev'] : [])]);
}
