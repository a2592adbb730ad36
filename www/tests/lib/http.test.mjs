// A server that does what servers do: each misbehavior is a clear error or a working fallback.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bytesSource, convert, httpSource, memorySink, open, shutdown } from 'forebay';
import { codeOf, tarOf } from './helpers.mjs';

let file;
let server;
let base;
/** What the server was asked, newest last. */
let asked = [];
/** State of misbehaviors that change. */
let count = 0;

const modes = {
  good: {},
  ignoresRange: { range: false },
  hidesContentRange: { contentRange: false },
  hidesEverything: { contentRange: false, head: 405 },
  refusesHead: { head: 403 },
  gzipsRanges: { gzip: true },
  saysPlain: { encoding: 'identity' },
  gzipsWhole: { gzip: true, range: false },
  changes: { etag: () => `"${count > 1 ? 2 : 1}"` },
  grows: { total: () => file.length + (count > 1 ? 1 : 0) },
  truncates: { cut: () => 10 },
  truncatesOnce: { cut: () => (count === 2 ? 10 : 0) },
  failsOnce: { status: () => (count === 2 ? 503 : 0) },
  stalls: { stall: () => count > 1 },
  // Later it sends all of the file, and does not say how much that is.
  forgetsRange: { range: () => count < 2, chunked: true },
  noLength: { range: false, chunked: true },
  // The first bytes, whatever was asked for; or others from the beginning on.
  sendsTheFirst: { from: (start) => Math.min(start, 0) },
  sendsOthers: { from: (start) => start + 512 },
  wraps: { type: 'multipart/byteranges; boundary=x' },
  wantsName: { status: (request) => (request.headers.authorization === 'Bearer x' ? 0 : 401) },
  missing: { status: () => 404 },
  forbidden: { status: () => 403 },
};

