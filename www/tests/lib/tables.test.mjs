// Tables: every cell as natively, every fault as natively, and no byte more than is needed.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { check, open, openSamples, openTable, shutdown } from 'forebay';
import { codeOf, corpus, native, reportOf, runNative, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});
const skip = native() ? false : 'the native command was not built';

/** JSON whose numbers stay their digits. */
function exact(text) {
  return JSON.parse(
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (m) => (m[0] === '"' ? m : `{"#":"${m}"}`)),
  );
}

/** Whether a cell is the value that the command printed. */
function same(cell, told, f32) {
  if (cell === null || typeof cell === 'boolean') return cell === told;
  if (typeof cell === 'bigint') return told['#'] === String(cell);
  if (typeof cell === 'number') {
    if (typeof told === 'string') return String(cell) === told;
    const number = Number(told['#']);
    return Object.is(f32 ? Math.fround(number) : number, cell);
  }
  if (typeof cell === 'string') return cell === told || JSON.stringify(exactOf(cell)) === JSON.stringify(told);
  if (cell instanceof Uint8Array && typeof told === 'string') return Buffer.from(cell).toString('base64') === told;
  if ('indices' in cell) {
    if (Array.isArray(told)) return false;
    return (
      cell.length === Number(told.length['#']) &&
      same(cell.indices, told.indices) &&
      same(cell.values, told.values, f32)
    );
  }
  const items = Array.from(cell);
  return Array.isArray(told) && items.length === told.length && items.every((item, k) => same(item, told[k], f32));
}

function exactOf(text) {
  try {
    return exact(text);
  } catch {
    return undefined;
  }
}

const openable = [...corpus('tbf', '.tbf'), ...corpus('idv', '.idv')];

test(`${openable.length} files of the corpora of tables have the same cells and the same faults as natively`, {
  skip: skip || openable.length === 0,
}, async () => {
  let [cells, refused] = [0, 0];
  for (const file of openable) {
    const expected = runNative('head', '--json', '--sparse', '-n', '100000', file);
    const ds = await open(file).catch((e) => e);
    if (ds instanceof Error) {
      assert.notEqual(expected.code, 0, `${file}: ${ds.stack}`);
      assert.ok(
        `${expected.err}${expected.out}`.includes(ds.code),
        `${file}: ${ds.code}, natively ${expected.err}${expected.out}`,
      );
      refused++;
    } else {
      const document = await ds.document();
      if (document !== null) {
        assert.equal(document, expected.out.trim(), file);
      } else {
        const lines = expected.out.split('\n').filter(Boolean);
        const names = ds.schema.map((field) => field.name);
        const floats = new Set(ds.schema.filter((field) => field.type.includes('f32')).map((field) => field.name));
        let i = 0;
        let failed;
        try {
          for await (const row of ds.rows()) {
            const told = exact(lines[i]);
            for (const name of names)
              assert.ok(
                same(row[name], told[name], floats.has(name)),
                `${file}, row ${i}, ${name}: ${String(row[name])}, natively ${JSON.stringify(told[name])}`,
              );
            cells += names.length;
            i++;
          }
        } catch (e) {
          if (e.name !== 'ForebayError') throw e;
          failed = e;
        }
        if (failed)
          assert.ok(
            `${expected.err}${expected.out}`.includes(failed.code),
            `${file}: ${failed.code}, natively ${expected.err}`,
          );
        else assert.deepEqual([i, expected.code], [lines.length, 0], `${file}: natively ${expected.err}`);
      }
      ds.close();
    }
    const natively = runNative('check', '--json', file);
    const report = await check(file).catch((e) => e);
    if (report instanceof Error)
      assert.ok(
        `${natively.err}${natively.out}`.includes(report.code),
        `${file}: ${report.code}, natively ${natively.err}`,
      );
    else assert.deepEqual(report, strip(reportOf(natively.out)), file);
  }
  assert.ok(cells > 10_000 && refused > 0, `${cells} cells, ${refused} refused`);
});

