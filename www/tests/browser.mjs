// What the tests of pages share: a browser, and a server for a folder. FOREBAY_BROWSER names the engine.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as chromium from './engines/chromium.mjs';
import * as firefox from './engines/firefox.mjs';
import { serveFolders } from '../../scripts/lib/serve-folder.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The engine that the tests run in. */
export const ENGINE = process.env.FOREBAY_BROWSER || 'chromium';
const engine = { chromium, firefox }[ENGINE];
if (!engine) throw new Error(`FOREBAY_BROWSER is chromium or firefox, not ${ENGINE}`);

/** For `skip` of a test that needs a browser: why there is none, or false. */
export const noBrowser = existsSync(engine.executable) ? false : `there is no ${engine.executable}`;

/** For `skip` of a test that needs what not every engine can do: why this one cannot, or false. */
export const needs = (ability) => noBrowser || (engine.cannot[ability] ?? false);

/** What a page called a file that it gave: where one of that name is there already, some browsers give it another. */
export const nameOf = (download) => download.suggestedFilename().replace(/ ?\(\d+\)(?=\.)/, '');

/** A fresh browser. */
export const launch = (more = []) => engine.launch(more);

/** A fresh browser with a profile of its own in an empty folder: private windows have other limits. Resolves to its context. */
export const launchWithProfile = (folder) => engine.launchWithProfile(folder);

/** Serves a folder as any static host does: no special headers. Resolves to the server and its address. */
export const serveFolder = (folder) => serveFolders({ '': folder });

/** A page that collects what goes wrong on it. FOREBAY_SLOW=8 makes it eight times as slow: tests that hurry fail then. */
export async function newPage(browser, options = {}) {
  const page = await browser.newPage(
    await engine.prepare(browser, { viewport: { width: 1280, height: 800 }, ...options }),
  );
  const rate = Number(process.env.FOREBAY_SLOW ?? 1);
  if (rate > 1) await engine.slowDown(page, rate);
  page.faults = [];
  page.on('pageerror', (e) => page.faults.push(e.message));
  // A browser writes down by itself that there is no strip of thumbnails beside a file.
  const missing = (m) => m.location().url.endsWith('.thumbs') && m.text().includes('404');
  page.on('console', (m) => m.type() === 'error' && !missing(m) && page.faults.push(m.text()));
  return page;
}

/** Kills the page, as a browser does that has no memory left, and waits until it is dead. */
export const crash = (page) => engine.crash(page);

/** Leaves the page's origin that many bytes to store; `null`: as many as before. */
export const limitStorage = (page, bytes) => engine.limitStorage(page, bytes);

/** Drops files or folders of this machine on a place of the page; a test of it `needs('drop folders')`. */
export const dropFiles = (page, paths, at) => engine.dropFiles(page, paths, at);

/**
 * Fingers on the page. `steps` says for each moment where every finger is: `[[[x, y]], [[x, y]]]` is a swipe of one. They
 * are lifted after the last; `hold` is how many milliseconds they rest before they move.
 */
export const touch = (page, steps, { hold = 0 } = {}) => engine.touch(page, steps, hold);

/** A pen that is `Pressed`, `Moved` or `Released` at `[x, y]`; a test of it `needs('use a pen')`. */
export const pen = (page, what, at) => engine.pen(page, what, at);

/** Opens a link as if it came from outside. */
export async function visit(page, url) {
  await page.goto('about:blank');
  await page.goto(url);
}

/** Waits until `check` comes true: for what a page does in its own time and says in no element that one could wait for. */
export async function until(check, what) {
  for (const end = Date.now() + 30_000; !(await check()); ) {
    if (Date.now() > end) throw new Error(`never came true: ${what}`);
    await new Promise((go) => setTimeout(go, 50));
  }
}

/** What axe finds wrong with the page as it is. */
export async function axe(page) {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(
    (v) =>
      `${v.id}: ${v.nodes
        .map((n) => `${n.target.flat().join(' ')} (${n.any.map((a) => a.message).join('; ')})`)
        .slice(0, 3)
        .join(' | ')}`,
  );
}
