// Drawing without a browser: shapes, what a hand and keys do with them, and the mirror of the journal.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { ROOT } from '../browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-drawing-'));
const parts = {};
before(async () => {
  const names = ['shape', 'hit-index', 'sketch', 'history', 'classes', 'keeping', '../samples/drawn-labels'];
  await build({
    entryPoints: names.map((name) => join(ROOT, `www/viewer/src/drawing/${name}.ts`)),
    bundle: true,
    format: 'esm',
    outbase: join(ROOT, 'www/viewer/src'),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  for (const name of names) Object.assign(parts, await import(built(name)));
  // A bundle of its own, as the package is one beside the viewer.
  for (const name of ['exact', 'masks']) {
    const outfile = join(folder, `${name}.mjs`);
    await build({ entryPoints: [join(ROOT, `www/lib/src/base/${name}.ts`)], outfile, format: 'esm' });
    Object.assign(parts, await import(outfile));
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

const built = (name) => join(folder, `${join('drawing', name)}.mjs`);
const box = (left, top, right, bottom, label = 'boat') => parts.boxAt({ left, top, right, bottom }, label);
const cornersOf = ({ x, y, w, h }) => [x, y, x + w, y + h].map((v) => Math.round(v * 100) / 100);
const FREE = { shift: false, ctrl: false };

test('classes of labels that are kept come with their order and ids, before those that the dataset lists besides', () => {
  const labels = [
    { id: 9, name: 'whale' },
    { id: 1, name: 'boat', group: 'vessel', keypoints: ['bow'], skeleton: [] },
  ];
  const boat = { id: 1, name: 'boat', supercategory: 'vessel', keypoints: ['bow'] };
  assert.deepEqual(parts.classFields({}, labels), {
    classes: ['whale', 'boat'],
    categories: [{ id: 9, name: 'whale' }, boat],
  });
  const own = { categories: [{ id: 9, name: 'gull' }, { id: 4, name: 'pier', more: 1 }, { name: 'boat' }] };
  assert.deepEqual(parts.classFields(own, labels), {
    classes: ['whale', 'boat', 'gull', 'pier'],
    categories: [{ id: 9, name: 'whale' }, boat, { name: 'gull' }, { id: 4, name: 'pier', more: 1 }],
  });
  assert.deepEqual(parts.classFields({ classes: ['boat', 'gull'] }, labels).classes, ['whale', 'boat', 'gull']);
  for (const otherwise of [{ classes: 5 }, { classes: [1, 2] }, { categories: [{ id: 3 }] }])
    assert.equal(parts.classFields(otherwise, labels), null, JSON.stringify(otherwise));
  assert.equal(parts.classFields({}, []), null);
  // What is exported of labels that lie over a dataset has their numbers too.
  const drawn = new parts.DrawnLabels(labels);
  const [one] = drawn.of([{ x: 1, y: 2, w: 3, h: 4, label: 'boat', outlines: [], mask: null }]);
  assert.deepEqual([one.class, drawn.classes.map(({ id }) => id)], [1, [9, 1]]);
});

/** A sketch of 200 by 100 pixels with these shapes, and what it says of itself. */
function sketchOf(...shapes) {
  const heard = { done: [], said: [] };
  const sketch = new parts.Sketch({
    moving: () => undefined,
    changed: () => undefined,
    done: (all, nudge) => heard.done.push({ all, nudge }),
    say: (text) => heard.said.push(text),
    pointNames: (label) => (label === 'whale' ? ['nose', 'fin', 'tail'] : []),
  });
  sketch.label = 'boat';
  sketch.load(shapes, 200, 100);
  sketch.view = { left: 0, top: 0, right: 200, bottom: 100 };
  sketch.reach = 4;
  const drag = (from, to, held = FREE) => {
    sketch.down(from, held);
    sketch.move([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]);
    sketch.move(to);
    sketch.up(to);
  };
  const press = (...keys) => keys.map((key) => sketch.key(key, FREE));
  return { sketch, heard, drag, press };
}

test('what nobody changed is written as it was read, to the last digit', () => {
  const annotations = [
    {
      class: 'boat',
      xmin: 0.1,
      ymin: 0.2,
      xmax: 30.123456789,
      ymax: 40,
      score: 0.5,
      id: 7,
      attributes: { dark: 'yes' },
    },
    { xmin: 1, ymin: 1, xmax: 2, ymax: 2, segmentation: [[1, 1, 2, 1, 2, 2]] },
    { class: 'sea', xmin: 0, ymin: 0, xmax: 2, ymax: 1, segmentation: { size: [1, 2], counts: [0, 2] } },
    { class: 'mast', xmin: 0, ymin: 0, xmax: 9, ymax: 9, rotation: 30, unturned: [1, 1, 8, 8] },
    { class: 'bow', xmin: 0, ymin: 0, xmax: 9, ymax: 9, shape: 'points', keypoints: [1, 2, 2, 0, 0, 0] },
  ];
  const { shapes, lost } = parts.shapesOf(annotations);
  assert.equal(lost, 0);
  assert.deepEqual(
    shapes.map(({ kind }) => kind),
    ['box', 'polygon', 'mask', 'turned', 'points'],
  );
  assert.deepEqual(shapes.map(parts.annotationOf), annotations);
  // Another class changes the class alone.
  assert.deepEqual(parts.annotationOf(parts.relabeled(shapes[0], 'ship')), { ...annotations[0], class: 'ship' });
  // What is moved takes its points along, but for those that nobody has seen.
  const bow = parts.annotationOf(parts.moved(shapes[4], 5, 6));
  assert.deepEqual([bow.xmin, bow.ymin, bow.keypoints], [5, 6, [6, 8, 2, 0, 0, 0]]);
  assert.deepEqual(parts.annotationOf(parts.moved(shapes[3], 1, 2)).unturned, [2, 3, 9, 10]);
  assert.equal(parts.moved(shapes[2], 1, 1), shapes[2], 'a mask stays where it is');
});

test('annotations that are none are counted, and never written', () => {
  const good = { class: 'boat', xmin: 1, ymin: 1, xmax: 2, ymax: 2 };
  const bad = [
    null,
    7,
    { class: 'boat' },
    { ...good, xmax: Number.NaN },
    { ...good, xmax: '2' },
    { ...good, xmax: 0 },
    { ...good, class: '  ' },
    { ...good, class: 3 },
    { ...good, ymin: Number.POSITIVE_INFINITY },
    { ...good, segmentation: [[1, 2, 3]] },
    { ...good, segmentation: 'x' },
  ];
  const { shapes, lost } = parts.shapesOf([good, ...bad]);
  assert.deepEqual([shapes.length, lost], [1, bad.length]);
});

test('a thin box is moved from its inside, and resized from its sides and from outside', () => {
  const { sketch, drag } = sketchOf();
  sketch.add([box(50, 20, 54, 90)]);
  drag([52, 55], [72, 60]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [70, 25, 74, 95]);
  drag([70, 60], [60, 60]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [60, 25, 74, 95]);
  drag([76, 97], [80, 94]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [60, 25, 80, 94]);
});

test('a hand draws, moves, resizes and selects', () => {
  const { sketch, heard, drag } = sketchOf();
  drag([10, 10], [60, 50]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [10, 10, 60, 50]);
  assert.deepEqual([...sketch.selected], [0]);
  // From the inside of what is selected it is moved, no further than the picture reaches.
  drag([30, 30], [-500, 40]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [0, 20, 50, 60]);
  drag([50, 60], [120, 90]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [0, 20, 120, 90]);
  // By a side only that side moves, and over to the other side it is a box again.
  drag([120, 50], [150, 0]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [0, 20, 150, 90]);
  drag([150, 55], [400, 55]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [0, 20, 200, 90]);
  // Inside of what is not selected a new one is drawn.
  sketch.select([]);
  drag([20, 40], [40, 60]);
  assert.equal(sketch.shapes.length, 2);
  sketch.down([30, 50], FREE);
  sketch.up([30, 50]);
  assert.deepEqual([...sketch.selected], [1], 'a click takes the smallest');
  sketch.down([100, 50], { shift: true, ctrl: false });
  sketch.up([100, 50]);
  assert.deepEqual([...sketch.selected].sort(), [0, 1]);
  sketch.name('pier');
  assert.deepEqual(
    sketch.shapes.map(({ label }) => label),
    ['pier', 'pier'],
  );
  sketch.remove();
  assert.deepEqual(sketch.shapes, []);
  assert.equal(heard.done.length, 8);
  assert.ok(heard.done.every(({ nudge }) => nudge === null));
});

test('near the edge of the image a hand means the edge, and keys what they say', () => {
  const { sketch, drag } = sketchOf();
  drag([1, 2], [198, 60]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [0, 0, 200, 60]);
  drag([100, 60], [100, 99]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [0, 0, 200, 100]);
  sketch.remove();
  drag([50, 40], [90, 70]);
  drag([70, 55], [21, 83]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [0, 70, 40, 100]);
  sketch.key('ArrowRight', FREE);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [1, 70, 41, 100]);
});

test('a click draws nothing, and what is canceled was never there', () => {
  const { sketch, heard, drag } = sketchOf(box(10, 10, 60, 50));
  drag([100, 60], [101, 61]);
  sketch.down([100, 60], FREE);
  sketch.move([150, 90]);
  assert.ok(sketch.box);
  sketch.cancel();
  sketch.up([150, 90]);
  assert.equal(sketch.box, null);
  sketch.select([0]);
  sketch.down([30, 30], FREE);
  sketch.move([40, 40]);
  assert.deepEqual(cornersOf(sketch.shape(0)), [20, 20, 70, 60]);
  assert.equal(sketch.key('Escape', FREE), true);
  sketch.up([40, 40]);
  assert.deepEqual(cornersOf(sketch.shape(0)), [10, 10, 60, 50]);
  assert.equal(heard.done.length, 0);
});

test('outlines are drawn point by point, by hand and by keys, and their points can be pulled, added and taken away', () => {
  const { sketch, press, drag } = sketchOf();
  sketch.take('polygon');
  for (const point of [
    [10, 10],
    [50, 10],
    [50, 50],
    [11, 11],
  ])
    sketch.down(point, FREE);
  assert.deepEqual(sketch.shapes[0].outlines, [[10, 10, 50, 10, 50, 50]]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [10, 10, 50, 50]);
  sketch.take('box');
  sketch.select([0]);
  drag([50, 50], [70, 60]);
  assert.deepEqual(sketch.shapes[0].outlines, [[10, 10, 50, 10, 70, 60]]);
  drag([30, 10], [30, 5]);
  assert.deepEqual(sketch.shapes[0].outlines, [[10, 10, 30, 5, 50, 10, 70, 60]]);
  press('.', '.', 'Delete');
  assert.deepEqual(sketch.shapes[0].outlines, [[10, 10, 50, 10, 70, 60]]);
  // No outline has less than three points.
  press('.', 'Delete');
  assert.equal(sketch.shapes[0].outlines[0].length, 6);
  press('p', ' ', 'ArrowRight', ' ', 'ArrowDown', ' ', 'Backspace', ' ', 'Enter');
  assert.equal(sketch.shapes.length, 2);
  assert.deepEqual(sketch.shapes[1].outlines, [[100, 50, 106, 50, 106, 56]]);
});

const written = (shape) => parts.annotationOf(shape);
/** The same as a page that is opened later finds it. */
const readBack = (shape) => parts.shapesOf([JSON.parse(JSON.stringify(written(shape)))]).shapes[0];

test('a hole is a line of the selected outline: nothing is in it, and it goes with its last points', () => {
  const { sketch, press, heard } = sketchOf(parts.polygonOf([[10, 10, 90, 10, 90, 90, 10, 90]], 'ring'));
  press('h');
  assert.deepEqual([sketch.tool, heard.said.at(-1)], ['box', 'select an outline first: a hole is one of its lines']);
  sketch.select([0]);
  press('h');
  for (const point of [
    [30, 30],
    [60, 30],
    [60, 60],
    [31, 31],
  ])
    sketch.down(point, FREE);
  assert.equal(sketch.shapes.length, 1);
  const [shape] = sketch.shapes;
  assert.deepEqual([shape.label, shape.outlines[1]], ['ring', [30, 30, 60, 30, 60, 60]]);
  assert.deepEqual([parts.holds(shape, [20, 20]), parts.holds(shape, [55, 35])], [true, false]);
  assert.deepEqual(readBack(shape).outlines, shape.outlines);
  press('Escape', ',', 'Delete');
  assert.deepEqual(sketch.shapes[0].outlines.length, 1);
});

test('key points are set one by one, hidden or left out, pulled, and end with the last one of the class', () => {
  const { sketch, press, heard, drag } = sketchOf();
  sketch.label = 'whale';
  press('y');
  sketch.down([20, 30], FREE);
  assert.equal(heard.said.at(-1), 'next: fin, point 2 of 3');
  press('o');
  sketch.down([80, 50], { shift: true, ctrl: false });
  const [whale] = sketch.shapes;
  assert.deepEqual([whale.kind, whale.keypoints], ['points', [20, 30, 2, 0, 0, 0, 80, 50, 1]]);
  assert.deepEqual(written(whale), {
    ...{ class: 'whale', xmin: 20, ymin: 30, xmax: 80, ymax: 50 },
    ...{ keypoints: [20, 30, 2, 0, 0, 0, 80, 50, 1], shape: 'points' },
  });
  assert.deepEqual(readBack(whale).keypoints, whale.keypoints);
  press('Escape', '.', '.', 'o', 'ArrowRight');
  assert.deepEqual(sketch.shapes[0].keypoints.slice(6), [81, 50, 2]);
  drag([20, 30], [10, 20]);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [10, 20, 81, 50]);
  // The last one that is marked stays; those that the class has besides are not marked.
  press('.', 'Delete', '.', 'Delete');
  assert.deepEqual(sketch.shapes[0].keypoints, [0, 0, 0, 0, 0, 0, 81, 50, 2]);
  press('y', ' ', 'Enter');
  assert.deepEqual(sketch.shapes[1].keypoints, [100, 50, 2, 0, 0, 0, 0, 0, 0]);
  press('Escape');
  // Key points of a box are pulled, and the box stays.
  const [box] = parts.shapesOf([{ xmin: 10, ymin: 10, xmax: 50, ymax: 40, keypoints: [30, 20, 2] }]).shapes;
  sketch.load([box], 200, 100);
  sketch.select([0]);
  drag([30, 20], [40, 25]);
  assert.deepEqual(
    [cornersOf(sketch.shapes[0]), sketch.shapes[0].keypoints],
    [
      [10, 10, 50, 40],
      [40, 25, 2],
    ],
  );
});

test('a brush paints a mask, which grows and is erased while it is selected', () => {
  const { sketch, drag, press } = sketchOf();
  const pixels = (shape) => {
    const found = new Set();
    parts.walkMask(shape.mask, (x, from, to) => {
      for (let y = from; y < to; y++) found.add(x * 1000 + y);
    });
    return found;
  };
  press('q');
  sketch.resize(10);
  drag([20, 50], [60, 50]);
  const [mask] = sketch.shapes;
  assert.deepEqual([mask.kind, cornersOf(mask)], ['mask', [15, 45, 65, 55]]);
  // Every pixel whose middle is near the stroke, and no other.
  const on = pixels(mask);
  for (let x = 0; x < 200; x++)
    for (let y = 0; y < 100; y++) {
      const far = Math.hypot(x + 0.5 - Math.min(60, Math.max(20, x + 0.5)), y + 0.5 - 50);
      if (Math.abs(far - 5) > 0.3) assert.equal(on.has(x * 1000 + y), far < 5, `${x} ${y}`);
      if (x % 20 === 0) assert.equal(parts.holds(mask, [x + 0.5, y + 0.5]), on.has(x * 1000 + y));
    }
  drag([60, 50], [60, 90]);
  assert.equal(sketch.shapes.length, 1);
  assert.deepEqual(cornersOf(sketch.shapes[0]), [15, 45, 65, 95]);
  press('Q');
  drag([40, 40], [40, 60]);
  assert.ok(!parts.holds(sketch.shapes[0], [40, 50]) && parts.holds(sketch.shapes[0], [20, 50]));
  // Another image of the same size can have it too.
  const there = (width) => parts.within(sketch.shapes[0], { width, height: 100 }).map(parts.placeOf);
  assert.deepEqual([there(200), there(100)], [[parts.placeOf(sketch.shapes[0])], []]);
  const back = readBack(sketch.shapes[0]);
  assert.deepEqual([back.mask, cornersOf(back)], [sketch.shapes[0].mask, cornersOf(sketch.shapes[0])]);
  assert.equal(typeof written(sketch.shapes[0]).segmentation.counts, 'string');
  sketch.resize(500);
  drag([0, 0], [200, 100]);
  assert.equal(sketch.shapes.length, 0);
  // By keys: the brush is put down in the middle, and another mask begins where none is selected.
  press('q', ',', ' ', 'Enter', 'ArrowRight', ' ');
  assert.equal(sketch.shapes.length, 2);
  // A tool that changes what is selected goes with it.
  press('Q');
  assert.equal(sketch.tool, 'eraser');
  sketch.select([]);
  assert.equal(sketch.tool, 'box');
});

test('what has no area is never drawn: a handle stops before the other side, an outline of a line is not closed', () => {
  const { sketch, heard, press, drag } = sketchOf(box(10, 10, 40, 30));
  sketch.select([0]);
  drag([40, 20], [-50, 20]);
  assert.ok(sketch.shapes[0].w > 0, JSON.stringify(cornersOf(sketch.shapes[0])));
  drag([sketch.shapes[0].x + sketch.shapes[0].w, 20], [0, 20]);
  assert.ok(sketch.shapes[0].w > 0, JSON.stringify(cornersOf(sketch.shapes[0])));
  sketch.load([box(0, 0, 40, 30)], 200, 100);
  sketch.select([0]);
  drag([40, 15], [-20, 15]);
  assert.ok(sketch.shapes[0].w > 0, JSON.stringify(cornersOf(sketch.shapes[0])));
  sketch.take('polygon');
  for (const point of [
    [10, 10],
    [20, 20],
    [30, 30],
  ])
    sketch.down(point, FREE);
  press('Enter');
  assert.equal(sketch.shapes.length, 1);
  assert.match(heard.said.at(-1), /one line/);
  sketch.down([30, 60], FREE);
  press('Enter');
  assert.equal(sketch.shapes.length, 2);
});

test('what is in hand is taken back before what was done: the last point of an outline, a move', () => {
  const { sketch, heard } = sketchOf(box(10, 10, 40, 30));
  assert.equal(sketch.takeBack(), false);
  sketch.take('polygon');
  sketch.down([10, 10], FREE);
  sketch.down([90, 20], FREE);
  assert.deepEqual([sketch.takeBack(), sketch.outline.length], [true, 2]);
  assert.deepEqual([sketch.takeBack(), sketch.outline.length, sketch.isDrawing], [true, 0, false]);
  sketch.take('box');
  sketch.select([0]);
  sketch.down([20, 20], FREE);
  sketch.move([60, 40]);
  assert.equal(sketch.takeBack(), true);
  sketch.up([60, 40]);
  assert.deepEqual([heard.done.length, cornersOf(sketch.shapes[0])], [0, [10, 10, 40, 30]]);
});

test('everything works by keys, and keys that are held are one change', () => {
  const { sketch, heard, press } = sketchOf(box(10, 10, 60, 50), box(80, 20, 120, 40, 'gull'));
  assert.deepEqual(press('ArrowRight', 'Enter', 'Delete', '.'), [false, false, false, false], 'nothing is selected');
  press('n');
  assert.deepEqual(cornersOf(sketch.shapes[2]), [75, 37, 125, 63]);
  press('ArrowLeft', 'ArrowLeft');
  sketch.key('ArrowDown', { shift: false, ctrl: true });
  sketch.key('ArrowRight', { shift: true, ctrl: true });
  assert.deepEqual(cornersOf(sketch.shapes[2]), [73, 47, 133, 73]);
  assert.deepEqual(
    heard.done.map(({ nudge }) => nudge),
    [null, 'move 2', 'move 2', 'move 2', 'size 2'],
  );
  press(']');
  assert.deepEqual(
    [[...sketch.selected], sketch.label, heard.said.at(-1)],
    [[0], 'boat', '1 of 3, boat, 50 by 40 at 10, 10'],
  );
  press('[', '[');
  assert.deepEqual([...sketch.selected], [1]);
  press(',', 'ArrowLeft');
  assert.deepEqual(cornersOf(sketch.shapes[1]), [79, 20, 120, 40]);
  // Pulled over to the other side it would be another handle.
  for (let k = 0; k < 60; k++) press('ArrowRight');
  assert.deepEqual(cornersOf(sketch.shapes[1]), [119, 20, 120, 40]);
  sketch.key('a', { shift: false, ctrl: true });
  press('Delete');
  assert.deepEqual(sketch.shapes, []);
});

test('the index finds what a look at every shape finds', () => {
  let state = 7;
  const random = () => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
  const shapes = Array.from({ length: 2000 }, (_, k) => {
    const [x, y, w, h] = [random() * 1900, random() * 1000, 4 + random() * 160, 4 + random() * 120];
    return k % 5 ? box(x, y, x + w, y + h) : parts.polygonOf([[x, y, x + w, y, x + w / 2, y + h]], 'sail');
  });
  const index = new parts.HitIndex(shapes);
  for (let k = 0; k < 500; k++) {
    const point = [random() * 2000, random() * 1100];
    const all = shapes
      .map((shape, at) => ({
        at,
        border: parts.fromBorder(shape, point) <= 9,
        inside: parts.holds(shape, point),
        shape,
      }))
      .filter(({ border, inside }) => border || inside)
      .sort((a, b) => b.border - a.border || a.shape.w * a.shape.h - b.shape.w * b.shape.h);
    const hit = index.at(point, 3);
    assert.deepEqual(hit, all.length ? { at: all[0].at, border: all[0].border } : null);
  }
  assert.equal(new parts.HitIndex([]).at([1, 1], 3), null);
});

test('undo has no end, and progress is counted again with every step', async () => {
  const { History, drawn, reviewed } = parts;
  const history = new History();
  const states = [history.progress(10, new Map())];
  for (let k = 0; k < 3000; k++) {
    if (k % 3 === 2) history.add(reviewed(k % 7, k % 2 ? 'accepted' : 'rejected'));
    else
      history.add(
        drawn(
          k % 10,
          Array.from({ length: k % 4 }, () => box(0, 0, k + 1, 1, `c${k % 5}`)),
        ),
      );
    states.push(history.progress(10, new Map()));
  }
  for (let k = 2999; k >= 0; k--) {
    history.undo();
    assert.deepEqual(history.progress(10, new Map()), states[k]);
  }
  assert.equal(history.undo(), null);
  while (history.redo());
  assert.deepEqual(history.progress(10, new Map()), states.at(-1));
  history.undo();
  history.add(drawn(1, []));
  assert.equal(history.redo(), null, 'another change ends what can be redone');
  // What the file has counts where nobody said otherwise here.
  const before = new Map([
    [9, 'accepted'],
    [1, 'rejected'],
  ]);
  const fresh = new History();
  fresh.add(reviewed(9, null));
  assert.deepEqual(fresh.progress(10, before), { changed: 1, accepted: 0, rejected: 1, left: 9 });
});

test('a journal is read line by line, whatever a crash left of its end', async () => {
  const lines = [
    '{"forebay_edits":1,"of":{},"crc":"00000000"}',
    '{"n":1,"do":"set","sample":3,"annotations":[{"class":"boat","xmin":1,"ymin":1,"xmax":2,"ymax":2}],"crc":"0"}',
    '{"n":2,"do":"set","sample":3,"fields":{"json.annotations_size":[20,10]},"annotations":[],"crc":"0"}',
    '{"n":3,"do":"undo","crc":"0"}',
    '{"n":4,"do":"review","sample":4,"state":"accepted","crc":"0"}',
    '{"n":5,"do":"remove","sample":5,"crc":"0"}',
    '{"n":6,"do":"set","sam',
  ];
  const history = await parts.History.of(new Blob([lines.join('\n')]));
  assert.equal(history.shapesOf(3).length, 1);
  assert.equal(history.reviewOf(4), 'accepted');
  assert.equal(history.shapesOf(4), null);
  assert.deepEqual(
    history.entries.map((entry) => entry.do),
    ['set', 'review', 'remove'],
  );
  history.undo();
  assert.equal(history.next.said.do, 'remove');
  assert.equal(history.rasterOf(3), undefined);
});

test('a million classes are searched, and nine of them have keys', () => {
  const classes = new parts.Classes();
  classes.reset('test');
  assert.equal(
    classes.learn(
      Array.from({ length: 1_000_000 }, (_, k) => `Class ${k}`),
      true,
    ),
    true,
  );
  assert.equal(classes.learn(['Class 7', '  ', '']), false);
  assert.equal(classes.ofKey(1), 'Class 0');
  assert.equal(classes.search('CLASS 99999')[0], 'Class 99999');
  assert.equal(classes.search('nothing like it').length, 0);
  assert.equal(classes.learn(['<b>x</b>']), true);
  assert.equal(classes.search('<b>')[0], '<b>x</b>');
  classes.give(3, '<b>x</b>');
  assert.deepEqual(
    [1, 2, 3, 4].map((key) => classes.ofKey(key)),
    ['Class 0', 'Class 1', '<b>x</b>', 'Class 2'],
  );
  classes.give(5, '<b>x</b>');
  assert.deepEqual(
    [3, 5].map((key) => classes.ofKey(key)),
    ['Class 2', '<b>x</b>'],
  );
});

test('keys go to the classes of the list in its order, and to others in that of the alphabet, whatever was looked at first', () => {
  for (const met of [
    ['pier', 'boat', 'gull'],
    ['gull', 'pier', 'boat'],
  ]) {
    const classes = new parts.Classes();
    classes.reset('order');
    for (const name of met) classes.learn([name]);
    classes.learn(['wave', 'gull', 'buoy'], true);
    assert.deepEqual(classes.names, ['wave', 'buoy', 'boat', 'gull', 'pier']);
    assert.deepEqual(
      [1, 2, 3].map((key) => classes.ofKey(key)),
      ['wave', 'buoy', 'boat'],
    );
  }
});

test('ids of 64 bits are those of the journal, to the last digit, also in what was moved', async () => {
  const ids = ['9007199254740993', '9007199254740992'];
  const line = (n, annotations) =>
    `{"n":${n},"do":"set","sample":0,"annotations":[${annotations.join()}],"crc":"00000000"}`;
  const boxes = ids.map((id) => `{"class":"boat","xmin":1,"ymin":2,"xmax":30,"ymax":40,"track":${id}}`);
  const text = ['{}', line(1, [boxes[1]]), line(2, boxes), ''].join('\n');
  const shapes = (await parts.History.of(new Blob([text]))).shapesOf(0);
  const written = [...shapes, ...shapes.map((shape) => parts.moved(parts.relabeled(shape, 'gull'), 5, 5))].map(
    (shape) => parts.stringifyExactly(parts.annotationOf(shape)),
  );
  assert.deepEqual(
    written.map((one) => /"track":(\d+)/.exec(one)[1]),
    [...ids, ...ids],
  );
});

test('a key that changes what a hand holds takes it out of the hand, and no other is lost by it', () => {
  for (const [change, left] of [
    [(sketch) => sketch.key('Delete', FREE), ['gull']],
    [(sketch) => sketch.name('whale'), ['whale', 'gull']],
    [(sketch) => sketch.add([box(1, 1, 5, 5, 'new')]), ['boat', 'gull', 'new']],
  ])
    for (const from of [
      [40, 40],
      [25, 25],
    ]) {
      const { sketch, heard } = sketchOf(box(10, 10, 40, 40), box(80, 20, 120, 60, 'gull'));
      sketch.select([0]);
      sketch.down(from, FREE);
      sketch.move([50, 50]);
      change(sketch);
      sketch.move([60, 60]);
      sketch.up([60, 60]);
      assert.equal(heard.done.length, 1);
      assert.deepEqual(
        sketch.shapes.map(({ label }) => label),
        left,
      );
      assert.deepEqual(cornersOf(sketch.shapes[left.indexOf('gull')]), [80, 20, 120, 60]);
    }
});
