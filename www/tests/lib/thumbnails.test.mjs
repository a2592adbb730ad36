// Thumbnails in Node, where the modules decode and the package writes PNG.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { bytesSource, openSamples, openWarehouse, shutdown } from 'forebay';
import { ROOT, codeOf, corpus, tarOf } from './helpers.mjs';

after(shutdown);

/** Width, height and pixels of a PNG as the package writes it: one piece, each byte the difference to the pixel before. */
async function decoded(blob) {
  assert.equal(blob.type, 'image/png');
  const bytes = Buffer.from(await blob.arrayBuffer());
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const lines = inflateSync(bytes.subarray(41, 41 + bytes.readUInt32BE(33)));
  const row = width * 3;
  assert.equal(lines.length, (row + 1) * height);
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    assert.equal(lines[y * (row + 1)], 1);
    for (let x = 0; x < row; x++)
      pixels[y * row + x] = lines[y * (row + 1) + 1 + x] + (x < 3 ? 0 : pixels[y * row + x - 3]);
  }
  return { width, height, pixels };
}
const size = async (blob) => {
  const { width, height } = await decoded(blob);
  return [width, height];
};

test('a thumbnail has the shape of its image, and is never larger than it', async () => {
  const ds = await openSamples(tarOf(12, 200), { name: 'a.tar' });
  // 104 x 200 pixels
  assert.deepEqual(await size(await ds.thumbnail(1, { size: 50 })), [26, 50]);
  assert.deepEqual(await size(await ds.thumbnail(1)), [83, 160]);
  assert.deepEqual(await size(await ds.thumbnail(1, { size: 2048 })), [104, 200]);
  ds.close();
});

test('its pixels are those of the tensor of its size', async () => {
  const ds = await openSamples(tarOf(3, 200));
  const { pixels } = await decoded(await ds.thumbnail(2, { size: 100 }));
  const { data } = await ds.tensor(2, { size: [56, 100], dtype: 'u8', layout: 'nhwc' });
  assert.ok(pixels.equals(Buffer.from(data)));
});

test('the same thumbnail is made once, and others beside it', async () => {
  const ds = await openSamples(tarOf(3, 200));
  const first = await ds.thumbnail(0, { size: 40 });
  const { requests } = ds.telemetry;
  assert.equal(await ds.thumbnail(0, { size: 40 }), first);
  assert.equal(ds.telemetry.requests, requests);
  assert.notEqual(await ds.thumbnail(0, { size: 41 }), first);
});

test('the same thumbnail that is asked for many times at once takes the room of one', async () => {
  const ds = await openSamples(tarOf(10, 2000));
  const all = await Promise.all(Array.from({ length: 240 }, () => ds.thumbnail(9, { size: 2048 })));
  assert.ok(all.reduce((sum, { size }) => sum + size, 0) > 32 << 20, 'more than is kept, if each counted');
  const other = await ds.thumbnail(1, { size: 40 });
  assert.equal(await ds.thumbnail(1, { size: 40 }), other);
  ds.close();
});

test('a box is cut out', async () => {
  const ds = await openSamples(tarOf(3, 200));
  const all = await decoded(await ds.thumbnail(0, { size: 200 }));
  const part = await decoded(await ds.thumbnail(0, { size: 200, box: [0.25, 0.5, 0.75, 0.75] }));
  assert.deepEqual([all.width, all.height, part.width, part.height], [96, 200, 48, 50]);
  const at = (picture, x, y) => picture.pixels.subarray((y * picture.width + x) * 3).subarray(0, 3);
  for (const [x, y] of [
    [0, 0],
    [47, 49],
    [20, 30],
  ])
    assert.deepEqual(at(part, x, y), at(all, x + 24, y + 100));
  assert.deepEqual(await size(await ds.thumbnail(0, { size: 24, box: [0.25, 0.5, 0.75, 0.75] })), [23, 24]);
});

test('every image of the corpus has one, or says in a code why not', async () => {
  const codes = new Set();
  let made = 0;
  for (const file of corpus('tar', '.tar')) {
    const ds = await openSamples(file).catch(() => null);
    for (let i = 0; i < Math.min(40, ds?.length ?? 0); i++) {
      const found = await ds.thumbnail(i, { size: 32 }).catch((e) => e);
      if (!(found instanceof Blob)) {
        assert.ok(found.code, String(found));
        assert.equal(found.sample ?? i, i);
        codes.add(found.code);
        continue;
      }
      const [width, height] = await size(found);
      assert.ok(Math.max(width, height) <= 32 && Math.min(width, height) >= 1);
      made++;
    }
    ds?.close();
  }
  assert.ok(made > 20, `${made} made, ${[...codes]}`);
});

