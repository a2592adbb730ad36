// Records in batches, samples in an order, payloads read ahead.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bytesSource, convert, memorySink, openSamples, shutdown } from 'forebay';
import { codeOf, corpus, tarOf } from './helpers.mjs';

after(shutdown);
const tar = tarOf(600);

async function tbl(options = {}, bytes = tar) {
  const sink = memorySink();
  await convert(bytesSource(bytes, 'a.tar'), sink, { to: 'tbl', ...options });
  return sink.bytes();
}
async function all(ds, options) {
  const found = [];
  for await (const { indexes, records } of ds.records(options)) {
    assert.equal(indexes.length, records.length);
    for (const [k, i] of indexes.entries()) found.push([i, records[k]]);
  }
  return found;
}

test('records in batches are those that come one by one, in every kind of file', async () => {
  const kinds = [tar, await tbl(), await tbl({ layout: 'turboloader', metadataFormat: 'msgpack' })];
  for (const bytes of kinds) {
    const ds = await openSamples(bytes);
    const found = await all(ds, { batch: 100 });
    assert.deepEqual(
      found.map(([i]) => i),
      Array.from({ length: 600 }, (_, i) => i),
    );
    for (const i of [0, 1, 99, 100, 101, 599]) assert.deepEqual(found[i][1], await ds.record(i));
  }
});

test('every file of the corpus gives the same records in batches', async () => {
  let compared = 0;
  for (const file of [...corpus('tbl', '.tbl'), ...corpus('tar', '.tar')]) {
    const ds = await openSamples(file).catch(() => null);
    if (!ds || ds.length > 500) continue;
    const one = [];
    for (let i = 0; i < ds.length; i++) one.push(await ds.record(i).catch((e) => e.code ?? String(e)));
    const failed = one.find((record) => typeof record === 'string' && /^[a-z]+\.[a-z_]+$/.test(record));
    const found = await all(ds).catch((e) => e);
    if (failed) assert.equal(found.code, failed, file);
    else
      assert.deepEqual(
        found.map(([, record]) => record),
        one,
        file,
      );
    compared++;
    ds.close();
  }
  assert.ok(compared > 10, String(compared));
});

test('only the fields that are asked for come, from the samples that match', async () => {
  const ds = await openSamples(await tbl());
  const found = await all(ds, { fields: ['cls', 'json.label', '`no such`.field'], where: 'cls == 2 && index < 20' });
  assert.deepEqual(
    found.map(([i]) => i),
    [2, 5, 8, 11, 14, 17],
  );
  assert.deepEqual(found[1][1], { cls: 2, 'json.label': '<b>2</b>', '`no such`.field': null });
  assert.deepEqual(await all(ds, { fields: ['cls'], indexes: [7, 3, 5], where: 'cls != 0' }), [
    [7, { cls: 1 }],
    [5, { cls: 2 }],
  ]);
});

test('fields of the index are among those that can be asked for', async () => {
  const tar = await openSamples(tarOf(6));
  const several = await openSamples([await tbl(), await tbl()]);
  for (const ds of [tar, several]) {
    const found = await all(ds, { fields: ['index', 'width', 'format', 'cls'], indexes: [1, ds.length - 2] });
    for (const [i, record] of found) {
      const { width, format } = ds.info(i);
      assert.ok(width > 0);
      assert.deepEqual([record.index, record.width, record.format], [i, width, format]);
      assert.ok(Number.isInteger(record.cls));
    }
    ds.close();
  }
});

test('the records of a whole file cost a few reads', async () => {
  const ds = await openSamples(await tbl());
  const { requests } = ds.telemetry;
  await all(ds);
  assert.ok(ds.telemetry.requests - requests <= 6, `${ds.telemetry.requests - requests} reads`);
});

