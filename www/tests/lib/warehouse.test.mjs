// Tensor warehouses through the package: the corpus, its damage, what a sample is, and where the files may lie.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  check,
  convert,
  isWarehouse,
  labelsOf,
  memorySink,
  open,
  openSamples,
  openTable,
  openWarehouse,
  shutdown,
  writeLabels,
} from '../../lib/dist/index.js';
import { ROOT, codeOf, tarOf } from './helpers.mjs';

const TWH = join(ROOT, 'tests/corpus/twh');
const LETTERBOX = join(TWH, 'expected/case_letterbox_64');
const FORCE = join(TWH, 'expected/case_force_48');
const folder = mkdtempSync(join(tmpdir(), 'forebay-twh-'));
const opened = [];
/** Closed when the tests end. */
const keep = (dataset) => {
  opened.push(dataset);
  return dataset;
};
let server;
let url;

before(async () => {
  server = createServer((request, response) => {
    const path = join(TWH, decodeURIComponent(new URL(request.url, 'http://x').pathname));
    let bytes;
    try {
      bytes = readFileSync(path);
    } catch {
      return response.writeHead(404).end();
    }
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (start === undefined) return response.writeHead(200).end(bytes);
    const part = bytes.subarray(Number(start), Number(end) + 1);
    const range = `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}`;
    return response.writeHead(206, { 'content-range': range, etag: '"1"' }).end(part);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(async () => {
  for (const dataset of opened) dataset.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
  await shutdown();
});

/** What opening refuses a folder of the corpus with, and what a check finds, each once: as natively. */
const DAMAGED = {
  bad_magic: ['magic', ['magic']],
  blocks_overlap: ['overlap', ['overlap']],
  channels_4: ['channels', ['channels']],
  checksum_absent_field: [null, []],
  dtype_f16_flag: ['contradiction', ['contradiction', 'pixel', 'gap', 'box', 'gap', 'mask', 'gap']],
  dtype_lowercase_in_manifest: ['manifest', ['manifest']],
  endianness_big_flag: ['contradiction', ['contradiction', 'pixel', 'box', 'mask']],
  flipped_pixel_byte_checksum_stale: [null, ['checksum']],
  image_offset_max: ['range', ['range']],
  manifest_max_boxes_says_3: ['contradiction', ['contradiction']],
  manifest_samples_says_9: ['contradiction', ['contradiction']],
  manifest_truncated: ['manifest', ['manifest']],
  nan_pixels: [null, ['pixel']],
  no_shards: [null, []],
  ok_80: [null, []],
  ok_header_gap_96: [null, ['checksum']],
  samples_huge: ['contradiction', ['contradiction', 'range']],
  samples_zero: ['contradiction', ['contradiction', 'gap']],
  second_shard_other_max_boxes: ['mixed', ['mixed']],
  shard_file_missing: ['shard_missing', ['shard_missing']],
  summary_violates_thresholds: [null, ['threshold']],
  thresholds_missing_keys: [null, []],
  trunc_empty_file: ['truncated', ['truncated']],
  trunc_len_3: ['truncated', ['truncated']],
  trunc_len_63: ['truncated', ['truncated']],
  trunc_payload_minus_1: ['truncated', ['truncated']],
};

const listed = (root) =>
  readdirSync(root)
    .filter((name) => /\.(bin|json)$/.test(name))
    .map((name) => ({ path: name, input: new Blob([readFileSync(join(root, name))]) }));

test('every damaged warehouse has the codes that it has natively, by path, by files and by URL', async () => {
  const found = readdirSync(join(TWH, 'damaged')).filter((name) => !name.endsWith('.json'));
  assert.deepEqual(found.sort(), Object.keys(DAMAGED));
  for (const [name, [opening, faults]] of Object.entries(DAMAGED)) {
    const root = join(TWH, 'damaged', name);
    for (const input of [root, listed(root), `${url}/damaged/${name}/manifest.json`]) {
      const opened = await open(input).then(
        (dataset) => void dataset.close(),
        (e) => e.code,
      );
      assert.equal(opened, opening === null ? undefined : `warehouse.${opening}`, name);
      const report = await check(input);
      const codes = report.faults.map(({ code }) => code.replace('warehouse.', ''));
      assert.deepEqual(
        codes.filter((code, k) => code !== codes[k - 1]),
        faults,
        name,
      );
    }
  }
  const report = await check(join(TWH, 'damaged/shard_file_missing'));
  assert.match(report.faults[0].message, /"[^"]+\.bin" is not there/);
});

test('tensors are those that the builder stored, to the last bit', async () => {
  for (const root of [LETTERBOX, FORCE]) {
    const truth = JSON.parse(readFileSync(join(root, 'ground_truth.json'), 'utf8'));
    const samples = truth.samples.filter(({ status }) => status === 'ok');
    const dataset = await openWarehouse(root);
    assert.equal(dataset.length, samples.length);
    assert.deepEqual([dataset.kind, dataset.format, isWarehouse(dataset)], ['samples', 'warehouse', true]);
    for (const [i, said] of samples.entries()) {
      const { data, dtype, shape } = await dataset.tensor(i);
      const { width, height } = dataset.info(i);
      assert.deepEqual([dtype, shape, data.length], ['f32', [3, height, width], 3 * height * width]);
      const stored = await dataset.tensor(i, { dtype: 'stored' });
      assert.deepEqual([stored.dtype, Buffer.from(stored.data.buffer)], ['f32', Buffer.from(data.buffer)]);
      const sha256 = createHash('sha256').update(Buffer.from(data.buffer)).digest('hex');
      assert.equal(sha256, said.image_sha256_f32le, `${root} ${i}`);
      const boxes = await dataset.boxes(i);
      assert.deepEqual(
        boxes.map(({ box }) => box.map(Math.fround)),
        said.boxes.map((box) => box.map(Math.fround)),
      );
      const pixels = await dataset.tensor(i, { dtype: 'u8' });
      assert.deepEqual([pixels.dtype, pixels.data[0]], ['u8', Math.round(data[0] * 255)]);
      const picture = await dataset.picture(i);
      const plane = width * height;
      for (const k of [0, plane >> 1, plane - 1]) {
        const pixel = [pixels.data[k], pixels.data[plane + k], pixels.data[2 * plane + k], 255];
        assert.deepEqual([...picture.data.subarray(4 * k, 4 * k + 4)], pixel);
      }
    }
    dataset.close();
    assert.equal(await codeOf(dataset.tensor(0)), 'dataset.closed');
  }
});

test('a letterbox says where its image is, and boxes are shares of it all', async () => {
  const dataset = keep(await openWarehouse(join(LETTERBOX, 'manifest.json')));
  const { content, contentFrom, width, height } = await dataset.picture(0);
  assert.equal(contentFrom, 'pixels');
  assert.ok(content.width === width || content.height === height);
  assert.ok(content.width < width || content.height < height);
  const boxes = await dataset.boxes(0);
  assert.ok(boxes.length > 0);
  for (const { box, class: number, label } of boxes) {
    assert.ok(box.every((corner) => corner >= 0 && corner <= 1) && box[0] < box[2] && box[1] < box[3]);
    assert.deepEqual([number, label], [null, null]);
  }
  const stretched = keep(await openWarehouse(FORCE));
  assert.deepEqual((await stretched.picture(0)).content, { x: 0, y: 0, width: 48, height: 48 });
  assert.equal((await stretched.picture(0)).contentFrom, 'manifest');
});

test('the manifest, runs, filters and statistics', async () => {
  const dataset = keep(await openWarehouse(LETTERBOX));
  const { manifest } = dataset;
  assert.deepEqual(manifest.transform, { targetSize: [64, 64], resizeMode: 'letterbox', maxBoxes: 4 });
  assert.deepEqual([manifest.defaultDtype, manifest.shards[0].endianness], ['f32', 'little']);
  assert.equal(manifest.summary.totals.nonEmpty, 24);
  assert.deepEqual(manifest.violations, []);
  assert.deepEqual(await dataset.runs(), [{ run: null, samples: dataset.length }]);
  assert.deepEqual(await dataset.sample(0), {
    name: '00000/00000',
    shard: '00000',
    frameId: null,
    run: null,
    source: null,
  });
  assert.equal(dataset.nameOf(0), '00000/00000');
  assert.equal((await dataset.matches('shard == "00001"')).length, manifest.shards[1].samples);
  assert.equal((await dataset.stats()).samples, dataset.length);
  const found = await dataset.statistics();
  assert.deepEqual([found.samples, found.pixels.samples > 0], [dataset.length, true]);
  const other = keep(await openWarehouse(FORCE));
  const same = await dataset.drift(dataset);
  assert.ok(same.rows.every(({ distance }) => distance === null || distance === 0));
  const apart = await other.drift(dataset, { pictures: 0 });
  assert.deepEqual(apart.versions, [manifest.version, other.manifest.version]);
  assert.ok(apart.notes.some((note) => note.includes('64x64')));
  const broken = keep(await openWarehouse(join(TWH, 'damaged/summary_violates_thresholds')));
  assert.ok(broken.manifest.violations.length > 0);
});

test('images become PNG in a TAR or a TBL, with their boxes, and labels every format', async () => {
  const dataset = keep(await openWarehouse(LETTERBOX));
  for (const to of ['tar', 'tbl']) {
    const sink = memorySink();
    const { samples } = await convert(dataset, sink, { to });
    assert.equal(samples, dataset.length);
    const back = keep(await openSamples(sink.bytes()));
    assert.deepEqual([back.format, back.length, back.info(0).format], [to, dataset.length, 'png']);
    assert.deepEqual([...(await back.bytes(0)).subarray(1, 4)], [...Buffer.from('PNG')]);
    const { data } = await back.tensor(0, { size: [64, 64], dtype: 'u8', resampling: 'nearest' });
    assert.deepEqual(data, (await dataset.tensor(0, { dtype: 'u8' })).data);
    const [mine, theirs] = [await dataset.boxes(1), await back.boxes(1)];
    assert.equal(theirs.length, mine.length);
    for (const [k, { box }] of mine.entries())
      for (const [n, corner] of box.entries()) assert.ok(Math.abs(corner - theirs[k].box[n]) < 1e-6);
  }
  const lost = join(folder, 'lost');
  cpSync(LETTERBOX, lost, { recursive: true });
  rmSync(join(lost, 'shard_00001.bin'));
  const part = keep(await openWarehouse(lost, { keepGoing: true }));
  const { samples, faults } = await convert(part, memorySink(), { to: 'tar', keepGoing: true });
  assert.equal(samples, part.length);
  assert.ok(samples < dataset.length);
  assert.equal(faults.length, 1);
  assert.match(JSON.stringify(faults), /shard_00001\.bin/, 'what is not there is said');
  rmSync(lost, { recursive: true });
  const labels = await labelsOf(dataset);
  assert.equal(labels.pictures.length, dataset.length);
  for (const format of ['coco', 'yolo', 'voc', 'cvat', 'labelstudio', 'labelme', 'via', 'createml']) {
    const { bytes } = await writeLabels({ ...labels, classes: [{ name: 'thing' }] }, format, memorySink());
    assert.ok(bytes > 0, format);
  }
  const tar = await openSamples(tarOf(2));
  // Its metadata has boxes of its own kind, and nobody says which.
  await assert.rejects(tar.boxes(0), { code: 'label.ambiguous' });
  tar.close();
});

test('where files lie: folders in folders, links and paths that leave, a manifest alone, progress and an end', async () => {
  const nested = join(folder, 'nested');
  mkdirSync(join(nested, 'v1'), { recursive: true });
  cpSync(join(TWH, 'damaged/ok_80'), join(nested, 'v1'), { recursive: true });
  const dataset = keep(await openWarehouse(nested));
  assert.equal(dataset.length, 2);
  cpSync(join(nested, 'v1'), join(nested, 'v2'), { recursive: true });
  await assert.rejects(openWarehouse(nested), /several warehouses/);
  await assert.rejects(openWarehouse(folder), /several warehouses/);
  const manifest = readFileSync(join(nested, 'v1/manifest.json'), 'utf8');
  const away = join(folder, 'away');
  mkdirSync(away);
  for (const path of ['../nested/v1/shard.bin', '/etc/passwd', 'a\\\\b', 'C:/x']) {
    writeFileSync(join(away, 'manifest.json'), manifest.replace('"shard.bin"', `"${path}"`));
    assert.equal(await codeOf(open(away)), 'warehouse.path', path);
    assert.deepEqual((await check(away)).faults[0].code, 'warehouse.path');
  }
  writeFileSync(join(away, 'manifest.json'), manifest);
  symlinkSync(join(nested, 'v1/shard.bin'), join(away, 'shard.bin'));
  assert.equal(await codeOf(open(away)), 'warehouse.path');
  await assert.rejects(open(new Blob([manifest])), /give the folder/);
  await assert.rejects(open(join(nested, 'v1/shard.bin')), { code: 'format.not_samples' });
  assert.equal(await codeOf(openTable(join(nested, 'v1'))), 'format.not_table');
  assert.equal(await codeOf(openWarehouse(tarOf(2))), 'usage.argument');
  assert.equal(keep(await open(join(TWH, 'input'))).kind, 'samples');
  const far = keep(await openWarehouse(`${url}/expected/case_letterbox_64/manifest.json`));
  const before = far.telemetry.bytesRead;
  // The first request for a file brings its beginning along.
  assert.ok(before <= 4 * 65536, `${before} bytes to open`);
  await far.tensor(6);
  assert.equal(far.telemetry.bytesRead - before, 3 * 64 * 64 * 4);
  const seen = [];
  const report = await far.check({ onProgress: ({ samples }) => seen.push(samples) });
  assert.deepEqual([report.ok, seen.at(-1)], [true, far.length]);
  const stop = new AbortController();
  const reason = new Error('enough');
  const ended = far.check({ signal: stop.signal, onProgress: () => stop.abort(reason) });
  await assert.rejects(ended, reason);
  await assert.rejects(far.tensor(99), { code: 'usage.out_of_range' });
  await assert.rejects(far.tensor(0, { size: [8, 8] }), /as they were built/);
});