before(async () => {
  const sink = memorySink();
  await convert(bytesSource(tarOf(300), 'a.tar'), sink, { to: 'tbl' });
  file = Buffer.from(sink.bytes());
  server = createServer((request, response) => {
    const mode = modes[request.url.slice(1)];
    if (!mode) return response.writeHead(404).end();
    count++;
    asked.push(`${request.method} ${request.headers.range ?? ''}`.trim());
    const status = mode.status?.(request);
    if (status) return response.writeHead(status).end();
    if (request.method === 'HEAD') {
      return mode.head
        ? response.writeHead(mode.head).end()
        : response.writeHead(200, { 'content-length': file.length }).end();
    }
    const ranged = typeof mode.range === 'function' ? mode.range() : mode.range !== false;
    const range = ranged && /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const start = range && (mode.from?.(Number(range[1])) ?? Number(range[1]));
    let body = range ? file.subarray(start, start + Number(range[2]) - Number(range[1]) + 1) : file;
    const headers = { etag: mode.etag?.() ?? '"1"', ...(mode.type && { 'content-type': mode.type }) };
    if (range && mode.contentRange !== false)
      headers['content-range'] = `bytes ${start}-${start + body.length - 1}/${mode.total?.() ?? file.length}`;
    if (mode.gzip) {
      body = gzipSync(body);
      headers['content-encoding'] = 'gzip';
    }
    if (mode.encoding) headers['content-encoding'] = mode.encoding;
    const cut = mode.cut?.() ?? 0;
    if (!mode.chunked && !cut) headers['content-length'] = body.length;
    response.writeHead(range ? 206 : 200, headers);
    if (mode.stall?.()) return response.write(body.subarray(0, 100));
    response.end(cut ? body.subarray(0, Math.max(0, body.length - cut)) : body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${server.address().port}/`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await shutdown();
});

function openUrl(mode, options = {}) {
  asked = [];
  count = 0;
  return open(`${base}${mode}`, {
    http: { retries: 2, stallTimeout: mode === 'stalls' ? 200 : 5000, ...options.http },
    ...options,
    ...(options.http ? { http: { retries: 2, stallTimeout: 5000, ...options.http } } : {}),
  });
}

/** Opens and reads the last payload, which is not among the first bytes. */
async function readLast(mode, options) {
  const ds = await openUrl(mode, options);
  try {
    const bytes = await ds.bytes(299);
    const { offset } = ds.info(299);
    assert.deepEqual(Buffer.from(bytes), file.subarray(offset, offset + bytes.length));
    return ds;
  } finally {
    ds.close();
  }
}

test('a good server: one request opens a small index, one more brings a payload', async () => {
  const ds = await readLast('good');
  assert.equal(asked.length, 2, asked.join());
  assert.equal(asked[0], 'GET bytes=0-65535');
  assert.match(asked[1], /^GET bytes=\d+-\d+$/);
  assert.deepEqual([ds.telemetry.requests, ds.telemetry.byteLength], [2, file.length]);
  assert.ok(ds.telemetry.bytesRead < 65536 + 20_000);
});

test('a server that says that it packs nothing is taken at its word', async () => {
  await readLast('saysPlain');
});

test('a server that sends all of the file for a later range is read, also if it does not say how long that is', async () => {
  await readLast('forgetsRange');
});

test('ranges that are asked for at once and lie side by side come as one request', async () => {
  const ds = await openUrl('good');
  asked = [];
  const at = Array.from({ length: 12 }, (_, k) => 100 + k);
  const blobs = await Promise.all(at.map((i) => ds.blob(i)));
  assert.equal(asked.length, 1, asked.join());
  for (const [k, blob] of blobs.entries()) {
    const { offset, storedBytes } = ds.info(at[k]);
    assert.ok(
      Buffer.from(await blob.arrayBuffer()).equals(file.subarray(offset, offset + storedBytes)),
      `sample ${at[k]}`,
    );
  }
  // Far apart they are two; one that is given up takes no other with it.
  asked = [];
  const stop = new AbortController();
  const three = [ds.blob(120), ds.blob(299), ds.blob(121, { signal: stop.signal })].map((p) =>
    p.then(
      (b) => b.size,
      (e) => e.name,
    ),
  );
  stop.abort();
  assert.deepEqual(await Promise.all(three), [ds.info(120).bytes, ds.info(299).bytes, 'AbortError']);
  assert.equal(asked.length, 2, asked.join());
  // Nobody waits any more: nothing is asked.
  asked = [];
  const all = new AbortController();
  const two = [130, 131].map((i) => ds.blob(i, { signal: all.signal }).catch((e) => e.name));
  all.abort();
  assert.deepEqual(await Promise.all(two), ['AbortError', 'AbortError']);
  assert.deepEqual(asked, []);
  ds.close();
});

test('bytes that came with the first request are not asked for again', async () => {
  asked = [];
  count = 0;
  const source = await httpSource(new URL('good', base));
  const part = await source.read(60_000, 70_000);
  assert.ok(Buffer.from(part).equals(file.subarray(60_000, 70_000)));
  assert.deepEqual(asked, ['GET bytes=0-65535', 'GET bytes=65536-69999']);
  assert.equal(source.telemetry.bytesRead, 70_000);
});

test('a server that ignores Range sends the whole once, and it is kept', async () => {
  await readLast('ignoresRange');
  assert.equal(asked.length, 1);
  assert.equal(await codeOf(openUrl('ignoresRange', { http: { maxWholeBytes: 1000 } })), 'http.range');
});

test('a whole file without a length is kept up to a bound', async () => {
  await readLast('noLength');
  assert.equal(await codeOf(openUrl('noLength', { http: { maxWholeBytes: 100_000 } })), 'http.range');
});

test('where Content-Range is hidden, HEAD says the length, and else the caller', async () => {
  await readLast('hidesContentRange');
  assert.deepEqual(asked.slice(0, 2), ['GET bytes=0-65535', 'HEAD']);
  const e = await openUrl('hidesEverything').catch((thrown) => thrown);
  assert.equal(e.code, 'http.length');
  assert.match(e.message, /Access-Control-Expose-Headers/);
  await readLast('hidesEverything', { http: { byteLength: file.length } });
});

test('a server that refuses HEAD is not asked for it', async () => {
  await readLast('refusesHead');
  assert.ok(!asked.includes('HEAD'));
});

test('compressed ranges are refused, a compressed whole is fine', async () => {
  assert.equal(await codeOf(openUrl('gzipsRanges')), 'http.encoding');
  await readLast('gzipsWhole');
});

test('a file that changes underneath is an error, not a mixture', async () => {
  assert.equal(await codeOf(readLast('changes')), 'http.changed');
  assert.equal(await codeOf(readLast('grows')), 'http.changed');
});

test('short answers are asked for again, and then an error', async () => {
  assert.equal(await codeOf(openUrl('truncates')), 'http.truncated');
  await readLast('truncatesOnce');
  assert.equal(asked.length, 3);
});

test('a server that fails for a moment is asked again', async () => {
  await readLast('failsOnce');
  assert.equal(asked.length, 3);
});

test('a server that stalls is given up', async () => {
  assert.equal(await codeOf(readLast('stalls', { http: { stallTimeout: 200 } })), 'http.stalled');
  assert.equal(asked.length, 4);
});

test('what is not there or not allowed is not asked for twice', async () => {
  assert.equal(await codeOf(openUrl('missing')), 'http.status');
  assert.equal(await codeOf(openUrl('forbidden')), 'http.status');
  assert.equal(asked.length, 1);
});

test('a server that is not there is a network error', async () => {
  const e = await open('http://127.0.0.1:1/x', { http: { retries: 0 } }).catch((thrown) => thrown);
  assert.deepEqual([e.code, e.kind], ['http.network', 'io']);
});

test('an abort ends a request that stalls', async () => {
  const controller = new AbortController();
  const ds = await openUrl('stalls', { http: { stallTimeout: 60_000 } });
  const promise = ds.bytes(299, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  const started = performance.now();
  await assert.rejects(promise, { name: 'AbortError' });
  // A request that stalls is waited for a minute.
  assert.ok(performance.now() - started < 20_000);
  ds.close();
});

test('bytes of another place in the file are refused', async () => {
  assert.equal(await codeOf(readLast('sendsTheFirst')), 'http.range');
  assert.equal(await codeOf(openUrl('sendsOthers')), 'http.range');
  assert.equal(await codeOf(openUrl('wraps')), 'http.range');
});

test('headers are sent in every form that fetch takes', async () => {
  const headers = { Authorization: 'Bearer x' };
  for (const form of [headers, new Headers(headers), Object.entries(headers)])
    await readLast('wantsName', { http: { headers: form } });
  assert.equal(await codeOf(openUrl('wantsName')), 'http.status');
});

test('invalid options are refused at once, and no time-out is none', async () => {
  const wrong = [
    { retries: NaN },
    { retries: 'no' },
    { retries: -1 },
    { stallTimeout: 0 },
    { stallTimeout: '5' },
    { byteLength: -1 },
    { maxWholeBytes: 0.5 },
    { fetch: 3 },
    { headers: { 'a b': 'c' } },
    { headers: 3 },
  ];
  for (const http of wrong)
    assert.equal(await codeOf(openUrl('good', { http })), 'usage.argument', JSON.stringify(http));
  assert.equal(await codeOf(open(`${base}good`, { http: 'fast' })), 'usage.argument');
  assert.equal(asked.length, 0);
  await readLast('good', { http: { stallTimeout: Infinity } });
  await readLast('good', { http: { stallTimeout: 1e12 } });
});

test('addresses that no request can be made of are refused at once, those of the page itself are not asked by range', async () => {
  asked = [];
  for (const url of [`${base.replace('//', '//name:word@')}good`, 'ftp://127.0.0.1/x', 'javascript:1'])
    assert.equal(await codeOf(open(url)), 'usage.argument', url);
  assert.equal(asked.length, 0);
  const blob = URL.createObjectURL(new Blob([file]));
  for (const url of [blob, new URL(`data:;base64,${file.toString('base64')}`)]) {
    const ds = await open(url);
    assert.deepEqual([ds.length, ds.name], [300, undefined]);
    ds.close();
  }
  URL.revokeObjectURL(blob);
  assert.equal(await codeOf(open(blob)), 'io');
});

test('datasets on the Hub are asked for where it gives their bytes', async () => {
  const hub = 'https://huggingface.co/datasets/org/name';
  for (const [address, wanted] of [
    ['hf://datasets/org/name/data/a b.tbl', `${hub}/resolve/main/data/a%20b.tbl`],
    ['hf://datasets/org/name@v1/a.tbl', `${hub}/resolve/v1/a.tbl`],
    ['hf://datasets/org/name@refs/convert/parquet/x/0.tbl', `${hub}/resolve/refs%2Fconvert%2Fparquet/x/0.tbl`],
    [new URL('hf://datasets/org/name/a b.tbl'), `${hub}/resolve/main/a%20b.tbl`],
    [`${hub}/blob/main/a.tbl`, `${hub}/resolve/main/a.tbl`],
  ]) {
    const seen = [];
    const fetch = (url, options) => {
      seen.push(String(url instanceof Request ? url.url : url));
      return globalThis.fetch(`${base}good`, options);
    };
    const ds = await open(address, { http: { fetch } });
    assert.equal(ds.length, 300);
    assert.deepEqual([...new Set(seen)], [wanted]);
    ds.close();
  }
  assert.equal(await codeOf(open('hf://org/model/a.bin')), 'usage.argument');
});

test('what is converted from an address is fetched as it is told', async () => {
  const headers = { Authorization: 'Bearer x' };
  const sink = memorySink();
  assert.equal(await codeOf(convert(`${base}wantsName`, memorySink(), { to: 'tar' })), 'http.status');
  assert.equal((await convert(`${base}wantsName`, sink, { to: 'tar', http: { headers } })).samples, 300);
  const text = { to: 'jsonl', from: 'csv', http: { headers } };
  assert.notEqual(await codeOf(convert(`${base}wantsName`, memorySink(), text)), 'http.status');
});