test('a JPEG that lies on its side is turned, and its box with it', async () => {
  const exif = Buffer.from('ffe1002245786966000049492a000800000001001201030001000000060000000000000000000000', 'hex');
  const plain = await firstJpeg();
  const turned = Buffer.concat([plain.subarray(0, 2), exif.subarray(0, 36), plain.subarray(2)]);
  const [a, b] = [await openSamples(tarWith(plain)), await openSamples(tarWith(turned))];
  const [w, h] = await size(await a.thumbnail(0, { size: 64 }));
  assert.notEqual(w, h);
  assert.deepEqual(await size(await b.thumbnail(0, { size: 64 })), [h, w]);
  // The left half of what is stored is the upper half of what is shown.
  const [bw, bh] = await size(await b.thumbnail(0, { size: 2048, box: [0, 0, 0.5, 1] }));
  const [aw, ah] = await size(await a.thumbnail(0, { size: 2048, box: [0, 0, 0.5, 1] }));
  assert.deepEqual([bw, bh], [ah, aw]);
});

test('the samples of a warehouse have some too', async () => {
  const warehouse = await openWarehouse(join(ROOT, 'tests/corpus/twh/expected/case_letterbox_64'));
  assert.deepEqual(await size(await warehouse.thumbnail(0, { size: 16 })), [16, 16]);
  const all = await decoded(await warehouse.thumbnail(0, { size: 64 }));
  const { data } = await warehouse.picture(0);
  for (const k of [0, 100, 4000])
    assert.deepEqual([...all.pixels.subarray(k * 3, k * 3 + 3)], [...data.slice(k * 4, k * 4 + 3)]);
});

test('what is asked for wrongly is refused, and an abort ends it', async () => {
  const ds = await openSamples(tarOf(3, 200));
  for (const options of [
    { size: 0 },
    { size: 5000 },
    { size: 1.5 },
    { edge: 5 },
    { box: [0, 0, 0, 1] },
    { box: [0, 0, NaN, 1] },
    { type: 'image/gif' },
    { type: 'image/jpeg' },
    { as: 'bitmap' },
    { quality: 2 },
    null,
  ])
    assert.equal(
      await codeOf(Promise.resolve().then(() => ds.thumbnail(0, options))),
      'usage.argument',
      JSON.stringify(options),
    );
  assert.equal(await codeOf(ds.thumbnail(3)), 'usage.out_of_range');
  const reason = new Error('enough');
  await assert.rejects(() => ds.thumbnail(0, { signal: AbortSignal.abort(reason) }), reason);
  const late = new AbortController();
  const many = Array.from({ length: 40 }, (_, k) => ds.thumbnail(k % 3, { size: 20 + k, signal: late.signal }));
  late.abort(reason);
  for (const one of await Promise.allSettled(many)) assert.equal(one.reason, reason);
  // Nobody is left waiting in a row that nobody leaves.
  assert.deepEqual(await size(await ds.thumbnail(0, { size: 100 })), [48, 100]);
  ds.close();
  assert.equal(await codeOf(Promise.resolve().then(() => ds.thumbnail(0))), 'dataset.closed');
});

/** Some JPEG of the corpus that is not square. */
async function firstJpeg() {
  for (const file of corpus('tar', '.tar')) {
    const ds = await openSamples(file).catch(() => null);
    if (!ds) continue;
    await ds.matches('width > 0').catch(() => {});
    for (let i = 0; i < ds.length; i++) {
      const { format, width, height } = ds.info(i);
      if (format !== 'jpeg' || width === height || width === 0) continue;
      const bytes = Buffer.from(await ds.bytes(i).catch(() => []));
      if (bytes.includes(Buffer.from('Exif'))) continue;
      if (await ds.thumbnail(i).catch(() => null)) return bytes;
    }
  }
  throw new Error('the corpus has no such JPEG');
}

/** A TAR of this file alone. */
function tarWith(payload) {
  const source = Buffer.from(tarOf(1));
  const header = Buffer.from(source.subarray(0, 512));
  header.write('a.jpg\0'.padEnd(30, '\0'), 0);
  header.write(`${payload.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  const sum = header.reduce((a, b) => a + b, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytesSource(new Uint8Array(Buffer.concat([header, payload, Buffer.alloc((-payload.length & 511) + 1024)])));
}
