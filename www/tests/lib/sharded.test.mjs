// Several files as one dataset.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bytesSource, convert, exportLabels, labelsOf, memorySink, open, openSamples, shutdown } from 'forebay';
import { codeOf, tarOf } from './helpers.mjs';

after(shutdown);
const LENGTHS = [5, 30, 1, 14];

async function shards(to) {
  return Promise.all(
    LENGTHS.map(async (n, k) => {
      const name = `train-${k}.${to}`;
      if (to === 'tar') return bytesSource(tarOf(n), name);
      const sink = memorySink();
      await convert(bytesSource(tarOf(n), 'a.tar'), sink, { to: 'tbl', compression: 'lz4' });
      return new File([sink.bytes()], name);
    }),
  );
}

for (const kind of ['tar', 'tbl']) {
  test(`${kind}: samples are numbered through, and say their file`, async () => {
    const inputs = await shards(kind);
    const ds = await openSamples(inputs);
    const alone = await Promise.all(inputs.map((input) => openSamples(input)));
    assert.deepEqual([ds.length, ds.format, ds.name], [50, kind, `train-0.${kind} and 3 more`]);
    assert.deepEqual(
      [ds.info(4).shard, ds.info(5).shard, ds.info(35).shard, ds.info(49).shard].map((name) => name.at(6)),
      ['0', '1', '2', '3'],
    );
    assert.equal(ds.metadata.members, kind === 'tar' ? 150 : undefined);
    assert.deepEqual([ds.info(7).index, ds.info(7).offset], [7, alone[1].info(2).offset]);
    assert.deepEqual(await ds.record(7), await alone[1].record(2));
    assert.equal(ds.nameOf(7), `train-1.${kind}/train/00002.bmp`);
    assert.deepEqual(await ds.bytes(35), await alone[2].bytes(0));
    assert.equal((await ds.blob(49)).size, alone[3].info(13).bytes);
    assert.deepEqual((await ds.tensor(40, { size: [4, 4] })).data, (await alone[3].tensor(4, { size: [4, 4] })).data);
    assert.equal((await ds.thumbnail(40)).type, 'image/png');
    const columns = ds.columns();
    assert.equal(columns.bytes.length, 50);
    assert.equal(columns.offset[36], alone[3].columns().offset[0]);
    assert.equal(ds.columns(), columns);
    for (const i of [50, -1, 1.5]) assert.throws(() => ds.info(i), { code: 'usage.out_of_range' });
    assert.equal(await codeOf(ds.record(50)), 'usage.out_of_range');
    assert.equal((await ds.check()).ok, true);
    assert.deepEqual(
      Object.keys(await ds.document()),
      inputs.map(({ name }) => name),
    );
    ds.close();
    assert.equal(await codeOf(Promise.resolve().then(() => ds.bytes(0))), 'dataset.closed');
    for (const one of alone) one.close();
  });
}

test('filters, orders and counts are those of all samples', async () => {
  const ds = await openSamples(await shards('tbl'));
  const all = [];
  for await (const { indexes, records } of ds.records({ fields: ['cls'] }))
    for (const [k, i] of indexes.entries()) all[i] = records[k].cls;
  assert.equal(all.length, 50);
  const where = (test) => all.flatMap((cls, i) => (test(cls, i) ? [i] : []));
  const matches = async (filter) => [...(await ds.matches(filter))];
  assert.deepEqual(
    await matches('cls == 2'),
    where((cls) => cls === 2),
  );
  assert.deepEqual(await matches('index >= 33 && index < 37'), [33, 34, 35, 36]);
  assert.deepEqual(await matches('index in [0, 5, 49] or name == "index < 3"'), [0, 5, 49]);
  assert.deepEqual(await matches('!(index != 36)'), [36]);
  // Only one file has a sample of this name.
  assert.deepEqual(await matches('name ~ "*29.bmp"'), [34]);
  assert.equal(await codeOf(ds.matches('clas == 2')), 'filter.field');
  // It would mean another number in each file.
  assert.equal(await codeOf(ds.matches('index == width')), 'usage.argument');
  const found = [];
  for await (const { indexes } of ds.records({ indexes: [49, 0, 6, 5], where: 'index != 0', batch: 1 }))
    found.push(...indexes);
  assert.deepEqual(found, [49, 6, 5]);
  const walked = [];
  for await (const sample of ds.samples({ where: 'cls == 1' }))
    walked.push([sample.index, (await sample.record()).cls, sample.info.shard.at(6)]);
  assert.deepEqual(
    walked.map(([i]) => i),
    where((cls) => cls === 1),
  );
  assert.ok(walked.every(([, cls]) => cls === 1));
  const order = [...(await ds.sort('cls', { descending: true }))];
  assert.deepEqual(
    order,
    where((cls) => cls === 2).concat(
      where((cls) => cls === 1),
      where((cls) => cls === 0),
    ),
  );
  const stats = await ds.stats({ classField: 'cls', where: 'index >= 5' });
  assert.deepEqual(
    [stats.samples, stats.classes.distinct, stats.width.min, stats.width.max, stats.width.minAt],
    [45, 3, 16, 88, 5],
  );
  const widths = [...ds.columns().width].slice(5);
  assert.ok(Math.abs(stats.width.mean - widths.reduce((a, b) => a + b) / widths.length) < 1e-9);
  assert.equal(
    stats.widthHistogram.reduce((sum, { samples }) => sum + samples, 0),
    45,
  );
  assert.deepEqual(
    stats.classes.top.map(({ label, samples }) => [label, samples]).sort(),
    ['0', '1', '2'].map((label) => [label, where((cls, i) => i >= 5 && String(cls) === label).length]),
  );
  await ds.prefetch({ start: 3, end: 40 });
  const { requests } = ds.telemetry;
  for (let i = 3; i < 40; i++) await ds.bytes(i);
  assert.equal(ds.telemetry.requests, requests);
});

