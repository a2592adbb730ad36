// Thumbnails that were made before, in a file beside the dataset: made in Chromium, read there and in Node.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { convert, memorySink, openSamples, shutdown, writeThumbs } from 'forebay';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/lib/chromium.mjs';
import { ROOT, codeOf, member, native, runNative, tarOf } from './helpers.mjs';

const EXECUTABLE = findChromium();
const skip = existsSync(EXECUTABLE) ? false : `there is no ${EXECUTABLE}`;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const PAGE =
  '<!doctype html><script type="module">import * as f from "/dist/index.js"; globalThis.forebay = f;</script>';
const folder = mkdtempSync(join(tmpdir(), 'forebay-thumbs-'));
const files = new Map();
let requests = [];
let server;
let browser;
let page;

async function tblOf(tar) {
  const sink = memorySink();
  await convert(tar, sink, { to: 'tbl' });
  return Buffer.from(sink.bytes());
}

before(async () => {
  files.set('/made.tbl', await tblOf(tarOf(60, 400)));
  files.set('/plain.tbl', await tblOf(tarOf(5, 400)));
  if (skip) return;
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    if (request.method === 'PUT') {
      const parts = [];
      request.on('data', (part) => parts.push(part));
      return request.on('end', () => {
        files.set(path, Buffer.concat(parts));
        response.writeHead(204).end();
      });
    }
    const bytes = files.get(path);
    if (bytes) {
      requests.push(path);
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [0, 0, bytes.length];
      const body = bytes.subarray(Number(start), Number(end) + 1);
      const range = `bytes ${start}-${Number(start) + body.length - 1}/${bytes.length}`;
      return response.writeHead(206, { 'content-range': range, etag: `"${bytes.length}"` }).end(body);
    }
    const file = join(ROOT, 'www/lib', path);
    if (!path.startsWith('/dist/') || path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch({ executablePath: EXECUTABLE, args: FLAGS });
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.forebay);
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true });
  await shutdown();
});

test('a page makes them, and then a first screen costs one more request', { skip }, async () => {
  const seen = await page.evaluate(async () => {
    const { memorySink, openSamples, writeThumbs } = globalThis.forebay;
    const dataset = await openSamples('/made.tbl');
    const sink = memorySink();
    const told = [];
    const { samples } = await writeThumbs(dataset, sink, { size: 120, onProgress: (p) => told.push(p.samples) });
    const own = await createImageBitmap(await dataset.thumbnail(7, { size: 120 }));
    await fetch('/made.tbl.thumbs', { method: 'PUT', body: sink.blob() });
    return { samples, last: told.at(-1), own: [own.width, own.height] };
  });
  assert.deepEqual(seen, { samples: 60, last: 60, own: [46, 120] });
  requests = [];
  const screen = await page.evaluate(async () => {
    globalThis.dataset = await globalThis.forebay.openSamples('/made.tbl');
    const there = await globalThis.dataset.openThumbs();
    const thumbs = await Promise.all(
      Array.from({ length: 40 }, (_, i) => globalThis.dataset.thumbnail(i, { size: 120 })),
    );
    const { width, height } = await createImageBitmap(thumbs[7]);
    return { there, width, height, type: thumbs[7].type };
  });
  assert.deepEqual(screen, { there: true, width: 46, height: 120, type: 'image/jpeg' });
  assert.deepEqual(requests.filter((path) => path === '/made.tbl.thumbs').length, 1);
  const opening = requests.length - 1;
  // What is larger than they are comes from the file itself.
  assert.ok(opening >= 1 && opening <= 2, requests.join());
  await page.evaluate(() => globalThis.dataset.thumbnail(3, { size: 200 }));
  assert.ok(requests.length > opening + 1);
  const smaller = await page.evaluate(async () => {
    const { width, height } = await globalThis.dataset.thumbnail(7, { size: 60, as: 'bitmap' });
    return [width, height];
  });
  assert.deepEqual(smaller, [23, 60]);
});

test('thumbnails of another or a changed file are refused by name', { skip }, async () => {
  const opened = (path, thumbs) =>
    page.evaluate(
      async ([path, thumbs]) => {
        const dataset = await globalThis.forebay.openSamples(path);
        return dataset.openThumbs(thumbs ?? undefined).then(String, (e) => `${e.code} ${e.message}`);
      },
      [path, thumbs],
    );
  assert.equal(await opened('/plain.tbl'), 'false');
  assert.match(
    await opened('/plain.tbl', '/made.tbl.thumbs'),
    /^thumbs\.other_file .*60 thumbnails, and there are 5 samples/,
  );
  assert.match(await opened('/made.tbl', '/made.tbl'), /^thumbs\.other_file .*do not say what they are of/);
  // One class of one sample changed: as many samples, in the same places.
  const changed = Buffer.from(tarOf(60, 400));
  changed[changed.lastIndexOf('train/00007.cls') + 512] = 57;
  files.set('/changed.tbl', await tblOf(changed));
  assert.equal(files.get('/changed.tbl').length, files.get('/made.tbl').length);
  files.set('/changed.tbl.thumbs', files.get('/made.tbl.thumbs'));
  assert.match(await opened('/changed.tbl'), /^thumbs\.other_file .*changed/);
});

