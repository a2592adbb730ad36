// Lists of pictures: JSON lines whose pictures lie beside them or on servers, as samples.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bytesSource, check, convert, memorySink, open, openSamples, openTable, exportLabels, shutdown } from 'forebay';
import { bitmap, codeOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
/** What a server has: content, or a function that answers. */
const files = new Map();
let [asked, most, now] = [[], 0, 0];
const servers = [];
const lines = (records) => records.map((record) => JSON.stringify(record)).join('\n');
const lost = (text, fields = {}) => ({ ...fields, file_name: text });

async function serve() {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    asked.push({
      path,
      url: request.url,
      method: request.method,
      headers: request.headers,
      port: server.address().port,
    });
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 2));
    now--;
    const content = files.get(path);
    if (typeof content === 'function') return content(request, response);
    if (!content) return response.writeHead(404).end();
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    if (!range) return response.writeHead(200, { 'content-length': content.length }).end(content);
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]) + 1, content.length)];
    const headers = { etag: `"${content.length}"`, 'content-range': `bytes ${start}-${end - 1}/${content.length}` };
    response.writeHead(206, headers).end(content.subarray(start, end));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return `http://127.0.0.1:${server.address().port}`;
}

let [here, elsewhere] = ['', ''];
test('a folder of images is a dataset, whose classes are its folders, and one of other files says what it lacks', async () => {
  const place = join(folder, 'pictures');
  for (const [name, i] of [
    ['boat/0.bmp', 0],
    ['boat/1.bmp', 1],
    ['gull/2.bmp', 2],
    ['.hidden/3.bmp', 3],
  ]) {
    mkdirSync(join(place, name, '..'), { recursive: true });
    writeFileSync(join(place, name), bitmap(8 + i, 40, i));
  }
  writeFileSync(join(place, 'notes.txt'), 'not an image');
  for (const opening of [open, openSamples]) {
    const dataset = await opening(place);
    assert.deepEqual([dataset.kind, dataset.length, dataset.name], ['samples', 3, place]);
    const records = await Promise.all([0, 1, 2].map((i) => dataset.record(i)));
    assert.deepEqual(
      records.map(({ json }) => json.label),
      ['boat', 'boat', 'gull'],
    );
    assert.deepEqual(Buffer.from(await dataset.bytes(2)), Buffer.from(bitmap(10, 40, 2)));
    dataset.close();
  }
  assert.equal((await check(place)).samples, 3);
  const sink = memorySink();
  assert.equal((await convert(place, sink, { to: 'tbl' })).samples, 3);
  // Whoever has datasets there means one of them.
  writeFileSync(join(place, 'train.tar'), '');
  await assert.rejects(open(place), {
    code: 'usage.argument',
    message: /no dataset in the folder.*such as train\.tar$/,
  });
});

before(async () => {
  [here, elsewhere] = [await serve(), await serve()];
  for (let i = 0; i < 40; i++) files.set(`/set/p/${i}.bmp`, bitmap(8 + i, 40, i));
  files.set('/set/p/a picture.bmp', bitmap(9, 9, 1));
  files.set('/set/p/東京.bmp', bitmap(10, 9, 1));
  files.set('/set/nameless', bitmap(11, 9, 1));
  files.set('/set/p/#1 of 100%.bmp', bitmap(12, 9, 1));
  files.set('/set/page.bmp', Buffer.from('<!DOCTYPE html><title>Sign in</title>'));
});
after(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true });
  await shutdown();
});
/** Serves a list, and its address. */
function listed(text, query = '') {
  files.set('/set/list.jsonl', Buffer.from(text));
  [asked, most] = [[], 0];
  return `${here}/set/list.jsonl${query}`;
}
const requests = (path) => asked.filter((one) => one.path === path).length;

