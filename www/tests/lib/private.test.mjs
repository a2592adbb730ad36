// Files of the origin-private file system in a browser: written by a worker beside the one that makes the bytes, read
// by workers without another process.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { launchWithProfile, limitStorage, noBrowser } from '../browser.mjs';
import { ROOT, tarOf } from './helpers.mjs';

const skip = noBrowser;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
/** Counts the workers that were started, and the handles that a worker opened to read. */
const WATCH = `
globalThis.seen = { started: 0, workers: [], reading: 0 };
const told = new BroadcastChannel('handles');
told.onmessage = ({ data }) => (seen.reading += data);
if (globalThis.Worker) globalThis.Worker = class extends Worker { constructor(...args) { super(...args); seen.started++; seen.workers.push(this); } };
if (globalThis.FileSystemFileHandle?.prototype.createSyncAccessHandle) {
  const { createSyncAccessHandle: own } = FileSystemFileHandle.prototype;
  FileSystemFileHandle.prototype.createSyncAccessHandle = function (o) { if (o?.mode === 'read-only') told.postMessage(1); return own.call(this, o); };
}`;
const PAGES = {
  '/': [
    'text/html',
    '<!doctype html><input type="file" multiple><script src="/watch.js"></script><script type="module" src="/page.js"></script>',
  ],
  '/watch.js': ['text/javascript', WATCH],
  '/worker.js': ['text/javascript', "import '/watch.js'; import '/dist/worker.js';"],
  '/page.js': [
    'text/javascript',
    "import * as f from '/dist/index.js'; f.configure({ workerUrl: '/worker.js', workers: 2 }); globalThis.forebay = f;",
  ],
};
/** What is said of a file that changed since it was opened. */
const GONE =
  'the file cannot be read any more: it was probably changed, moved or removed since it was opened; choose it again';
let server;
let context;
let page;
let folder;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'forebay-'));
  const part = tarOf(4, 900).subarray(0, -1024);
  const paths = [3, 20, 90].map((mb) => {
    const path = join(folder, `${mb}.tar`);
    writeFileSync(path, Buffer.concat([...Array(Math.ceil((mb * 1e6) / part.length)).fill(part), Buffer.alloc(1024)]));
    return path;
  });
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path in PAGES) return response.writeHead(200, { 'content-type': PAGES[path][0] }).end(PAGES[path][1]);
    const file = join(ROOT, 'www/lib', path);
    if (!path.startsWith('/dist/') || path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  // With a profile of its own, as private windows have other limits.
  context = await launchWithProfile(join(folder, 'profile'));
  page = await context.newPage();
  page.on('pageerror', (e) => console.error(e));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.forebay);
  await page.setInputFiles('input', paths);
  await page.evaluate(async () => {
    Object.assign(globalThis, {
      /** A TAR of about this many MB. */
      tar: (mb) => Array.from(document.querySelector('input').files).find(({ name }) => name === `${mb}.tar`),
      handleOf: async (name) => (await navigator.storage.getDirectory()).getFileHandle(name, { create: true }),
      names: async () => (await Array.fromAsync((await navigator.storage.getDirectory()).keys())).toSorted().join(),
      clear: async () => {
        for (const name of await Array.fromAsync((await navigator.storage.getDirectory()).keys()))
          await (await navigator.storage.getDirectory()).removeEntry(name);
      },
      hash: async (bytes) => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))).join(),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
  });
});
after(async () => {
  await context?.close();
  server?.closeAllConnections();
  server?.close();
  if (folder) rmSync(folder, { recursive: true });
});

