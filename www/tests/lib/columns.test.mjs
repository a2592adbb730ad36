// Parquet and Arrow: opened by their ends, read by columns and row groups, written as the command writes them, and their
// pictures as samples.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { check, convert, memorySink, open, openSamples, openTable, shutdown } from 'forebay';
import { bitmap, codeOf, native, runNative } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});
const skip = native() ? false : 'the native command was not built';
const ROWS = 5000;

/** All that comes. */
async function all(rows) {
  const found = [];
  for await (const row of rows) found.push(row);
  return found;
}

/** A table as CSV: numbers, texts that repeat, times, what is missing. */
const csv = join(folder, 'people.csv');
writeFileSync(
  csv,
  [
    'id,name,when,score',
    ...Array.from(
      { length: ROWS },
      (_, i) =>
        `${i},${['Oslo', '東京', ''][i % 3]},2024-02-${String(1 + (i % 28)).padStart(2, '0')},${i % 7 ? i / 8 : ''}`,
    ),
  ].join('\n'),
);

/** The same as another format, written by the command. */
function written(name, ...args) {
  const path = join(folder, name);
  const { code, err } = runNative('convert', csv, path, '--force', ...args);
  assert.equal(code, 0, err);
  return path;
}

const KINDS = [
  ['a.parquet', '--group-rows', '1000'],
  ['none.parquet', '--compression', 'none'],
  ['zstd.parquet', '--compression', 'zstd', '--group-rows', '2000'],
  ['lz4.parquet', '--compression', 'lz4'],
  ['a.arrow'],
  ['lz4.arrow', '--compression', 'lz4'],
  ['zstd.arrow', '--compression', 'zstd'],
  ['a.arrows'],
  ['zstd.arrows', '--compression', 'zstd'],
];

test('every way that the command writes is read: rows, columns, filters, statistics', { skip }, async () => {
  const tbf = await openTable(written('a.tbf'));
  const rows = await all(tbf.rows({ where: 'score > 100' }));
  for (const [name, ...args] of KINDS) {
    const table = await open(written(name, ...args));
    assert.deepEqual([table.kind, table.format, table.length], ['table', name.split('.')[1], ROWS], name);
    assert.deepEqual(
      table.schema.map((f) => [f.name, f.type]),
      tbf.schema.map((f) => [f.name, f.type]),
      name,
    );
    assert.deepEqual(await all(table.rows({ where: 'score > 100' })), rows, name);
    assert.deepEqual([...(await table.matches('name == "東京" && id < 9'))], [1, 4, 7], name);
    const some = await table.columns(2990, 3010, ['name', 'id']);
    assert.deepEqual([some.row(0).id, some.row(19).name, some.length], [2990n, 'Oslo', 20], name);
    const taken = await table.take([4999, 3, 3], ['id']);
    assert.deepEqual(
      [0, 1, 2].map((i) => taken.row(i).id),
      [4999n, 3n, 3n],
      name,
    );
    assert.deepEqual((await table.stats()).columns, (await tbf.stats()).columns, name);
    const report = await table.check();
    assert.deepEqual([report.ok, report.samples], [true, ROWS], name);
    table.close();
  }
  tbf.close();
});

test('of a file only the footer and the chunks that are asked for are read', { skip }, async () => {
  const table = await openTable(written('big.parquet', '--group-rows', '500'));
  const opening = table.telemetry.bytesRead;
  assert.ok(opening <= 65_536 + 512, `${opening} bytes to open`);
  await table.columns(600, 610, ['id']);
  const read = table.telemetry.bytesRead - opening;
  assert.ok(read > 0 && read < table.byteLength / 8, `${read} of ${table.byteLength} bytes for ten rows`);
  table.close();
});

