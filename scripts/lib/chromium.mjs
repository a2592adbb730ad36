// Chromium, for the tests of pages.
import { existsSync } from 'node:fs';
import { aptInstall } from './apt.mjs';

// The shell is Chromium without windows: the same tests take it a third less time.
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of the Chromium that is here, or of the one that would be installed. CHROMIUM names another. */
export const findChromium = () => process.env.CHROMIUM || (PLACES.find((path) => existsSync(path)) ?? PLACES[0]);

/** The same; Debian's is installed where there is none. */
export async function ensureChromium() {
  const found = findChromium();
  if (!process.env.CHROMIUM && !existsSync(found))
    await aptInstall(['chromium-headless-shell'], 'Chromium runs the tests of the viewer');
  return found;
}
