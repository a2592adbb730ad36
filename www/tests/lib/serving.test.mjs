// Samples with addresses, in Chromium and in Firefox: the page runs everything, and says what it saw.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { configure, convert, memorySink, openSamples, registerSamples, shutdown } from 'forebay';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/lib/chromium.mjs';
import { ROOT, bitmap, codeOf, tarOf } from './helpers.mjs';

const CHROMIUM = findChromium();
const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox';
const lacks = (path) => (existsSync(path) ? false : `there is no ${path}`);
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const small = Buffer.from(tarOf(40));
/** Pictures of more than four MiB, which are read in pieces. */
const large = Buffer.from(tarOf(3, 15_000));

/** What a page does; without anything of this file, since it runs elsewhere. */
async function work(forebay) {
  const seen = {};
  const codeOf = (promise) =>
    promise.then(
      () => 'fine',
      (e) => [e.code, e.message.slice(0, 90)].join(': '),
    );
  const digest = async (bytes) => [...new Uint8Array(await crypto.subtle.digest('SHA-1', bytes))].join();
  const train = await forebay.openSamples(new File([await (await fetch('/small.tar')).blob()], 'small.tar'));
  const far = await forebay.openSamples('/large.tar');
  seen.unregistered = await codeOf(forebay.registerSamples(train, { id: 'train' }));
  seen.noScript = await codeOf(forebay.registerSamples(train, { id: 'train', script: '/no-such.js' }));
  const samples = await forebay.registerSamples(train, { id: 'train', script: '/forebay-sw.js' });
  const others = await forebay.registerSamples(far, { id: 'far.1' });
  seen.twice = await codeOf(forebay.registerSamples(train, { id: 'train' }));
  seen.badName = await codeOf(forebay.registerSamples(train, { id: '../x' }));
  const of = async (response) => {
    const { status, headers } = response;
    const body = new Uint8Array(await response.arrayBuffer());
    return {
      status,
      length: body.length,
      type: headers.get('content-type'),
      range: headers.get('content-range'),
      told: headers.get('content-length'),
      body,
    };
  };
  const get = async (url, init) => {
    const { body, ...rest } = await of(await fetch(url, init));
    return rest.status >= 400 ? { ...rest, text: new TextDecoder().decode(body) } : rest;
  };
  const url = samples.url(7);
  seen.path = new URL(url).pathname;
  const whole = await of(await fetch(url));
  seen.same = (await digest(whole.body)) === (await digest(await train.bytes(7)));
  seen.whole = [whole.status, whole.type, Number(whole.told) === whole.length];
  seen.range = await get(url, { headers: { range: 'bytes=2-9' } });
  seen.last = await get(url, { headers: { range: 'bytes=-5' } });
  seen.beyond = await get(url, { headers: { range: 'bytes=99999999-' } });
  seen.head = await get(url, { method: 'HEAD' });
  const tag = (await fetch(url)).headers.get('etag');
  seen.known = (await fetch(url, { headers: { 'if-none-match': tag } })).status;
  seen.changed = (await get(url, { headers: { range: 'bytes=2-9', 'if-range': '"other"' } })).status;
  seen.unchanged = (await get(url, { headers: { range: 'bytes=2-9', 'if-range': tag } })).status;
  seen.post = await get(url, { method: 'POST', body: 'x' });
  seen.json =
    JSON.stringify(await (await fetch(samples.recordUrl(7))).json()) === JSON.stringify(await train.record(7));
  const shown = (src) =>
    new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve([image.naturalWidth, image.naturalHeight]);
      image.onerror = () => resolve('error');
      image.src = src;
    });
  seen.image = await shown(url);
  seen.thumb = await shown(samples.thumbnailUrl(7, { size: 16 }));
  const boxed = samples.thumbnailUrl(7, { size: 16, box: [0, 0, 0.5, 0.5] });
  const boxTag = (await fetch(boxed)).headers.get('etag');
  seen.thumbKnown = (await fetch(boxed, { headers: { 'if-none-match': `"a", ${boxTag}` } })).status;
  seen.thumbType = (await get(samples.thumbnailUrl(7, { size: 16 }))).type;
  seen.thumbWrong = await get(`${samples.thumbnailUrl(7)}?size=abc`);
  const wanted = { size: [8, 6], layout: 'nhwc', normalize: { mean: [0.5, 0.25, 0.5], std: [0.5, 1, 2] } };
  const [npy, tensor] = [await of(await fetch(samples.tensorUrl(7, wanted))), await train.tensor(7, wanted)];
  const begins = npy.body[8] + 256 * npy.body[9] + 10;
  seen.npy = [npy.status, begins % 64, String.fromCharCode(...npy.body.subarray(0, begins))];
  seen.tensor = tensor.data.join() === new Float32Array(npy.body.buffer.slice(begins)).join();
  seen.pixels = (await get(samples.tensorUrl(7, { size: [8, 6], dtype: 'u8' }))).length;
  // An address of nothing is none.
  const code = (make) => {
    try {
      return make();
    } catch (e) {
      return e.code;
    }
  };
  seen.misspelled = [
    code(() => samples.tensorUrl(7, { sise: [8, 6] })),
    code(() => samples.thumbnailUrl(7, { siez: 8 })),
  ];
  seen.part = await get(samples.tensorUrl(7, wanted), { headers: { range: 'bytes=1-5' } });
  const tensorTag = (await fetch(samples.tensorUrl(7, wanted))).headers.get('etag');
  seen.tensorKnown = (await fetch(samples.tensorUrl(7, wanted), { headers: { 'if-none-match': tensorTag } })).status;
  seen.tensorWrong = [];
  for (const query of ['', '?size=8', '?size=8,x', '?size=8,8&dtype=f64', '?size=8,8&sise=1', '?size=8,8&mean=1,1,1'])
    seen.tensorWrong.push((await fetch(`${url.replace('.bmp', '')}/tensor${query}`)).status);
  seen.missing = await get(url.replace('/7.', '/40.'));
  seen.nowhere = await get(url.replace('/7.bmp', '/a/b'));
  seen.nobody = await get(url.replace('/train/', '/other/'));
  seen.elsewhere = await get('/small.tar');
  // From elsewhere only what is asked for is read, and what is long comes in pieces.
  const before = far.telemetry.bytesRead;
  seen.farRange = await get(others.url(1), { headers: { range: 'bytes=1000-1999' } });
  seen.farRead = far.telemetry.bytesRead - before;
  seen.far = (await digest((await of(await fetch(others.url(2)))).body)) === (await digest(await far.bytes(2)));
  const stop = new AbortController();
  const cut = await fetch(others.url(1), { signal: stop.signal });
  await cut.body.getReader().read();
  stop.abort();
  seen.afterCut = (await get(others.url(0), { headers: { range: 'bytes=0-9' } })).length;
  others.close();
  seen.closed = await get(others.url(0));
  far.close();
  const again = await forebay.registerSamples(far, { id: 'far.1' });
  seen.gone = await get(new URL('1.bmp', again.recordUrl(0)));
  return seen;
}

