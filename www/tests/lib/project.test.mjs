// What tools for labeling ask of the package: class numbers of a project, boxes of other programs, filters of boxes, and a gallery.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  convert,
  exportLabels,
  labelStats,
  memorySink,
  open,
  readLabels,
  readProject,
  shutdown,
  writeLabels,
} from 'forebay';
import { bitmap, codeOf, filesOf } from './helpers.mjs';

after(() => shutdown());

/** A TBL of samples with these files `.json`. */
async function made(...records) {
  const sink = memorySink();
  const files = records.flatMap((record, i) => [
    [`${i}.bmp`, bitmap(100, 80, i)],
    [`${i}.json`, Buffer.from(JSON.stringify(record))],
  ]);
  await convert(filesOf(files), sink, { to: 'tbl' });
  return open(new Blob([sink.bytes()]));
}
const labeled = (...boxes) => ({ annotations_format: 'forebay.1', annotations: boxes });
const box = (name, xmin, xmax, more = {}) => ({ class: name, xmin, ymin: 2, xmax, ymax: 40, ...more });

test('a project is read from what lists classes, and gives labels its numbers', async () => {
  const project = await readProject(
    '{"forebay_project":1,"classes":["boat",{"name":"gull","id":18,"color":"#123456","key":2}]}',
  );
  assert.deepEqual(project.classes, [{ name: 'boat' }, { id: 18, name: 'gull', color: '#123456', key: 2 }]);
  const yaml = await readProject(new Blob(['names:\n  1: gull\n  0: boat\n']));
  assert.deepEqual(yaml, { forebay_project: 1, classes: [{ name: 'boat' }, { name: 'gull' }] });
  assert.equal(await codeOf(readProject('{"images":[]}')), 'label.format');
  const dataset = await made(labeled(box('gull', 1, 9)), labeled(box('boat', 1, 9)));
  const edits = await dataset.edit({
    store: { read: async () => null, write: async () => {}, remove: async () => {} },
  });
  const categories = async (of) => {
    const sink = memorySink();
    await exportLabels(of, 'coco', sink, { project });
    const { categories, annotations } = JSON.parse(new TextDecoder().decode(sink.bytes()));
    const names = new Map(categories.map(({ id, name }) => [id, name]));
    return [categories.map(({ name }) => name), annotations.map((one) => names.get(one.category_id))];
  };
  for (const of of [dataset, edits])
    assert.deepEqual(await categories(of), [
      ['boat', 'gull'],
      ['gull', 'boat'],
    ]);
  const labels = {
    classes: [{ name: 'gull' }],
    pictures: [{ name: 'a.png', width: 9, height: 9, annotations: [{ box: [1, 1, 2, 2], class: 0 }] }],
  };
  const put = {};
  await writeLabels(
    labels,
    'yolo',
    { put: async (name, bytes) => void (put[name] = new TextDecoder().decode(bytes)) },
    { project },
  );
  assert.match(put['labels/a.txt'], /^1 /);
  // What is read has them too, whatever the file lists.
  const coco = new Blob([
    JSON.stringify({
      images: [{ id: 1, file_name: 'a.png', width: 9, height: 9 }],
      annotations: [{ id: 1, image_id: 1, category_id: 5, bbox: [1, 1, 2, 2] }],
      categories: [{ id: 5, name: 'gull' }],
    }),
  ]);
  const read = await readLabels(coco, { project });
  assert.deepEqual(
    [read.classes.map(({ id, name }) => [id, name]), read.pictures[0].annotations[0].class],
    [
      [
        [undefined, 'boat'],
        [18, 'gull'],
      ],
      1,
    ],
  );
  assert.equal(await codeOf(labelStats(coco, { project })), 'usage.argument');
  const other = { ...project, classes: [{ name: 'boat' }] };
  assert.equal(await codeOf(readLabels(coco, { project: other })), 'label.class');
  assert.equal(await codeOf(exportLabels(dataset, 'coco', memorySink(), { project: other })), 'label.class');
  edits.close();
  dataset.close();
});

test('boxes of other programs are read as one says that they are', async () => {
  const dataset = await made({ boxes: [{ label: 'gull', bbox: [10, 20, 40, 60] }] }, { label: 'none' });
  assert.equal(await codeOf(dataset.boxes(0)), 'label.ambiguous');
  const corners = async (as) =>
    (await dataset.boxes(0, { as }))[0].box.map((share, k) => Math.round(share * [100, 80][k % 2]));
  assert.deepEqual(await corners('xyxy'), [10, 20, 40, 60]);
  assert.deepEqual(await corners('json.boxes:xywh'), [10, 20, 50, 80]);
  assert.equal((await dataset.boxes(0, { as: 'xyxy' }))[0].label, 'gull');
  assert.equal(await dataset.boxes(1, { as: 'xyxy' }), null);
  assert.equal(await codeOf(dataset.boxes(0, { as: 'sideways' })), 'usage.argument');
  dataset.close();
});

test('filters ask about boxes, also of an archive', async () => {
  const records = [
    labeled(box('boat', 1, 60), box('gull', 1, 9, { score: 0.25 })),
    labeled(box('boat', 1, 9)),
    { label: 'nobody looked' },
    labeled(),
  ];
  const dataset = await made(...records);
  const files = records.flatMap((record, i) => [
    [`${i}.bmp`, bitmap(100, 80, i)],
    [`${i}.json`, Buffer.from(JSON.stringify(record))],
  ]);
  const archive = await open(filesOf(files));
  for (const of of [dataset, archive]) {
    assert.deepEqual([...(await of.matches('any(box, box.label == "boat" && box.width > 40)'))], [0]);
    assert.deepEqual([...(await of.matches('count(box) == 0'))], [2, 3]);
    assert.deepEqual(
      [...(await of.matches('any(box, box.score < 0.5) or count(box, box.label == "boat") == 1'))],
      [0, 1],
    );
    assert.equal((await of.stats({ where: 'any(box)' })).samples, 2);
    assert.equal(await codeOf(of.matches('any(box, box.widht > 4)')), 'filter.field');
    of.close();
  }
});

test('a journal says what a gallery shows: the order, what is gone, and the bytes of what was added', async () => {
  const dataset = await made({ a: 1 }, { a: 2 }, { a: 3 });
  const files = new Map();
  const store = {
    read: async (name) => files.get(name) ?? null,
    async write(name, position, bytes) {
      const old = files.get(name) ?? new Uint8Array();
      files.set(name, new Uint8Array(Buffer.concat([old.subarray(0, position), bytes])));
    },
    remove: async (name) => void files.delete(name),
  };
  const edits = await dataset.edit({ store });
  assert.deepEqual(await edits.order(), [0, 1, 2]);
  const first = await edits.add(bitmap(5, 5, 1), { name: 'x.bmp' });
  const second = await edits.add(bitmap(6, 6, 2), { name: 'y.bmp' });
  await edits.remove(1);
  await edits.move(second, 0);
  assert.deepEqual(await edits.order(), [second, 0, 2, first]);
  assert.deepEqual(Buffer.from(await (await edits.blob(second)).arrayBuffer()), Buffer.from(bitmap(6, 6, 2)));
  assert.deepEqual(Buffer.from(await (await edits.blob(first)).arrayBuffer()), Buffer.from(bitmap(5, 5, 1)));
  assert.equal(await codeOf(edits.blob(0)), 'usage.argument');
  edits.close();
  dataset.close();
});
