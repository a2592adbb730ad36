// Aborts: everything rejects at once, and no read begins afterwards, whoever reads: a caller's source, HTTP, a worker.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createReadStream, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { check, convert, memorySink, open, shutdown } from 'forebay';
import { launch, noBrowser } from '../browser.mjs';
import { ROOT, tarOf } from './helpers.mjs';

const skip = noBrowser;
const DIST = join(ROOT, 'www/lib/dist');
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
/**
 * Told by whoever reads a file: a worker before it is one of the package's, or the page. In a worker, what begins after
 * it heard of the abort is late; in the page, what begins after the abort itself.
 */
const WATCH = `
globalThis.watched = { reads: 0, late: 0, over: false };
const told = new BroadcastChannel('reads');
const page = typeof document === 'object';
const begin = () => { watched.reads++; if (watched.over) watched.late++; if (!page) told.postMessage({ late: watched.over }); };
const watch = (of, name) => { const { [name]: own } = of.prototype; of.prototype[name] = function (...args) { begin(); return own.apply(this, args); }; };
for (const name of ['stream', 'arrayBuffer', 'text']) watch(Blob, name);
for (const name of ['FileReader', 'FileReaderSync']) if (globalThis[name]) watch(globalThis[name], 'readAsArrayBuffer');
if (page) told.onmessage = ({ data }) => { watched.reads++; if (data.late) watched.late++; };
else addEventListener('message', ({ data }) => { if (data.op === 'stop') watched.over = true; if (data.op === 'opener') watched.over = false; });
`;
const html = (headers) => [
  { 'content-type': 'text/html', ...headers },
  '<!doctype html><input type="file" multiple><script src="/watch.js"></script><script type="module" src="/page.js"></script>',
];
const script = (text) => [{ 'content-type': 'text/javascript', ...ISOLATED }, text];
const PAGES = {
  '/plain': html({}),
  '/isolated': html(ISOLATED),
  '/watch.js': script(WATCH),
  '/worker.js': script("import '/watch.js'; import '/dist/worker.js';"),
  '/page.js': script(
    "import * as f from '/dist/index.js'; f.configure({ workerUrl: '/worker.js', workers: 2 }); globalThis.forebay = f;",
  ),
};
/** Several windows of samples, several groups of rows, several pieces of text. */
const files = {};
let server;
let folder;

async function converted(input, options) {
  const sink = memorySink();
  await convert(input, sink, options);
  return sink.bytes().slice();
}

before(async () => {
  files.tar = tarOf(60, 900);
  files.tbl = await converted(files.tar, { to: 'tbl' });
  const lines = Array.from({ length: 150_000 }, (_, i) => `${i},name ${i % 977},${i / 8}`);
  files.csv = new TextEncoder().encode(`id,name,score\n${lines.join('\n')}`);
  const source = {
    name: 'a.csv',
    byteLength: files.csv.length,
    read: async (start, end) => files.csv.slice(start, end),
  };
  files.tbf = await converted(source, { to: 'tbf', groupRows: 10_000 });
  folder = mkdtempSync(join(tmpdir(), 'forebay-'));
  // Parts of a check that are worth a worker each.
  const many = tarOf(4, 900);
  files.large = await converted(new Blob([...Array(72).fill(many.subarray(0, -1024)), new Uint8Array(1024)]), {
    to: 'tbl',
  });
  for (const name of ['tar', 'large']) writeFileSync(join(folder, `a.${name}`), files[name]);
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path in PAGES) return response.writeHead(200, PAGES[path][0]).end(PAGES[path][1]);
    if (path.startsWith('/dist/')) {
      const file = join(DIST, path.replace(/^\/dist\//, ''));
      if (path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...ISOLATED });
      return createReadStream(file).pipe(response);
    }
    const [, name] = new URL(request.url, 'http://x').pathname.split('/');
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (start === undefined) return response.writeHead(404).end();
    const body = files[name].subarray(Number(start), Number(end) + 1);
    response
      .writeHead(206, {
        'content-range': `bytes ${start}-${Number(start) + body.length - 1}/${files[name].length}`,
        etag: '"1"',
      })
      .end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
  await shutdown();
});

