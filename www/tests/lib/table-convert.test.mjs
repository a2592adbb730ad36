// Tables into other formats: the bytes of the command, bad rows with their lines, and no more memory or reads than needed.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { check, convert, fileSink, memorySink, openTable, shutdown } from 'forebay';
import { codeOf, corpus, native, reportOf, runNative, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});
const skip = native() ? false : 'the native command was not built';
const FORMATS = ['tbf', 'idv', 'csv', 'tsv', 'jsonl'];

/** A file of the folder with this content. */
function made(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A CSV with quotes, missing values, times and integers of 64 bits. */
function people(rows) {
  const lines = ['id,big,name,when,score,flag'];
  const names = ['Oslo', '"a ""b""\n,c"', '東京', '""'];
  for (let i = 0; i < rows; i++)
    lines.push(
      `${i},${2n ** 60n + BigInt(i)},${names[i % 4]},2024-02-${String(1 + (i % 28)).padStart(2, '0')}T00:00:${String(i % 60).padStart(2, '0')}.25,${i % 3 ? i / 8 : ''},${i % 2 === 0}`,
    );
  return lines.join('\n');
}

/** Converts here and with the command, and compares: bytes, or the code of what went wrong. Whether there are bytes. */
async function both(file, options, args) {
  const output = join(folder, `${basename(file)}.out.${options.to}`);
  // Deflate has another encoder here.
  const packed = options.to === 'idv' ? { compression: 'none' } : {};
  const expected = runNative(
    'convert',
    file,
    output,
    '--force',
    '--json',
    ...(options.to === 'idv' ? ['--compression', 'none'] : []),
    ...args,
  );
  const sink = memorySink();
  const told = await convert(file, sink, { ...packed, ...options }).catch((e) => e);
  if (told instanceof Error) {
    assert.ok(
      expected.code !== 0 && `${expected.err}${expected.out}`.includes(told.code),
      `${file} to ${options.to}: ${told.stack}, natively ${expected.err}`,
    );
    return null;
  }
  assert.ok(expected.code === 0 || told.skippedRows > 0, `${file} to ${options.to}: natively ${expected.err}`);
  assert.ok(readFileSync(output).equals(sink.bytes()), `${file} to ${options.to}: other bytes`);
  if (expected.out) {
    const { rows, columns, skipped_rows, output_bytes, input_bytes, notes } = JSON.parse(expected.out);
    assert.deepEqual(
      told,
      { rows, columns, skippedRows: skipped_rows, outputBytes: output_bytes, inputBytes: input_bytes, notes },
      file,
    );
  }
  return sink.bytes();
}

test('every pair of formats gives the bytes of the command', { skip }, async () => {
  const first = made('people.csv', people(3000));
  for (const between of FORMATS) {
    const file = made(`between.${between}`, await both(first, { to: between, lossy: true }, ['--lossy']));
    for (const to of FORMATS) assert.ok(await both(file, { to, lossy: true }, ['--lossy']), `${between} to ${to}`);
  }
});

const openable = [...corpus('tbf', '.tbf'), ...corpus('idv', '.idv')];
test(`${openable.length} files of the corpora become JSON lines and TBF as natively, or are refused as natively`, {
  skip: skip || openable.length === 0,
}, async () => {
  let [converted, refused] = [0, 0];
  for (const file of openable) {
    for (const to of ['jsonl', 'tbf']) {
      if (await both(file, { to, lossy: true }, ['--lossy'])) converted++;
      else refused++;
    }
  }
  assert.ok(converted > 50 && refused > 20, `${converted} converted, ${refused} refused`);
});

test('rows, columns, groups, layouts and words are chosen as with the command', { skip }, async () => {
  const csv = made('chosen.csv', people(40_000));
  const where = 'id > 500 && name ~ "O*"';
  assert.ok(
    await both(csv, { to: 'csv', where, columns: ['score', 'id'], null: 'none' }, [
      '--where',
      where,
      '--columns',
      'score,id',
      '--null',
      'none',
    ]),
  );
  const tbf = made(
    'chosen.tbf',
    await both(csv, { to: 'tbf', groupRows: 3000, types: { id: 'u32' } }, [
      '--group-rows',
      '3000',
      '--types',
      'id=u32',
    ]),
  );
  for (const to of FORMATS)
    assert.ok(
      await both(tbf, { to, where, columns: ['id', 'name'], lossy: true }, [
        '--lossy',
        '--where',
        where,
        '--columns',
        'id,name',
      ]),
    );
  for (const layout of ['T', 'C'])
    assert.ok(
      await both(tbf, { to: 'tbf', layout, columns: ['id', 'name'] }, [
        '--dialect',
        layout.toLowerCase(),
        '--columns',
        'id,name',
      ]),
    );
  // What the target cannot hold, a column that is not there, a filter that cannot be read.
  assert.equal(await both(csv, { to: 'idv' }, []), null);
  assert.equal(await both(csv, { to: 'tbf', columns: ['nosuch'] }, ['--columns', 'nosuch']), null);
  assert.equal(await codeOf(convert(csv, memorySink(), { to: 'tbf', where: 'id >' })), 'filter.syntax');
  assert.equal(await codeOf(convert(csv, memorySink(), { to: 'tbf', layout: 'U' })), 'usage.argument');
});

test('IDV packed with deflate has the rows of the command', { skip }, async () => {
  const csv = made('packed.csv', people(5000));
  const path = join(folder, 'packed.idv');
  const sink = await fileSink(path);
  await convert(csv, sink, { to: 'idv', lossy: true });
  const output = join(folder, 'natively.idv');
  assert.equal(runNative('convert', csv, output, '--lossy').code, 0);
  assert.equal(
    runNative('diff', path, output).code === 0 ||
      runNative('head', '-n', '5000', '--json', path).out === runNative('head', '-n', '5000', '--json', output).out,
    true,
  );
  assert.ok(readFileSync(path).length < readFileSync(csv).length);
});

test('bad rows end it, or are left out and named with their lines', { skip }, async () => {
  for (const [name, text] of [
    ['bad.csv', 'a,b\n1,x\n2\n\n"3\n",y\n4,z,\n5,w'],
    ['bad.jsonl', '{"a":1}\n{"a":}\n\n[1]\n{"a":2}\n'],
    ['open.csv', 'a\n"open'],
    ['empty.jsonl', '\n'],
  ]) {
    const file = made(name, text);
    await both(file, { to: 'jsonl' }, []);
    await both(file, { to: 'tbf', onBadRow: 'skip' }, ['--on-bad-row', 'skip']);
  }
  const e = await convert(made('line.csv', 'a\n1\n2,3\n'), memorySink(), { to: 'tbf' }).catch((e) => e);
  assert.deepEqual([e.code, e.kind, e.row], ['table.row', 'damaged', 1]);
  assert.match(e.message, /^line 3: /);
});

test('text is told by its name or by the caller, samples and other formats are refused', { skip }, async () => {
  const bytes = new TextEncoder().encode('a;b\n1;x\n');
  const sink = memorySink();
  const told = await convert(bytes, sink, { to: 'jsonl', from: 'csv', delimiter: ';', header: false });
  assert.deepEqual(
    [told.rows, new TextDecoder().decode(sink.bytes())],
    [2, '{"column_1":"a","column_2":"b"}\n{"column_1":"1","column_2":"x"}\n'],
  );
  assert.equal(await codeOf(convert(bytes, memorySink(), { to: 'jsonl' })), 'format.unknown');
  assert.equal(await codeOf(convert(tarOf(3), memorySink(), { to: 'csv' })), 'format.not_table');
  assert.equal(await codeOf(convert(made('a.csv', 'a\n1\n'), memorySink(), { to: 'tbl' })), 'format.unknown');
  assert.equal(await codeOf(convert(made('b.csv', 'a\n1\n'), memorySink(), { to: 'orc' })), 'usage.argument');
  // A name is only believed where the bytes say nothing.
  const tbf = made('really.csv', await both(made('c.csv', 'a\n1\n'), { to: 'tbf' }, []));
  assert.equal((await convert(tbf, memorySink(), { to: 'jsonl' })).rows, 1);
});

test('an opened table is converted as it is, and stays open', { skip }, async () => {
  const tbf = made('opened.tbf', await both(made('opened.csv', people(2000)), { to: 'tbf' }, []));
  const table = await openTable(tbf);
  const sink = memorySink();
  const seen = [];
  const told = await convert(table, sink, {
    to: 'csv',
    where: 'id < 100',
    onProgress: (p) => seen.push([p.samples, p.totalSamples]),
  });
  assert.deepEqual([told.rows, seen.at(-1)], [100, [2000, 2000]]);
  assert.equal(runNative('convert', tbf, join(folder, 'opened.out.csv'), '--where', 'id < 100').code, 0);
  assert.ok(readFileSync(join(folder, 'opened.out.csv')).equals(sink.bytes()));
  assert.equal((await table.columns(0, 1)).length, 1);
  table.close();
  assert.equal(await codeOf(convert(table, memorySink(), { to: 'csv' })), 'dataset.closed');
});

test('a large text streams: it is read once from front to back, written as it goes, and an abort ends both', {
  skip,
}, async () => {
  const csv = made('large.csv', people(400_000));
  const bytes = new Uint8Array(readFileSync(csv));
  const reads = [];
  const source = {
    name: 'large.csv',
    byteLength: bytes.length,
    async read(start, end) {
      reads.push([start, end]);
      return bytes.slice(start, end);
    },
  };
  let [largest, written, closed] = [0, 0, false];
  const sink = {
    async write(_, part) {
      largest = Math.max(largest, part.length);
      written += part.length;
    },
    close: async () => void (closed = true),
  };
  const told = await convert(source, sink, { to: 'jsonl' });
  assert.deepEqual([told.rows, told.outputBytes, closed], [400_000, written, true]);
  // The first bytes are looked at twice: what they are is found out from them.
  assert.ok(reads.reduce((sum, [start, end]) => sum + end - start, 0) < bytes.length + 100_000);
  assert.ok(largest < 2 << 20, `${largest} bytes at once`);
  const controller = new AbortController();
  let aborted = false;
  reads.length = 0;
  const stopped = convert(
    source,
    { write: async () => controller.abort(), abort: async () => void (aborted = true) },
    { to: 'jsonl', signal: controller.signal },
  );
  await assert.rejects(stopped, { name: 'AbortError' });
  const then = reads.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual([aborted, reads.length], [true, then]);
});

test('statistics of a table are those of the command, integers of 64 bits exact', { skip }, async () => {
  const file = made('stats.tbf', await both(made('stats.csv', people(5000)), { to: 'tbf' }, []));
  const plain = (value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
  const exact = (text) => reportOf(text.replace(/\b(\d{17,})\b/g, '"$1n"'));
  for (const file of [join(folder, 'stats.tbf'), ...corpus('idv', '.idv').slice(0, 12)]) {
    const expected = runNative('stats', '--json', file);
    const table = await openTable(file).catch(() => null);
    if (!table || expected.code !== 0) continue;
    const { rows, columns } = exact(expected.out);
    assert.deepEqual(JSON.parse(plain(await table.stats())), { rows, columns }, file);
    table.close();
  }
  const table = await openTable(file);
  const { rows, columns } = await table.stats({ columns: ['big', 'id'], where: 'id >= 4990' });
  assert.deepEqual(
    [rows, columns.map((c) => c.name), columns[0].max, columns[1].min],
    [10, ['big', 'id'], 2n ** 60n + 4999n, 4990],
  );
  assert.equal(await codeOf(table.stats({ columns: ['nosuch'] })), 'table.column');
  table.close();
});

test('reports speak camelCase, and what they say of the file stays as it is there', async () => {
  const text = new TextEncoder().encode('class_name,max_at\na_b,1\n,2\nc_d,3\n');
  const sink = memorySink();
  await convert(text, sink, { from: 'csv', to: 'tbf' });
  const table = await openTable(sink.bytes());
  const { columns } = await table.stats();
  assert.deepEqual(
    columns.map(({ name, min, max }) => [name, min, max]),
    [
      ['class_name', 'a_b', 'c_d'],
      ['max_at', 1, 3],
    ],
  );
  const report = await table.check();
  assert.deepEqual([report.ok, report.faultCount], [true, 0]);
  const names = namesOf([columns, report]);
  assert.ok(names.size > 10 && ![...names].some((name) => name.includes('_')), [...names].join());
  table.close();
});

/** The names of all fields, however deep. */
function namesOf(value, names = new Set()) {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name);
      namesOf(inner, names);
    }
  }
  return names;
}

