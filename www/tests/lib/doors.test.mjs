// Files of records that other programs write: opened in the page as samples, as natively.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { codeOf, bitmap } from './helpers.mjs';
import { check, convert, memorySink, openSamples, shutdown } from 'forebay';

after(() => shutdown());

/** TensorFlow's masked CRC-32C. */
function masked(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

const u32 = (n) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(n);
  return bytes;
};
const varint = (n) => (n < 128 ? Buffer.from([n]) : Buffer.concat([Buffer.from([(n & 127) | 128]), varint(n >> 7)]));
const field = (number, bytes) => Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes]);

/** A record of `tf.train.Example`: an image and its label. */
function record(image, label) {
  const feature = (name, kind) => field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, kind)]));
  const features = [
    feature('image/encoded', field(1, field(1, image))),
    feature('image/class/label', field(3, field(1, varint(label)))),
  ];
  const data = field(1, Buffer.concat(features));
  const length = Buffer.concat([u32(data.length), u32(0)]);
  return Buffer.concat([length, u32(masked(length)), data, u32(masked(data))]);
}

const images = Array.from({ length: 12 }, (_, i) => bitmap(8 + i, 6, i));
const tfrecord = Buffer.concat(images.map((image, i) => record(image, i % 3)));

test('a TFRecord opens as samples, filters and becomes a TBL', async () => {
  const dataset = await openSamples(new Blob([tfrecord]), { name: 'a.tfrecord' });
  assert.deepEqual([dataset.format, dataset.length], ['tfrecord', 12]);
  assert.deepEqual(Buffer.from(await dataset.bytes(5)), images[5]);
  assert.equal((await dataset.record(4)).cls, 1);
  assert.deepEqual([...(await dataset.matches('cls == 2 && width > 12'))], [5, 8, 11]);
  const sink = memorySink();
  assert.equal((await convert(dataset, sink, { to: 'tbl' })).samples, 12);
  dataset.close();
  const made = await openSamples(sink.bytes(), { name: 'a.tbl' });
  assert.deepEqual(Buffer.from(await made.bytes(11)), images[11]);
  made.close();
});

test('a damaged record is a fault with its place, and a damaged length is not believed', async () => {
  const wrong = Buffer.from(tfrecord);
  wrong[40] ^= 1;
  const report = await check(wrong, { name: 'a.tfrecord' });
  assert.deepEqual([report.faultCount, report.faults[0].sample], [1, 0]);
  wrong[3] ^= 0xff;
  assert.equal(await codeOf(openSamples(wrong, { name: 'a.tfrecord' })), 'format.unknown');
});

test('an array of NumPy opens as images', async () => {
  const header = `${"{'descr': '|u1', 'fortran_order': False, 'shape': (3, 5, 4), }".padEnd(117)}\n`;
  const file = Buffer.concat([
    Buffer.from('\x93NUMPY\x01\0', 'latin1'),
    Buffer.from([header.length, 0]),
    Buffer.from(header),
    Buffer.alloc(60, 9),
  ]);
  const dataset = await openSamples(file, { name: 'a.npy' });
  assert.deepEqual([dataset.format, dataset.length], ['npy', 3]);
  assert.equal(dataset.info(2).width || (await dataset.matches('width == 4')).length, 3);
  dataset.close();
});
