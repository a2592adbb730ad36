// The browsers that the tests of pages run in.
import { existsSync } from 'node:fs';
import { aptInstall } from './apt.mjs';
import { ensureChromium } from './chromium.mjs';
import { Failure } from './run.mjs';

const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];
/** What to type where there is no Firefox. */
export const INSTALL_FIREFOX = 'apt-get install -y --no-install-recommends firefox-esr';

/** The path of a Firefox, or null. FIREFOX names another. */
export const findFirefox = () => process.env.FIREFOX || (FIREFOX.find((path) => existsSync(path)) ?? null);

/** What the tests must be told so that they run in an engine, which Debian installs if it is missing. */
export async function environmentOf(browser) {
  if (browser === 'chromium') return { CHROMIUM: await ensureChromium() };
  if (browser !== 'firefox') throw new Failure(`--browser is chromium or firefox, not ${browser}`);
  if (!findFirefox()) await aptInstall(['firefox-esr'], 'Firefox runs the tests of pages too');
  return { FOREBAY_BROWSER: 'firefox', FIREFOX: findFirefox() };
}