test('an early end and an abort leave nothing behind', async () => {
  const ds = await openSamples(await tbl());
  for await (const { records } of ds.records({ batch: 10 })) {
    if (records.length > 1) break;
  }
  const controller = new AbortController();
  const reason = new Error('enough');
  await assert.rejects(async () => {
    for await (const batch of ds.records({ batch: 10, signal: controller.signal })) if (batch) controller.abort(reason);
  }, reason);
  assert.equal((await all(ds)).length, 600);
  for (const options of [
    { fields: 'cls' },
    { fields: ['a..b'] },
    { fields: [5] },
    { batch: 0 },
    { field: ['a'] },
    { indexes: [600] },
  ])
    assert.match(await codeOf(all(ds, options)), /^usage\./, JSON.stringify(options));
  ds.close();
  await assert.rejects(() => all(ds), { code: 'dataset.closed' });
});

test('samples are sorted by the index, by names, by metadata', async () => {
  const bytes = tarOf(30);
  for (const ds of [await openSamples(bytes), await openSamples(await tbl({}, bytes))]) {
    const upward = [...(await ds.sort('width'))];
    assert.deepEqual(upward.slice(0, 6), [0, 10, 20, 1, 11, 21]);
    assert.deepEqual([...(await ds.sort('width', { descending: true }))].slice(0, 4), [9, 19, 29, 8]);
    assert.deepEqual([...(await ds.sort('cls'))].slice(8, 12), [24, 27, 1, 4]);
    assert.deepEqual([...(await ds.sort('name', { descending: true }))].slice(0, 3), [29, 28, 27]);
    assert.deepEqual([...(await ds.sort('json.label', { where: 'index < 4', descending: true }))], [2, 1, 0, 3]);
    // What nobody has leaves the order as it is.
    assert.deepEqual(
      [...(await ds.sort('json.other'))],
      Array.from({ length: 30 }, (_, i) => i),
    );
    for (const by of ['', 'a..b', 5, undefined]) assert.equal(await codeOf(ds.sort(by)), 'usage.argument');
  }
});

test('reading ahead takes few reads, ends at its budget, and then costs none', async () => {
  const bytes = await tbl({ compression: 'lz4' }, tarOf(60, 100));
  const ds = await openSamples(bytes);
  const reads = async (body) => {
    const before = ds.telemetry.requests;
    await body();
    return ds.telemetry.requests - before;
  };
  assert.ok((await reads(() => ds.prefetch({ start: 10, end: 30 }))) <= 2);
  assert.equal(
    await reads(async () => {
      for (let i = 10; i < 30; i++) await ds.bytes(i);
    }),
    0,
  );
  assert.equal(await reads(() => ds.prefetch([12, 11, 29])), 0);
  const other = await openSamples(bytes);
  // Three of these fit.
  await other.prefetch(
    { start: 0, end: 60 },
    { budgetBytes: other.info(0).bytes + other.info(1).bytes + other.info(2).bytes },
  );
  const before = other.telemetry.requests;
  for (const i of [0, 1, 2]) await other.bytes(i);
  assert.equal(other.telemetry.requests, before);
  await other.bytes(3);
  assert.equal(other.telemetry.requests, before + 1);
  assert.deepEqual(Buffer.from(await ds.bytes(12)), Buffer.from(await other.bytes(12)));
  for (const wrong of [{ start: -1, end: 3 }, { start: 0, end: 1.5 }, 7, null])
    assert.equal(await codeOf(ds.prefetch(wrong)), 'usage.argument');
  await ds.prefetch({ start: 50, end: 1000 });
});

test('a damaged sample does not keep others from being read ahead', async () => {
  const bytes = await tbl();
  const whole = await openSamples(bytes);
  const broken = bytes.slice();
  broken[whole.info(5).offset + 80] ^= 1;
  const ds = await openSamples(broken);
  await ds.prefetch({ start: 0, end: 10 });
  const before = ds.telemetry.requests;
  await ds.bytes(6);
  assert.equal(ds.telemetry.requests, before);
  assert.equal(await codeOf(ds.bytes(5)), 'tbl.payload_crc');
});