test('the check of a text finds the bad rows that the command finds, with their lines', { skip }, async () => {
  const many = Array.from({ length: 60 }, (_, k) => (k % 2 ? `${k}` : `${k},x`)).join('\n');
  for (const [name, text] of [
    ['check.csv', 'a,b\n1,x\n2\n\n"3\n",y\n4,z,\n5,w'],
    ['check.jsonl', '{"a":1}\n{"a":}\n\n[1]\n{"a":2}\n'],
    ['check-many.csv', `a,b\n${many}\n`],
    ['check-open.csv', 'a\n"open'],
    ['check-sound.tsv', 'a\tb\n1\t2\n'],
    ['check-empty.csv', ''],
    ['check-people.csv', people(20_000)],
  ]) {
    const file = made(name, text);
    const { out, err } = runNative('check', '--json', file);
    const report = await check(file).catch((e) => e);
    if (report instanceof Error)
      assert.ok(`${out}${err}`.includes(report.code), `${name}: ${report.stack}, natively ${out}${err}`);
    else assert.deepEqual(report, reportOf(out), name);
  }
  const heard = [];
  const report = await check(new TextEncoder().encode('a;b\n1;2\n3\n'), {
    from: 'csv',
    delimiter: ';',
    onProgress: (p) => heard.push(p.bytes),
  });
  assert.deepEqual([report.ok, report.samples, report.faultCount, heard.at(-1)], [false, 1, 1, 10]);
  assert.match(report.faults[0].message, /^line 3: /);
  const given = new AbortController();
  given.abort();
  await assert.rejects(check(join(folder, 'check.csv'), { signal: given.signal }), { name: 'AbortError' });
});

