// Duplicates and outliers in a browser's workers: what a page finds is what Node finds.
import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { open, shutdown } from 'forebay';
import { launch, noBrowser } from '../browser.mjs';
import { ROOT, filesOf, scene } from './helpers.mjs';

const skip = noBrowser;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const PAGE = `<!doctype html><script type="module">
import * as f from '/dist/index.js';
globalThis.forebay = f;
</script>`;
const sizes = [
  [96, 72],
  [48, 36],
  [120, 90],
];
/** Seven scenes, each at three sizes and lights, and a file that is not a picture. */
const files = [
  ...Array.from({ length: 21 }, (_, k) => [`${k}.bmp`, scene(k % 7, ...sizes[k % 3], 1 - (k % 3) / 8)]),
  ['dark.bmp', scene(3, 96, 72, 0.02)],
  ['broken.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])],
];
let server, browser, made;
before(async () => {
  if (skip) return;
  made = Buffer.from(await filesOf(files).arrayBuffer());
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    if (path === '/made.tar') return response.writeHead(200).end(made);
    const file = join(ROOT, 'www/lib', path);
    if (!path.startsWith('/dist/') || path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  await shutdown();
});

/** What is asked, in Node and in the page. */
async function asked(dataset) {
  const { groups, duplicates, faultCount } = await dataset.duplicates({ distance: 6 });
  const { outliers } = await dataset.outliers({});
  dataset.close();
  return { groups, duplicates, faultCount, outliers };
}

test('a page finds the same near duplicates and outliers as Node', { skip }, async () => {
  const here = await asked(await open(new Blob([made]), { name: 'made.tar' }));
  assert.ok(here.duplicates >= 10 && here.outliers.length > 0, JSON.stringify(here));
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.forebay);
  const there = await page.evaluate(`(async () => {
    const blob = await (await fetch('/made.tar')).blob();
    return JSON.stringify(await (${asked})(await forebay.open(new File([blob], 'made.tar'))));
  })()`);
  assert.deepEqual(JSON.parse(there), JSON.parse(JSON.stringify(here)));
  await page.close();
});
