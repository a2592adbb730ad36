// Tensors have the same numbers as natively, to the last bit.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { open, openSamples, shutdown } from 'forebay';
import { built, codeOf, corpus, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});
/** The native program that makes one tensor; `cargo test` builds it with the other examples. */
const program = built('examples/tensor');
const skip = program ? false : 'the example `tensor` was not built';
const KINDS = [
  { size: [224, 224], normalize: 'imagenet', fit: 'center-crop', short: 224 },
  { size: [64, 48], layout: 'nhwc', fit: 'letterbox' },
  { size: [33, 97], dtype: 'u8' },
  { size: [160, 120], dtype: 'u8', layout: 'nhwc', fit: 'center-crop', short: 160 },
  // Without `short`, both ways round: what is natively the default must be so here.
  { size: [48, 64], dtype: 'u8', layout: 'nhwc', fit: 'center-crop' },
  { size: [64, 48], dtype: 'u8', layout: 'nhwc', fit: 'center-crop' },
];

/** The values as the native core makes them. */
function natively(payload, { size, dtype = 'f32', layout = 'nchw', fit = 'stretch', normalize = 'unit' }) {
  const path = join(folder, 'payload');
  writeFileSync(path, payload);
  const bytes = execFileSync(program, [path, ...size.map(String), dtype, layout, fit, normalize], {
    maxBuffer: 1 << 28,
  });
  return bytes;
}

test('images of every format become the numbers that the native core makes of them', { skip }, async () => {
  const seen = new Map();
  const files = [...corpus('tbl', '.tbl').filter((file) => !file.includes('hostile')), ...corpus('tar', '.tar')];
  const made = join(folder, 'made.tar');
  writeFileSync(made, tarOf(3, 90));
  for (const file of [made, ...files]) {
    const ds = await open(file).catch(() => null);
    if (!ds) continue;
    await ds.matches('width > 0').catch(() => {});
    for (let i = 0; i < ds.length; i++) {
      const { format } = ds.info(i);
      if ((seen.get(format) ?? 0) >= 6 || ['unknown', 'raw_u8', 'mp4', 'avi'].includes(format)) continue;
      const payload = await ds.bytes(i).catch(() => null);
      const first = payload && (await ds.tensor(i, KINDS[0]).catch(() => null));
      if (!first) continue;
      for (const kind of KINDS) {
        const { data, shape } = await ds.tensor(i, kind);
        assert.equal(
          data.length,
          shape.reduce((a, b) => a * b),
        );
        assert.ok(
          Buffer.from(data.buffer).equals(natively(payload, kind)),
          `${file}, sample ${i}, ${format}: ${JSON.stringify(kind)}`,
        );
      }
      seen.set(format, (seen.get(format) ?? 0) + 1);
    }
    ds.close();
  }
  assert.ok((seen.get('bmp') ?? 0) > 0);
  console.log(
    `compared ${[...seen].map(([format, n]) => `${n} ${format}`).join(', ')}, ${KINDS.length} tensors of each`,
  );
});

test('what is not an image, and an invalid tensor, is an error that names the sample', async () => {
  const ds = await openSamples(tarOf(2));
  assert.equal(await codeOf(ds.tensor(0, { size: [0, 5] })), 'usage.argument');
  const e = await ds.tensor(1, { size: [8, 8], fit: 'sideways' }).catch((thrown) => thrown);
  assert.deepEqual([e.code, e.sample], ['usage.argument', 1]);
  for (const wrong of [
    { fit: 'center' },
    { fit: 'stretch', short: 9 },
    { resampling: 'cubic' },
    { dtype: 'u8', normalize: 'imagenet' },
  ]) {
    assert.equal(await codeOf(ds.tensor(1, { size: [8, 8], ...wrong })), 'usage.argument', JSON.stringify(wrong));
  }
  const { data, shape } = await ds.tensor(1, { size: [8, 4], layout: 'nhwc' });
  assert.deepEqual([data.length, shape, data instanceof Float32Array], [96, [4, 8, 3], true]);
  ds.close();
});

test('a tensor that is no longer needed gives its memory to the next', async () => {
  const ds = await open(tarOf(5));
  const wanted = { size: [16, 8], normalize: 'imagenet' };
  const [first, second] = [await ds.tensor(0, wanted), await ds.tensor(1, wanted)];
  const again = await ds.tensor(0, { ...wanted, into: second.data });
  assert.deepEqual(again, first);
  assert.equal(second.data.length, 0);
  const bytes = await ds.tensor(2, { size: [16, 8], dtype: 'u8', into: new Uint8Array(16 * 8 * 3) });
  assert.deepEqual(bytes, await ds.tensor(2, { size: [16, 8], dtype: 'u8' }));
  for (const into of [new Float32Array(5), new Uint8Array(16 * 8 * 3), new Float32Array(16 * 8 * 3 + 1).subarray(1)]) {
    assert.equal(await codeOf(ds.tensor(0, { ...wanted, into })), 'usage.argument');
  }
  ds.close();
});
