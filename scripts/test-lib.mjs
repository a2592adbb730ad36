// The npm package as its users have it: built, and its tests in Node and in Chromium; `--browser firefox` asks Firefox.
//
//   npm run test:lib -- [--published] [NAME...]   with names only the files whose names have one of them, such as `edits`
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildLib } from './build-lib.mjs';
import { environmentOf } from './lib/engines.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { Failure, ROOT, isMain, main, run } from './lib/run.mjs';

/** Files that only `npm test -- --all` runs: aborts at every read, killed tabs, bundlers, workers, other programs. */
const IN_DEPTH = [
  'abort',
  'apps',
  'bundlers',
  'edits-browser',
  'private',
  'pycocotools',
  'serving',
  'thumbnails',
  'thumbs',
];

/** Builds and tests, everything or the files of these names; resolves to what the tests printed. */
export async function testLib({ browser = 'chromium', chromium, names = [], quick = true, everyDay = false } = {}) {
  await ensurePackages();
  await buildLib({ quick, types: true, threads: !quick });
  // Every exported name must be documented, and every link must lead somewhere.
  await run('npx', ['--no-install', 'typedoc', '--options', 'www/lib/typedoc.json']);
  const env = chromium ? { CHROMIUM: chromium } : await environmentOf(browser);
  const folder = join(ROOT, 'www/tests/lib');
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs'));
  const wanted = names.length > 0 ? files.filter((file) => names.some((name) => file.includes(name))) : files;
  if (wanted.length === 0) throw new Failure(`no file of www/tests/lib is called like ${names.join(' or ')}`);
  const tests = wanted
    .filter((file) => !everyDay || !IN_DEPTH.includes(file.replace('.test.mjs', '')))
    .map((name) => join('www/tests/lib', name));
  if (everyDay) env.FOREBAY_EVERY_DAY = '1';
  return run(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=tap', ...tests], { env });
}

if (isMain(import.meta.url)) {
  const options = { browser: { type: 'string' }, published: { type: 'boolean' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  await main(() => testLib({ browser: values.browser, names: positionals, quick: !values.published }));
}
