// Labels of samples exported in one go: the bytes that reading them and writing them gave, and those of the command.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { convert, exportLabels, labelsOf, memorySink, openSamples, shutdown, writeLabels } from 'forebay';
import { bitmap, codeOf, filesOf, native, runNative } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-export-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});

const FILES = ['coco', 'labelstudio', 'via', 'createml', 'cvat'];
const FOLDERS = ['yolo', 'voc', 'labelme'];
const corners = (k, more = {}) => ({ xmin: k, ymin: 1.5, xmax: k + 9.25, ymax: 12, ...more });

/** What is said of a picture, of every kind. */
function annotationsOf(i) {
  return [
    [],
    [corners(i % 7, { class: 'boat', score: 0.5, occluded: true })],
    [
      corners(1, { class: 'dög "x"', crowd: true, segmentation: [[1, 1, 5, 1, 5, 5]], id: 'é' }),
      corners(2, { class: 'boat', rotation: 30, unturned: [2, 2, 8, 5] }),
      corners(0, { class: 'mask', segmentation: { size: [2, 2], counts: [1, 2, 1] }, attributes: { color: 'red' } }),
    ],
    [corners(3, { class: 'person', keypoints: [1, 2, 2, 3, 4.5, 0], source: 'model' }), corners(4)],
  ][i % 4];
}

/** A TAR of `n` pictures, each with what is said of it. */
function labeled(n, said) {
  const files = [];
  for (let i = 0; i < n; i++) {
    const key = `train/${String(i).padStart(4, '0')}`;
    files.push([`${key}.bmp`, bitmap(16 + i, 24, i)]);
    const fields = said(i);
    if (fields) files.push([`${key}.json`, Buffer.from(JSON.stringify(fields))]);
  }
  return filesOf(files);
}

const marked = (i) =>
  i % 9 === 8
    ? null
    : { note: 'a\nb', annotations_format: 'forebay.1', annotations: annotationsOf(i), image_id: 100 + i };

/** The same as a TAR and as a TBL of each layout, in files. */
async function datasets(said, n = 30) {
  const tar = labeled(n, said);
  const all = [['a.tar', new Uint8Array(await tar.arrayBuffer())]];
  for (const [name, how] of [
    ['a.tbl', {}],
    ['b.tbl', { layout: 'turboloader' }],
    ['c.tbl', { metadataFormat: 'msgpack', compression: 'lz4' }],
  ]) {
    const sink = memorySink();
    await convert(tar, sink, { to: 'tbl', ...how });
    all.push([name, sink.bytes()]);
  }
  for (const [name, bytes] of all) writeFileSync(join(folder, name), bytes);
  return all.map(([name]) => join(folder, name));
}

/** A folder in memory. */
function shelf() {
  const files = new Map();
  return { files, put: async (path, bytes) => void files.set(path, Buffer.from(bytes)) };
}

/** The files of a folder. */
function listed(path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((file) => [file.slice(path.length + 1), readFileSync(file)]));
}

const sorted = (files) => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

test('what is exported has the bytes of the command, in every format', async () => {
  let at = 0;
  for (const path of await datasets(marked)) {
    const dataset = await openSamples(path);
    for (const format of [...FILES, ...FOLDERS]) {
      const single = FILES.includes(format);
      const [sink, into] = [memorySink(), shelf()];
      const heard = [];
      const report = await exportLabels(dataset, format, single ? sink : into, { onProgress: (p) => heard.push(p) });
      const what = `${path} as ${format}`;
      assert.deepEqual([report.pictures, report.annotations, report.unlabelled], [30, 39, 3], what);
      assert.equal(
        report.bytes,
        single ? sink.bytes().length : [...into.files.values()].reduce((n, b) => n + b.length, 0),
      );
      assert.deepEqual([heard.at(-1).samples, heard.at(-1).totalSamples], [30, 30], what);
      if (!native()) continue;
      const out = join(folder, `out${at++}`);
      const told = runNative('labels', 'convert', path, out, '--to', format, '--json');
      assert.equal(told.code, 0, told.err);
      const said = JSON.parse(told.out);
      assert.deepEqual(Object.fromEntries(report.losses.map(({ cause, count }) => [cause, count])), said.losses, what);
      assert.equal(report.files, said.files, what);
      if (single) assert.ok(readFileSync(out).equals(sink.bytes()), what);
      else assert.deepEqual(sorted(into.files), sorted(listed(out)), what);
    }
    dataset.close();
  }
});

