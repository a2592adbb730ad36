// The same answers and the same bytes as the native command, over the corpora and a made archive.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { check, convert, memorySink, open, shutdown } from 'forebay';
import { corpus, native, reportOf, runNative, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});
const skip = native() ? false : 'the native command was not built';
const made = join(folder, 'made.tar');
writeFileSync(made, tarOf(200));

/** Faults as text, in order; a limit of the browser's own is not the command's. */
const told = (report) => [
  report.ok,
  report.samples,
  report.faults.map((f) => `${f.code} ${f.section} ${f.sample} ${f.offset}`),
  report.notes.map((f) => f.code),
];

for (const format of ['tbl', 'tar']) {
  const files = corpus(format, `.${format}`);
  test(`${files.length} files of the ${format} corpus get the same faults as natively`, {
    skip: skip || files.length === 0,
  }, async () => {
    for (const file of files) {
      const expected = runNative('check', '--json', file);
      const report = await check(file).catch((e) => e);
      if (report instanceof Error) {
        assert.ok(expected.code >= 2, `${file}: ${report.stack}, natively ${expected.out}`);
        assert.ok(
          `${expected.err}${expected.out}`.includes(report.code),
          `${file}: ${report.code}, natively ${expected.err}`,
        );
      } else {
        assert.deepEqual(told(report), told(reportOf(expected.out)), file);
      }
    }
  });
}

// Payloads of more than 64 KiB, which LZ4 packs with another table.
const large = join(folder, 'large.tar');
writeFileSync(large, tarOf(6, 300));
const sound = [
  made,
  large,
  ...corpus('tar', '.tar'),
  ...corpus('tbl', '.tbl').filter((file) => !file.includes('hostile')),
];
const ways = [
  [{ to: 'tbl' }, []],
  [{ to: 'tbl', compression: 'lz4' }, ['--compression', 'lz4']],
  [{ to: 'tbl', layout: 'turboloader', compression: 'lz4' }, ['--layout', 'turboloader', '--compression', 'lz4']],
  [
    { to: 'tbl', metadataFormat: 'msgpack', where: 'width > 30' },
    ['--metadata-format', 'msgpack', '--where', 'width > 30'],
  ],
  [{ to: 'tar' }, []],
];
for (const [options, args] of ways) {
  test(`conversion gives the command's bytes: ${JSON.stringify(options)}`, { skip }, async () => {
    let converted = 0;
    for (const file of sound) {
      const output = join(folder, `${basename(file)}.out.${options.to}`);
      const expected = runNative('convert', file, output, '--force', ...args);
      const sink = memorySink();
      const summary = await convert(file, sink, options).catch((e) => e);
      if (summary instanceof Error) {
        assert.notEqual(expected.code, 0, `${file}: ${summary.stack}`);
        assert.ok(expected.err.includes(summary.code), `${file}: ${summary.code}, natively ${expected.err}`);
        continue;
      }
      assert.equal(expected.code, 0, `${file}: natively ${expected.err}`);
      converted++;
      assert.ok(readFileSync(output).equals(sink.bytes()), `${file}: other bytes`);
    }
    assert.ok(converted > 0);
  });
}

test('what is packed with Zstandard is read by the larger module, from the header on', { skip }, async () => {
  const packed = join(folder, 'packed.tbl');
  assert.equal(runNative('convert', made, packed, '--compression', 'zstd').code, 0);
  const reads = [];
  const bytes = new Uint8Array(readFileSync(packed));
  const source = {
    byteLength: bytes.length,
    async read(start, end) {
      reads.push([start, end]);
      return bytes.slice(start, end);
    },
  };
  const ds = await open(source);
  assert.equal(ds.metadata.compression, 'zstd');
  // The header, a second time where the smaller module hands over to the larger, and then the index once.
  assert.equal(reads.pop()[0], 64);
  assert.ok(reads.length <= 2 && reads.every(([start]) => start === 0), JSON.stringify(reads));
  const plain = await open(made);
  for (const i of [0, 7, 199]) assert.deepEqual(await ds.bytes(i), await plain.bytes(i));
  assert.deepEqual(told(await ds.check()), told(reportOf(runNative('check', '--json', packed).out)));
  ds.close();
  plain.close();
});

test('statistics are the same as natively', { skip }, async () => {
  for (const file of [made, ...corpus('tbl', 'jpeg20_lz4.tbl')]) {
    // The command refuses to count a class that no sample has.
    const labeled = file === made;
    const expected = reportOf(runNative('stats', '--json', ...(labeled ? ['--label', 'cls'] : []), file).out);
    const ds = await open(file);
    assert.deepEqual(await ds.stats(labeled ? { classField: 'cls' } : {}), expected, file);
    ds.close();
  }
});