test('what workers of their own read and write has the bytes of what is kept in memory, and they are gone afterwards', {
  skip,
}, async () => {
  for (const [mb, extra] of [
    [20, 0],
    [90, 2],
  ]) {
    const found = await page.evaluate(async (mb) => {
      const input = tar(mb);
      // Both workers are there before they are counted.
      for (let k = 0; k < 2; k++) await forebay.convert(input, forebay.memorySink(), { to: 'tar' });
      const hashes = [];
      for (const to of [
        { to: 'tbl' },
        { to: 'tbl', layout: 'turboloader', compression: 'lz4' },
        { to: 'tar' },
        { to: 'tbl', where: 'bytes > 0 && index >= 3' },
      ]) {
        const sink = forebay.memorySink();
        await forebay.convert(input, sink, to);
        const before = seen.started;
        const handle = await handleOf('out');
        const { outputBytes } = await forebay.convert(input, handle, to);
        const file = await handle.getFile();
        hashes.push([
          outputBytes === file.size,
          (await hash(await file.arrayBuffer())) === (await hash(sink.bytes())),
          seen.started - before,
        ]);
      }
      return { hashes, names: await names() };
    }, mb);
    // On a busy machine a worker of the conversion before may be counted late; those that stay are counted below.
    for (const row of found.hashes) row[2] = Math.min(row[2], extra);
    assert.deepEqual(found, { hashes: Array(4).fill([true, true, extra]), names: 'out' }, `${mb} MB`);
    assert.ok(page.workers().length <= 2, `${page.workers().length} workers`);
  }
  await page.evaluate(() => clear());
});

test('what is left of a conversion whose page died goes with the next one, and what is being written stays', {
  skip,
}, async () => {
  const found = await page.evaluate(async () => {
    const [dead, alive] = ['1', '2'].map((k) => `.out.${k.repeat(8)}-0000-0000-0000-000000000000.part`);
    const other = dead.replace('.out', '.other');
    for (const name of [dead, alive, other, '.out.mine.part']) await handleOf(name);
    const stream = await (await handleOf(alive)).createWritable();
    await forebay.convert(tar(3), await handleOf('out'), { to: 'tbl' });
    const soon = await names();
    const { now } = Date;
    Date.now = () => now() + 120_000;
    try {
      await forebay.convert(tar(3), await handleOf('out'), { to: 'tbl' });
    } finally {
      Date.now = now;
      await stream.abort();
    }
    return { soon: soon.includes(dead), later: await names(), dead: [dead, other] };
  });
  assert.equal(found.soon, true, 'a part that was just made may not be open yet');
  for (const dead of found.dead) assert.ok(!found.later.includes(dead), found.later);
  for (const stays of ['.out.22222222', '.out.mine.part'])
    assert.ok(found.later.includes(stays), `${stays} of ${found.later}`);
  await page.evaluate(() => clear());
});

test('a writer without room ends the conversion, and leaves the file as it was', { skip }, async () => {
  await page.evaluate(async () => {
    const stream = await (await handleOf('out')).createWritable();
    await stream.write('as it was');
    await stream.close();
  });
  for (const mb of [20, 90]) {
    await limitStorage(page, 12e6);
    const found = await page
      .evaluate(async (mb) => {
        const e = await forebay.convert(tar(mb), await handleOf('out'), { to: 'tbl' }).then(
          () => null,
          (e) => e,
        );
        return [
          e?.code,
          /No space|no room/.test(e?.message),
          await (await (await handleOf('out')).getFile()).slice(0, 20).text(),
          await names(),
        ];
      }, mb)
      .finally(() => limitStorage(page, null));
    assert.deepEqual(found, ['io', true, 'as it was', 'out'], `${mb} MB`);
  }
  await page.evaluate(() => clear());
});

test('a conversion into a private file that is given up ends its reader and its writer too', { skip }, async () => {
  for (const k of [1, 2, 4]) {
    const [given, left] = await page.evaluate(async (k) => {
      const controller = new AbortController();
      let n = 0;
      const onProgress = () => ++n === k && controller.abort();
      const given = await forebay
        .convert(tar(90), await handleOf('out'), { to: 'tbl', onProgress, signal: controller.signal })
        .then(
          () => (n < k ? 'too quick' : 'done'),
          (e) => e.name,
        );
      await wait(300);
      return [given, await names()];
    }, k);
    // A quick machine has fewer turns; the first has everybody.
    assert.ok(given === 'AbortError' || (k > 1 && given === 'too quick'), `turn ${k}: ${given}`);
    assert.equal(left, 'out');
    assert.ok(page.workers().length <= 2, `turn ${k}: ${page.workers().length} workers`);
  }
  await page.evaluate(() => clear());
});

