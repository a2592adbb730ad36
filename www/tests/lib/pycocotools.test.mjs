// COCO files of the package, read by the program that the format is known by.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { convert, exportLabels, memorySink, openSamples, shutdown } from 'forebay';
import { ensurePycocotools, readCoco } from '../../../scripts/lib/pycocotools.mjs';
import { bitmap, filesOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-coco-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});

const CLASSES = ['boat', 'dög "x"', 'person'];
/** Enough that they come in several pieces. */
const PICTURES = 3000;
const corners = (xmin, ymin, xmax, ymax, more) => ({ xmin, ymin, xmax, ymax, ...more });

/** What is said of a picture; some nobody has labeled, and in some nothing is. */
function annotationsOf(i) {
  if (i % 10 === 9) return null;
  if (i % 10 === 8) return [];
  const some = Array.from({ length: 5 }, (_, k) =>
    corners(k + 0.1 * (i % 10), 1 / 3, k + 10.7 + i / 3000, 20.25, { class: CLASSES[(i + k) % 3] }),
  );
  const square = [[1, 1, 5, 1, 5, 5, 1, 5]];
  if (i % 10 === 1) some.push(corners(1, 1, 5, 5, { class: 'boat', crowd: true, segmentation: square }));
  if (i % 10 === 2) {
    const mask = { size: [24, 32], counts: [30, 5, 19, 6, 708] };
    some.push(corners(1, 0, 3, 24, { class: 'person', segmentation: mask }));
  }
  if (i % 10 === 3) some.push(corners(2, 2, 6, 6, { class: 'person', keypoints: [1, 2, 2, 3, 4.5, 0, 1, 1, 1] }));
  return some;
}

test('pycocotools finds in what is exported what was said: images, boxes, classes, masks, crowds', async (t) => {
  const python = await ensurePycocotools();
  if (!python) return t.skip('no Python with venv is here');
  const files = [];
  for (let i = 0; i < PICTURES; i++) {
    const annotations = annotationsOf(i);
    files.push([`${i}.bmp`, bitmap(32, 24, i % 200)]);
    const fields = annotations && { annotations_format: 'forebay.1', annotations };
    files.push([`${i}.json`, Buffer.from(JSON.stringify(fields ?? { note: 'a' }))]);
  }
  const tar = filesOf(files);
  const made = memorySink();
  await convert(tar, made, { to: 'tbl' });
  for (const [name, input] of [
    ['a.tar', tar],
    ['a.tbl', new Blob([made.bytes()])],
  ]) {
    const dataset = await openSamples(input, { name });
    const pieces = [];
    const report = await exportLabels(dataset, 'coco', { write: async (at, bytes) => void pieces.push([at, bytes]) });
    dataset.close();
    assert.ok(pieces.length > 1, 'it came in pieces');
    const path = join(folder, `${name}.json`);
    writeFileSync(path, Buffer.concat(pieces.map(([, bytes]) => bytes)));

    const { found, ...counts } = readCoco(python, path, '--all');
    const labeled = PICTURES * 0.9;
    assert.deepEqual(counts, { pictures: labeled, boxes: report.annotations, classes: CLASSES.length }, name);
    assert.deepEqual([report.pictures, report.unlabelled], [PICTURES, PICTURES - labeled], name);
    let at = 0;
    for (let i = 0; i < PICTURES; i++) {
      const said = annotationsOf(i);
      if (!said) continue;
      const [file, width, height, boxes] = found[at++];
      assert.deepEqual([file, width, height], [`${i}.bmp`, 32, 24], name);
      assert.equal(boxes.length, said.length, file);
      for (const [k, one] of said.entries()) {
        const [category, [x, y, w, h], area, crowd, pixels, keypoints] = boxes[k];
        assert.deepEqual([category, x, y], [one.class, one.xmin, one.ymin], file);
        // A corner and a size add up to the other corner, but for a last bit where no size does.
        const away = Math.max(Math.abs(x + w - one.xmax), Math.abs(y + h - one.ymax));
        assert.ok(away < 1e-14 * 32, `${file}: ${away}`);
        assert.equal(crowd, one.crowd ? 1 : 0, file);
        if (one.segmentation?.size) assert.deepEqual([pixels, area], [11, 11], file);
        else if (one.segmentation) assert.deepEqual([pixels, area], [16, 16], file);
        else assert.equal(pixels, null, file);
        assert.equal(keypoints, one.keypoints ? 2 : null, file);
      }
    }
    assert.equal(at, found.length);
  }
});
