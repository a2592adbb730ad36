// Fingers and pens, over made-up datasets: every test runs with real ones, as the engine makes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, newPage, touch, until, visit } from '../browser.mjs';
import { browser, site } from './made-up.mjs';

/** A phone, held upright, with a file on it. */
async function opened(hash) {
  const page = await newPage(browser, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await visit(page, `${site.url}#${hash}`);
  await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
  return page;
}
/** The middle of what is in sight of it: rows reach beyond a phone. */
async function middleOf(locator) {
  const { x, y, width, height } = await locator.boundingBox();
  return [(x + Math.min(390, x + width)) / 2, y + height / 2];
}
/** Where a finger is on its way from one point to another. */
const way = ([x, y], [dx, dy], steps = 6) =>
  Array.from({ length: steps + 1 }, (_, k) => [x + (dx * k) / steps, y + (dy * k) / steps]);
const stroke = (page, from, by) =>
  touch(
    page,
    way(from, by).map((at) => [at]),
  );
/** How much a picture is zoomed, and where its corner is. */
const sheet = (page) =>
  page.locator('forebay-sample .sheet').evaluate((element) => {
    const [, x, y, scale] = /translate\((.+)px, (.+)px\) scale\((.+)\)/.exec(element.style.transform).map(Number);
    return { x, y, scale };
  });

test('two fingers zoom an image about the point between them, and move it', async () => {
  const page = await opened('file=300.tbl&i=8');
  await page.locator('forebay-sample .sheet canvas.picture').waitFor();
  const [x, y] = await middleOf(page.locator('forebay-sample .stage'));
  const before = await sheet(page);
  const [left, right] = [way([x - 30, y], [-30, 0]), way([x + 30, y], [30, 0])];
  await touch(
    page,
    left.map((at, k) => [at, right[k]]),
  );
  await until(async () => Math.abs((await sheet(page)).scale / before.scale - 2) < 0.05, 'twice as large');
  const zoomed = await sheet(page);
  assert.ok(
    Math.abs(zoomed.x - 2 * before.x) < 4 && Math.abs(zoomed.y - 2 * before.y) < 4,
    `the middle stays: ${JSON.stringify([before, zoomed])}`,
  );
  // What is larger than the page is moved by one finger, and no other sample comes.
  await stroke(page, [x, y], [-100, 20]);
  await until(async () => Math.abs((await sheet(page)).x - (zoomed.x - 100)) < 3, 'moved along');
  assert.ok(Math.abs((await sheet(page)).y - (zoomed.y + 20)) < 3);
  await page.getByRole('heading', { name: 'Sample 8', exact: true }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a finger strokes an image aside, and the next one comes', async () => {
  const page = await opened('file=300.tbl&i=8');
  const picture = page.locator('forebay-sample .sheet canvas.picture');
  await picture.waitFor();
  const at = await middleOf(page.locator('forebay-sample .stage'));
  const shown = (n) => page.getByRole('heading', { name: `Sample ${n}`, exact: true }).waitFor();
  await stroke(page, at, [-120, 10]);
  await shown(9);
  await stroke(page, at, [120, -10]);
  await shown(8);
  // Neither a short one nor one that goes down.
  await stroke(page, at, [-30, 0]);
  await stroke(page, at, [-70, 60]);
  await stroke(page, at, [-120, 0]);
  await shown(9);
  await page.evaluate(() => (document.documentElement.dir = 'rtl'));
  await stroke(page, at, [120, 0]);
  await shown(10);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a finger that rests picks, a short one opens, and one that scrolls does neither', async () => {
  for (const view of ['gallery', 'table']) {
    const page = await opened(`file=300.tbl&view=${view}`);
    const tile = (n) => page.locator(`#p${n}`);
    await touch(page, [[await middleOf(tile(2))]], { hold: 900 });
    await page.locator('.selection b', { hasText: '1 selected' }).waitFor();
    assert.equal(await tile(2).getAttribute('aria-selected'), 'true', view);
    await touch(page, [[await middleOf(tile(1))]], { hold: 900 });
    await page.locator('.selection b', { hasText: '2 selected' }).waitFor();
    assert.equal(await page.locator('forebay-sample').count(), 0, 'nothing is opened');
    const [x, y] = await middleOf(tile(3));
    const far = way([x, y], [0, -60], 3).map((at) => [at]);
    await touch(page, [...far, ...Array(3).fill(far.at(-1))], { hold: 0 });
    assert.deepEqual(await axe(page), []);
    await page.locator('.selection b', { hasText: '2 selected' }).waitFor();
    await page.locator('.scroll').evaluate((element) => (element.scrollTop = 0));
    await tile(1).click();
    await page.getByRole('heading', { name: 'Sample 1', exact: true }).waitFor();
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('a finger scrolls ten million rows by as many pixels as it goes', async () => {
  const page = await opened('file=10000000.tbl&view=table');
  const { x, y } = await page.locator('.scroll').boundingBox();
  await stroke(page, [x + 100, y + 500], [0, -400]);
  await page.locator('#p9').waitFor();
  await until(async () => {
    const box = await page.locator('#p10').boundingBox();
    return box !== null && Math.abs(box.y - y - 40) <= 40;
  }, 'about ten rows of 40 pixels further');
  assert.deepEqual(page.faults, []);
  await page.close();
});
