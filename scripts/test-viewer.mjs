// The viewer in a browser: alone over made-up datasets, then the built site over the sample dataset, then as an element on
// other people's pages and in their apps.
//
//     npm run test:viewer                                        # in Chromium
//     npm run test:viewer -- --browser firefox                   # in Firefox
//     npm run test:viewer -- --browser firefox picking saving    # these files only
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildLib } from './build-lib.mjs';
import { buildFakeSite, buildSite } from './build-site.mjs';
import { buildViewer, buildWidget } from './build-viewer.mjs';
import { environmentOf, findFirefox, INSTALL_FIREFOX } from './lib/engines.mjs';
import { TESTED_FOREBAY, TESTED_SAMPLE, buildForTests } from './lib/forebay.mjs';
import { Failure, ROOT, isMain, main, run } from './lib/run.mjs';
import { Skip } from './lib/steps.mjs';
import { ensureSample } from './sample.mjs';

/** What a second engine is asked in `npm test`, so that it takes minutes; `--browser` asks it everything. */
const CORE = [
  'opening',
  'picking',
  'saving',
  'touch',
  'everybody',
  'storage',
  'browser',
  'folders',
  'edits-browser',
  'curate-browser',
];

/** Files that only `npm test -- --all` runs: engines of frameworks, corpora, and what is seldom touched. */
const IN_DEPTH = [
  'apps',
  'columns',
  'comparing',
  'curating',
  'element',
  'everybody',
  'hostile',
  'lists',
  'mapping',
  'readme',
  'storage',
  'thumbs',
  'touch',
  'widget',
];

/** Builds and tests; what the tests printed. `only` names files of tests, without what they end in. */
export async function testViewer({
  browser = 'chromium',
  chromium,
  only = [],
  everyDay = false,
  folders = ['viewer', 'site', 'component'],
} = {}) {
  const env = chromium ? { CHROMIUM: chromium } : await environmentOf(browser);
  await buildLib({ quick: true, types: true });
  await buildSite({ quick: true });
  await buildViewer();
  await buildWidget();
  env.FOREBAY_FAKE_SITE = await buildFakeSite();
  await buildForTests();
  env.FOREBAY = TESTED_FOREBAY;
  env.FOREBAY_SAMPLE = await ensureSample(TESTED_SAMPLE);
  const tests = filesOf(folders, only).filter((path) => !everyDay || !IN_DEPTH.includes(basename(path, '.test.mjs')));
  if (everyDay) env.FOREBAY_EVERY_DAY = '1';
  return run(process.execPath, ['--test', '--test-concurrency=2', '--test-reporter=tap', ...tests], { env });
}

/** The core of it in Firefox, and what the package does there; if there is no Firefox, the words to type. */
export async function testFirefox() {
  if (!findFirefox()) throw new Skip(`there is no Firefox; ${INSTALL_FIREFOX}`);
  return testViewer({ browser: 'firefox', only: CORE, folders: ['viewer', 'site', 'lib'] });
}

function filesOf(folders, only) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, 'www/tests', folder)).map((name) => `www/tests/${folder}/${name}`),
  );
  const tests = files.filter((name) => name.endsWith('.test.mjs'));
  if (only.length === 0) return tests;
  const chosen = tests.filter((name) => only.includes(basename(name, '.test.mjs')));
  const missing = only.filter((name) => !chosen.some((path) => basename(path, '.test.mjs') === name));
  if (missing.length > 0) throw new Failure(`no tests are called ${missing.join(', ')}`);
  return chosen;
}

if (isMain(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { browser: { type: 'string' } }, allowPositionals: true });
  await main(() => testViewer({ browser: values.browser, only: positionals }));
}