function check(seen) {
  assert.match(seen.unregistered, /^serving\.unavailable.*no service worker is registered/);
  assert.match(seen.noScript, /^serving\.unavailable.*cannot be registered/);
  assert.match(seen.twice, /^usage\.argument/);
  assert.match(seen.badName, /^usage\.argument/);
  assert.equal(seen.path, '/ds/train/7.bmp');
  assert.equal(seen.same, true);
  assert.deepEqual(seen.whole, [200, 'image/bmp', true]);
  const { length } = bitmap(72, 24, 7);
  const bytes = (status, length, range) => ({ status, length, type: 'image/bmp', range, told: String(length) });
  assert.deepEqual(seen.range, bytes(206, 8, `bytes 2-9/${length}`));
  assert.deepEqual(seen.last, bytes(206, 5, `bytes ${length - 5}-${length - 1}/${length}`));
  assert.deepEqual([seen.beyond.status, seen.beyond.range], [416, `bytes */${length}`]);
  assert.deepEqual(seen.head, { ...bytes(200, 0, null), told: String(length) });
  assert.deepEqual([seen.known, seen.changed, seen.unchanged], [304, 200, 206]);
  assert.equal(seen.post.status, 405);
  assert.equal(seen.json, true);
  assert.deepEqual(seen.image, [72, 24]);
  assert.deepEqual(seen.thumb, [16, 5]);
  assert.equal(seen.thumbType, 'image/jpeg');
  assert.equal(seen.thumbKnown, 304);
  assert.equal(seen.thumbWrong.status, 400);
  const said = "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 8, 3), }";
  assert.deepEqual(seen.npy.slice(0, 2), [200, 0]);
  assert.equal(seen.npy[2].slice(0, 8) + seen.npy[2].slice(10).trimEnd(), `\x93NUMPY\x01\x00${said}`);
  assert.deepEqual([seen.tensor, seen.pixels, seen.tensorKnown], [true, 128 + 8 * 6 * 3, 304]);
  assert.deepEqual(seen.misspelled, ['usage.argument', 'usage.argument']);
  assert.deepEqual([seen.part.status, seen.part.length], [206, 5]);
  assert.deepEqual(seen.tensorWrong, [400, 400, 400, 400, 400, 400]);
  assert.deepEqual([seen.missing.status, /there are 40 samples/.test(seen.missing.text)], [404, true]);
  assert.deepEqual([seen.nowhere.status, /there is nothing at "a\/b"/.test(seen.nowhere.text)], [404, true]);
  assert.deepEqual([seen.nobody.status, /under the name other/.test(seen.nobody.text)], [404, true]);
  assert.deepEqual([seen.elsewhere.status, seen.elsewhere.length], [200, small.length]);
  assert.deepEqual([seen.farRange.status, seen.farRange.length], [206, 1000]);
  assert.ok(seen.farRead <= 1000, `${seen.farRead} bytes read for 1000`);
  assert.equal(seen.far, true);
  assert.equal(seen.afterCut, 10);
  assert.equal(seen.closed.status, 404);
  assert.equal(seen.gone.status, 410);
}