test('rows that are chosen by number are those of the table that was made of the text', { skip }, async () => {
  const file = made(
    'chosen.jsonl',
    ['{"id":0,"tags":["a"]}', 'bad', '{"id":1,"tags":[]}', '{"id":2,"tags":["a","b"]}', '{"id":3}'].join('\n'),
  );
  const [shown, out] = [memorySink(), memorySink()];
  await convert(file, shown, { to: 'tbf', lossy: true, onBadRow: 'skip' });
  const table = await openTable(shown.bytes());
  // As it is shown, a list is its text; as it stands in the text, no pattern fits a list.
  const kept = await table.matches('tags ~ "*a*"');
  const told = await convert(file, out, { to: 'jsonl', onBadRow: 'skip', indexes: kept });
  assert.deepEqual(
    [told.rows, told.skippedRows, new TextDecoder().decode(out.bytes())],
    [2, 1, '{"id":0,"tags":["a"]}\n{"id":2,"tags":["a","b"]}\n'],
  );
  const some = memorySink();
  assert.equal((await convert(table, some, { to: 'csv', indexes: [3, 1], where: 'id > 1' })).rows, 1);
  assert.equal(new TextDecoder().decode(some.bytes()).split('\n')[1], '3,');
  assert.equal(await codeOf(convert(table, memorySink(), { to: 'csv', indexes: [4] })), 'usage.out_of_range');
  table.close();
});

test('statistics of the first rows look no further', { skip }, async () => {
  const sink = memorySink();
  await convert(made('first.csv', people(3000)), sink, { to: 'tbf', groupRows: 1000 });
  const table = await openTable(sink.bytes());
  const heard = [];
  const { rows, columns } = await table.stats({
    columns: ['id'],
    first: 1500,
    onProgress: (p) => heard.push([p.samples, p.totalSamples]),
  });
  assert.deepEqual([rows, columns[0].max, heard.at(-1)], [1500, 1499, [1500, 1500]]);
  assert.deepEqual(columns[0].histogram.map((b) => [b.from, b.to, b.count]).slice(0, 2), [
    [0, 100, 100],
    [100, 200, 100],
  ]);
  const { columns: flags } = await table.stats({ columns: ['flag'], first: 10 });
  assert.deepEqual(flags[0].top, [
    [false, 5],
    [true, 5],
  ]);
  table.close();
});
