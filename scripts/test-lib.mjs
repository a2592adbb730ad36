// The npm package as its users have it: built, and its tests in Node and in Chromium.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall } from './lib/apt.mjs';
import { buildWasm } from './build-wasm.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ROOT, isMain, main, run } from './lib/run.mjs';

/** Builds and tests; what the tests printed. */
export async function testLib() {
  await ensurePackages();
  await buildWasm();
  const { buildLib } = await import('./build-lib.mjs');
  await buildLib();
  // Every exported name must be documented, and every link must lead somewhere.
  await run('npx', ['--no-install', 'typedoc', '--options', 'www/lib/typedoc.json']);
  if (!process.env.CHROMIUM && !existsSync('/usr/bin/chromium'))
    await aptInstall(['chromium'], 'a browser, for the tests of the npm package');
  const folder = join(ROOT, 'www/tests/lib');
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs'));
  return run(process.execPath, ['--test', '--test-reporter=tap', ...files.map((name) => join('www/tests/lib', name))]);
}

if (isMain(import.meta.url)) await main(testLib);