/** Every way to read, by the file that it reads: `to` gives what is opened, `options` has the signal. */
const WAYS = [
  ['opening a TAR', 'tar', (input, o) => open(input, o)],
  ['opening a TBL', 'tbl', (input, o) => open(input, o)],
  ['opening a table', 'tbf', (input, o) => open(input, o)],
  [
    'walking samples',
    'tbl',
    opened(async (ds, o) => {
      for await (const s of ds.samples(o)) await s.bytes();
    }),
  ],
  [
    'walking samples of a filter',
    'tbl',
    opened(async (ds, o) => {
      for await (const s of ds.samples({ where: 'cls == 1', ...o })) await s.record();
    }),
  ],
  ['bytes', 'tar', opened((ds, o) => ds.bytes(40, o))],
  ['a tensor', 'tar', opened((ds, { signal }) => ds.tensor(41, { size: [8, 8], signal }))],
  [
    'reading ahead',
    'tbl',
    opened((ds, o) =>
      ds.prefetch([1, 20, 40, 59], o).then(() => {
        throw o.signal.reason;
      }),
    ),
  ],
  ['a record', 'tbl', opened((ds, o) => ds.record(3, o))],
  ['matches', 'tar', opened((ds, o) => ds.matches('width > 100 && json.label == "x"', o))],
  ['statistics', 'tar', opened((ds, o) => ds.stats(o))],
  ['a check', 'tbl', opened((ds, o) => ds.check(o))],
  ['a check of what was not opened', 'tbf', (input, o) => check(input, o)],
  ['a check of a table', 'tbf', opened((ds, o) => ds.check(o))],
  [
    'rows',
    'tbf',
    opened(async (ds, o) => {
      for await (const batch of ds.batches(o)) void batch;
    }),
  ],
  ['columns', 'tbf', opened((ds, o) => ds.columns(0, 100_000, undefined, o))],
  ['matching rows', 'tbf', opened((ds, o) => ds.matches('score > 7', o))],
  ['statistics of a table', 'tbf', opened((ds, o) => ds.stats(o))],
  ['TAR to TBL', 'tar', (input, o) => convert(input, memorySink(), { to: 'tbl', ...o })],
  [
    'TAR to TBL, chosen',
    'tar',
    (input, o) => convert(input, memorySink(), { to: 'tbl', where: 'json.boxes != "x"', ...o }),
  ],
  ['TBL to TAR', 'tbl', (input, o) => convert(input, memorySink(), { to: 'tar', ...o })],
  [
    'TBL to TBL, opened before',
    'tbl',
    opened((ds, o) => convert(ds, memorySink(), { to: 'tbl', compression: 'lz4', ...o })),
  ],
  ['a table to CSV', 'tbf', (input, o) => convert(input, memorySink(), { to: 'csv', ...o })],
  ['CSV to a table', 'csv', (input, o) => convert(input, memorySink(), { to: 'tbf', ...o })],
];