test('in Node they lie beside the path', { skip }, async () => {
  const path = join(folder, 'made.tbl');
  writeFileSync(path, files.get('/made.tbl'));
  const dataset = await openSamples(path);
  assert.equal(await dataset.openThumbs(), false);
  writeFileSync(`${path}.thumbs`, files.get('/made.tbl.thumbs'));
  assert.equal(await dataset.openThumbs(), true);
  assert.equal((await dataset.thumbnail(3, { size: 120 })).type, 'image/jpeg');
  assert.equal((await dataset.thumbnail(3, { size: 100 })).type, 'image/png');
  assert.equal(await codeOf(writeThumbs(dataset, memorySink())), 'usage.argument');
  dataset.close();
});

test('what a page makes the command takes for its own, and the other way round', {
  skip: skip || (!native() && 'the native command was not built'),
}, async () => {
  // A picture that its EXIF turns, one that is damaged, and a text, in both containers.
  const turned = readFileSync(join(ROOT, 'tests/corpus/labels/truth/images/exif6.jpg'));
  const tar = Buffer.concat([
    Buffer.from(tarOf(4, 300)).subarray(0, -1024),
    member('turned.jpg', turned),
    member('damaged.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])),
    member('text.txt', Buffer.from('no picture')),
    Buffer.alloc(1024),
  ]);
  files.set('/both.tar', tar);
  files.set('/both.tbl', await tblOf(new Uint8Array(tar)));
  for (const name of ['both.tar', 'both.tbl']) {
    const path = join(folder, name);
    writeFileSync(path, files.get(`/${name}`));
    await page.evaluate(async (name) => {
      const { memorySink, openSamples, writeThumbs } = globalThis.forebay;
      const sink = memorySink();
      await writeThumbs(await openSamples(`/${name}`), sink, { size: 120 });
      await fetch(`/${name}.page`, { method: 'PUT', body: sink.blob() });
    }, name);
    writeFileSync(join(folder, `${name}.page`), files.get(`/${name}.page`));
    assert.equal(runNative('thumbs', path, '--check', '-o', join(folder, `${name}.page`)).code, 0);
    const made = runNative('thumbs', path, '--size', '120', '--force', '--json');
    const said = JSON.parse(made.out);
    assert.deepEqual([made.code, said.samples, said.fault_count, said.not_pictures], [1, 7, 1, 1]);
    // Everything but the JPEGs' own bytes is the same: names, document, and what each says of itself.
    const [own, theirs] = [await openSamples(`${path}.thumbs`), await openSamples(join(folder, `${name}.page`))];
    assert.deepEqual(await own.document(), await theirs.document());
    for (let i = 0; i < own.length; i++) {
      assert.deepEqual(await own.record(i), await theirs.record(i));
      const comment = async (strip) =>
        /forebay thumb [ -~]+?(?=\xff)/.exec(Buffer.from(await strip.bytes(i)).toString('latin1'))?.[0];
      assert.equal(await comment(own), await comment(theirs));
      const size = ({ width, height, format }) => [width, height, format];
      assert.deepEqual(size(own.info(i)), size(theirs.info(i)), `${name} ${i}`);
    }
    own.close();
    theirs.close();
    // The page reads those of the command: of the picture that is turned it knows how.
    files.set(`/${name}.thumbs`, readFileSync(`${path}.thumbs`));
    const stored = await page.evaluate(async (name) => {
      const dataset = await globalThis.forebay.openSamples(`/${name}`);
      const there = await dataset.openThumbs();
      const all = [];
      for (let i = 0; i < dataset.length; i++) {
        const found = await dataset.storedThumbnail(i);
        if (!found) all.push(null);
        else {
          const { width, height } = await createImageBitmap(found.blob);
          all.push([width, height, found.width, found.height, found.orientation, found.size]);
        }
      }
      return { there, all };
    }, name);
    assert.equal(stored.there, true);
    assert.deepEqual(stored.all.slice(5), [null, null]);
    assert.deepEqual(stored.all[0], [38, 120, 96, 300, 1, 120]);
    const [width, height, wide, tall, orientation] = stored.all[4];
    assert.equal(orientation, 6);
    assert.ok(Math.abs(width / height - wide / tall) < 0.03, stored.all[4].join());
  }
  const dataset = await openSamples(join(folder, 'both.tbl'));
  assert.equal(await dataset.storedThumbnail(0), null);
  assert.equal(await dataset.openThumbs(), true);
  assert.equal((await dataset.storedThumbnail(4)).orientation, 6);
  dataset.close();
  assert.match(
    runNative('thumbs', join(folder, 'both.tbl'), '--check', '-o', join(folder, 'both.tar.thumbs')).err,
    /thumbs\.other_file/,
  );
});

test('of a dataset that is closed meanwhile there are none, not empty ones', { skip }, async () => {
  const code = await page.evaluate(async () => {
    const { memorySink, openSamples, writeThumbs } = globalThis.forebay;
    const dataset = await openSamples(await (await fetch('/made.tbl')).blob());
    const onProgress = () => dataset.close();
    return writeThumbs(dataset, memorySink(), { onProgress }).then(
      (done) => done.samples,
      (e) => e.code,
    );
  });
  assert.equal(code, 'dataset.closed');
});
