// The npm package as its users have it: built, and its tests in Node and in Chromium; `--browser firefox` asks Firefox.
//
//   npm run test:lib -- [NAME...]      with names only the files whose names have one of them, such as `edits`
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildWasm } from './build-wasm.mjs';
import { environmentOf } from './lib/engines.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { Failure, ROOT, isMain, main, run } from './lib/run.mjs';

/** Builds and tests, everything or the files of these names; what the tests printed. */
export async function testLib(browser = 'chromium', names = []) {
  await ensurePackages();
  await buildWasm();
  const { buildLib } = await import('./build-lib.mjs');
  await buildLib();
  // Every exported name must be documented, and every link must lead somewhere.
  await run('npx', ['--no-install', 'typedoc', '--options', 'www/lib/typedoc.json']);
  const env = await environmentOf(browser);
  const folder = join(ROOT, 'www/tests/lib');
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs'));
  const wanted = names.length > 0 ? files.filter((file) => names.some((name) => file.includes(name))) : files;
  if (wanted.length === 0) throw new Failure(`no file of www/tests/lib is called like ${names.join(' or ')}`);
  const tests = wanted.map((name) => join('www/tests/lib', name));
  return run(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=tap', ...tests], { env });
}

if (isMain(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { browser: { type: 'string' } }, allowPositionals: true });
  await main(() => testLib(values.browser, positionals));
}