test('images on a server are samples: names, sizes, records, filters, and one request for each more', async () => {
  const records = Array.from({ length: 40 }, (_, i) => ({
    file_name: `p/${i}.bmp`,
    label: i % 2 ? 'boat' : 'gull',
    n: i,
  }));
  const dataset = await openSamples(listed(lines(records)));
  assert.deepEqual([dataset.kind, dataset.format, dataset.length, dataset.damage], ['samples', 'tar', 40, null]);
  assert.equal(dataset.nameOf(7), 'set/p/7.bmp');
  assert.equal(dataset.info(7).bytes, files.get('/set/p/7.bmp').length);
  assert.deepEqual((await dataset.record(7)).json, records[7]);
  assert.equal(requests('/set/p/7.bmp'), 1, 'opening asks for the first bytes of an image, and its record for nothing');
  assert.ok(most <= 8, `${most} requests at once`);
  assert.deepEqual(Buffer.from(await dataset.bytes(7)), files.get('/set/p/7.bmp'));
  await dataset.blob(7);
  assert.equal(requests('/set/p/7.bmp'), 2, 'what was fetched is kept for a while');
  assert.deepEqual([...(await dataset.matches('json.label == "boat" && json.n < 4'))], [1, 3]);
  for await (const { records: some } of dataset.records({ fields: ['json.n'] })) assert.ok(some.length > 0);
  assert.deepEqual([...(await dataset.sort('json.n', { descending: true }))].slice(0, 2), [39, 38]);
  assert.equal(
    asked.filter(({ path }) => path.endsWith('.bmp')).length,
    41,
    'records lie between images, and cost none',
  );
  assert.deepEqual([...(await dataset.matches('width == 20'))], [12]);
  assert.ok((await dataset.check()).ok);
  dataset.close();
});

test('addresses may have spaces, other letters, no extension, and another server; queries of signed lists go along', async () => {
  const records = [
    { url: `${elsewhere}/set/p/3.bmp` },
    { url: 'p/a picture.bmp' },
    { url: 'p/東京.bmp' },
    { url: '/set/nameless' },
    { url: 'p/1.bmp?size=2' },
    { url: 'p/#1 of 100%.bmp' },
  ];
  const http = { headers: { authorization: 'Bearer x' } };
  const dataset = await openSamples(listed(lines(records), '?sig=abc'), { http });
  assert.equal(dataset.damage, null);
  assert.deepEqual(
    Array.from({ length: 6 }, (_, i) => dataset.nameOf(i)),
    ['set/p/3.bmp', 'set/p/a picture.bmp', 'set/p/東京.bmp', 'set/nameless.bmp', 'set/p/1.bmp', 'set/p/#1 of 100%.bmp'],
  );
  for (let i = 0; i < 6; i++) assert.equal((await dataset.bytes(i)).length, dataset.info(i).bytes);
  const foreign = asked.filter(({ port }) => elsewhere.endsWith(String(port)));
  assert.ok(foreign.length > 0 && foreign.every(({ headers, url }) => !headers.authorization && !url.includes('sig')));
  const own = asked.filter(({ path, port }) => path.startsWith('/set/p/') && here.endsWith(String(port)));
  assert.ok(own.every(({ headers }) => headers.authorization === 'Bearer x'));
  assert.deepEqual([...new Set(own.map(({ url }) => url.split('?')[1]))].sort(), ['sig=abc', 'size=2']);
  dataset.close();
});

test('lines without an image are left out and named; a conversion asks for leave, and takes what is there', async () => {
  const gone = `${elsewhere}/gone.png`;
  const dataset = await openSamples(
    listed(
      [
        lines([lost('p/1.bmp'), lost(gone), lost('javascript:alert(1)'), lost('file:///etc/passwd'), lost('page.bmp')]),
        '{"file_name": 3}',
        '[1]',
        '{"file_name": "p/2.bmp"',
        '',
        lines([lost('p/2.bmp'), lost('data:image/png;base64,AAAA'), lost('list.jsonl')]),
      ].join('\n'),
    ),
  );
  assert.equal(dataset.length, 3);
  const { damage } = dataset;
  assert.deepEqual([damage.code, damage.line, damage.file], ['http.status', 2, 'list.jsonl']);
  assert.ok(
    damage.message.includes(`8 of 11 lines are left out: line 2, "${gone}": the server answered 404`),
    damage.message,
  );
  // A list that names itself is a file like another, and no picture.
  assert.equal(dataset.info(2).format, 'unknown');
  assert.equal(await codeOf(convert(dataset, memorySink(), { to: 'tbl' })), 'http.status');
  const sink = memorySink();
  await convert(dataset, sink, { to: 'tbl', keepGoing: true, where: 'format == "bmp"' });
  const tbl = await openSamples(sink.bytes());
  assert.deepEqual([tbl.length, tbl.info(0).width, tbl.info(1).width], [2, 9, 10]);
  assert.deepEqual(Buffer.from(await tbl.bytes(1)), files.get('/set/p/2.bmp'));
  tbl.close();
  dataset.close();
  assert.equal(await codeOf(openSamples(listed(lines([lost('javascript:1.png')])))), 'manifest.address');
  assert.equal(
    await codeOf(openSamples(listed(lines([lost('p/1.bmp'), lost('ftp://x/y.png')])), { keepGoing: false })),
    'manifest.address',
  );
});

