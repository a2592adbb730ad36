// The core of the viewer in WebKitGTK, by Debian's packages: npm run test:webkit
import { existsSync } from 'node:fs';
import { buildSite } from './build-site.mjs';
import { aptInstall } from './lib/apt.mjs';
import { TESTED_SAMPLE, buildForTests } from './lib/forebay.mjs';
import { isMain, main, read, run } from './lib/run.mjs';
import { ensureSample } from './sample.mjs';

const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
/** A browser of one window, which comes with the library. */
const browser = () => `/usr/lib/${read('gcc', ['-dumpmachine']) ?? 'x86_64-linux-gnu'}/webkit2gtk-4.1/MiniBrowser`;

/** Builds and tests; what the tests printed. */
export async function testWebkit() {
  if (![DRIVER, SCREEN, browser()].every((path) => existsSync(path)))
    await aptInstall(['webkit2gtk-driver', 'libwebkit2gtk-4.1-0', 'xvfb'], 'WebKitGTK runs the core of the viewer');
  await buildSite({ quick: true });
  await buildForTests();
  const env = { WEBKIT_DRIVER: DRIVER, WEBKIT: browser(), XVFB: SCREEN };
  env.FOREBAY_SAMPLE = await ensureSample(TESTED_SAMPLE);
  return run(process.execPath, ['--test', '--test-reporter=tap', 'www/tests/webkit/core.test.mjs'], { env });
}

if (isMain(import.meta.url)) await main(testWebkit);
