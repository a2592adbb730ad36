import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  ForebayError,
  bytesSource,
  capabilities,
  check,
  convert,
  memorySink,
  open,
  parseFilter,
  shutdown,
} from 'forebay';
import { bitmap, codeOf, tarOf } from './helpers.mjs';

after(shutdown);
const tar = tarOf(30);

async function tbl(options = {}) {
  const sink = memorySink();
  await convert(bytesSource(tar, 'a.tar'), sink, { to: 'tbl', ...options });
  return sink.bytes();
}

test('a TAR opens as samples, with names at once and sizes once they were looked at', async () => {
  const ds = await open(tar, { name: 'a.tar' });
  assert.deepEqual([ds.format, ds.length, ds.metadata.members, ds.damage], ['tar', 30, 90, null]);
  assert.equal(ds.nameOf(3), 'train/00003.bmp');
  assert.equal(ds.info(3).width, 0);
  assert.deepEqual([...(await ds.matches('width >= 88 && cls == 2'))], [29]);
  assert.deepEqual([ds.info(3).width, ds.info(3).height, ds.info(3).format], [40, 24, 'bmp']);
});

test('a TBL answers from its index without reading', async () => {
  const ds = await open(await tbl());
  const before = ds.telemetry.requests;
  assert.deepEqual([...(await ds.matches('width >= 80 and index < 20'))], [8, 9, 18, 19]);
  const stats = await ds.stats({ where: 'width < 32' });
  assert.deepEqual([stats.samples, stats.width.min, stats.width.max], [6, 16, 24]);
  assert.equal(ds.telemetry.requests, before);
  const { width, bytes, offset, format } = ds.columns();
  assert.deepEqual([width[9], bytes[9], format[9], ds.info(9).offset], [88, bitmap(88, 24, 0).length, 4, offset[9]]);
});

test('opening costs two reads, header and index, and the record of a sample two more', async () => {
  const ds = await open(await tbl());
  assert.deepEqual([ds.telemetry.requests, ds.telemetry.bytesRead], [2, 64 + 30 * 24]);
  assert.deepEqual(await ds.record(4), {
    id: 4,
    name: 'train/00004.bmp',
    cls: 1,
    json: { label: '<b>1</b>', boxes: [[1, 2, 3, 4]] },
  });
  assert.equal(ds.telemetry.requests, 4);
  await ds.record(5);
  assert.equal(ds.telemetry.requests, 5);
  assert.equal(ds.nameOf(5), 'train/00005.bmp');
  assert.deepEqual(await ds.document(), { source: 'a.tar' });
});

test('payloads come back as they were, verified, from every kind of file', async () => {
  for (const options of [
    {},
    { compression: 'lz4' },
    { layout: 'turboloader' },
    { layout: 'turboloader', compression: 'lz4', metadataFormat: 'msgpack' },
  ]) {
    const bytes = await tbl(options);
    const ds = await open(bytes);
    assert.equal(ds.info(7).codec, options.compression ?? 'none');
    assert.deepEqual(Buffer.from(await ds.bytes(7)), bitmap(72, 24, 7));
    assert.deepEqual(Buffer.from(await (await ds.blob(7)).arrayBuffer()), bitmap(72, 24, 7));
    assert.equal((await ds.blob(7)).type, 'image/bmp');
    assert.equal((await ds.record(7)).cls, 1);
    assert.deepEqual((await ds.check()).ok, true);
  }
});

test('a Blob is sliced, not read', async () => {
  const blob = new Blob([await tbl()]);
  const ds = await open(blob);
  const { requests } = ds.telemetry;
  const payload = await ds.blob(2);
  assert.deepEqual([ds.telemetry.requests, payload.size], [requests, ds.info(2).bytes]);
});

test('samples are walked in order, filtered, and can be left early', async () => {
  const ds = await open(await tbl());
  const seen = [];
  for await (const sample of ds.samples({ where: 'cls == 1' })) {
    seen.push([sample.index, (await sample.bytes()).length, (await sample.record()).cls]);
    if (seen.length === 3) break;
  }
  assert.deepEqual(
    seen.map(([i, , cls]) => [i, cls]),
    [
      [1, 1],
      [4, 1],
      [7, 1],
    ],
  );
  const some = [];
  for await (const { index } of ds.samples({ indexes: [5, 2, 9], where: 'index != 2' })) some.push(index);
  assert.deepEqual(some, [5, 9]);
});

