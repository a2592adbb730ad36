// Labels through the package: every file of the corpus against its twin, written and read back, and what goes wrong.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import {
  detectLabels,
  labelStats,
  matchLabels,
  memorySink,
  readLabels,
  shutdown,
  writeLabels,
} from '../../lib/dist/index.js';
import { ROOT } from './helpers.mjs';

const CORPUS = join(ROOT, 'tests/corpus/labels');
const folder = mkdtempSync(join(tmpdir(), 'forebay-labels-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});

/** The twins' names of formats that are one file; the others are folders. */
const WORDS = {
  coco: 'coco',
  label_studio: 'labelstudio',
  label_studio_min: 'labelstudio',
  via: 'via',
  createml: 'createml',
  cvat: 'cvat',
  cvat_video: 'cvat',
};
const FOLDERS = { yolo: 'yolo', voc: 'voc', labelme_json: 'labelme', labelme_xml: 'voc', kitti: 'kitti', dota: 'dota' };

function twins(kind) {
  const all = readdirSync(join(CORPUS, kind)).filter((name) => name.endsWith('.json'));
  const read = (name) => ({ name: name.slice(0, -5), ...JSON.parse(readFileSync(join(CORPUS, kind, name), 'utf8')) });
  return all.map(read).map((twin) => ({ ...twin, root: join(CORPUS, kind, twin.name) }));
}

/** A file of a case: as it lies there, or by the recipe for long ones. */
function bytesOf({ root, recipe }, name) {
  if (recipe?.file !== name) return readFileSync(join(root, name));
  const lines = ['unit', 'unit2'].flatMap((unit) =>
    Array.from({ length: recipe.times ?? 0 }, (_, i) => (recipe[unit] ?? '').replaceAll('{i}', i)),
  );
  return Buffer.from((recipe.prefix ?? '') + lines.join('') + (recipe.suffix ?? ''));
}

/** The files of a case and the pictures that belong to it. */
function filesOf(twin) {
  const own = twin.recipe
    ? [twin.recipe.file]
    : readdirSync(twin.root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(twin.root.length + 1));
  const pictures = Object.entries(twin.materialise ?? {}).filter(([, truth]) => typeof truth === 'string');
  return [
    ...own.map((path) => ({ path, input: new Blob([bytesOf(twin, path)]) })),
    ...pictures.map(([path, truth]) => ({
      path,
      input: new Blob([readFileSync(join(CORPUS, 'truth/images', truth))]),
    })),
  ];
}

function optionsOf(twin) {
  const { voc_base: vocBase, task, exif, pick, image_key: imageKey } = twin.options ?? {};
  const given = Object.entries({ vocBase, task, exif, pick, imageKey }).filter(([, value]) => value !== undefined);
  const options = Object.fromEntries(given);
  if (twin.name.startsWith('labelstudio_') && twin.format === 'coco') options.names = 'last';
  if (twin.name === 'labelstudio_annotators_coco') options.pick = 'last';
  if (twin.name === 'handwritten_cvat_video_keyframes') options.between = 'listed';
  // What the twins say of YOLO is of the stored raster.
  if (twin.format === 'yolo') options.exif = 'ignore';
  if (twin.format === 'yolo' && twin.classes) options.classes = twin.classes;
  return options;
}

/** How a case is read; nothing for formats that are read elsewhere or not at all. */
function reading(twin) {
  const options = optionsOf(twin);
  const word = WORDS[twin.format];
  if (word) {
    const name = basename(twin.entry);
    return () => readLabels(new Blob([bytesOf(twin, twin.entry)]), { ...options, name, format: word });
  }
  const other = FOLDERS[twin.format];
  if (!other) return null;
  const files = filesOf(twin);
  const label = { voc: /\.xml$/i, labelme: /\.json$/i }[other];
  const own = label ? files.filter(({ path }) => label.test(path)) : files;
  if (label && own.length === 1)
    return () => readLabels(own[0].input, { ...options, name: own[0].path, format: other });
  return () => readLabels(label ? own : files, { ...options, format: other });
}

test('exports of real tools hold what their twins say', async () => {
  let seen = 0;
  for (const twin of twins('exports')) {
    const read = reading(twin);
    if (!read || twin.options?.expect === 'refuse') continue;
    const labels = await read().catch((e) => assert.fail(`${twin.name}: ${e.code} ${e.message}`));
    const said = twin.images.reduce((sum, { boxes }) => sum + boxes.length, 0);
    const got = labels.pictures.reduce((sum, { annotations }) => sum + annotations.length, 0);
    assert.deepEqual([labels.pictures.length, got], [twin.images.length, said], twin.name);
    seen++;
  }
  assert.ok(seen > 50, `${seen}`);
});

test('damaged files are refused with code, line and path, or read', async () => {
  // In another way than the twin suggests, which says that this is a choice; and what only who has pictures can see.
  const otherwise = ['yolo_value_1_2', 'coco_image_file_absent', 'ls_hash_like_name', 'ls_original_size_swapped'];
  let seen = 0;
  for (const twin of twins('damaged')) {
    const read = reading(twin);
    if (!read || otherwise.includes(twin.name)) continue;
    seen++;
    const e = await read().then(
      () => null,
      (e) => e,
    );
    if (twin.outcome !== 'refuse') {
      assert.equal(e, null, `${twin.name}: ${e?.code} ${e?.message}`);
      continue;
    }
    assert.match(e?.code ?? 'read', /^(label|limit)\./, `${twin.name}: ${twin.why}`);
    assert.equal(e.name, 'ForebayError');
    if (twin.where?.line) assert.equal(e.line, twin.where.line, `${twin.name}: ${e.message}`);
    if (twin.where?.path) assert.ok(e.path?.startsWith(twin.where.path), `${twin.name}: ${e.path}`);
  }
  assert.ok(seen > 130, `${seen}`);
});

const COCO = join(CORPUS, 'exports/handwritten_coco/annotations/instances.json');

test('what is written is read again, and losses are named', async () => {
  const labels = await readLabels(COCO);
  assert.equal(labels.format, 'coco');
  assert.deepEqual(labels.pictures[0].annotations[0], { shape: 'box', box: [10, 20, 60, 180], class: 0, id: 1 });
  const count = ({ pictures }) => pictures.reduce((sum, { annotations }) => sum + annotations.length, 0);
  for (const [format, annotations] of Object.entries({
    coco: 254,
    createml: 254,
    cvat: 254,
    labelstudio: 255,
    via: 255,
  })) {
    const sink = memorySink();
    const written = await writeLabels(labels, format, sink);
    assert.deepEqual([written.files, written.bytes], [1, sink.bytes().length]);
    const back = await readLabels(sink.blob(), { format, name: 'labels' });
    assert.deepEqual([back.pictures.length, count(back)], [25, annotations], format);
  }
  const again = memorySink();
  assert.deepEqual((await writeLabels(labels, 'coco', again)).losses, []);
  assert.deepEqual((await readLabels(again.blob(), { name: 'a.json' })).classes, labels.classes);
});

test('a format with a file for each image goes into a folder, or a TAR', async () => {
  const labels = {
    classes: [{ name: 'dog' }, { name: 'cat' }],
    pictures: [
      {
        name: 'a/x.jpg',
        id: 7,
        width: 100,
        height: 50,
        annotations: [{ box: [10, 10, 60, 35], class: 1, score: 0.5 }],
      },
      { name: 'y.jpg', width: 10, height: 10, annotations: [], id: 2n ** 60n },
    ],
  };
  const files = new Map();
  let closed = false;
  const put = async (path, bytes) => void files.set(path, Buffer.from(bytes).toString());
  const written = await writeLabels(labels, 'yolo', { put, close: async () => void (closed = true) });
  assert.deepEqual([written.files, closed], [files.size, true]);
  assert.equal([...files].find(([path]) => path.endsWith('a/x.txt'))[1], '1 0.35 0.45 0.5 0.5\n');
  assert.deepEqual(written.losses.map(({ cause }) => cause).includes('score'), true);
  const pictures = [
    { path: 'images/a/x.jpg', input: new Blob([readFileSync(join(CORPUS, 'truth/images/plain_int.jpg'))]) },
  ];
  const listed = [...files].map(([path, text]) => ({ path, input: new Blob([text]) }));
  const back = await readLabels([...listed, ...pictures]);
  assert.deepEqual(back.classes, [{ name: 'dog' }, { name: 'cat' }]);
  assert.equal(back.pictures[0].annotations[0].class, 1);
  const tar = memorySink();
  await writeLabels(labels, 'voc', tar);
  assert.equal(Buffer.from(tar.bytes().subarray(257, 262)).toString(), 'ustar');
  const coco = memorySink();
  await writeLabels(labels, 'coco', coco);
  assert.match(Buffer.from(coco.bytes()).toString(), /"id": ?1152921504606846976/);
  assert.equal((await readLabels(coco.blob(), { name: 'a.json' })).pictures[1].id, 2n ** 60n);
});

test('labels that cannot be are refused before anything is written', async () => {
  const refused = async (labels, format = 'coco') => {
    let reason;
    const sink = { write: async () => assert.fail('written'), abort: async (e) => void (reason = e) };
    const e = await writeLabels(labels, format, sink).catch((e) => e);
    assert.equal(reason, e);
    return `${e.code} ${e.path ?? ''}`.trim();
  };
  const box = { box: [1, 2, 3, 4] };
  const one = (annotation, name = 'a.jpg') => ({ classes: [], pictures: [{ name, annotations: [annotation] }] });
  assert.equal(await refused(one(box, '../a.jpg')), 'label.name pictures[0]');
  assert.equal(await refused(one({ ...box, class: 0 })), 'usage.argument pictures[0]');
  assert.equal(await refused(one({ ...box, clas: 0 })), 'usage.argument pictures[0]');
  assert.equal(await refused(one({ box: [1, 2, Number.NaN, 4] })), 'usage.argument pictures[0]');
  assert.equal(await refused(one({ ...box, shape: 'mask' })), 'usage.argument pictures[0]');
  assert.equal(await refused({ classes: [{ name: 'a' }, { name: 'a' }], pictures: [] }), 'label.repeated');
  const twice = { name: 'a.jpg', annotations: [] };
  assert.equal(await refused({ classes: [], pictures: [twice, twice] }), 'label.repeated pictures[1]');
  assert.equal(await refused(one(box), 'kitti'), 'usage.argument');
  await assert.rejects(readLabels(COCO, { vocbase: 1 }), /did you mean vocBase/);
  await assert.rejects(readLabels(COCO, { pick: 'any' }), { code: 'usage.argument' });
});

test('what a file cannot say is asked for', async () => {
  const file = join(CORPUS, 'exports/handwritten_ls_annotators/tasks.json');
  const e = await readLabels(file).catch((e) => e);
  assert.deepEqual([e.code, e.options, e.line > 0], ['label.ambiguous', ['pick'], true]);
  assert.equal((await readLabels(file, { pick: 'first' })).format, 'labelstudio');
  const turned = join(CORPUS, 'exports/handwritten_ls_exif/tasks.json');
  const pictures = join(CORPUS, 'truth/images');
  assert.deepEqual((await readLabels(turned, { pictures }).catch((e) => e)).options, ['exif']);
  const { notes } = await readLabels(turned, { pictures, exif: 'apply' });
  assert.equal(notes.counts.find(({ cause }) => cause === 'turned').count, 1);
  for (const [name, code] of [
    ['coco_image_file_absent/instances.json', 'label.picture'],
    ['ls_original_size_swapped/tasks.json', 'label.size'],
    ['ls_hash_like_name/tasks.json', 'label.picture'],
  ])
    await assert.rejects(readLabels(join(CORPUS, 'damaged', name), { pictures }), { code });
});

test('formats are detected', async () => {
  assert.equal(await detectLabels(COCO), 'coco');
  assert.equal(await detectLabels(join(CORPUS, 'exports/globox_yolo')), 'yolo');
  assert.equal(await detectLabels(new Blob(['hello'])), null);
  const both = [
    { path: 'a.json', input: new Blob(['{"images": []}']) },
    { path: 'a.xml', input: new Blob(['<annotation>']) },
  ];
  await assert.rejects(detectLabels(both), /coco, voc|voc, coco/);
  const e = await readLabels(both).catch((e) => e);
  assert.deepEqual([e.code, e.options], ['label.ambiguous', ['format']]);
});

test('a large COCO file comes in pieces, is counted without being held, and can be ended', async () => {
  const path = join(folder, 'large.json');
  const pictures = Array.from(
    { length: 2000 },
    (_, i) => `{"id":${i},"file_name":"${i}.jpg","width":640,"height":480}`,
  );
  const marked = Array.from(
    { length: 100_000 },
    (_, i) => `{"id":${i},"image_id":${i % 2000},"category_id":1,"bbox":[${i % 600},${i % 400},20.5,30.25]}`,
  );
  writeFileSync(
    path,
    `{"annotations":[${marked.join(',\n')}],"images":[${pictures.join(',')}],"categories":[{"id":1,"name":"a"}]}`,
  );
  const seen = [];
  const labels = await readLabels(path, { onProgress: ({ bytes, totalBytes }) => seen.push(bytes / totalBytes) });
  assert.equal(labels.pictures.length, 2000);
  assert.equal(labels.pictures[7].annotations.length, 50);
  assert.ok(seen.length > 5 && seen.every((share, k) => k === 0 || share >= seen[k - 1]), `${seen}`);
  const stats = await labelStats(path);
  assert.deepEqual(
    [stats.annotations, stats.most, stats.classes],
    [100_000, 50, [{ name: 'a', annotations: 100_000 }]],
  );
  const stop = new AbortController();
  const reason = new Error('enough');
  const onProgress = ({ bytes }) => bytes > 1 << 20 && stop.abort(reason);
  await assert.rejects(readLabels(path, { signal: stop.signal, onProgress }), reason);
});

test('samples and images are paired as by the command: by the whole name, the longest end, or the only one that ends so', async () => {
  const images = ['v1/1.jpg', 'a/2.jpg', '3', './b\\4.jpg', 'x/5.jpg', 'y/5.jpg'];
  const samples = ['set/v1/1.jpg', 'v2/1.jpg', '2.jpg', 'c/3.jpg', 'b/4.jpg', 'z/6.jpg'];
  assert.deepEqual([...(await matchLabels(samples, images))], [0, -1, 1, 2, 3, -1]);
  await assert.rejects(matchLabels(['5.jpg'], images), { code: 'label.ambiguous' });
  await assert.rejects(matchLabels(['v1/1.jpg', 'set/v1/1.jpg'], images), { code: 'label.ambiguous' });
});