test('samples of several files have one name, whatever was looked at before', async () => {
  for (const kind of ['tar', 'tbl']) {
    const ds = await openSamples(await shards(kind));
    const name = `train-1.${kind}/train/00002.bmp`;
    const named = async () => (await labelsOf(ds)).pictures.map((picture) => picture.name);
    const before = await named();
    assert.equal(before[7], name);
    await ds.record(7);
    await ds.record(40);
    assert.deepEqual(await named(), before);
    assert.deepEqual([...(await ds.matches(`name == "${name}"`))], [7]);
    assert.deepEqual([...(await ds.matches(`name in ["${name}", "${before[0]}"]`))], [0, 7]);
    assert.deepEqual([...(await ds.matches(`name ~ "train-2.${kind}/*"`))], [35]);
    // The name that a file has for it is found in all of them.
    assert.deepEqual([...(await ds.matches('name == "train/00002.bmp"'))], [2, 7, 38]);
    const descending = [...(await ds.sort('name', { descending: true }))];
    assert.deepEqual(
      descending,
      before
        .map((name, i) => [name, i])
        .sort(([a], [b]) => (a < b ? 1 : -1))
        .map(([, i]) => i),
      kind,
    );
    ds.close();
  }
  // Two files of one name do not give two pictures one name.
  const [one] = await shards('tbl');
  const twice = await openSamples([one, one]);
  await exportLabels(twice, 'coco', memorySink());
  twice.close();
});

test('files are told from those of a folder though their names have no ending', async () => {
  const [one] = await shards('tbl');
  const several = await openSamples([new File([one], 'first'), new File([one], 'second')]);
  assert.equal(several.length, 10);
  several.close();
});

test('faults have the number of their sample and the name of their file', async () => {
  const [first, second] = await shards('tbl');
  const bytes = new Uint8Array(await second.arrayBuffer());
  const { offset } = (await openSamples(second)).info(3);
  bytes[offset + 5] ^= 1;
  const report = await (await openSamples([first, new File([bytes], 'bad.tbl')])).check();
  assert.equal(report.ok, false);
  assert.ok(report.faults.some(({ sample, message }) => sample === 8 && message.startsWith('bad.tbl: ')));
});

test('what is not a list of samples is refused, and nothing stays open', async () => {
  const [tar] = await shards('tar');
  const [tbl] = await shards('tbl');
  assert.equal(await codeOf(openSamples([tar, tbl])), 'usage.argument');
  assert.equal(await codeOf(open([tbl, 'no-such-file.tbl'])), 'io');
  assert.equal(await codeOf(openSamples([])), 'usage.argument');
  const ds = await open([tbl, tbl]);
  assert.equal(await codeOf(ds.edit()), 'edits.cannot');
  assert.equal(await codeOf(convert(ds, memorySink(), { to: 'tar' })), 'usage.argument');
  assert.equal(await codeOf(ds.openThumbs(tbl)), 'usage.argument');
});

test('the progress of opening several files is that of all of them', async () => {
  const inputs = await shards('tar');
  const told = [];
  const ds = await openSamples(inputs, { onProgress: (p) => told.push(p) });
  const bytes = inputs.reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.deepEqual(told.at(-1), { bytes, totalBytes: bytes, samples: 50 });
  assert.equal(await codeOf(openSamples(inputs, { onprogress() {} })), 'usage.argument');
  ds.close();
});