test('it is what reading the labels and writing them gave, as files and as archives', async () => {
  const sized = (i) => marked(i) && { ...marked(i), annotations_size: [16 + i, 24] };
  const [, path] = await datasets(sized);
  const dataset = await openSamples(path);
  const labels = await labelsOf(dataset);
  for (const format of [...FILES, ...FOLDERS]) {
    const [before, now] = [memorySink(), memorySink()];
    const { losses } = await writeLabels(labels, format, before);
    const report = await exportLabels(dataset, format, now);
    assert.ok(Buffer.from(before.bytes()).equals(now.bytes()), format);
    assert.deepEqual([report.files, report.losses], [1, losses], format);
  }
  // A format of one file in a folder is a file there.
  const into = shelf();
  await exportLabels(dataset, 'cvat', into);
  assert.deepEqual([...into.files.keys()], ['annotations.xml']);
  // Of some samples, in their order.
  const chosen = { where: 'index < 20', indexes: [25, 3, 7, 2] };
  const [before, now] = [memorySink(), memorySink()];
  await writeLabels(await labelsOf(dataset, chosen), 'coco', before);
  const report = await exportLabels(dataset, 'coco', now, chosen);
  assert.equal(report.pictures, 3);
  assert.ok(Buffer.from(before.bytes()).equals(now.bytes()));
  dataset.close();
});

test('a journal stands for the file that saving it would make', async () => {
  for (const path of (await datasets(marked)).slice(0, 3)) {
    const dataset = await openSamples(path);
    const edits = await dataset.edit();
    await edits.set(1, { boxes: [corners(2, { class: 'new' })] });
    await edits.set(8, { boxes: [] });
    await edits.remove(0);
    await edits.rename(4, 'train/four.bmp');
    await edits.add(bitmap(77, 5, 3), { name: 'new.bmp', boxes: [corners(3, { class: 'added' })] });
    await edits.add(bitmap(7, 9, 3), { name: 'seen.bmp' });
    await edits.move(30, 2);
    const [whole, saved] = [memorySink(), memorySink()];
    await edits.save(whole);
    const other = await openSamples(new Blob([whole.bytes()]), { name: 'saved.tbl' });
    for (const format of ['coco', 'cvat', 'yolo', 'voc', 'labelstudio']) {
      const over = memorySink();
      const report = await exportLabels(edits, format, over);
      const again = memorySink();
      await exportLabels(other, format, again);
      assert.equal(report.pictures, 31);
      assert.ok(Buffer.from(over.bytes()).equals(again.bytes()), `${path} as ${format}`);
    }
    assert.equal(await codeOf(exportLabels(edits, 'coco', saved, { where: 'index < 3' })), 'usage.argument');
    edits.close();
    other.close();
    dataset.close();
  }
});

test('what other programs left in metadata is read as the option says, and refused without it', async () => {
  const [tar, path] = await datasets((i) => ({ boxes: [[1, 2, 3 + i, 4]], labels: ['a'] }), 5);
  for (const file of [tar, path]) {
    const dataset = await openSamples(file);
    const e = await exportLabels(dataset, 'coco', memorySink()).catch((e) => e);
    assert.deepEqual([e.code, e.options], ['label.ambiguous', ['boxes']]);
    for (const boxes of ['json.boxes:xywh', ':cxcywhn']) {
      const sink = memorySink();
      await exportLabels(dataset, 'coco', sink, { boxes });
      const out = join(folder, 'boxes.json');
      if (native()) {
        assert.equal(runNative('labels', 'convert', file, out, '--to', 'coco', '--boxes', boxes, '--force').code, 0);
        assert.ok(readFileSync(out).equals(sink.bytes()), boxes);
      }
    }
    dataset.close();
  }
});

