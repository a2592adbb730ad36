// The viewer in Chromium: alone over made-up datasets, then the built site over the sample dataset, then as an element on other
// people's pages and in their apps.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildFakeSite, buildSite } from './build-site.mjs';
import { buildViewer, buildWidget } from './build-viewer.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { TESTED_FOREBAY, TESTED_SAMPLE, buildForTests } from './lib/forebay.mjs';
import { ROOT, isMain, main, run } from './lib/run.mjs';
import { ensureSample } from './sample.mjs';

/** Builds and tests; what the tests printed. */
export async function testViewer() {
  const env = { CHROMIUM: await ensureChromium() };
  await buildSite();
  await buildViewer();
  await buildWidget();
  env.FOREBAY_FAKE_SITE = await buildFakeSite();
  await buildForTests();
  env.FOREBAY = TESTED_FOREBAY;
  env.FOREBAY_SAMPLE = await ensureSample(TESTED_SAMPLE);
  const files = ['viewer', 'site', 'component'].flatMap((folder) =>
    readdirSync(join(ROOT, 'www/tests', folder)).map((name) => `www/tests/${folder}/${name}`),
  );
  const tests = files.filter((name) => name.endsWith('.test.mjs'));
  return run(process.execPath, ['--test', '--test-concurrency=1', '--test-reporter=tap', ...tests], { env });
}

if (isMain(import.meta.url)) await main(testViewer);
