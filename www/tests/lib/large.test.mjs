// A file of 40 GB and 1,281,167 samples that lies nowhere: a source that makes up its bytes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { codecs, open, shutdown } from 'forebay';
import { codeOf } from './helpers.mjs';

after(shutdown);
const SAMPLES = 1_281_167;
const BYTES = 31_000;

/** A TBL of the turboloader layout, whose entries need no checksum of their own. */
function sparse(samples = SAMPLES) {
  const start = 64 + samples * 24;
  const head = Buffer.alloc(start);
  head.write('TBL\x02', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeBigUInt64LE(BigInt(samples), 8);
  head.writeUInt32LE(start, 16);
  head.writeUInt32LE(crc32(head.subarray(0, 64)), 44);
  for (let i = 0; i < samples; i++) {
    const at = 64 + i * 24;
    const offset = start + i * BYTES;
    head.writeUInt32LE(offset >>> 0, at);
    head.writeUInt32LE(Math.floor(offset / 2 ** 32), at + 4);
    head.writeUInt32LE(BYTES, at + 8);
    head.writeUInt32LE(BYTES, at + 12);
    head.writeUInt16LE(200 + (i % 400), at + 16);
    head.writeUInt16LE(300, at + 18);
    head[at + 20] = 1;
  }
  const reads = [];
  return {
    byteLength: start + samples * BYTES,
    reads,
    async read(from, to) {
      reads.push([from, to]);
      const bytes = new Uint8Array(to - from);
      if (from < start) bytes.set(head.subarray(from, Math.min(to, start)));
      return bytes;
    },
  };
}

test('opens with two reads, of header and index, and answers for the last sample', async () => {
  const source = sparse();
  const started = performance.now();
  const ds = await open(source);
  const opened = performance.now() - started;
  assert.deepEqual(source.reads, [
    [0, 64],
    [64, 64 + SAMPLES * 24],
  ]);
  const last = ds.info(SAMPLES - 1);
  assert.ok(last.offset > 2 ** 35);
  assert.deepEqual(
    [last.width, last.height, last.format, codecs.indexOf(last.codec)],
    [200 + ((SAMPLES - 1) % 400), 300, 'jpeg', 0],
  );
  assert.equal((await ds.blob(SAMPLES - 1)).size, BYTES);
  assert.equal(source.reads.length, 3);
  const filtering = performance.now();
  assert.equal(
    (await ds.matches('width >= 400')).length,
    Math.floor(SAMPLES / 400) * 200 + Math.max(0, (SAMPLES % 400) - 200),
  );
  assert.equal(source.reads.length, 3);
  console.log(`opened in ${opened.toFixed(0)} ms, filtered in ${(performance.now() - filtering).toFixed(0)} ms`);
  assert.ok(opened < 5000);
  ds.close();
});

test('an index over the limit is refused before it is read', async () => {
  const source = sparse(1000);
  assert.equal(await codeOf(open(source, { limits: { indexBytes: 20_000 } })), 'limit.index');
  assert.equal(source.reads.length, 1);
});
