// Chromium, for the tests of the viewer.
import { existsSync } from 'node:fs';
import { aptInstall } from './apt.mjs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of a Chromium; Debian's is installed where there is none. CHROMIUM names another. */
export async function ensureChromium() {
  const named = process.env.CHROMIUM;
  if (named) return named;
  const found = PLACES.find((path) => existsSync(path));
  if (found) return found;
  await aptInstall(['chromium'], 'Chromium runs the tests of the viewer');
  return PLACES[0];
}