test('what cannot be exported is refused, and the sink hears of it', async () => {
  const [tar] = await datasets(() => ({ note: 1 }), 4);
  const dataset = await openSamples(tar);
  const aborted = [];
  const sink = { write: async () => {}, abort: async (e) => void aborted.push(e.code ?? e.name) };
  assert.equal(await codeOf(exportLabels(dataset, 'coco', sink)), 'label.format');
  assert.equal(await codeOf(exportLabels(dataset, 'yolo', { put: async () => {}, abort: sink.abort })), 'label.format');
  assert.deepEqual(aborted, ['label.format', 'label.format']);
  for (const wrong of [
    () => exportLabels(dataset, 'kitti', sink),
    () => exportLabels(dataset, 'coco', null),
    () => exportLabels(null, 'coco', sink),
    () => exportLabels(dataset, 'coco', sink, { boxs: 'x' }),
    () => exportLabels(dataset, 'coco', sink, { names: 'first' }),
  ])
    assert.equal(await codeOf(wrong()), 'usage.argument', String(wrong));
  assert.equal(await codeOf(exportLabels(dataset, 'coco', sink, { indexes: [4] })), 'usage.out_of_range');
  const given = AbortSignal.abort(new Error('no more'));
  await assert.rejects(exportLabels(dataset, 'coco', sink, { signal: given }), /no more/);
  dataset.close();
  assert.equal(await codeOf(exportLabels(dataset, 'coco', sink)), 'dataset.closed');
});

test('sizes that the headers of a TAR do not say are read from its images', async () => {
  const [tar] = await datasets(marked, 20);
  const open = () => openSamples(tar);
  const pictures = 18;
  for (const format of FOLDERS) {
    const dataset = await open();
    const put = [];
    await writeLabels(await labelsOf(dataset), format, { put: async (path) => put.push(path) });
    assert.ok(put.length >= pictures, `${format}: ${put.length}`);
    dataset.close();
  }
  const few = await open();
  const { pictures: some } = await labelsOf(few, { indexes: [1, 5] });
  assert.deepEqual(
    some.map(({ width, height }) => [width, height]),
    [1, 5].map((i) => [16 + i, 24]),
  );
  assert.equal(few.info(7).width, 0, 'the others are not looked at');
  const [{ box, label }] = await few.boxes(9);
  assert.deepEqual(
    [box.map((share) => share.toFixed(4)), label],
    [[2 / 25, 1.5 / 24, 11.25 / 25, 0.5].map((share) => share.toFixed(4)), 'boat'],
  );
  few.close();
  const several = await openSamples([tar, tar]);
  const put = [];
  await exportLabels(several, 'yolo', { put: async (path) => put.push(path) });
  assert.ok(put.length > 2 * pictures);
  several.close();
});

test('several files, and what the module does not read, are exported as before', async () => {
  const sized = (i) => ({
    annotations_format: 'forebay.1',
    annotations_size: [16 + i, 24],
    annotations: annotationsOf(i),
  });
  const [, path] = await datasets(sized, 6);
  const one = await openSamples(path);
  const [left, right] = [one, await openSamples([path])];
  const [before, now] = [memorySink(), memorySink()];
  await exportLabels(left, 'coco', before);
  const report = await exportLabels(right, 'coco', now);
  assert.deepEqual([report.pictures, report.annotations, report.unlabelled], [6, 7, 0]);
  assert.ok(Buffer.from(before.bytes()).equals(now.bytes()));
  right.close();
  left.close();
});
