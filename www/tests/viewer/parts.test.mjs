// The viewer's arithmetic, without a browser.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { ROOT } from '../browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-parts-'));
const parts = {};
before(async () => {
  const names = [
    'ui/scroller',
    'samples/walk',
    'shell/link',
    'ui/facets',
    'ui/literals',
    'ui/fields',
    'ui/wording',
    'samples/thumbs',
    'ui/complete',
    'ui/throttle',
    'files/blob-sink',
    'ui/visible',
    'tables/cells',
    'files/output-name',
    'files/targets',
    'files/unpack',
    'shell/failures',
    'dialogs/write-help',
  ];
  const files = ['lib/src/base/boxes', 'lib/src/base/masks', ...names.map((name) => `viewer/src/${name}`)];
  await build({
    entryPoints: files.map((file) => join(ROOT, `www/${file}.ts`)),
    bundle: true,
    format: 'esm',
    outbase: join(ROOT, 'www'),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  for (const file of files) Object.assign(parts, await import(join(folder, `${file}.mjs`)));
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

const findBoxes = (...asked) => parts.findAnnotations(...asked).boxes;

test('boxes are found in the shapes of COCO, YOLO, Pascal and plain lists', () => {
  const boxes = (record) => findBoxes(record, 200, 100).map(({ x, y, w, h, label }) => [x, y, w, h, label]);
  assert.deepEqual(boxes({ json: { boxes: [{ label: 'cat', bbox: [1, 2, 3, 4] }] } }), [[1, 2, 3, 4, 'cat']]);
  assert.deepEqual(boxes({ boxes: [[1, 2, 3, 4]], labels: ['dog'] }), [[1, 2, 3, 4, 'dog']]);
  assert.deepEqual(
    boxes({ json: { annotations: [{ bbox: [1, 2, 3, 4], category_id: 7 }], categories: [{ id: 7, name: 'pier' }] } }),
    [[1, 2, 3, 4, 'pier']],
  );
  assert.deepEqual(boxes({ txt: '3 0.5 0.5 0.1 0.2\n' }), [[90, 40, 20, 20, '3']]);
  assert.deepEqual(boxes({ txt: 'a photo of 3 cats' }), []);
  assert.deepEqual(boxes({ objects: [{ name: 'x', bndbox: { xmin: '10', ymin: 20, xmax: 30, ymax: 50 } }] }), [
    [10, 20, 20, 30, 'x'],
  ]);
  assert.deepEqual(boxes({ json: { label: 'boat', bbox: [1, 2, 3, 4] } }), [[1, 2, 3, 4, 'boat']]);
  for (const odd of [
    null,
    3,
    'x',
    [],
    { boxes: 3 },
    { boxes: [null, 'x', [1, 2], [1, 2, -3, 4], { bbox: [1, 2, 'x', 4] }] },
    { txt: '1 2 3 4 5' },
  ]) {
    assert.deepEqual(boxes(odd), [], JSON.stringify(odd));
  }
});

test('boxes are found by the rule of the core, and what could mean several things is asked until somebody says it', () => {
  // The core's test of the same name as the fixture reads these records as well; without a document there is no XML here.
  const all = JSON.parse(readFileSync(join(ROOT, 'tests/fixtures/boxes.json'), 'utf8'));
  for (const { record, said, scores, task, voc_base, boxes, broken = 0 } of all.filter(({ record }) => !record?.xml)) {
    const told = JSON.stringify(record);
    const meaning = { boxes: said, scores, task, vocBase: voc_base };
    const isAsked = Boolean(said || scores || task || voc_base !== undefined);
    assert.equal(parts.isGuess(parts.findAnnotations(record, 200, 100)), isAsked, told);
    const found = parts.findAnnotations(record, 200, 100, meaning);
    assert.equal(parts.isGuess(found), false, told);
    const corners = found.boxes.map(({ x, y, w, h, label }) => [x, y, x + w, y + h, label]);
    assert.equal(corners.length, boxes.length, told);
    corners.forEach((sides, k) => {
      assert.equal(sides[4], boxes[k][4], told);
      for (let side = 0; side < 4; side++) assert.ok(Math.abs(sides[side] - boxes[k][side]) < 1e-9, told);
    });
    assert.equal(found.broken, broken, told);
  }
});

test('four numbers are drawn as people say that they are, and a list of none says that somebody has looked', () => {
  const corners = (record, meaning) =>
    parts.findAnnotations(record, 200, 100, meaning).boxes.map(({ x, y, w, h }) => [x, y, x + w, y + h]);
  const list = { json: { boxes: [{ label: 'cat', bbox: [10, 20, 30, 40] }] } };
  for (const [layout, box] of [
    ['xywh', [10, 20, 40, 60]],
    ['xyxy', [10, 20, 30, 40]],
    ['cxcywh', [-5, 0, 25, 40]],
  ]) {
    assert.deepEqual(corners(list, { boxes: `:${layout}` }), [box], layout);
    assert.deepEqual(corners(list, { boxes: `json.boxes:${layout}` }), [box], layout);
  }
  const shares = { boxes: [[0.25, 0.25, 0.5, 0.5]] };
  assert.deepEqual(corners(shares, { boxes: ':xyxyn' }), [[50, 25, 100, 50]]);
  assert.deepEqual(corners(shares, { boxes: ':xywhn' }), [[50, 25, 150, 75]]);
  assert.deepEqual(corners(shares, { boxes: ':cxcywhn' }), [[0, 0, 100, 50]]);
  assert.deepEqual(corners(shares, { boxes: ':xyxy' }), [[0.25, 0.25, 0.5, 0.5]]);
  // Named corners need an answer if all of them are from 0 to 1, and an answer about corners says nothing of x and y.
  const named = { objects: [{ xmin: 0.25, ymin: 0, xmax: 0.5, ymax: 1 }] };
  assert.deepEqual(corners(named, { boxes: ':xyxyn' }), [[50, 0, 100, 100]]);
  const sides = { objects: [{ x: 10, y: 20, width: 4, height: 6 }] };
  assert.deepEqual(corners(sides, { boxes: ':cxcywh' }), [[8, 17, 12, 23]]);
  assert.equal(parts.isGuess(parts.findAnnotations(sides, 200, 100, { boxes: ':xyxy' })), true);
  const voc = { object: { name: 'cat', bndbox: { xmin: 2, ymin: 3, xmax: 4, ymax: 6 } } };
  assert.deepEqual(corners(voc, { vocBase: 1 }), [[1, 2, 4, 6]]);
  const two = { boxes: [[1, 2, 3, 4]], json: { objects: [[5, 6, 7, 8]] } };
  const { questions } = parts.findAnnotations(two, 200, 100, { boxes: ':xywh' });
  assert.deepEqual(questions.find(({ about }) => about === 'field').fields, ['boxes', 'json.objects']);
  assert.deepEqual(corners(two, { boxes: 'json.objects:xyxy' }), [[5, 6, 7, 8]]);
  const looked = (record) => parts.findAnnotations(record, 200, 100).looked;
  assert.equal(looked({ json: { boxes: [] } }), true);
  assert.equal(looked({ annotations_format: 'forebay.1', annotations: [] }), true);
  assert.equal(looked({ json: { label: 'boat' } }), false);
});

test('the package takes for boxes of other programs what the core does', () => {
  const all = JSON.parse(readFileSync(join(ROOT, 'tests/fixtures/boxes.json'), 'utf8'));
  // It is asked of records that do not say themselves what their annotations are.
  for (const { record, boxes, broken = 0 } of all.filter(({ record }) => !record?.json?.annotations_format))
    assert.equal(parts.foreignBoxes(record) !== null, boxes.length + broken > 0, JSON.stringify(record));
});

test('run lengths without a box are drawn under every name that they have', () => {
  const rle = { size: [10, 10], counts: [32, 4, 6, 4, 6, 4, 6, 4, 34] };
  for (const name of ['segmentation', 'rle', 'mask']) {
    const [box] = findBoxes({ annotations: [{ label: 'cat', [name]: rle }] }, 200, 100);
    assert.deepEqual([box?.x, box?.y, box?.w, box?.h, box?.label], [3, 2, 4, 4, 'cat'], name);
  }
  assert.deepEqual(findBoxes({ annotations: [{ label: 'cat', mask: 'cat.png' }] }, 200, 100), []);
});

test('boxes that reach over the edge are drawn, and what cannot be drawn is counted', () => {
  const told = (record) => {
    const { boxes, broken, outside } = parts.findAnnotations(record, 200, 100);
    return [boxes.length, broken, outside];
  };
  const boxes = [
    [-50, -40, 120, 100],
    [150, 60, 200, 200],
    [300, 300, 50, 50],
    [50, 50, -20, -30],
    [10, 10, 0, 0],
    [1e308, 1, 1e308, 5],
    ['x', 1, 2, 3],
    [1, null, 2, 3],
  ];
  assert.deepEqual(told({ annotations: boxes.map((bbox) => ({ bbox })) }), [3, 5, 1]);
  assert.deepEqual(told({ annotations: [{ segmentation: { size: [4, 4], counts: [1, 2] } }, { id: 3 }] }), [0, 1, 0]);
  assert.deepEqual(told({ txt: '0 0.5 0.5 0.2 0.2\n1 0.98 0.5 1.0000001 0.3\n2 -0.01 0.2 0.1 0.1\n' }), [3, 0, 0]);
  assert.deepEqual(
    told({ txt: '0 nan 0.5 0.2 0.2\n1 0.5 0.5 0.3 0.3\n2 0.5 0.5 -0.1 0.2\n3 120 40 20 20' }),
    [1, 3, 0],
  );
  for (const txt of [
    '2024 1 1 12 30',
    '3 cats and 4 dogs',
    '',
    '5',
    '0 120 40 20 20',
    '0 0.5 0.5 0.2 0.2\na photo of 3 cats',
  ])
    assert.deepEqual(told({ txt }), [0, 0, 0], txt);
});

test('records of many samples are asked for together, and one that is damaged ends nothing', async () => {
  const asked = { together: 0, alone: 0 };
  const damage = (code) => Object.assign(new Error('damaged'), { code });
  const datasetOf = (bad, code) => ({
    length: 10_000,
    async *records({ indexes }) {
      asked.together++;
      for (let k = 0; k < indexes.length; k += 250) {
        const some = indexes.subarray(k, k + 250);
        if (some.includes(bad)) throw damage(code);
        yield { indexes: some, records: Array.from(some, (i) => ({ i })) };
      }
    },
    record: async (i) => {
      asked.alone++;
      if (i === bad) throw damage(code);
      return { i };
    },
  });
  const { signal } = new AbortController();
  const walked = async (dataset, samples) => {
    const found = new Map();
    await parts.walkRecords(dataset, (i, record) => found.set(i, record), { signal, samples });
    return found;
  };
  const all = await walked(datasetOf(-1));
  assert.deepEqual([all.size, asked.together, asked.alone], [10_000, 3, 0]);
  const some = await walked(datasetOf(7, 'tbl.metadata'), Uint32Array.of(9, 7, 3));
  assert.deepEqual([...some.entries()].sort(), [
    [3, { i: 3 }],
    [7, null],
    [9, { i: 9 }],
  ]);
  const rest = await walked(datasetOf(5000, 'tbl.metadata'));
  assert.deepEqual([rest.size, rest.get(5000), rest.get(9999)], [10_000, null, { i: 9999 }]);
  await assert.rejects(walked(datasetOf(5000, 'http.status')), { code: 'http.status' });
});

test('links come back as they were, and nonsense is left out', () => {
  const link = { file: 'data/ü &#?.tbl', i: 17, q: 'width >= 224 && name ~ "*.jpg"', view: 'table' };
  assert.deepEqual(parts.parseLink(parts.formatLink(link)), link);
  assert.deepEqual(parts.parseLink('#i=-3&view=x&q='), {});
  assert.equal(parts.fileUrl('javascript:alert(1)', 'http://x/'), null);
  assert.equal(parts.fileUrl('data/a.tbl', 'http://x/y/').href, 'http://x/y/data/a.tbl');
});

test('facets count every sample once, and a range of buckets becomes a filter', async () => {
  const columns = {
    width: Uint32Array.of(100, 300, 0),
    height: Uint32Array.of(100, 150, 0),
    bytes: Float64Array.of(10, 1000, 5),
    storedBytes: Float64Array.of(1, 1, 1),
    offset: new Float64Array(3),
    format: Uint8Array.of(1, 1, 2),
    codec: Uint8Array.of(0, 0, 0),
  };
  const facets = await parts.countFacets(columns, Uint32Array.of(1), new AbortController().signal);
  assert.deepEqual(facets.formats, [
    { format: 'jpeg', all: 2, kept: 1 },
    { format: 'png', all: 1, kept: 0 },
  ]);
  for (const h of facets.histograms) {
    assert.equal(h.all.reduce((a, b) => a + b) + h.unknown, 3, h.measure);
    assert.equal(
      h.kept.reduce((a, b) => a + b),
      1,
      h.measure,
    );
  }
  assert.equal(facets.unsized, 1);
  const width = facets.histograms.find((h) => h.measure === 'width');
  assert.equal(parts.rangeExpression(width, 0, 0), 'width >= 96 && width < 128');
  assert.equal(parts.quote('a"b\\\n'), '"a\\"b\\\\\\n"');
});

test('fields of metadata are named as filters name them', () => {
  const names = parts.fieldsOf({ cls: 1, json: { label: 'x', 'my key': 2, boxes: [] } }).map((f) => f.name);
  assert.deepEqual(names, ['cls', 'json.label', 'json.`my key`', 'json.boxes']);
});

test('trouble says where it is, in the words of the page', () => {
  const of = (e) => parts.trouble(e).message;
  assert.equal(
    of({ message: 'a missing value', code: 'table.target', column: 'name', row: 1200 }),
    'Column "name", row 1,200: a missing value',
  );
  assert.equal(
    of({ message: 'the payload differs', code: 'tbl.payload_crc', sample: 3 }),
    'Sample 3: the payload differs',
  );
  assert.equal(of({ message: 'there is no column "a"', code: 'table.column', column: 'a' }), 'There is no column "a"');
  assert.equal(of({ message: 'it is cut', code: 'tar.truncated', member: 'a/b.jpg' }), 'a/b.jpg: it is cut');
  assert.equal(of(new Error('no')), 'No');
});

test('what is not seen and turns text around is shown by its number', () => {
  assert.equal(parts.visible('photo\u202egpj.exe'), 'photo\\u{202e}gpj.exe');
  assert.equal(parts.visible('\u001b[2J\u0007\u009b\u2067\u200f'), '\\u{1b}[2J\\u{7}\\u{9b}\\u{2067}\\u{200f}');
  for (const plain of ['日本 é שלום مرحبا', '👩\u200d🚀', 'two\nlines\tand a tab', 'a\\b'])
    assert.equal(parts.visible(plain), plain);
  assert.equal(parts.cellText('a\u202eb', 'string'), 'a\\u{202e}b');
  assert.equal(parts.cellText(['a\u202eb'], 'vector<string>'), '[a\\u{202e}b]');
  const told = parts.trouble({ message: 'it is cut', code: 'tar.truncated', member: 'a\u202eb' });
  assert.equal(told.message, 'a\\u{202e}b: it is cut');
});

test('fields that nobody has are told from those that are known, and from texts', () => {
  const known = ['width', 'name', 'json.label', 'json.boxes', 'json.`my key`'];
  assert.deepEqual(
    parts.unknownFields(
      'width > 1e5 && json.label == "no such.field" and json.boxes[0].label in [nosuch, true]',
      known,
    ),
    ['nosuch'],
  );
  assert.deepEqual(parts.unknownFields('json.`my key` == 1 || json.lable == "x" || not (lable == \'y\')', known), [
    'json.lable',
    'lable',
  ]);
  assert.deepEqual(parts.unknownFields('json != null', known), []);
  const boxes = 'any(box, box.label == "boat" && box.attributes.color != null) or count( box ) > nosuch';
  assert.deepEqual(parts.unknownFields(boxes, known), ['nosuch']);
  assert.deepEqual(parts.unknownFields('nosuch == 1', []), []);
});

test('a filter is held back while a word of it is likely being written, and not once it is whole', () => {
  const known = ['index', 'width', 'height', 'json.label', 'json.tags', 'json.ok', 'json.`my key`'];
  const held = (text) => parts.isUnfinished(text, known);
  const whole = 'json.label == "boat" && width >= height';
  assert.equal(held('count(box, box.score < 0.5) == 0 && any(box, box.crowd)'), false);
  assert.equal(held('any(box, box.cr'), true);
  for (const text of [
    'j',
    'json',
    'json.',
    'json.la',
    'json.label',
    'json.label ',
    'width >= 3 && j',
    'width >= 3 and',
    'json.`my k',
    'json.`my key`',
    'json.labe == "boat"',
    'width == hei',
    '"cat" in json.ta',
    '!json.o',
    'not',
  ]) {
    assert.equal(held(text), true, text);
  }
  for (const text of [
    '',
    ' ',
    'width >',
    'width >= ',
    'width >= 2',
    'width >= 224',
    whole,
    'json.ok == true',
    'json.label == null',
    'json.label != "j',
    'json.label == "no such.field"',
    '"cat" in json.tags',
    'width in [1, 2]',
    'not (json.ok == false)',
  ]) {
    assert.equal(held(text), false, text);
  }
  // While the fields are not known yet only the end says something.
  assert.equal(parts.isUnfinished('nosuch == 1', []), false);
});

test('what is made of a file has never its name, on no disk', () => {
  const name = (source, made) =>
    parts.outputName(source, { to: 'tbl', otherwise: 'dataset', selection: false, apart: 'lz4', ...made });
  assert.equal(name('train.tar'), 'train.tbl');
  assert.equal(name('train.tbl'), 'train-lz4.tbl');
  assert.equal(name('train.TBL'), 'train-lz4.tbl');
  assert.equal(name('data/train.tbl'), 'train-lz4.tbl');
  assert.equal(name('e\u0301t\u00e9.tbl'), 'e\u0301t\u00e9-lz4.tbl');
  assert.equal(name('train.tbl', { selection: true }), 'train-selection.tbl');
  assert.equal(name('people-selection.csv', { to: 'csv', selection: true }), 'people-selection-selection.csv');
  assert.equal(name(undefined), 'dataset.tbl');
  assert.equal(name('a:b*c\u0000?.tbl'), 'a_b_c__.tbl');
});

test('a name is free where neither a file nor a folder has it', async () => {
  const fail = (name) => Promise.reject(Object.assign(new Error(name), { name }));
  const folder = (taken) => ({
    name: 'x',
    getFileHandle: (name) => (taken[name] === 'file' ? Promise.resolve({}) : fail(taken[name] ?? 'NotFoundError')),
  });
  assert.equal(await parts.freeName(folder({}), 'a.b.tbl'), 'a.b.tbl');
  assert.equal(
    await parts.freeName(folder({ 'a.b.tbl': 'file', 'a.b (2).tbl': 'TypeMismatchError' }), 'a.b.tbl'),
    'a.b (3).tbl',
  );
  await assert.rejects(
    parts.freeName(folder({ 'a.tbl': 'NotAllowedError' }), 'a.tbl'),
    /cannot be written into the folder x: NotAllowedError/,
  );
});

test('a file that cannot be opened leads on', () => {
  const help = { convertText() {}, chooseSchema() {}, unpack() {} };
  const of = (message, code, name) => parts.failureOf({ message, code }, name, name, help);
  const packed = of('this is gzip, not a container of samples', 'format.not_samples', 'train.tar.gz');
  assert.deepEqual(
    packed.ways.map((way) => way.words),
    ['Unpack and open'],
  );
  assert.match(
    of('this is zstd, not a container of samples', 'format.not_samples', 'a.tar.zst').trouble.message,
    /zstd -d a\.tar\.zst$/,
  );
  assert.deepEqual(['a.tar.gz', 'a.TGZ', 'a.csv.gz', 'a'].map(parts.unpackedName), ['a.tar', 'a.tar', 'a.csv', 'a']);
});

test('masks are read from run lengths, as numbers and packed, and lies are refused', () => {
  // Three columns of two: the second column and the upper half of the third.
  const mask = parts.maskOf({ size: [2, 3], counts: [2, 3, 1] });
  assert.deepEqual(mask, { width: 3, height: 2, runs: [2, 3, 1] });
  assert.deepEqual(parts.extent(mask), [1, 0, 2, 2]);
  // A square of 4 at 3, 2 in a picture of 10 by 10, packed; and an empty one.
  const square = parts.maskOf({ size: [10, 10], counts: pack([32, 4, 6, 4, 6, 4, 6, 4, 34]) });
  assert.deepEqual(parts.extent(square), [3, 2, 4, 4]);
  assert.equal(parts.extent(parts.maskOf({ size: [10, 10], counts: [100] })), null);
  for (const lie of [
    null,
    3,
    'x',
    [],
    {},
    { size: [2, 3], counts: [7] },
    { size: [2, 3], counts: [-2, 8] },
    { size: [2, 3], counts: 'é' },
    { size: [1e6, 1e6], counts: [1e12] },
    { size: [2.5, 2], counts: [5] },
    { size: [2, 3], counts: 'o'.repeat(50) },
  ]) {
    assert.equal(parts.maskOf(lie), null, JSON.stringify(lie));
  }
  const [box] = findBoxes(
    { annotations: [{ category_id: 3, segmentation: { size: [10, 10], counts: [32, 4, 6, 4, 6, 4, 6, 4, 34] } }] },
    10,
    10,
  );
  assert.deepEqual([box.x, box.y, box.w, box.h, box.label, box.mask.width], [3, 2, 4, 4, '3', 10]);
});

/** COCO's packing, written from its description. */
function pack(runs) {
  let text = '';
  runs.forEach((run, i) => {
    let x = i > 2 ? run - runs[i - 2] : run;
    for (let more = true; more; ) {
      let c = x & 31;
      x >>= 5;
      more = c & 16 ? x !== -1 : x !== 0;
      if (more) c |= 32;
      text += String.fromCharCode(c + 48);
    }
  });
  return text;
}

test('outlines of YOLO and of COCO without boxes have the box around them', () => {
  const boxes = (record) =>
    findBoxes(record, 200, 100).map(({ x, y, w, h, label, outlines }) => [x, y, w, h, label, outlines.length]);
  assert.deepEqual(boxes({ txt: '1 0.1 0.1 0.5 0.1 0.5 0.6\n0 0.5 0.5 0.5 0.5' }), [
    [20, 10, 80, 50, '1', 1],
    [50, 25, 100, 50, '0', 0],
  ]);
  assert.deepEqual(boxes({ annotations: [{ label: 'a', segmentation: [[1, 2, 5, 2, 5, 9]] }] }), [
    [1, 2, 4, 7, 'a', 1],
  ]);
});

test('the filter box completes fields, operators and values, and nothing inside of other strings', () => {
  const fields = [
    { name: 'width', type: 'integer' },
    { name: 'format', type: 'string' },
    { name: 'json.label', type: 'string' },
    { name: 'cls', type: 'number' },
    { name: 'seen', type: 'boolean' },
    { name: 'either', type: 'mixed' },
  ];
  const values = new Map([
    ['cls', ['3', '10']],
    ['seen', ['true']],
    ['either', ['3', 'x']],
    ['format', ['jpeg', 'png']],
    ['json.label', ['boat', 'big "boat"', '7']],
  ]);
  const at = (text) => {
    const { start, choices } = parts.completions(text, text.length, fields, values);
    return choices.map((c) => text.slice(0, start) + c.text);
  };
  assert.deepEqual(at('wid'), ['width']);
  assert.deepEqual(at('width >= 3 && js'), ['width >= 3 && json.label']);
  assert.ok(at('width ').includes('width >='));
  assert.ok(!at('format ').includes('format >='));
  assert.deepEqual(at('format == '), ['format == "jpeg"', 'format == "png"']);
  assert.deepEqual(at('format == "p'), ['format == "png"']);
  assert.deepEqual(at('json.label != b'), ['json.label != "boat"', 'json.label != "big \\"boat\\""']);
  assert.deepEqual(at('json.label == "7'), ['json.label == "7"']);
  // A comparison with another kind than the field's own never holds, and is refused.
  assert.deepEqual(at('json.label == 7'), ['json.label == "7"']);
  assert.deepEqual(at('cls == '), ['cls == 3', 'cls == 10']);
  assert.deepEqual(at('cls == "1'), ['cls == 10']);
  assert.deepEqual(at('seen == t'), ['seen == true']);
  assert.deepEqual(at('either == '), ['either == 3', 'either == "x"']);
  assert.deepEqual(at('either == "'), ['either == "3"', 'either == "x"']);
  for (const text of ['', 'width >= 4', 'name ~ "wid', 'format == "jpeg"', 'nothing '])
    assert.deepEqual(at(text), [], text);
});

test('what is written into a Blob in any order reads as the file that it stands for', async () => {
  const sink = parts.blobSink();
  let file = Buffer.alloc(0);
  let seed = 7;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const text = async () => Buffer.from(await sink.blob().arrayBuffer());
  for (let k = 0; k < 300; k++) {
    const bytes = Buffer.alloc(1 + random(40), 1 + random(255));
    const at = random(3) === 0 ? random(file.length + 50) : file.length;
    file = Buffer.concat([file, Buffer.alloc(Math.max(0, at + bytes.length - file.length))]);
    bytes.copy(file, at);
    await sink.write(at, bytes);
    if (k % 20 === 19) {
      const to = random(2) === 0 ? random(file.length) : file.length + random(3_000_000 / 300);
      file = Buffer.concat([file.subarray(0, to), Buffer.alloc(Math.max(0, to - file.length))]);
      await sink.truncate(to);
      assert.ok((await text()).equals(file), `step ${k}`);
      assert.ok(Buffer.from(await sink.read(to >> 2, to >> 1)).equals(file.subarray(to >> 2, to >> 1)));
    }
  }
  await sink.abort();
  assert.equal(sink.blob().size, 0);
  await sink.truncate(2_500_000);
  assert.ok((await text()).equals(Buffer.alloc(2_500_000)));
});

test('what could not be written leads on, by what the browser says and not by what was read', () => {
  const { writeHelp } = parts;
  const error = (name, message, cause) => Object.assign(new Error(message, { cause }), { name });
  const full = error('ForebayError', 'the output cannot be written: there is no room');
  assert.match(writeHelp(full, 'download', true), /a folder does not need it/);
  assert.match(writeHelp(full, 'download', false), /free disk space/);
  assert.match(writeHelp(error('QuotaExceededError', ''), 'folder', true), /The disk is full/);
  // The browser's own words may stand behind ours.
  assert.match(writeHelp(error('Error', 'io', error('NotAllowedError', '')), 'folder', true), /choose it once more/);
  assert.match(writeHelp(error('NotFoundError', ''), 'download', true), /took back what this page kept/);
  assert.match(writeHelp(error('NotFoundError', ''), 'folder', true), /choose the folder again/);
  const read = error('ForebayError', 'the file cannot be read any more', error('NotFoundError', ''));
  assert.equal(writeHelp(read, 'download', true), '');
  assert.equal(writeHelp(error('Error', 'sample 3 is damaged'), 'folder', true), '');
  assert.equal(writeHelp(null, 'folder', true), '');
});

test('an image that goes out of sight and comes back before it was given up is decoded after all', async () => {
  const names = ['addEventListener', 'removeEventListener', 'requestAnimationFrame', 'createImageBitmap'];
  const before = names.map((name) => globalThis[name]);
  const open = new Set();
  const bitmap = () => {
    const one = { width: 1, height: 1, close: () => open.delete(one) };
    open.add(one);
    return one;
  };
  Object.assign(globalThis, {
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    requestAnimationFrame: (draw) => setTimeout(draw),
    createImageBitmap: async () => bitmap(),
  });
  const pause = (ms) => new Promise((go) => setTimeout(go, ms));
  let reads = 0;
  const thumbs = new parts.Thumbs(
    {
      format: 'tbl',
      info: () => ({ format: 'png', width: 1, height: 1, damaged: false }),
      // It takes a while to hear that nobody wants it any more.
      async blob(_, { signal }) {
        reads++;
        await pause(30);
        signal.throwIfAborted();
        return new Blob([new Uint8Array(8)]);
      },
    },
    () => undefined,
  );
  thumbs.want([0]);
  thumbs.want([]);
  thumbs.want([0]);
  thumbs.want([0]);
  await pause(150);
  assert.equal(thumbs.get(0)?.state, 'ready');
  assert.deepEqual([reads, open.size], [2, 1]);
  thumbs.close();
  assert.equal(open.size, 0);
  Object.assign(globalThis, Object.fromEntries(names.map((name, k) => [name, before[k]])));
});
