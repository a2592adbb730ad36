// What the tests of the viewer share: a browser, and a server for a folder.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** A fresh browser. */
export const launch = (more = []) =>
  chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: [...FLAGS, ...more] });

/** Serves a folder as any static host does: no special headers. Resolves to the server and its address. */
export async function serveFolder(folder) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/\/$/, '/index.html');
    readFile(join(folder, path)).then(
      (bytes) =>
        response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

/** A page that collects what goes wrong on it. FOREBAY_SLOW=8 makes it eight times as slow: tests that hurry fail then. */
export async function newPage(browser, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  const rate = Number(process.env.FOREBAY_SLOW ?? 1);
  if (rate > 1) {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate });
  }
  page.faults = [];
  page.on('pageerror', (e) => page.faults.push(e.message));
  page.on('console', (m) => m.type() === 'error' && page.faults.push(m.text()));
  return page;
}

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