test('a damaged column names the first row of its group, as natively', { skip }, async () => {
  made();
  for (const format of ['tbf', 'idv']) {
    const bytes = readFileSync(join(folder, `made.${format}`));
    const at = Math.floor(bytes.length * 0.6);
    bytes.fill(255, at, at + 100);
    const file = join(folder, `damaged.${format}`);
    writeFileSync(file, bytes);
    const report = await check(file);
    assert.deepEqual(report, strip(reportOf(runNative('check', '--json', file).out)));
    assert.ok(report.faults.length > 0 && report.faults[0].block > 0, format);
    for (const { block, row } of report.faults) assert.equal(row, block * 5000);
  }
});

/** The report without the file's name. */
function strip({ file: _, format: __, ...report }) {
  return report;
}

/** A TBF with footer and an IDV of the same rows, several groups each. */
function made(rows = 20_000) {
  const csv = join(folder, 'made.csv');
  if (!existsSync(csv)) {
    const lines = ['id,big,name,score,missing'];
    for (let i = 0; i < rows; i++) lines.push(`${i},${2n ** 60n + BigInt(i)},n${i % 7},${i / 4},${i % 3 ? '' : i}`);
    writeFileSync(csv, lines.join('\n'));
    for (const format of ['tbf', 'idv']) {
      const out = runNative(
        'convert',
        csv,
        join(folder, `made.${format}`),
        '--group-rows',
        '5000',
        ...(format === 'idv' ? ['--lossy'] : []),
      );
      assert.equal(out.code, 0, out.err);
    }
  }
  return { tbf: join(folder, 'made.tbf'), idv: join(folder, 'made.idv') };
}

/** A source over a file that remembers what was read of it. */
function counted(path) {
  const bytes = new Uint8Array(readFileSync(path));
  const reads = [];
  const source = {
    byteLength: bytes.length,
    async read(start, end) {
      reads.push([start, end]);
      return bytes.slice(start, end);
    },
  };
  const total = () => reads.splice(0).reduce((sum, [start, end]) => sum + end - start, 0);
  return { source, total, length: bytes.length };
}

test('columns are typed arrays, 64-bit integers are exact, rows are picked in any order', { skip }, async () => {
  for (const path of Object.values(made())) {
    const ds = await openTable(path);
    assert.deepEqual(
      [ds.kind, ds.length, ds.schema.map((f) => f.name)],
      ['table', 20_000, ['id', 'big', 'name', 'score', 'missing']],
    );
    const batch = await ds.columns(4990, 5010, ['big', 'name', 'score']);
    assert.deepEqual([batch.length, batch.numbers[0], batch.columns.length], [20, 4990, 3]);
    assert.ok(
      batch.column('big').values instanceof BigInt64Array || batch.column('big').values instanceof BigUint64Array,
    );
    assert.equal(batch.column('big').get(19), 2n ** 60n + 5009n);
    assert.deepEqual(batch.column('name').texts.slice(0, 3), ['n6', 'n0', 'n1']);
    assert.equal(batch.column('score').get(1), 4991 / 4);
    const picked = await ds.take([19_999, 3, 3, 12_345], ['id', 'missing']);
    assert.deepEqual(Array.from(picked.numbers), [19_999, 3, 3, 12_345]);
    assert.deepEqual(
      [0, 1, 2, 3].map((i) => Number(picked.column('id').get(i))),
      [19_999, 3, 3, 12_345],
    );
    assert.equal(Number(picked.row(1).missing), 3);
    assert.deepEqual((await ds.columns(7, 7)).length, 0);
    assert.equal(await codeOf((async () => ds.columns(0, 20_001))()), 'usage.out_of_range');
    assert.equal(await codeOf((async () => ds.take([1], ['nosuch']))()), 'table.column');
    ds.close();
  }
});