/** The same of something that is open before reads are counted. */
function opened(body) {
  return Object.assign((ds, { signal }) => body(ds, { signal }), { opened: true });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const quiet = () => new Promise((resolve) => setTimeout(resolve, 300));

/**
 * Aborts at the `k`-th read, `during` it or just after it. Whether there was such a read, what is wrong, and a look at
 * the reads that began afterwards, for later.
 * "At once" is the very next turn of the event loop, however slow the machine is: far less than 50 ms where it is idle.
 */
async function aborted([what, name, way], make, k, during) {
  const controller = new AbortController();
  const reason = new Error('enough');
  let [begun, afterwards, counting, settled, rejected] = [0, 0, false, false, null];
  let abort;
  const reached = new Promise((resolve) => {
    abort = () => {
      controller.abort(reason);
      resolve(true);
    };
  });
  const seen = {
    begin() {
      if (!counting) return;
      begun++;
      if (controller.signal.aborted) afterwards++;
      else if (begun === k && during) abort();
    },
    end() {
      if (counting && begun === k && !during) setImmediate(abort);
    },
  };
  const [input, extra] = make(name, seen);
  const given = way.opened ? await open(input, extra) : input;
  counting = true;
  const work = way(given, { ...extra, signal: controller.signal }).then(
    () => (settled = true),
    (e) => ([settled, rejected] = [true, e]),
  );
  const hit = await Promise.race([reached, work.then(() => false)]);
  if (hit) {
    await turn();
    if (!settled) return { hit, fault: `${what} does not reject at once`, late: () => 0 };
    // Work that had come to its end before may have its answer.
    if (rejected !== null && rejected !== reason)
      return { hit, fault: `${what} rejects with ${rejected}`, late: () => 0 };
  }
  return { hit, fault: null, late: () => afterwards };
}

async function everywhere(ways, make, most) {
  const faults = [];
  const looks = [];
  for (const way of ways) {
    let hits = 0;
    for (let k = 1; k <= most; k++) {
      for (const during of [true, false]) {
        const { hit, fault, late } = await aborted(way, make, k, during);
        const when = `(read ${k}${during ? '' : ', after it'})`;
        if (hit) hits++;
        if (fault) faults.push(`${fault} ${when}`);
        looks.push(() => late() > 0 && faults.push(`${way[0]}: ${late()} reads begin after it ${when}`));
      }
    }
    assert.ok(hits > 0, `${way[0]} reads nothing`);
  }
  await quiet();
  for (const look of looks) look();
  assert.deepEqual(faults, []);
}

test("no read of a caller's source begins after an abort, and everything rejects at once", async () => {
  await everywhere(
    WAYS,
    (name, seen) => [
      {
        name: `a.${name}`,
        byteLength: files[name].length,
        async read(start, end) {
          seen.begin();
          await turn();
          seen.end();
          return files[name].slice(start, end);
        },
      },
      {},
    ],
    3,
  );
});

test('no request begins after an abort, and everything rejects at once', async () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  const watched =
    (seen) =>
    async (...args) => {
      seen.begin();
      const response = await fetch(...args);
      seen.end();
      return response;
    };
  // What converts takes the options of HTTP with what it opens.
  const ways = WAYS.filter(
    ([, name, way]) => name !== 'csv' && (way.opened || (way.length === 2 && !/convert/.test(way))),
  );
  await everywhere(ways, (name, seen) => [`${base}/${name}`, { http: { fetch: watched(seen) } }], 2);
});

/** Nothing that it does ever ends. */
const never = () => new Promise(() => {});
/** How often a sink was done with something slow. */
let slowly = 0;
const later = (settle) =>
  new Promise((resolve, reject) => {
    setTimeout(() => {
      slowly++;
      settle(resolve, reject);
    }, 80);
  });
const SLOW = {
  'aborting it never ends': { abort: never },
  'aborting it fails at once': {
    abort() {
      throw new Error('no');
    },
  },
  'aborting it fails later': { abort: () => later((_, reject) => reject(new Error('no'))) },
  'writing never ends': { write: never },
  'writing fails after the abort': { write: () => later((_, reject) => reject(new Error('no'))) },
  'writing is slow': { write: () => later((resolve) => resolve()) },
  'closing never ends': { close: never },
};

test('whatever a sink does, converting rejects at once after an abort, and writes nothing once the sink was aborted', async () => {
  const unhandled = [];
  const hear = (e) => unhandled.push(e);
  process.on('unhandledRejection', hear);
  const source = (name) => ({
    name: `a.${name}`,
    byteLength: files[name].length,
    read: async (start, end) => files[name].slice(start, end),
  });
  const faults = [];
  for (const [name, to, isOpen] of [
    ['tar', 'tbl', false],
    ['tbl', 'tar', true],
    ['tbl', 'tbl', false],
    ['csv', 'tbf', false],
    ['tbf', 'csv', false],
    ['tbf', 'idv', true],
  ]) {
    for (const [what, acts] of Object.entries(SLOW)) {
      const controller = new AbortController();
      let [aborts, late, at, ended] = [0, 0, 0, false];
      // Whatever the sink is at does not end before the abort: else a quick machine is done by then.
      const end = () =>
        new Promise((resolve) =>
          setImmediate(() => {
            [ended, slowly, at] = [true, 0, performance.now()];
            controller.abort(new Error('enough'));
            resolve();
          }),
        );
      const sink = {
        async write(...args) {
          if (ended) late++;
          if (!acts.close) await end();
          await acts.write?.(...args);
        },
        async close() {
          await end();
          await acts.close?.();
        },
        abort(reason) {
          aborts++;
          return acts.abort?.(reason) ?? Promise.resolve();
        },
      };
      const input = isOpen ? await open(source(name)) : source(name);
      const e = await convert(input, sink, { to, signal: controller.signal }).then(
        () => null,
        (e) => e,
      );
      const [took, waited] = [performance.now() - at, slowly];
      if (e?.message !== 'enough') faults.push(`${name} to ${to}, ${what}: ends with ${e}`);
      // The benchmark says how many milliseconds it takes; a test can only say that nothing slow was waited for.
      if (waited > 0 || took > 5000) faults.push(`${name} to ${to}, ${what}: ${took} ms, ${waited} waited for`);
      await new Promise((resolve) => setTimeout(resolve, 120));
      if (late > 0) faults.push(`${name} to ${to}, ${what}: ${late} writes after the abort`);
      // A sink that is still at its last write is not interrupted.
      if (aborts !== (acts.write === never || acts.close ? 0 : 1))
        faults.push(`${name} to ${to}, ${what}: aborted ${aborts} times`);
      if (isOpen) input.close();
    }
  }
  process.off('unhandledRejection', hear);
  assert.deepEqual([faults, unhandled], [[], []]);
});

