// ZIP archives: opened by their end, the same samples and answers as the TAR of their files, and as natively.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { capabilities, check, convert, memorySink, open, openSamples, shutdown } from 'forebay';
import { bitmap, codeOf, native, reportOf, runNative } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});
const skip = native() ? false : 'the native command was not built';

/** A ZIP of these files, each deflated or not; sizes stand behind the payload where `streamed` says so. */
function zipOf(files, { streamed = false } = {}) {
  const [parts, directory] = [[], []];
  let at = 0;
  for (const [name, content, packed] of files) {
    const stored = packed ? deflateRawSync(content) : content;
    const field = (behind, sizes) => {
      const head = Buffer.alloc(26);
      head.writeUInt16LE(20, 0);
      head.writeUInt16LE(0x800 | (streamed ? 8 : 0), 2);
      head.writeUInt16LE(packed ? 8 : 0, 4);
      if (sizes) {
        head.writeUInt32LE(crc32(content), 10);
        head.writeUInt32LE(stored.length, 14);
        head.writeUInt32LE(content.length, 18);
      }
      head.writeUInt16LE(Buffer.byteLength(name), 22);
      head.writeUInt16LE(behind, 24);
      return head;
    };
    const descriptor = Buffer.alloc(streamed ? 16 : 0);
    if (streamed) {
      descriptor.write('PK\x07\x08', 'latin1');
      descriptor.writeUInt32LE(crc32(content), 4);
      descriptor.writeUInt32LE(stored.length, 8);
      descriptor.writeUInt32LE(content.length, 12);
    }
    // An extra field that only this header has.
    const extra = Buffer.from([0x55, 0x54, 5, 0, 1, 0, 0, 0, 0]);
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04', 'latin1'),
      field(extra.length, !streamed),
      Buffer.from(name),
      extra,
      stored,
      descriptor,
    ]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), field(0, true), rest, Buffer.from(name)]),
    );
    parts.push(local);
    at += local.length;
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...parts, ...directory, end]));
}

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
    ['zip', 41, 'train/000.bmp', 81],
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