test('a damaged payload is an error with its place, and one fault of the check', async () => {
  const bytes = await tbl();
  const whole = await open(bytes);
  const bad = bytes.slice();
  bad[whole.info(3).offset + 60] ^= 1;
  const ds = await open(bad, { name: 'bad.tbl' });
  const e = await ds.bytes(3).catch((thrown) => thrown);
  assert.ok(e instanceof ForebayError);
  assert.deepEqual(
    [e.code, e.kind, e.file, e.section, e.sample],
    ['tbl.payload_crc', 'damaged', 'bad.tbl', 'payload', 3],
  );
  assert.equal((await ds.blob(3)).size, whole.info(3).bytes);
  assert.equal(await codeOf(ds.blob(3, { verify: true })), 'tbl.payload_crc');
  const report = await ds.check();
  assert.deepEqual(
    [report.ok, report.faultCount, report.faults[0].code, report.faults[0].sample],
    [false, 1, 'tbl.payload_crc', 3],
  );
  assert.equal(await codeOf(convert(ds, memorySink(), { to: 'tar' })), 'tbl.payload_crc');
  for (const layout of ['guide', 'turboloader']) {
    const sink = memorySink();
    const summary = await convert(ds, sink, { to: 'tbl', layout, keepGoing: true });
    assert.deepEqual([summary.samples, summary.faults.length], [29, 1]);
    assert.deepEqual((await check(sink.bytes())).faults, []);
  }
});

test('what is invalid is a usage error', async () => {
  const ds = await open(tar);
  assert.throws(() => ds.info(30), { code: 'usage.out_of_range', kind: 'usage' });
  assert.equal(await codeOf(ds.bytes(-1)), 'usage.out_of_range');
  const e = await ds.matches('width >=').catch((thrown) => thrown);
  assert.deepEqual([e.code, e.kind, e.offset], ['filter.syntax', 'usage', 8]);
  assert.equal(await codeOf(open(new Uint8Array(0))), 'format.empty');
  assert.equal(await codeOf(open(new TextEncoder().encode('hello '.repeat(100)))), 'format.unknown');
  assert.equal(await codeOf(open(17)), 'usage.argument');
  assert.equal(await codeOf(convert(ds, memorySink(), { to: 'tbl', layout: 'round' })), 'usage.argument');
  assert.equal(await codeOf(convert(ds, memorySink(), { to: 'tbl', indexes: [99] })), 'usage.out_of_range');
  assert.equal(await parseFilter('a=="x" and not b'), 'a == "x" && !b');
});

test('a damaged TAR keeps what came before the damage', async () => {
  const bad = tar.slice();
  bad[tar.length / 2 - ((tar.length / 2) % 512) + 3] ^= 1;
  let cut = tar.slice(0, tar.length - 4096);
  cut = cut.slice(0, cut.length - (cut.length % 512) - 512);
  const ds = await open(cut);
  assert.ok(ds.length > 20);
  assert.equal(await codeOf(open(tar.slice(0, 700), { keepGoing: false })), 'tar.truncated');
  const report = await check(tar.slice(0, 700));
  assert.deepEqual([report.ok, report.faults[0].code], [false, 'tar.truncated']);
});

test('an abort rejects at once, and no read begins after it', async () => {
  const bytes = await tbl();
  const reads = [];
  let slow = false;
  const source = {
    byteLength: bytes.length,
    async read(start, end) {
      reads.push(start);
      if (slow) await new Promise((resolve) => setTimeout(resolve, 300));
      return bytes.slice(start, end);
    },
  };
  const ds = await open(source);
  slow = true;
  for (const work of [
    (o) => ds.check(o),
    (o) => ds.matches('cls == 1', o),
    (o) => convert(ds, memorySink(), { to: 'tar', ...o }),
    (o) => ds.bytes(1, o),
  ]) {
    const controller = new AbortController();
    const promise = work({ signal: controller.signal });
    let rejected = false;
    const rejecting = assert.rejects(
      promise.catch((e) => {
        rejected = true;
        throw e;
      }),
      { message: 'enough' },
    );
    await new Promise((resolve) => setTimeout(resolve, 30));
    controller.abort(new Error('enough'));
    const { length } = reads;
    // By the next turn of the event loop: that is far less than 50 ms, and no matter how busy the machine is.
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(rejected);
    await rejecting;
    await new Promise((resolve) => setTimeout(resolve, 350));
    assert.equal(reads.length, length);
  }
  slow = false;
  assert.equal((await ds.check()).ok, true);
});

test('closing ends everything, twice is fine', async () => {
  const ds = await open(tar);
  const late = ds.matches('width > 1');
  ds.close();
  ds.close();
  assert.equal(await codeOf(late), 'dataset.closed');
  assert.throws(() => ds.info(0), { code: 'dataset.closed' });
});

test('a worker that ends is replaced, and the dataset opens again by itself', async () => {
  const ds = await open(await tbl());
  await shutdown();
  assert.equal((await ds.record(2)).id, 2);
});

test('markup in names and metadata stays text', async () => {
  const ds = await open(tar);
  assert.equal((await ds.record(0)).json.label, '<b>0</b>');
});

test('capabilities say what there is', () => {
  const found = capabilities();
  assert.deepEqual([found.simd, found.threads], [true, false]);
  assert.deepEqual(found.reads, ['tbl', 'tar', 'zip', 'tbf', 'idv', 'parquet', 'arrow', 'arrows']);
  assert.ok(found.workers >= 1);
});
