// What is drawn of classes: their colors, and their names over a picture. Without a browser, but for what a page shows.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { ROOT } from '../browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-colors-'));
let parts;
before(async () => {
  const from = (name) => `export * from ${JSON.stringify(join(ROOT, `www/viewer/src/samples/${name}.ts`))};`;
  await build({
    stdin: { contents: from('colors') + from('box-names'), resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    format: 'esm',
    outfile: join(folder, 'drawn.mjs'),
    logLevel: 'error',
  });
  parts = await import(join(folder, 'drawn.mjs'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The colors that classes get that come in this order, and how often whoever shows them was drawn again. */
async function colorsOf(labels) {
  let drawn = 0;
  const shown = new parts.ClassColors({ addController: () => undefined, requestUpdate: () => drawn++ });
  shown.hostConnected();
  for (const label of labels) parts.colorOf(label);
  await undefined;
  const colors = Object.fromEntries(labels.toSorted().map((label) => [label, parts.colorOf(label)]));
  shown.hostDisconnected();
  return { colors, drawn: drawn - 1 };
}
/** Luminance, as contrast is counted by. */
function luminance(rgb) {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const numbers = (color) => color.match(/[0-9a-f]{2}/g).map((part) => Number.parseInt(part, 16));
/** How far two colors are apart, in OKLab; 2 is a hundred times what can just be told apart. */
function apart(a, b) {
  const lab = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
  };
  const [x, y] = [lab(a), lab(b)];
  return Math.hypot(...x.map((v, k) => v - y[k]));
}
const CLASSES = 'boat car person dog cat bicycle truck bird bus traffic\u00a0light chair plane'.split(' ');

test('a class has one color, in whatever order classes come, and in every dataset where none is in its way', async () => {
  const { colors } = await colorsOf(CLASSES);
  for (let k = 0; k < 40; k++) {
    const order = CLASSES.map((name, at) => [Math.imul(at + 7, 2654435761 * (k + 1)) >>> 0, name]).sort(
      (a, b) => a[0] - b[0],
    );
    assert.deepEqual((await colorsOf(order.map(([, name]) => name))).colors, colors);
  }
  // By itself it has the color of its name: that of the others unless one before it in the alphabet wants the same.
  const alone = await Promise.all(CLASSES.map(async (name) => [name, (await colorsOf([name])).colors[name]]));
  const first = CLASSES.toSorted()[0];
  assert.equal(Object.fromEntries(alone)[first], colors[first]);
  for (const [name, color] of alone)
    assert.ok(
      color === colors[name] || Object.entries(colors).some(([other, its]) => other < name && its === color),
      name,
    );
  assert.ok(new Set(alone.map(([, color]) => color)).size >= 6, 'names are spread over the colors');
});

test('who has to make room for another is drawn again, once', async () => {
  const alone = new Map();
  for (const name of CLASSES) alone.set(name, (await colorsOf([name])).colors[name]);
  const [one, other] = CLASSES.toSorted()
    .flatMap((a, k, all) => all.slice(k + 1).map((b) => [a, b]))
    .find(([a, b]) => alone.get(a) === alone.get(b));
  assert.equal((await colorsOf([one, other])).drawn, 0);
  const { colors, drawn } = await colorsOf([other, one]);
  assert.equal(drawn, 1);
  assert.notEqual(colors[one], colors[other]);
  assert.equal((await colorsOf(CLASSES.toReversed())).drawn <= 1, true);
});

test('the colors of a dozen classes are well apart, stand out from both themes, and are written on readably', async () => {
  const many = Array.from({ length: 100 }, (_, k) => `class ${k}`);
  for (const labels of [CLASSES, many.slice(0, 12), many.slice(30, 42)]) {
    const all = Object.values((await colorsOf(labels)).colors).map(numbers);
    const least = Math.min(...all.flatMap((a, k) => all.slice(k + 1).map((b) => apart(a, b))));
    assert.ok(least > 0.1, `${least}`);
  }
  const more = Object.values((await colorsOf(many.slice(0, 24))).colors);
  assert.equal(new Set(more).size, 24);
  for (const color of more) {
    const light = luminance(numbers(color));
    assert.ok(contrast(light, luminance([0x17, 0x1f, 0x27])) >= 2.9, color);
    assert.ok(contrast(light, 1) >= 2, color);
  }
  const shown = new parts.ClassColors({ addController: () => undefined, requestUpdate: () => undefined });
  shown.hostConnected();
  for (const label of many) {
    const ink = parts.inkOn(label) === parts.DARK_INK ? luminance([0x10, 0x15, 0x1a]) : 1;
    assert.ok(contrast(luminance(parts.rgbOf(label)), ink) >= 4.5, parts.colorOf(label));
  }
  shown.hostDisconnected();
});

const PLACED = { x: 10, y: 20, scale: 2, width: 400, height: 300 };
const CANVAS = { font: '', measureText: (text) => ({ width: 7 * text.length }) };
const boxed = (x, y, w, h, label = 'boat') => ({ x, y, w, h, label, outlines: [], mask: null });
const overlap = (a, b) =>
  a.x < b.x + b.broad && b.x < a.x + a.broad && a.y < b.y + parts.HIGH && b.y < a.y + parts.HIGH;

test('names over an image never lie over each other: over, in, under or beside their box, or nowhere', () => {
  const [one, two, three] = [boxed(50, 50, 100, 80), boxed(52, 51, 100, 80, 'car'), boxed(51, 49, 6, 5, 'gull')];
  const names = parts.namesOf(CANVAS, [one, two, three], PLACED);
  assert.deepEqual([names.get(one).x, names.get(one).y], [10 + 100 - 1, 20 + 100 - parts.HIGH], 'over its box');
  assert.equal(names.get(two).y, 20 + 102, 'in its box');
  assert.equal(names.has(three), false, 'there is no room left');
  assert.equal(parts.namesOf(CANVAS, [one, two, boxed(80, 80, 6, 5)], PLACED).size, 3);
  let state = 1;
  const random = () => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
  const many = Array.from({ length: 200 }, (_, k) =>
    boxed(random() * 380, random() * 280, 4 + random() * 60, 4 + random() * 60, `class ${k % 9}`),
  );
  const placed = [...parts.namesOf(CANVAS, many, PLACED).values()];
  assert.ok(placed.length > 60 && placed.length < 200, `${placed.length} have room`);
  for (const [k, a] of placed.entries()) {
    assert.ok(!placed.slice(k + 1).some((b) => overlap(a, b)), JSON.stringify(a));
    assert.ok(a.x >= 10 && a.x + a.broad <= 810 && a.y >= 20 && a.y + parts.HIGH <= 620, 'on the image');
  }
  // Two that are the same are named twice where there is room, and a box of the whole picture inside.
  assert.equal(parts.namesOf(CANVAS, [one, { ...one }], PLACED).size, 2);
  assert.equal(parts.namesOf(CANVAS, [boxed(-5, -5, 500, 500)], PLACED).size, 1);
  assert.equal(parts.namesOf(CANVAS, [boxed(0, 0, 4, 4)], { ...PLACED, height: 4 }).size, 1);
});

test('a name stands on its ground from right to left too', () => {
  // As a canvas is on such a page: a text ends where it is put.
  const drawn = { textAlign: 'start', direction: 'rtl', fillRect: () => undefined, fillText: () => undefined };
  parts.paintNames(drawn, [{ label: 'boat', x: 3, y: 4, broad: 35 }]);
  assert.equal(drawn.textAlign, 'left');
});

test('the names of 200 boxes are placed within a part of a frame', () => {
  let state = 1;
  const random = () => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
  const many = Array.from({ length: parts.NAMED }, (_, k) =>
    boxed(random() * 380, random() * 280, 20, 20, `${k % 20}`),
  );
  const times = Array.from({ length: 20 }, () => {
    const begin = performance.now();
    parts.namesOf(CANVAS, many, PLACED);
    return performance.now() - begin;
  });
  assert.ok(Math.min(...times) < 4, `${Math.min(...times)} ms`);
});