test('tables are written as Parquet and Arrow with the bytes of the command, and back', { skip }, async () => {
  for (const from of [csv, written('b.tbf'), written('b.idv', '--lossy'), written('b.parquet')])
    for (const to of ['parquet', 'arrow', 'arrows', 'tbf', 'csv', 'jsonl']) {
      const columnar = /parquet|arrow/;
      // From Arrow to Arrow the command hands batches on as they are.
      if (columnar.test(from) && columnar.test(to)) continue;
      const [output, sink] = [join(folder, `out.${to}`), memorySink()];
      const told = runNative('convert', from, output, '--force');
      assert.equal(told.code, 0, told.err);
      await convert(from, sink, { to });
      assert.ok(readFileSync(output).equals(sink.bytes()), `${from} to ${to}: other bytes`);
    }
  const sink = memorySink();
  await convert(written('c.parquet'), sink, { to: 'parquet', where: 'id < 10', columns: ['name'], compression: 'lz4' });
  const again = await openTable(sink.bytes());
  assert.deepEqual([again.length, again.schema.length], [10, 1]);
  again.close();
  assert.equal(await codeOf(convert(csv, memorySink(), { to: 'parquet', compression: 'zstd' })), 'usage.argument');
});

test('damage is said with its place and hides no other row group', { skip }, async () => {
  const whole = readFileSync(written('d.parquet', '--group-rows', '1000', '--compression', 'none'));
  assert.equal(await codeOf(open(whole.subarray(0, whole.length - 9))), 'table.arrow');
  const broken = Uint8Array.from(whole);
  // The header of the first page.
  broken[4] = 0xff;
  const report = await check(broken);
  assert.equal(report.ok, false);
  assert.deepEqual(
    report.faults.map((f) => [f.code, f.block]),
    [['table.arrow', 0]],
  );
  const table = await openTable(broken);
  assert.equal((await table.columns(1000, 1001)).length, 1);
  assert.equal(await codeOf(table.columns(0, 1)), 'table.arrow');
  table.close();
});

test('a column of images opens as samples, with its classes', { skip }, async () => {
  const lines = Array.from({ length: 6 }, (_, i) =>
    JSON.stringify({ image: { bytes: bitmap(8 + i, 4, i).toString('base64'), path: `${i}.bmp` }, label: i % 2, n: i }),
  );
  // A cell of JSON, as structs are read; what has the type of a struct is in the tests of the crate.
  const jsonl = join(folder, 'pictures.jsonl');
  writeFileSync(jsonl, lines.join('\n'));
  const parquet = join(folder, 'pictures.parquet');
  assert.equal(runNative('convert', jsonl, parquet, '--force', '--types', 'image=json').code, 0);
  const dataset = await openSamples(parquet, { column: 'image' });
  assert.deepEqual([dataset.length, dataset.format, dataset.info(2).format], [6, 'tar', 'bmp']);
  assert.deepEqual(Buffer.from(await dataset.bytes(3)), bitmap(11, 4, 3));
  assert.deepEqual((await dataset.record(3)).json, { label: 1, n: 3, path: '3.bmp' });
  dataset.close();
  assert.equal(await codeOf(openSamples(parquet, { column: 'none' })), 'table.column');
  assert.equal(await codeOf(openSamples(written('e.parquet'))), 'format.not_samples');
});

test('columns of unknown types are left out, and what other programs wrote is never a fault of the module', async () => {
  const fixtures = fileURLToPath(new URL('../../../tests/fixtures/tables/', import.meta.url));
  for (const name of ['int128.arrow', 'int128.parquet']) {
    const table = await openTable(join(fixtures, name));
    assert.match(table.metadata.notes.join(), /Arrow's type Int128 is not read/);
    assert.ok((await all(table.rows())).length > 0);
    table.close();
  }
  assert.equal(await codeOf(open(join(fixtures, 'only_int128.parquet'))), 'table.route');
  const look = async (bytes) => {
    const table = await openTable(bytes);
    await all(table.rows()).finally(() => table.close());
  };
  for (const name of ['pandas.parquet', 'dictionaries.arrow']) {
    const whole = readFileSync(join(fixtures, name));
    for (let at = 8; at < whole.length; at += 31) {
      const broken = Uint8Array.from(whole);
      broken[at] ^= 0xff;
      const code = await codeOf(look(broken));
      assert.ok(!/^worker|^runtime|^host/.test(code ?? ''), `${name} with byte ${at} turned: ${code}`);
    }
  }
});
