// The npm package as its users have it: built, and its tests in Node and in Chromium; `--browser firefox` asks Firefox.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildWasm } from './build-wasm.mjs';
import { environmentOf } from './lib/engines.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ROOT, isMain, main, run } from './lib/run.mjs';

/** Builds and tests; what the tests printed. */
export async function testLib(browser = 'chromium') {
  await ensurePackages();
  await buildWasm();
  const { buildLib } = await import('./build-lib.mjs');
  await buildLib();
  // Every exported name must be documented, and every link must lead somewhere.
  await run('npx', ['--no-install', 'typedoc', '--options', 'www/lib/typedoc.json']);
  const env = await environmentOf(browser);
  const folder = join(ROOT, 'www/tests/lib');
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs'));
  const tests = files.map((name) => join('www/tests/lib', name));
  return run(process.execPath, ['--test', '--test-reporter=tap', ...tests], { env });
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { browser: { type: 'string' } } });
  await main(() => testLib(values.browser));
}
