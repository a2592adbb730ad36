// The viewer's arithmetic, without a browser.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { ROOT } from './browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-parts-'));
const parts = {};
before(async () => {
  const names = ['scroller', 'boxes', 'link', 'facets', 'fields', 'words'];
  await build({ entryPoints: names.map((name) => join(ROOT, `www/viewer/src/${name}.ts`)), bundle: true, format: 'esm', outdir: folder, outExtension: { '.js': '.mjs' }, logLevel: 'error' });
  for (const name of names) Object.assign(parts, await import(join(folder, `${name}.mjs`)));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('a track of any length reaches every row, and its scrollbar comes back to where it was put', () => {
  for (const rows of [1, 10, 1000, 249_999, 250_001, 10_000_000, 2 ** 31]) {
    const track = new parts.Track();
    [track.content, track.viewport] = [rows * 32, 600];
    for (const row of [0, Math.floor(rows / 3), rows - 1]) {
      track.reveal(row, 32);
      const [first, end] = track.rows(32, rows, 0);
      assert.ok(first <= row && row < end, `${row} of ${rows}`);
      assert.ok(end - first <= 20 && track.height <= parts.TALLEST);
      const before = track.top;
      track.dragTo(track.scrollTop);
      assert.equal(track.top, before, 'the scrollbar says nothing new');
    }
    track.dragTo(track.height - track.viewport);
    assert.equal(track.rows(32, rows, 0)[1], rows, 'dragged to the end, the last row is in sight');
  }
});

test('boxes are found in the shapes of COCO, YOLO, Pascal and plain lists', () => {
  const boxes = (record) => parts.findBoxes(record, 200, 100).map(({ x, y, w, h, label }) => [x, y, w, h, label]);
  assert.deepEqual(boxes({ json: { boxes: [{ label: 'cat', bbox: [1, 2, 3, 4] }] } }), [[1, 2, 3, 4, 'cat']]);
  assert.deepEqual(boxes({ boxes: [[1, 2, 3, 4]], labels: ['dog'] }), [[1, 2, 3, 4, 'dog']]);
  assert.deepEqual(boxes({ json: { annotations: [{ bbox: [1, 2, 3, 4], category_id: 7 }], categories: [{ id: 7, name: 'pier' }] } }), [[1, 2, 3, 4, 'pier']]);
  assert.deepEqual(boxes({ txt: '3 0.5 0.5 0.1 0.2\n' }), [[90, 40, 20, 20, '3']]);
  assert.deepEqual(boxes({ txt: 'a photo of 3 cats' }), []);
  assert.deepEqual(boxes({ objects: [{ name: 'x', bndbox: { xmin: '10', ymin: 20, xmax: 30, ymax: 50 } }] }), [[10, 20, 20, 30, 'x']]);
  assert.deepEqual(boxes({ json: { label: 'boat', bbox: [1, 2, 3, 4] } }), [[1, 2, 3, 4, 'boat']]);
  for (const odd of [null, 3, 'x', [], { boxes: 3 }, { boxes: [null, 'x', [1, 2], [1, 2, -3, 4], { bbox: [1, 2, 'x', 4] }] }, { txt: '1 2 3 4 5' }]) {
    assert.deepEqual(boxes(odd), [], JSON.stringify(odd));
  }
});

test('links come back as they were, and nonsense is left out', () => {
  const link = { file: 'data/ü &#?.tbl', i: 17, q: 'width >= 224 && name ~ "*.jpg"', view: 'table' };
  assert.deepEqual(parts.parseLink(parts.formatLink(link)), link);
  assert.deepEqual(parts.parseLink('#i=-3&view=x&q='), {});
  assert.equal(parts.fileUrl('javascript:alert(1)', 'http://x/'), null);
  assert.equal(parts.fileUrl('data/a.tbl', 'http://x/y/').href, 'http://x/y/data/a.tbl');
});

test('facets count every sample once, and a range of buckets becomes a filter', async () => {
  const columns = { width: Uint32Array.of(100, 300, 0), height: Uint32Array.of(100, 150, 0), bytes: Float64Array.of(10, 1000, 5), storedBytes: Float64Array.of(1, 1, 1), offset: new Float64Array(3), format: Uint8Array.of(1, 1, 2), codec: Uint8Array.of(0, 0, 0) };
  const facets = await parts.countFacets(columns, Uint32Array.of(1), new AbortController().signal);
  assert.deepEqual(facets.formats, [{ format: 'jpeg', all: 2, kept: 1 }, { format: 'png', all: 1, kept: 0 }]);
  for (const h of facets.histograms) {
    assert.equal(h.all.reduce((a, b) => a + b) + h.unknown, 3, h.measure);
    assert.equal(h.kept.reduce((a, b) => a + b), 1, h.measure);
  }
  const width = facets.histograms.find((h) => h.measure === 'width');
  assert.equal(parts.rangeExpression(width, 0, 0), 'width >= 96 && width < 128');
  assert.equal(parts.quote('a"b\\\n'), '"a\\"b\\\\\\n"');
});

test('fields of metadata are named as filters name them', () => {
  const names = parts.fieldsOf({ cls: 1, json: { label: 'x', 'my key': 2, boxes: [] } }).map((f) => f.name);
  assert.deepEqual(names, ['cls', 'json.label', 'json.`my key`', 'json.boxes']);
});
