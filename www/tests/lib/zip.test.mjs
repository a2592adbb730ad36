// ZIP archives: opened by their end, the same samples and answers as the TAR of their files, and as natively.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { capabilities, check, convert, memorySink, open, openSamples, shutdown } from 'forebay';
import { bitmap, codeOf, native, reportOf, runNative } from './helpers.mjs';
import { zipOf } from './zips.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});
const skip = native() ? false : 'the native command was not built';

const files = [];
for (let i = 0; i < 40; i++) {
  const key = `train/${String(i).padStart(3, '0')}`;
  files.push([`${key}.bmp`, bitmap(16 + (i % 5) * 8, 24, i), i % 2 === 0]);
  // Sidecars lie elsewhere in the archive.
  files.unshift([`${key}.cls`, Buffer.from(String(i % 3)), i % 3 === 0]);
}

test('an archive opens by its end alone, and every sample by one read', async () => {
  const bytes = zipOf([...files, ['z.bin', Buffer.alloc(1 << 20, 7), false]], { streamed: true });
  const dataset = await openSamples(bytes, { name: 'a.zip' });
  assert.ok(dataset.telemetry.bytesRead < 90_000, `${dataset.telemetry.bytesRead} bytes were read`);
  assert.deepEqual(
    [dataset.format, dataset.length, dataset.nameOf(0), dataset.metadata.members],
    ['zip', 40, 'train/000.bmp', 81],
  );
  const before = dataset.telemetry.requests;
  assert.deepEqual(Buffer.from(await dataset.bytes(3)), files.find(([name]) => name === 'train/003.bmp')[1]);
  assert.equal(dataset.telemetry.requests, before + 1);
  assert.deepEqual(await dataset.record(4), { id: 4, name: 'train/004.bmp', cls: 1 });
  assert.equal(dataset.info(4).codec, 'deflate');
  assert.deepEqual(
    Buffer.from(await (await dataset.blob(5)).arrayBuffer()),
    files.find(([name]) => name === 'train/005.bmp')[1],
  );
  assert.deepEqual([...(await dataset.matches('width == 24'))].slice(0, 3), [1, 6, 11]);
  assert.equal((await dataset.stats({ classField: 'cls' })).classes.top.length, 3);
  assert.equal(await codeOf(dataset.edit()), 'edits.cannot');
  dataset.close();
});

test('a Blob of stored members gives the payload and not its header', async () => {
  const dataset = await open(new Blob([zipOf(files.map(([name, content]) => [name, content, false]))]));
  const blob = await dataset.blob(7);
  assert.deepEqual(Buffer.from(await blob.arrayBuffer()), files.find(([name]) => name === 'train/007.bmp')[1]);
  assert.equal(dataset.info(7).codec, 'none');
  dataset.close();
});

test('checks and conversions give what the command gives', { skip }, async () => {
  for (const streamed of [false, true]) {
    const path = join(folder, `a${streamed}.zip`);
    writeFileSync(path, zipOf(files, { streamed }));
    assert.deepEqual((await check(path)).faults, []);
    assert.equal(runNative('check', path).code, 0);
    for (const to of ['tbl', 'tar']) {
      const [output, sink] = [`${path}.${to}`, memorySink()];
      const told = runNative('convert', path, output, '--force', '--json');
      assert.equal(told.code, 0, told.err);
      await convert(path, sink, { to });
      assert.ok(readFileSync(output).equals(sink.bytes()), `${path} to ${to}: other bytes`);
    }
  }
  // A flipped byte of a payload has its sample and its member.
  const broken = zipOf(files);
  broken[broken.length >> 1] ^= 1;
  const path = join(folder, 'broken.zip');
  writeFileSync(path, broken);
  const report = await check(path);
  assert.equal(report.ok, false);
  const natively = reportOf(runNative('check', '--json', path).out);
  assert.deepEqual(
    report.faults.map((f) => `${f.code} ${f.sample}`),
    natively.faults.map((f) => `${f.code} ${f.sample}`),
  );
});

test('what is encrypted, packed otherwise or cut is refused by name', async () => {
  const bytes = zipOf(files);
  const directory = Buffer.from(bytes).lastIndexOf('PK\x01\x02');
  const changed = (at, byte) => {
    const copy = bytes.slice();
    copy[directory + at] = byte;
    return copy;
  };
  assert.equal(await codeOf(open(changed(8, 1))), 'zip.encrypted');
  assert.equal(await codeOf(open(changed(10, 12))), 'zip.unsupported');
  assert.equal(await codeOf(open(bytes.slice(0, -30))), 'zip.end');
  assert.deepEqual([capabilities().reads.includes('zip'), capabilities().writes.includes('zip')], [true, false]);
});