test('a filter gives the rows that match, with their numbers, by columns that need not be asked for', {
  skip,
}, async () => {
  for (const path of Object.values(made())) {
    const ds = await openTable(path);
    const where = 'id >= 4998 && id < 15003 && name == "n2"';
    const expected = Array.from({ length: 20_000 }, (_, i) => i).filter((i) => i >= 4998 && i < 15_003 && i % 7 === 2);
    assert.deepEqual(Array.from(await ds.matches(where)), expected);
    const found = [];
    for await (const batch of ds.batches({ where, columns: ['score'] })) {
      assert.deepEqual(
        batch.columns.map((c) => c.name),
        ['score'],
      );
      for (const [k, n] of batch.numbers.entries()) {
        found.push(n);
        assert.equal(batch.columns[0].get(k), n / 4);
      }
    }
    assert.deepEqual(found, expected);
    let rows = 0;
    for await (const row of ds.rows({ start: 10, end: 20, where: 'id > 14' })) rows += row.name ? 1 : 0;
    assert.equal(rows, 5);
    assert.equal(await codeOf(ds.matches('nosuch > 1')), 'table.column');
    ds.close();
  }
});

test('only the bytes of the groups and columns that are asked for are read', { skip }, async () => {
  const { tbf, idv } = made();
  const { source, total, length } = counted(tbf);
  const ds = await openTable(source);
  const opened = total();
  assert.ok(opened <= 65_536 + 512, `opening read ${opened} of ${length}`);
  await ds.columns(0, 50, ['score']);
  const few = total();
  assert.ok(few > 0 && few < 4096 * 9, `50 rows of one column read ${few}`);
  for await (const row of ds.rows({ columns: ['id'] })) void row;
  const column = total();
  assert.ok(column < length / 3, `one column of ${length} read ${column}`);
  // The statistics of three of four groups say that nothing in them can match.
  assert.equal((await ds.matches('id == 7000')).length, 1);
  assert.ok(total() < column / 2);
  ds.close();

  const blocks = counted(idv);
  const table = await openTable(blocks.source);
  blocks.total();
  await table.columns(100, 140, ['name']);
  const block = blocks.total();
  assert.ok(block > 0 && block < blocks.length / 8, `40 rows of one column read ${block} of ${blocks.length}`);
  await table.columns(300, 900, ['name']);
  assert.equal(blocks.total(), 0, 'the block is still in memory');
  table.close();
});

const untyped = corpus('tbf', 's_compact.tbf');
test('a layout without names and types is read with those that the caller gives', { skip }, async () => {
  const S = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, type: 'i64' }));
  writeFileSync(join(folder, 'schema.json'), JSON.stringify({ S }));
  const expected = runNative('head', '--json', '--schema', join(folder, 'schema.json'), untyped[0]);
  const lines = expected.out.split('\n').filter(Boolean);
  assert.equal(expected.code, 0, expected.err);
  const ds = await openTable(untyped[0], { tbfSchema: { S } });
  let i = 0;
  for await (const row of ds.rows()) {
    const told = exact(lines[i++]);
    for (const { name } of S) assert.ok(same(row[name], told[name]), `${name}: ${row[name]}`);
  }
  assert.equal(i, lines.length);
  assert.equal(
    await codeOf(openTable(untyped[0], { tbfSchema: { S: [{ name: 'a', type: 'nosuch' }] } })),
    'tbf.schema',
  );
  ds.close();
});

test('samples and tables are told apart', { skip }, async () => {
  const { tbf } = made();
  assert.equal(await codeOf(openSamples(tbf)), 'format.not_samples');
  assert.equal(await codeOf(openTable(tarOf(3))), 'format.not_table');
  assert.equal((await open(tarOf(3))).kind, 'samples');
});

test('an abort ends reading rows, and nothing is read after it', { skip }, async () => {
  const { source, total } = counted(made().tbf);
  const ds = await openTable(source);
  const controller = new AbortController();
  const seen = (async () => {
    for await (const row of ds.rows({ signal: controller.signal }))
      if (row.id === 100 || row.id === 100n) controller.abort();
  })();
  await assert.rejects(seen, { name: 'AbortError' });
  total();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(total(), 0);
  // The table is as good as before.
  assert.equal((await ds.columns(0, 1)).length, 1);
  ds.close();
});