/** In the page: aborts some work on a file after this many turns; what was counted by then, and what came later. */
async function abortThere([name, place, k]) {
  const file = [...document.querySelector('input').files].find((file) => file.name === `a.${name}`);
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle('out', { create: true });
  const ways = {
    opening: (o) => forebay.open(file, o),
    check: (ds, o) => ds.check(o),
    statistics: (ds, o) => ds.stats(o),
    walking: async (ds, o) => {
      for await (const s of ds.samples({ where: 'cls == 1', ...o })) {
        await s.record();
        turns();
      }
    },
    'to private files': (_, o) => forebay.convert(file, handle, { to: name === 'tar' ? 'tbl' : 'tar', ...o }),
    'to memory': (ds, o) => forebay.convert(ds, forebay.memorySink(), { to: 'tbl', ...o }),
  };
  const ds = place === 'opening' ? null : await forebay.open(file);
  const controller = new AbortController();
  Object.assign(watched, { reads: 0, late: 0, over: false });
  let [n, telemetry, at, begun] = [0, 0, 0, 0];
  const turns = () => {
    if (++n !== k) return;
    controller.abort(new Error('enough'));
    watched.over = true;
    [telemetry, begun, at] = [ds?.telemetry.requests, watched.reads, performance.now()];
    // How long the page itself takes for one turn, now.
    setTimeout(() => (idle = performance.now() - at));
  };
  let idle = null;
  const o = { signal: controller.signal, onProgress: turns };
  const e = await (ds ? ways[place](ds, o) : ways[place](o)).then(
    () => null,
    (e) => e,
  );
  const took = performance.now() - at;
  await new Promise((resolve) => setTimeout(resolve, 300));
  ds?.close();
  return {
    hit: n >= k,
    message: e?.message,
    begun,
    took,
    idle: idle ?? 0,
    late: watched.late,
    requests: ds ? ds.telemetry.requests - telemetry : 0,
  };
}

test('no read of a File begins in the page or in a worker after it heard of an abort, and everything rejects at once', {
  skip,
}, async () => {
  const browser = await launch();
  try {
    for (const where of ['plain', 'isolated']) {
      const page = await browser.newPage();
      page.on('pageerror', (e) => console.error(e));
      await page.goto(`http://127.0.0.1:${server.address().port}/${where}`);
      await page.waitForFunction(() => globalThis.forebay);
      await page.setInputFiles(
        'input',
        ['tar', 'large'].map((name) => join(folder, `a.${name}`)),
      );
      for (const [name, place] of [
        ['tar', 'opening'],
        ['large', 'check'],
        ['tar', 'statistics'],
        ['large', 'statistics'],
        ['large', 'walking'],
        ['tar', 'to private files'],
        ['large', 'to private files'],
        ['large', 'to memory'],
      ]) {
        for (const k of [1, 2, 4]) {
          const { hit, message, begun, took, idle, late, requests } = await page.evaluate(abortThere, [name, place, k]);
          const what = `${place} of a ${name}, turn ${k}, ${where}`;
          if (k === 1) assert.ok(hit, `${what}: it had no such turn`);
          if (!hit) continue;
          assert.deepEqual([message ?? 'enough', late, requests], ['enough', 0, 0], `${what}: reads ${begun}`);
          // What a turn of the page takes by itself is not the package's, nor is what else this machine does.
          assert.ok(took < 2000 + idle, `${what}: ${took} ms, a turn takes ${idle} ms`);
        }
      }
      await page.close();
    }
  } finally {
    await browser.close();
  }
});