test('what changes or vanishes while it is open is an error with its line, and never other bytes', async () => {
  const dataset = await openSamples(listed(lines([lost('p/1.bmp'), lost('p/2.bmp')])));
  const before = files.get('/set/p/2.bmp');
  files.set('/set/p/2.bmp', bitmap(90, 90, 1));
  const e = await dataset.bytes(1).catch((e) => e);
  assert.deepEqual([e.code, e.line], ['http.changed', 2]);
  assert.match(e.message, /^line 2, "http:.*p\/2\.bmp": /);
  files.delete('/set/p/2.bmp');
  assert.equal(await codeOf(dataset.bytes(1)), 'http.status');
  files.set('/set/p/2.bmp', before);
  assert.deepEqual(Buffer.from(await dataset.bytes(1)), before);
  dataset.close();
});

test('a host that gives nothing is not asked for thousands of images', async () => {
  const dead = 'http://127.0.0.1:9';
  const records = [lost('p/1.bmp'), ...Array.from({ length: 2000 }, (_, i) => lost(`${dead}/${i}.png`))];
  const dataset = await openSamples(listed(lines(records)), { http: { retries: 0 } });
  assert.equal(dataset.length, 1);
  assert.match(dataset.damage.message, /2000 of 2001 lines/);
  assert.match(dataset.damage.cause.message, /127\.0\.0\.1:9/);
  dataset.close();
});

test('servers without ranges, that go in circles, or send too much, do no harm', async () => {
  const whole = bitmap(30, 30, 2);
  files.set('/set/whole.bmp', (_, response) => response.writeHead(200).end(whole));
  files.set('/set/circle.bmp', (_, response) => response.writeHead(302, { location: '/set/circle.bmp' }).end());
  files.set('/set/huge.bmp', (_, response) => response.writeHead(200, { 'content-length': 1 << 30 }).end('BM'));
  const text = lines([lost('whole.bmp'), lost('circle.bmp'), lost('huge.bmp')]);
  const dataset = await openSamples(listed(text), { http: { retries: 0 } });
  assert.equal(dataset.length, 1);
  assert.deepEqual(Buffer.from(await dataset.bytes(0)), whole);
  assert.match(dataset.damage.message, /^2 of 3 lines are left out: line 2/);
  dataset.close();
});

test('images beside a list: a folder, what was dropped, a path; nothing outside of it', async () => {
  const set = join(folder, 'set');
  mkdirSync(join(set, 'train'), { recursive: true });
  writeFileSync(join(folder, 'secret.bmp'), bitmap(8, 8, 1));
  symlinkSync(join(folder, 'secret.bmp'), join(set, 'link.bmp'));
  const records = [];
  for (let i = 0; i < 12; i++) {
    writeFileSync(join(set, `train/${i}.bmp`), bitmap(8 + i, 9, i));
    records.push({
      file_name: `./train/${i}.bmp`,
      text: `number ${i}`,
      boxes: [[1, 2, 3, 4]],
    });
  }
  const outside = ['../secret.bmp', 'link.bmp', join(folder, 'secret.bmp'), 'train/none.bmp', 'train'];
  const list = join(set, 'metadata.jsonl');
  writeFileSync(list, `\ufeff${lines([...records, ...outside.map((path) => lost(path))])}\r\n\r\n`);
  for (const input of [list, set]) {
    const dataset = await (input === set ? open : openSamples)(input);
    assert.equal(dataset.length, 12);
    assert.deepEqual([dataset.nameOf(3), dataset.info(3).format], ['train/3.bmp', 'bmp']);
    assert.deepEqual(Buffer.from(await dataset.bytes(11)), bitmap(19, 9, 11));
    assert.match(dataset.damage.message, /^5 of 17 lines are left out: line 13, "\.\.\/secret\.bmp"/);
    dataset.close();
  }
  const dropped = [
    { path: 'metadata.jsonl', input: new Blob([lines(records)]) },
    ...records.map((_, i) => ({ path: `train/${i}.bmp`, input: new Blob([bitmap(8 + i, 9, i)]) })),
  ];
  const dataset = await open(dropped, { name: 'a folder' });
  assert.deepEqual([dataset.kind, dataset.length, dataset.damage], ['samples', 12, null]);
  assert.deepEqual((await dataset.record(5)).json.text, 'number 5');
  assert.deepEqual([...(await dataset.matches('width > 17'))], [10, 11]);
  const sink = memorySink();
  await exportLabels(dataset, 'coco', sink, { boxes: 'json.boxes:xywh' });
  const coco = JSON.parse(new TextDecoder().decode(sink.bytes()));
  assert.deepEqual([coco.images[3].file_name, coco.images[3].width], ['train/3.bmp', 11]);
  const edits = await dataset.edit();
  await edits.set(3, { label: 'boat' });
  await edits.remove(4);
  const saved = memorySink();
  await edits.save(saved);
  const tbl = await openSamples(saved.bytes());
  assert.deepEqual([tbl.length, (await tbl.record(3)).name], [11, 'train/3.bmp']);
  tbl.close();
  dataset.close();
});