const PAGE = `<!doctype html><title>serving</title><script type="module">
import * as forebay from '/dist/index.js';
globalThis.forebay = forebay;
globalThis.work = ${work};
if (location.hash === '#run') {
  const body = await work(forebay).then((seen) => JSON.stringify({ seen }), (e) => JSON.stringify({ failed: e.stack ?? String(e) }));
  await fetch('/seen', { method: 'POST', body });
}
</script>`;
let server;
let told;
before(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    if (path === '/seen') {
      const parts = [];
      request.on('data', (part) => parts.push(part)).on('end', () => told?.(JSON.parse(Buffer.concat(parts))));
      return response.writeHead(204).end();
    }
    if (path.endsWith('.tar')) {
      const bytes = path === '/small.tar' ? small : large;
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (start === undefined) return response.writeHead(200).end(bytes);
      const body = bytes.subarray(Number(start), Number(end) + 1);
      const range = `bytes ${start}-${Number(start) + body.length - 1}/${bytes.length}`;
      return response.writeHead(206, { 'content-range': range, etag: '"1"' }).end(body);
    }
    const file = join(ROOT, 'www/lib/dist', path.replace(/^\/dist\//, '/'));
    if (path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await shutdown();
});
const address = (host = '127.0.0.1') => `http://${host}:${server.address().port}/`;

test('Chromium: addresses, ranges, tags, thumbnails, records, reasons', { skip: lacks(CHROMIUM) }, async () => {
  const rules = `--host-resolver-rules=MAP plain.test 127.0.0.1`;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, rules] });
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address());
    await page.waitForFunction(() => globalThis.forebay);
    check(await page.evaluate(() => globalThis.work(globalThis.forebay)));
    // The browser ends workers that have nothing to do: the next one knows nothing, and asks.
    const cdp = await context.newCDPSession(page);
    await cdp.send('ServiceWorker.enable');
    await cdp.send('ServiceWorker.stopAllWorkers');
    const status = (page, path) => page.evaluate(async (path) => (await fetch(path)).status, path);
    assert.equal(await status(page, '/ds/train/3.bmp'), 200);
    // Another page of the site has what this one opened.
    const second = await context.newPage();
    await second.goto(address());
    assert.equal(await status(second, '/ds/train/4.bmp'), 200);
    // Once it has its own of this name, it has no other's.
    await second.waitForFunction(() => globalThis.forebay);
    const sizes = await second.evaluate(async () => {
      const { openSamples, registerSamples } = globalThis.forebay;
      const far = await openSamples('/large.tar');
      const own = await registerSamples(far, { id: 'train' });
      const lengthOf = async () => Number((await fetch(own.url(1), { method: 'HEAD' })).headers.get('content-length'));
      const length = await lengthOf();
      own.close();
      return [length, far.info(1).bytes, await lengthOf()];
    });
    assert.equal(sizes[0], sizes[1]);
    assert.notEqual(sizes[2], sizes[1], 'and then the other has it again');
    await page.close();
    assert.equal(await status(second, '/ds/train/5.bmp'), 404);
    const insecure = await context.newPage();
    await insecure.goto(address('plain.test'));
    await insecure.waitForFunction(() => globalThis.forebay);
    const why = await insecure.evaluate(async () => {
      const { openSamples, registerSamples } = globalThis.forebay;
      const dataset = await openSamples(await (await fetch('/small.tar')).blob());
      return registerSamples(dataset, { id: 'train' }).catch((e) => [e.code, e.message]);
    });
    assert.equal(why[0], 'serving.unavailable');
    assert.match(why[1], /https/);
  } finally {
    await browser.close();
  }
});

test('Firefox: the same', { skip: lacks(FIREFOX) }, async () => {
  const profile = mkdtempSync(join(tmpdir(), 'forebay-firefox-'));
  writeFileSync(
    join(profile, 'user.js'),
    'user_pref("dom.serviceWorkers.enabled", true);\nuser_pref("toolkit.startup.max_resumed_crashes", -1);\n',
  );
  const env = { ...process.env, HOME: profile, MOZ_HEADLESS: '1' };
  const firefox = spawn(FIREFOX, ['--headless', '--no-remote', '--profile', profile, `${address()}#run`], {
    env,
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => firefox.on('exit', resolve));
  try {
    const ended = exited.then((code) => ({ failed: `Firefox ended with ${code}` }));
    const { seen, failed } = await Promise.race([new Promise((resolve) => (told = resolve)), ended]);
    assert.equal(failed, undefined);
    check(seen);
  } finally {
    firefox.kill();
    await exited;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('Node has no service workers, and says so', async () => {
  const sink = memorySink();
  await convert(small, sink, { to: 'tbl' });
  configure({ workers: 1 });
  const dataset = await openSamples(sink.bytes());
  assert.equal(await codeOf(registerSamples(dataset, { id: 'a' })), 'serving.unavailable');
});
