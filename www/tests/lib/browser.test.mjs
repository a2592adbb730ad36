// The package in a browser, from its files as they are published: a page without special headers, with a strict
// policy, and workers.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, noBrowser } from '../browser.mjs';
import { bitmap, tarOf } from './helpers.mjs';

const DIST = fileURLToPath(new URL('../../lib/dist', import.meta.url));
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src blob:";
const PAGE = '<!doctype html><title>forebay</title><script type="module" src="/page.js"></script>';
const SCRIPT = "import * as forebay from '/dist/index.js'; globalThis.forebay = forebay;";

const SHARED = `import * as forebay from '/dist/index.js';
onconnect = ({ ports: [port] }) => forebay.open('/train.tar').then(async (ds) => port.postMessage([ds.length, (await ds.check()).ok, (await ds.bytes(3)).length]), (e) => port.postMessage(String(e)));`;
const SERVICE = `import * as forebay from '/dist/index.js';
onmessage = (e) => e.waitUntil(forebay.open('/train.tar').then(() => 'opened', (e) => [e.code, e.message]).then((said) => e.source.postMessage(said)));`;

const skip = noBrowser;
const tar = Buffer.from(tarOf(300));
let server;
let browser;
let page;
let folder;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'forebay-'));
  writeFileSync(join(folder, 'train.tar'), tar);
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const send = (type, body) =>
      response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(body);
    if (path === '/') return send('text/html', PAGE);
    if (path === '/page.js') return send('text/javascript', SCRIPT);
    if (path === '/service.js') return send('text/javascript', SERVICE);
    if (path === '/shared.js') return send('text/javascript', SHARED);
    if (path === '/train.tar') {
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (start === undefined) return response.writeHead(200).end(tar);
      const body = tar.subarray(Number(start), Number(end) + 1);
      return response
        .writeHead(206, {
          'content-range': `bytes ${start}-${Number(start) + body.length - 1}/${tar.length}`,
          etag: '"1"',
        })
        .end(body);
    }
    const file = join(DIST, path.replace(/^\/dist\//, ''));
    if (!path.startsWith('/dist/') || path.includes('..') || !existsSync(file) || !statSync(file).isFile())
      return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': POLICY,
    });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launch();
  page = await browser.newPage();
  page.on('pageerror', (e) => console.error(e));
  page.on('console', (message) => message.type() === 'error' && console.error(message.text()));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.forebay);
  // A file input gives the page a real File, which lies on disk.
  await page.evaluate(() => {
    const input = document.createElement('input');
    input.type = 'file';
    document.body.append(input);
  });
  await page.setInputFiles('input', join(folder, 'train.tar'));
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  if (folder) rmSync(folder, { recursive: true });
});

test('a File opens in a worker under a strict policy, and its images show', { skip }, async () => {
  const seen = await page.evaluate(async () => {
    const ds = await forebay.open(document.querySelector('input').files[0]);
    const bitmap = await createImageBitmap(await ds.blob(7));
    const matches = await ds.matches('width >= 88 && cls == 2');
    return {
      format: ds.format,
      length: ds.length,
      name: ds.nameOf(7),
      size: [bitmap.width, bitmap.height],
      matches: matches.length,
      workers: forebay.capabilities().workers,
    };
  });
  assert.deepEqual(seen, {
    format: 'tar',
    length: 300,
    name: 'train/00007.bmp',
    size: [72, 24],
    matches: 10,
    workers: seen.workers,
  });
  assert.equal(page.workers().length >= 1, true);
});

test('a URL opens by range, and the same file converts into the origin-private file system', { skip }, async () => {
  const seen = await page.evaluate(async () => {
    const ds = await forebay.open('/train.tar');
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle('out.tbl', { create: true });
    let last;
    const summary = await forebay.convert(ds, handle, { to: 'tbl', compression: 'lz4', onProgress: (p) => (last = p) });
    const file = await handle.getFile();
    const written = await forebay.open(file);
    const report = await written.check();
    return {
      samples: summary.samples,
      same: summary.outputBytes === file.size,
      done: last.samples,
      ok: report.ok,
      width: written.info(9).width,
      record: await written.record(9),
    };
  });
  assert.deepEqual(seen, {
    samples: 300,
    same: true,
    done: 300,
    ok: true,
    width: 88,
    record: { id: 9, name: 'train/00009.bmp', cls: 0, json: { label: '<b>0</b>', boxes: [[1, 2, 3, 9]] } },
  });
});

test('a conversion that is given up leaves the file as it was, and nothing beside it', { skip }, async () => {
  const seen = await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('deep', { create: true });
    const handle = await folder.getFileHandle('out.tbl', { create: true });
    const old = await handle.createWritable();
    await old.write('as it was');
    await old.close();
    const names = async () => (await Array.fromAsync(folder.keys())).join();
    const [file] = document.querySelector('input').files;
    const controller = new AbortController();
    const given = await forebay
      .convert(file, handle, { to: 'tbl', signal: controller.signal, onProgress: () => controller.abort() })
      .catch((e) => e.name);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = [await names(), await (await handle.getFile()).text()];
    await forebay.convert(file, handle, { to: 'tbl' });
    return [given, ...before, await names(), (await forebay.open(await handle.getFile())).length];
  });
  assert.deepEqual(seen, ['AbortError', 'out.tbl', 'as it was', 'out.tbl', 300]);
});

test('errors keep their codes across the worker, and the page lives on', { skip }, async () => {
  const seen = await page.evaluate(async () => {
    const code = (promise) =>
      promise.then(
        () => 'fine',
        (e) => e.code,
      );
    return [
      await code(forebay.open(new Blob([]))),
      await code(forebay.open('/nothing')),
      await code(forebay.open(new Blob(['x'.repeat(600)]))),
      (await forebay.open(document.querySelector('input').files[0])).length,
    ];
  });
  assert.deepEqual(seen, ['format.empty', 'http.status', 'format.unknown', 300]);
});

test('a shared worker, which has no workers of its own, works by itself', { skip }, async () => {
  const said = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const { port } = new SharedWorker('/shared.js', { type: 'module' });
        port.onmessage = (e) => resolve(e.data);
      }),
  );
  assert.deepEqual(said, [300, true, bitmap(40, 24, 3).length]);
});

test('a service worker is told that it cannot', { skip }, async () => {
  const said = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.register('/service.js', { type: 'module' });
    const active = registration.active ?? registration.installing ?? registration.waiting;
    while (active.state !== 'activated') await new Promise((resolve) => setTimeout(resolve, 20));
    const answer = new Promise((resolve) => (navigator.serviceWorker.onmessage = (e) => resolve(e.data)));
    navigator.serviceWorker.startMessages();
    active.postMessage('');
    return answer.finally(() => registration.unregister());
  });
  assert.equal(said[0], 'runtime.load');
  assert.match(said[1], /service worker/);
});