test('a list by itself opens as samples where that is asked for, and its own images say where they are', async () => {
  const blob = (text) => new File([text], 'a.jsonl');
  assert.equal(await codeOf(open(blob(lines([lost('p/1.bmp')])))), 'format.unknown');
  assert.equal(await codeOf(openTable(blob(lines([lost('p/1.bmp')])))), 'format.unknown');
  assert.equal(await codeOf(openSamples(blob(lines([lost('p/1.bmp')])))), 'manifest.address');
  const nested = lines([{ data: { image: `${here}/set/p/1.bmp` } }, { data: { image: `${here}/set/p/2.bmp` } }]);
  for (const dataset of [
    await openSamples(blob(nested)),
    await open(blob(nested), { column: 'data.image' }),
    await open(new TextEncoder().encode(nested), { column: 'data.image' }),
  ]) {
    assert.equal((await dataset.bytes(1)).length, files.get('/set/p/2.bmp').length);
    dataset.close();
  }
});

test('what is not a list is refused by name', async () => {
  const code = (text, options) => codeOf(openSamples(new File([text], 'a.jsonl'), options));
  assert.equal(await code(lines([{ a: 1 }])), 'format.not_samples');
  assert.equal(await code(lines([{ url: 'page' }])), 'format.not_samples');
  assert.equal(await code('[{"url":"https://a/b.png"}]'), 'table.row');
  assert.equal(await code('id,name\n1,2'), 'table.row');
  assert.equal(await code(lines([lost('a.png')]), { column: 'none' }), 'table.column');
  assert.equal(await code('\n\n'), 'format.not_samples');
  assert.equal(await code(`{"url": "${'['.repeat(1e6)}`), 'table.row');
  // Lines and lists of any length end at a bound, and not in memory.
  assert.equal(await code(lines([lost('a.png')]), { limits: { metadataBytes: 5 } }), 'limit.metadata');
  let read = 0;
  const endless = {
    byteLength: 1e9,
    name: 'a.jsonl',
    async read(start, end) {
      read += end - start;
      return new Uint8Array(end - start).fill(0x7b);
    },
  };
  assert.equal(await codeOf(openSamples(endless)), 'limit.metadata');
  assert.equal(await codeOf(openSamples(endless, { limits: { metadataBytes: 2e9 } })), 'limit.metadata');
  assert.ok(read < 64 << 20, `${read} bytes`);
  assert.equal(await codeOf(openSamples(bytesSource(new TextEncoder().encode('{}'), 'a.jsonl'))), 'format.not_samples');
});

test('opening and reading end when they are told to', async () => {
  files.set('/set/never.bmp', () => {});
  const signal = AbortSignal.timeout(100);
  await assert.rejects(openSamples(listed(lines([lost('p/1.bmp'), lost('never.bmp')])), { signal }), {
    name: 'TimeoutError',
  });
  const dataset = await openSamples(listed(lines([lost('p/1.bmp'), lost('p/2.bmp')])));
  const content = files.get('/set/p/2.bmp');
  files.set('/set/p/2.bmp', () => {});
  const reading = dataset.bytes(1);
  dataset.close();
  assert.equal(await codeOf(reading), 'dataset.closed');
  files.set('/set/p/2.bmp', content);
});

test('an image beside the list that changes while it is open is an error, never a mixture', async () => {
  const at = join(folder, 'changing');
  mkdirSync(at);
  for (const k of [0, 1, 2]) writeFileSync(join(at, `${k}.bmp`), bitmap(16, 40, k));
  writeFileSync(join(at, 'list.jsonl'), lines([0, 1, 2].map((k) => lost(`${k}.bmp`))));
  const dataset = await openSamples(join(at, 'list.jsonl'));
  assert.equal((await dataset.bytes(0)).length, bitmap(16, 40, 0).length);
  writeFileSync(join(at, '0.bmp'), bitmap(16, 80, 9));
  // One of the same length that took its place.
  writeFileSync(join(at, 'new'), bitmap(16, 40, 9));
  renameSync(join(at, 'new'), join(at, '1.bmp'));
  for (const i of [0, 1]) await assert.rejects(dataset.bytes(i), { code: 'io', message: /changed, moved or removed/ });
  assert.deepEqual(Buffer.from(await dataset.bytes(2)), bitmap(16, 40, 2));
  dataset.close();
});
