// What a caller without types may hand over: every wrong argument is refused by name, and nothing that was given is touched.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import vm from 'node:vm';
import {
  capabilities,
  check,
  configure,
  convert,
  exportLabels,
  fileSink,
  httpSource,
  labelsOf,
  memorySink,
  open,
  openSamples,
  openTable,
  parseFilter,
  shutdown,
  writeLabels,
} from 'forebay';
import { codeOf, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(async () => {
  await shutdown();
  rmSync(folder, { recursive: true });
});

/** Calls, and takes what is thrown at once for a rejection. */
const called = (body) => codeOf((async () => body())());
const ARGUMENT = 'usage.argument';
const RANGE = 'usage.out_of_range';

async function tableOf(text) {
  const sink = memorySink();
  await convert(new File([text], 'a.csv'), sink, { to: 'tbf' });
  return openTable(sink.bytes());
}

async function all(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

test("the caller's memory stays the caller's, also as Node's Buffer, whose slice is not a copy", async () => {
  const bytes = Buffer.from(tarOf(40, 300));
  const before = Buffer.from(bytes);
  const inputs = [
    bytes,
    { byteLength: bytes.length, read: async (start, end) => bytes.subarray(start, end) },
    { byteLength: bytes.length, read: (start, end) => bytes.subarray(start, end) },
  ];
  for (const input of inputs) {
    const ds = await openSamples(input);
    assert.equal((await ds.check()).ok, true);
    assert.equal((await ds.bytes(3)).length, ds.info(3).bytes);
    assert.equal((await (await ds.blob(3)).arrayBuffer()).byteLength, ds.info(3).bytes);
    await convert(ds, memorySink(), { to: 'tbl', compression: 'lz4' });
    ds.close();
    assert.ok(bytes.equals(before));
  }
});

test('bytes of another context are bytes', async () => {
  const tar = tarOf(3);
  const other = vm.runInNewContext('new Uint8Array(length)', { length: tar.length });
  other.set(tar);
  assert.equal((await openSamples(other)).length, 3);
  assert.equal((await openSamples(other.buffer)).length, 3);
});

test('numbers of samples that are none are refused, and never stand for another sample', async () => {
  const ds = await openSamples(tarOf(5));
  for (const i of [-1, NaN, 1.5, '0', null, undefined, 5, 2 ** 32, 2 ** 32 + 1, Infinity]) {
    for (const body of [
      () => ds.info(i),
      () => ds.nameOf(i),
      () => ds.bytes(i),
      () => ds.blob(i),
      () => ds.record(i),
      () => ds.tensor(i, { size: [8, 8] }),
      () => all(ds.samples({ indexes: [i] })),
      () => convert(ds, memorySink(), { to: 'tbl', indexes: [i] }),
    ]) {
      assert.equal(await called(body), RANGE, `${String(i)}: ${body}`);
    }
  }
  for (const indexes of [7, '12', null]) {
    assert.equal(await called(() => all(ds.samples({ indexes }))), ARGUMENT);
    assert.equal(await called(() => convert(ds, memorySink(), { to: 'tbl', indexes })), ARGUMENT);
    assert.equal(await called(() => ds.prefetch(indexes)), ARGUMENT);
  }
  await ds.prefetch([-1, NaN, 99]);
});

test('numbers of rows likewise', async () => {
  const table = await tableOf('id,name\n1,a\n2,b\n3,c\n');
  for (const i of [-1, NaN, 1.5, '0', null, 3, 2 ** 32]) {
    assert.equal(await called(() => table.take([i])), RANGE, String(i));
    assert.equal(await called(() => convert(table, memorySink(), { to: 'csv', indexes: [i] })), RANGE, String(i));
  }
  for (const i of [-1, NaN, 1.5])
    assert.equal(
      await called(() => convert(new File(['a\n1\n'], 'a.csv'), memorySink(), { to: 'jsonl', indexes: [i] })),
      RANGE,
    );
  assert.equal(await called(() => table.take(7)), ARGUMENT);
  for (const columns of ['id', 7]) assert.equal(await called(() => all(table.rows({ columns }))), ARGUMENT);
  for (const first of [-1, NaN, 1.5]) assert.equal(await called(() => table.stats({ first })), ARGUMENT);
  assert.equal(await called(() => convert(table, memorySink(), { to: 'csv', onBadRow: 'ignore' })), ARGUMENT);
});

test('a filter that is not text ends no worker', async () => {
  const ds = await openSamples(tarOf(5));
  const table = await tableOf('id\n1\n');
  for (const where of [5, null, {}, ['width > 1']]) {
    for (const body of [
      () => ds.matches(where),
      () => all(ds.samples({ where })),
      () => convert(ds, memorySink(), { to: 'tbl', where }),
      () => table.matches(where),
      () => all(table.rows({ where })),
      () => table.stats({ where }),
      () => parseFilter(where),
    ]) {
      assert.equal(await called(body), ARGUMENT, `${JSON.stringify(where)}: ${body}`);
    }
  }
  assert.equal(await called(() => ds.stats({ classField: 5 })), ARGUMENT);
  assert.equal(await called(() => ds.matches()), ARGUMENT);
  assert.equal((await ds.matches('cls == 1')).length, 2);
});

test('a tensor is made as it was wished, or not at all', async () => {
  const ds = await openSamples(tarOf(2));
  assert.equal(await called(() => ds.tensor(0)), ARGUMENT);
  const wishes = [
    {},
    { size: 8 },
    { size: [8] },
    { size: [8, 8], normalize: 'imagenet1k' },
    { size: [8, 8], normalize: {} },
    { size: [8, 8], normalize: { mean: [0, 0, 0] } },
    { size: [8, 8], normalize: null },
  ];
  for (const wish of wishes) assert.equal(await called(() => ds.tensor(0, wish)), ARGUMENT, JSON.stringify(wish));
});

test('an output is something to write to, whose functions may be plain ones', async () => {
  const ds = await openSamples(tarOf(5));
  for (const output of [undefined, null, 7, 'out.tbl', {}])
    assert.equal(await called(() => convert(ds, output, { to: 'tbl' })), ARGUMENT);
  await assert.rejects(convert(ds, 'out.tbl', { to: 'tbl' }), /fileSink\(path\)/);
  let written = 0;
  const { outputBytes } = await convert(ds, { write: (_, bytes) => void (written += bytes.length) }, { to: 'tar' });
  assert.ok(written >= outputBytes);
  await assert.rejects(
    convert(
      ds,
      {
        write() {
          throw new Error('full');
        },
      },
      { to: 'tbl' },
    ),
    /full/,
  );
  assert.equal(await called(() => convert(ds, memorySink())), ARGUMENT);
  assert.equal(await called(() => convert(ds, memorySink(), { to: 'csv' })), 'format.not_table');
});

test('two conversions into one file at once leave one of them, whole', async () => {
  const path = join(folder, 'twice.tbl');
  const ds = await openSamples(tarOf(50, 200));
  await Promise.all([
    convert(ds, await fileSink(path), { to: 'tbl' }),
    convert(ds, await fileSink(path), { to: 'tbl', indexes: [1, 2] }),
  ]);
  assert.equal((await check(path)).ok, true);
});

test('inputs and options that are none are refused by name', async () => {
  for (const input of [
    undefined,
    null,
    5,
    true,
    {},
    [],
    'http://',
    { byteLength: -1, read() {} },
    { byteLength: NaN, read() {} },
  ])
    assert.equal(await called(() => open(input)), ARGUMENT, String(input));
  assert.equal(await called(() => open(tarOf(2), null)), ARGUMENT);
  for (const indexBytes of [-1, NaN, 0, '9'])
    assert.equal(await called(() => open(tarOf(2), { limits: { indexBytes } })), ARGUMENT);
  for (const byteLength of [-1, NaN, '9'])
    assert.equal(await called(() => open('http://127.0.0.1:1/a.tbl', { http: { byteLength } })), ARGUMENT);
  const workers = capabilities().workers;
  for (const wrong of [-1, NaN, 1.5, '2', null, 1e6])
    for (const what of ['workers', 'threads'])
      assert.equal(await called(() => configure({ [what]: wrong })), ARGUMENT, String(wrong));
  assert.equal(capabilities().workers, workers);
});

test('what looks like text says who reads it', async () => {
  for (const opener of [open, openTable, openSamples])
    await assert.rejects(opener(new File(['a,b\n1,2\n'], 'a.csv')), {
      code: 'format.unknown',
      message: /csv is not opened: `check`/,
    });
});

test('an address whose last part is not text once it is decoded still has a name', async () => {
  const tar = tarOf(3);
  const fetch = async () => new Response(tar, { status: 200 });
  assert.equal((await httpSource(new URL('http://a.example/100%.tar'), { fetch })).name, '100%.tar');
  assert.equal((await openSamples('http://a.example/50%20%25.tar', { http: { fetch } })).name, '50 %.tar');
});

test('a closed dataset answers nothing', async () => {
  const ds = await openSamples(tarOf(3));
  ds.close();
  assert.equal(await called(() => ds.nameOf(0)), 'dataset.closed');
});

test('an option that is misspelled is refused, and never passed over', async () => {
  const ds = await openSamples(tarOf(5));
  const both = await openSamples([tarOf(2), tarOf(3)]);
  const table = await tableOf('id,name\n1,a\n2,b\n');
  for (const body of [
    ...[ds, both].flatMap((one) => [
      () => all(one.samples({ were: 'cls == 1' })),
      () => one.matches('cls == 1', { signl: null }),
      () => one.stats({ whre: 'cls == 1' }),
      () => one.check({ onprogress() {} }),
      () => one.bytes(0, { verfy: false }),
      () => one.blob(0, { verfy: true }),
      () => one.record(0, { abort: null }),
      () => one.boxes(0, { abort: null }),
      () => one.document({ abort: null }),
      () => one.prefetch([0], { budget: 10 }),
    ]),
    () => all(table.rows({ were: 'id > 1' })),
    () => all(table.batches({ column: ['id'] })),
    () => table.columns(0, 1, ['id'], { abort: null }),
    () => table.take([0], ['id'], { abort: null }),
    () => table.matches('id > 1', { were: '' }),
    () => table.stats({ frist: 1 }),
    () => table.document({ abort: null }),
    () => table.check({ abort: null }),
    () => labelsOf(ds, { were: 'cls == 1' }),
    () => open(tarOf(2), { types: { id: 'u32' } }),
    () => convert(tarOf(2), memorySink(), { to: 'tbl', grow: true }),
    () => check(tarOf(2), null),
  ])
    assert.equal(await called(body), ARGUMENT, String(body));
  await assert.rejects(all(ds.samples({ were: '' })), /did you mean where/);
  assert.equal((await all(ds.samples({ where: 'cls == 1' }))).length, 2);
});

test('what says how an input is opened is used for it, and refused for one that is open', async () => {
  const [ds, table] = [await openSamples(tarOf(2)), await tableOf('id\n1\n')];
  for (const body of [
    () => convert(ds, memorySink(), { to: 'tbl', limits: { itemBytes: 1 } }),
    () => convert(ds, memorySink(), { to: 'tbl', column: 'image' }),
    () => convert(table, memorySink(), { to: 'csv', name: 'a.tbf' }),
    () => convert(table, memorySink(), { to: 'csv', http: {} }),
  ])
    assert.equal(await called(body), ARGUMENT, String(body));
  const small = { to: 'tbl', limits: { itemBytes: 10 } };
  assert.equal(await called(() => convert(tarOf(2), memorySink(), small)), 'limit.item');
  const named = { to: 'jsonl', name: 'a.csv' };
  assert.equal((await convert(new Blob(['id\n1\n']), memorySink(), named)).rows, 1);
});

test('a file that cannot be written says so as everything else does', async () => {
  await assert.rejects(fileSink(folder), { code: ARGUMENT, message: /this is a folder/ });
  const gone = join(folder, 'gone');
  mkdirSync(gone);
  const sink = await fileSink(join(gone, 'a.tbl'));
  await sink.write(0, new Uint8Array(9));
  rmSync(gone, { recursive: true });
  await assert.rejects(sink.close(), { name: 'ForebayError', code: 'io', file: join(gone, 'a.tbl') });
  await sink.abort();
});

test('a work that fails before anything is written tells its sink once, so that no part of a file is left', async () => {
  const place = join(folder, 'unwritten');
  mkdirSync(place);
  const ds = await open(tarOf(3));
  const edits = await (await open(tarOf(3))).edit();
  const labels = { classes: [], pictures: [] };
  const missing = join(folder, 'missing.tar');
  const csv = () => new File(['a\n1\n'], 'a.csv');
  for (const [k, body] of [
    (sink) => convert(missing, sink, { to: 'tbl' }),
    (sink) => convert(csv(), sink, { to: 'tbl' }),
    (sink) => convert(new Blob(['neither']), sink, { to: 'tbl' }),
    (sink) => convert(ds, sink, { to: 'zip' }),
    (sink) => convert(ds, sink, { to: 'tbl', compresion: 'lz4' }),
    (sink) => convert(ds, sink, { to: 'tbl', where: 'width >' }),
    (sink) => convert(ds, sink, { to: 'tbl', indexes: [9] }),
    (sink) => convert(ds, sink, { to: 'tbl', where: 'width > 1e9' }),
    (sink) => convert(ds, sink, null),
    (sink) => convert(ds, sink, { to: 'csv' }),
    (sink) => convert(missing, sink, { to: 'csv' }),
    (sink) => convert(csv(), sink, { to: 'tbf', onBadRow: 'never' }),
    (sink) => exportLabels(ds, 'coko', sink),
    (sink) => exportLabels(ds, 'coco', sink, { indexes: [9] }),
    (sink) => writeLabels(labels, 'coko', sink),
    (sink) => edits.save(sink, { to: 'zip' }),
    (sink) => edits.save(sink, { inPlace: true }),
  ].entries()) {
    const sink = await fileSink(join(place, `${k}.out`));
    let told = 0;
    const abort = (reason) => {
      told++;
      return sink.abort(reason);
    };
    const counted = { ...sink, abort };
    assert.notEqual(await called(() => body(counted)), undefined, String(body));
    assert.equal(told, 1, String(body));
  }
  assert.deepEqual(readdirSync(place), []);
  let put = 0;
  const files = { put: async () => {}, abort: async () => put++ };
  await assert.rejects(exportLabels(ds, 'yolo', files, { where: 'width >' }));
  await assert.rejects(writeLabels(labels, 'yolo', files, { nobody: 1 }));
  assert.equal(put, 2);
  edits.close();
  ds.close();
});
