// The threaded module: in a page that is cross-origin isolated, the same answers as without it.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, noBrowser } from '../browser.mjs';
import { ROOT, THREADS, tarOf } from './helpers.mjs';

const DIST = join(ROOT, 'www/lib/dist');
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const POLICY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'",
};
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const PAGE = '<!doctype html><title>forebay</title><script type="module" src="page.js"></script>';
/** Converts, checks and damages a file that is large enough; says what was used for it. */
const SCRIPT = `
import * as forebay from '/dist/index.js';
async function hash(bytes) {
  return Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (b) => b.toString(16).padStart(2, '0')).join('');
}
globalThis.work = async (options) => {
  await forebay.shutdown();
  forebay.configure({ workers: 2, ...options });
  const piece = new Uint8Array(await (await fetch('/piece.tar')).arrayBuffer());
  const tar = new Blob([...Array(Math.ceil((33 << 20) / piece.length)).fill(piece.subarray(0, -1024)), new Uint8Array(1024)]);
  const found = { threads: forebay.capabilities().threads };
  performance.clearResourceTimings();
  for (const compression of ['none', 'lz4']) {
    const sink = forebay.memorySink();
    const { samples } = await forebay.convert(tar, sink, { to: 'tbl', compression });
    const bytes = sink.bytes().slice();
    // What is smaller than that is checked without threads: it is asked for the file as it is.
    const ds = await forebay.openSamples(new Blob([bytes]));
    const done = [];
    const { ok } = await ds.check({ onProgress: (p) => done.push(p.samples) });
    bytes[ds.info(samples - 1).offset + 9] ^= 4;
    bytes[ds.info(1).offset + 9] ^= 4;
    const { faults } = await forebay.check(new Blob([bytes]));
    const back = forebay.memorySink();
    await forebay.convert(new Blob([sink.bytes()]), back, { to: 'tar' });
    Object.assign(found, { [compression]: { samples, hash: await hash(sink.bytes()), ok, last: done.at(-1), rising: done.every((n, k) => k === 0 || n >= done[k - 1]), faults: faults.map((f) => [f.code, f.sample]), back: await hash(back.bytes()) } });
  }
  found.used = performance.getEntriesByType('resource').map((e) => e.name.split('/').at(-1)).filter((name) => name.endsWith('.wasm')).sort();
  return found;
};`;

const skip = THREADS ? noBrowser : 'the package was built without threads';
let server;
let browser;

before(async () => {
  if (skip) return;
  const piece = Buffer.from(tarOf(40, 200));
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const headers =
      request.headers.referer?.includes('plain') || path.startsWith('/plain') ? POLICY : { ...POLICY, ...ISOLATED };
    const send = (type, body) => response.writeHead(200, { 'content-type': type, ...headers }).end(body);
    if (path.endsWith('/page.js')) return send('text/javascript', SCRIPT);
    if (path === '/piece.tar') return send('application/octet-stream', piece);
    const file = join(DIST, path.replace(/^\/dist\//, ''));
    if (path.startsWith('/dist/') && !path.includes('..') && existsSync(file) && statSync(file).isFile()) {
      response.writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        ...POLICY,
        ...ISOLATED,
      });
      return createReadStream(file).pipe(response);
    }
    if (path === '/plain/' || path === '/isolated/') return send('text/html', PAGE);
    response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

async function worked(where, options = {}) {
  const page = await browser.newPage();
  page.on('pageerror', (e) => console.error(e));
  await page.goto(`http://127.0.0.1:${server.address().port}/${where}/`);
  await page.waitForFunction(() => globalThis.work);
  try {
    return await page.evaluate((options) => globalThis.work(options), options);
  } finally {
    await page.close();
  }
}

test('threads and workers give the same bytes, reports and progress', { skip }, async () => {
  const { threads: without, used: plain, ...expected } = await worked('plain');
  assert.equal(without, false);
  assert.ok(!plain.includes('threads.wasm'), plain.join());
  const { none } = expected;
  assert.deepEqual(
    [none.ok, none.last, none.rising, none.faults],
    [
      true,
      none.samples,
      true,
      [
        ['tbl.payload_crc', 1],
        ['tbl.payload_crc', none.samples - 1],
      ],
    ],
  );
  for (const threads of [undefined, 1, 3]) {
    const { threads: given, used, ...found } = await worked('isolated', threads === undefined ? {} : { threads });
    const asked = threads !== undefined;
    assert.deepEqual([given, used.includes('threads.wasm')], [asked, asked], used.join());
    assert.deepEqual(found, expected);
  }
});

test('a page that wants no threads, or cannot load them, does without', { skip }, async () => {
  const { threads, used, none } = await worked('isolated', { threads: 0 });
  assert.deepEqual([threads, used.includes('threads.wasm'), none.ok], [false, false, true]);
  const lost = await worked('isolated', { threads: 2, wasmUrls: { threads: '/nowhere.wasm' } });
  assert.deepEqual([lost.none.ok, lost.lz4.ok, lost.none.hash], [true, true, none.hash]);
});
