// What labels and boxes look like in the viewer, over made-up datasets.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { axe, until, visit } from '../browser.mjs';
import { opened, site } from './made-up.mjs';

const at = (hash) => `${site.url}#${hash}`;

/** How many pixels of a tile's picture have a color, as CSS writes it. */
const pixelsOf = (page, tile, color) =>
  page.locator(`${tile} canvas`).evaluate((canvas, color) => {
    const probe = new OffscreenCanvas(1, 1).getContext('2d');
    probe.fillStyle = color;
    probe.fillRect(0, 0, 1, 1);
    const want = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let k = 0; k < data.length; k += 4)
      found += [0, 1, 2].every((c) => Math.abs(data[k + c] - want[c]) < 24) ? 1 : 0;
    return found;
  }, color);

test('a tile says its class and shows its boxes, in the color that the class has everywhere', async () => {
  const page = await opened('file=300.tbl');
  const caption = page.locator('#p1 .caption');
  await caption.getByText('buoy').waitFor();
  await page.locator('#p1[title*="2 boxes"] canvas[data-ready]').waitFor();
  assert.match(await page.locator('#p1').getAttribute('title'), /^Sample 1, 00000001\.png, class buoy, 2 boxes/);
  const color = await caption.locator('i').evaluate((i) => i.style.background);
  const swatch = page.locator('forebay-facets .bar', { hasText: 'buoy' }).locator('b');
  assert.equal(await swatch.evaluate((b) => b.style.background), color);
  const drawn = () => pixelsOf(page, '#p1', color);
  await until(async () => (await drawn()) > 100, 'the boxes are drawn');
  const on = await drawn();
  await page.keyboard.press('b');
  await page.getByRole('button', { name: 'Boxes', exact: true, pressed: false }).waitFor();
  await until(async () => (await drawn()) < on / 4, `of ${on} pixels few are left`);
  await page.locator('#p1').click();
  await page.locator('forebay-sample .sum.good').waitFor();
  assert.equal(await page.locator('forebay-sample canvas.boxes').count(), 0, 'one choice for tiles and panel');
  const chip = page.locator('forebay-sample .title .class i');
  assert.equal(await chip.evaluate((i) => i.style.background), color);
  // It is the same at the next visit, and comes back from the panel.
  await visit(page, at('file=300.tbl&i=1'));
  await page.locator('forebay-sample .sum.good').waitFor();
  assert.equal(await page.locator('forebay-sample canvas.boxes').count(), 0);
  await page.locator('forebay-sample').getByRole('button', { name: 'Boxes', exact: true }).click();
  await page.locator('forebay-sample canvas.boxes').waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('boxes are counted when that is asked for, and filter by class, by number and together with other facets', async () => {
  const page = await opened('file=300.tbl');
  const boxes = page.getByRole('region', { name: 'Boxes', exact: true });
  await page.waitForTimeout(300);
  assert.equal(await boxes.locator('.bar').count(), 0, 'nothing is read unasked of a file on a server');
  await boxes.getByRole('button', { name: 'Count boxes' }).click();
  await boxes.getByText('600 in 4 classes').waitFor();
  // Sample i has 1 + i % 3 boxes, of the classes i, i + 1 and i + 2.
  const has = (i, k) => Array.from({ length: 1 + (i % 3) }, (_, n) => (i + n) % 4).includes(k);
  const all = Array.from({ length: 300 }, (_, i) => i);
  const gulls = all.filter((i) => has(i, 2));
  const bar = (name) => boxes.locator('.bar', { hasText: name });
  await bar('gull').click();
  await page.locator('.counts', { hasText: `${gulls.length} of 300` }).waitFor();
  await bar('pier').click();
  const together = gulls.filter((i) => has(i, 3));
  await page.locator('.counts', { hasText: `${together.length} of 300` }).waitFor();
  assert.match(await bar('boat').innerText(), new RegExp(`\\b${together.filter((i) => has(i, 0)).length}$`));
  // What an expression says is met too, and the classes are counted of what is left.
  await page.locator('forebay-filter input').fill('format == "png"');
  const png = together.filter((i) => i % 11 === 3);
  await page.locator('.counts', { hasText: `${png.length} of 300` }).waitFor();
  const classes = page.getByRole('region', { name: 'Classes' });
  const left = png.filter((i) => i % 4 === 2).length;
  await classes.locator('.bar', { hasText: 'gull' }).getByText(String(left), { exact: true }).waitFor();
  await page.getByLabel('Clear the filter').click();
  for (let k = 0; k < 2; k++) await page.locator('.chips button').first().click();
  await page.locator('.counts', { hasText: /^\s*300\s*$/ }).waitFor();
  await boxes.locator('forebay-histogram svg').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await page.locator('.chips button', { hasText: '2 boxes' }).waitFor();
  await page.locator('.counts', { hasText: '100 of 300' }).waitFor();
  // What a bar of the histogram holds is said where one points at it.
  const pillars = boxes.locator('forebay-histogram');
  await pillars.locator('svg').evaluate((svg) => svg.blur());
  await pillars.locator('.of', { hasText: 'tallest: 100' }).waitFor();
  await pillars.locator('svg').hover();
  await pillars.locator('.of', { hasText: /^\d+ to \d+: \d+ of \d+$/ }).waitFor();
  // By their share of the picture: those of a size filter.
  await page.locator('.chips button').first().click();
  await page.locator('.counts', { hasText: /^\s*300\s*$/ }).waitFor();
  const large = bar('10 %');
  const many = Number((await large.last().innerText()).match(/\d+$/)[0]);
  await large.last().click();
  await page.locator('.chips button', { hasText: 'of the image' }).waitFor();
  await page.locator('.counts', { hasText: many === 300 ? '300' : `${many} of 300` }).waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('several fields are counted at once', async () => {
  const page = await opened('file=300.tbl');
  await page.getByText('4 of json.label').waitFor();
  await page.getByRole('button', { name: '+ Count by another field' }).click();
  await page.keyboard.type('json.shade');
  await page.keyboard.press('Enter');
  const shades = page.getByRole('region', { name: 'Classes by json.shade' });
  await shades.getByText('400 of json.shade').waitFor();
  await page.getByText('4 of json.label').waitFor();
  await shades.getByRole('button', { name: 'Count by json.shade no more' }).click();
  await shades.waitFor({ state: 'detached' });
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('boxes whose numbers the file does not state are not exported until somebody says what they are, and then drawn so', async () => {
  const page = await opened('file=guess300.tbl');
  await page.locator('#p1').click();
  const panel = page.locator('forebay-sample');
  await panel.getByText('Boxes are read as x, y, width, height (not stated in the file).').waitFor();
  const sides = () => panel.locator('forebay-boxes button').first().getAttribute('title');
  const before = await sides();
  await panel.getByRole('button', { name: 'Change…' }).click();
  const dialog = page.locator('forebay-labels');
  const numbers = dialog.getByLabel('The numbers of a box are');
  await numbers.waitFor();
  const none = page.waitForEvent('download', { timeout: 1500 }).catch(() => null);
  await dialog.getByRole('button', { name: 'Export labels' }).click();
  await dialog.getByRole('alert').getByText('label.ambiguous').waitFor();
  assert.equal(await none, null, 'nothing is written of what nobody said');
  assert.deepEqual(await axe(page), []);
  await numbers.selectOption('xyxy');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export labels' }).click(),
  ]);
  assert.equal(readFileSync(await file.path(), 'utf8'), 'coco 300 directly:xyxy');
  await dialog.getByLabel('Close').click();
  await panel.getByText('Boxes are read as left, top, right, bottom (not stated in the file).').waitFor();
  assert.notEqual(await sides(), before);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('labels that become edits while others are written end nothing of that', async () => {
  const page = await opened('file=300.tbl');
  const file = { name: 'some.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
  await page.locator('#labels-input').setInputFiles(file);
  await page.getByText('some.json').first().waitFor();
  await page.keyboard.press('l');
  const dialog = page.locator('forebay-labels');
  await dialog.evaluate((element) => {
    const { labels } = element.engine;
    const of = async (...given) => {
      while (!globalThis.goOn) await new Promise((go) => setTimeout(go, 20));
      return labels.of(...given);
    };
    element.engine = { ...element.engine, labels: { ...labels, of } };
    element.keep = async () => ({ pictures: 3, lost: 0 });
  });
  await dialog.getByRole('button', { name: 'Export labels' }).click();
  await dialog.getByRole('progressbar', { name: 'Labels read' }).waitFor();
  await dialog.getByRole('button', { name: 'Keep these labels as edits' }).click();
  await dialog.locator('.good').waitFor();
  const coming = page.waitForEvent('download');
  await page.evaluate(() => (globalThis.goOn = true));
  await coming;
  await dialog.getByRole('button', { name: 'Export labels' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});