test('a conversion whose reader or writer is lost ends, and leaves the file as it was', { skip }, async () => {
  for (const lost of [1, 2]) {
    const found = await page.evaluate(async (lost) => {
      let n = 0;
      const onProgress = () => {
        if (n++ > 0) return;
        const worker = seen.workers.at(-lost);
        worker.terminate();
        worker.onerror(new ErrorEvent('error', { message: 'lost' }));
      };
      const e = await forebay.convert(tar(90), await handleOf('out'), { to: 'tbl', onProgress }).then(
        () => null,
        (e) => e,
      );
      await wait(300);
      return [n > 0, e?.name, (await (await handleOf('out')).getFile()).size];
    }, lost);
    assert.deepEqual(
      found,
      [true, 'ForebayError', 0],
      `the worker that was started ${lost === 1 ? 'last' : 'before it'}`,
    );
    assert.ok(page.workers().length <= 2, `${page.workers().length} workers`);
  }
  await page.evaluate(() => clear());
});

test('a file that changes before it is read on ends the conversion, its reader and its writer', { skip }, async () => {
  const path = join(folder, '90.tar');
  await page.evaluate(async () => (globalThis.opened = await forebay.open(tar(90))));
  appendFileSync(path, 'longer');
  const found = await page.evaluate(async () => {
    const e = await forebay.convert(opened, await handleOf('out'), { to: 'tbl' }).then(
      () => null,
      (e) => e,
    );
    opened.close();
    return [
      e?.code,
      e?.message,
      /could not be read|could not be found|network error/i.test(e?.cause?.message),
      await names(),
    ];
  });
  assert.deepEqual(found, ['io', GONE, true, 'out']);
  assert.ok(page.workers().length <= 2, `${page.workers().length} workers`);
  // The same file for the tests behind this one.
  truncateSync(path, statSync(path).size - 'longer'.length);
  await page.setInputFiles(
    'input',
    [3, 20, 90].map((mb) => join(folder, `${mb}.tar`)),
  );
  await page.evaluate(() => clear());
});

test('a private file is read by its handle: its check is shared, it converts into itself, and it can be written again afterwards', {
  skip,
}, async () => {
  const found = await page.evaluate(async () => {
    const handle = await handleOf('a.tbl');
    await forebay.convert(tar(90), handle, { to: 'tbl' });
    const byFile = await forebay.open(await handle.getFile());
    const ds = await forebay.open(handle);
    const reports = [];
    for (const workers of [1, 2]) {
      forebay.configure({ workers });
      reports.push(await ds.check());
    }
    const read = seen.reading;
    const stats = JSON.stringify(await ds.stats()) === JSON.stringify(await byFile.stats());
    const [same, matches] = [
      JSON.stringify(reports[0]) === JSON.stringify(reports[1]) &&
        JSON.stringify(reports[0]) === JSON.stringify(await byFile.check()),
      (await ds.matches('index < 5')).length,
    ];
    const all = ds.length;
    const { samples } = await forebay.convert(handle, handle, { to: 'tbl', where: 'index < 7' });
    const again = await forebay.open(handle);
    const stream = await handle.createWritable();
    await stream.abort();
    return {
      ok: reports[0].ok,
      checked: reports[0].samples === all,
      same,
      stats,
      matches,
      samples,
      again: again.length,
      read: read > 1,
      name: ds.name,
    };
  });
  assert.deepEqual(found, {
    ok: true,
    checked: true,
    same: true,
    stats: true,
    matches: 5,
    samples: 7,
    again: 7,
    read: true,
    name: 'a.tbl',
  });
});

test('a private file that somebody writes is read all the same, and one that changed is said to have changed', {
  skip,
}, async () => {
  const found = await page.evaluate(async () => {
    const handle = await handleOf('a.tbl');
    await forebay.convert(tar(3), handle, { to: 'tbl' });
    const ds = await forebay.open(handle);
    const stream = await handle.createWritable();
    const { ok } = await ds.check();
    await stream.write('another');
    await stream.close();
    const e = await ds.check().then(
      () => null,
      (e) => e,
    );
    const gone = await handleOf('gone');
    await (await navigator.storage.getDirectory()).removeEntry('gone');
    const missing = await forebay.open(gone).then(
      () => null,
      (e) => e,
    );
    return [
      ok,
      e?.code,
      e?.message,
      /^Not(Readable|Found)Error/.test(e?.cause?.message),
      missing?.code,
      missing?.message.startsWith('the file cannot be read: '),
      missing?.file,
    ];
  });
  assert.deepEqual(found, [true, 'io', GONE, true, 'io', true, 'gone']);
});
