// Folders in a browser: the files of a folder, a folder of the origin-private file system, a manifest's address; under a
// strict policy, in workers.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, needs, noBrowser } from '../browser.mjs';
import { ROOT } from './helpers.mjs';

const skip = noBrowser;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src blob:";
const SCRIPT = "import * as forebay from '/dist/index.js'; globalThis.forebay = forebay;";
const PAGE =
  '<!doctype html><title>forebay</title><input type="file" webkitdirectory><script type="module" src="/page.js"></script>';
const LETTERBOX = join(ROOT, 'tests/corpus/twh/expected/case_letterbox_64');
let server;
let browser;
let page;

before(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const send = (type, bytes) =>
      response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(bytes);
    if (path === '/') return send('text/html', PAGE);
    if (path === '/page.js') return send('text/javascript', SCRIPT);
    const file = path.startsWith('/dist/')
      ? join(ROOT, 'www/lib', path)
      : join(ROOT, 'tests', path.replace(/^\/corpus\//, 'corpus/'));
    if (path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    const bytes = readFileSync(file);
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (start === undefined) return send(TYPES[extname(file)] ?? 'application/octet-stream', bytes);
    const part = bytes.subarray(Number(start), Number(end) + 1);
    const range = `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}`;
    return response.writeHead(206, { 'content-range': range, etag: '"1"' }).end(part);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launch();
  page = await browser.newPage();
  page.on('pageerror', (e) => console.error(e));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.forebay);
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

const unchosen = skip || needs('choose folders');
test('a folder of an input opens as a warehouse, in workers that read its files', { skip: unchosen }, async () => {
  await page.setInputFiles('input', LETTERBOX);
  const seen = await page.evaluate(async () => {
    const dataset = await forebay.openSamples(document.querySelector('input').files);
    const picture = await dataset.picture(0);
    const bitmap = await createImageBitmap(new ImageData(picture.data, picture.width, picture.height));
    const report = await dataset.check();
    const { data } = await dataset.tensor(8);
    dataset.close();
    return [dataset.format, dataset.length, bitmap.width, picture.content, report.ok, data.length];
  });
  assert.deepEqual(seen, ['warehouse', 21, 64, seen[3], true, 3 * 64 * 64]);
  assert.ok(seen[3].width * seen[3].height < 64 * 64);
  assert.ok(page.workers().length >= 1);
});

test('a manifest opens by its address, and the same files from the origin-private file system', { skip }, async () => {
  const seen = await page.evaluate(async () => {
    const address = '/corpus/twh/expected/case_letterbox_64/manifest.json';
    const far = await forebay.openWarehouse(address);
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('warehouse', { create: true });
    for (const path of ['manifest.json', ...far.manifest.shards.map((shard) => shard.relativePath)]) {
      const bytes = await (await fetch(new URL(path, new URL(address, location.href)))).arrayBuffer();
      const stream = await (await folder.getFileHandle(path, { create: true })).createWritable();
      await stream.write(bytes);
      await stream.close();
    }
    const near = await forebay.openWarehouse(root);
    const [a, b] = [await far.tensor(5), await near.tensor(5)];
    const boxes = [await far.boxes(5), await near.boxes(5)].map((some) => JSON.stringify(some));
    await folder.removeEntry(near.manifest.shards[2].relativePath);
    const gone = await forebay.openWarehouse(folder).catch((e) => [e.code, e.message]);
    return [a.data.every((value, k) => value === b.data[k]), boxes[0] === boxes[1], gone];
  });
  assert.deepEqual(seen.slice(0, 2), [true, true]);
  assert.equal(seen[2][0], 'warehouse.shard_missing');
  assert.match(seen[2][1], /shard_00002\.bin/);
});

test('labels are read from a folder, written into another, and refused with their line', {
  skip: unchosen,
}, async () => {
  await page.setInputFiles('input', join(ROOT, 'tests/corpus/labels/exports/globox_labelme'));
  const seen = await page.evaluate(async () => {
    const labels = await forebay.readLabels(document.querySelector('input').files);
    const root = await navigator.storage.getDirectory();
    const to = await root.getDirectoryHandle('voc', { create: true });
    const written = await forebay.writeLabels(labels, 'voc', to);
    const back = await forebay.readLabels(to, { vocBase: 1 });
    const bad = await forebay
      .readLabels('/corpus/labels/damaged/coco_nan/instances.json')
      .catch(({ code, line, character, path }) => ({ code, line, character, path }));
    const asked = await forebay.readLabels(to).catch((e) => [e.code, e.options]);
    return {
      format: labels.format,
      pictures: labels.pictures.length,
      files: written.files,
      back: back.format,
      bad,
      asked,
    };
  });
  assert.deepEqual(seen, {
    format: 'labelme',
    pictures: 17,
    files: 17,
    back: 'voc',
    bad: { code: 'label.number', line: 8, character: 60, path: 'annotations[1].bbox[1]' },
    asked: ['label.ambiguous', ['vocBase']],
  });
});
