// The table of boxes, over made-up datasets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, until } from '../browser.mjs';
import { opened } from './made-up.mjs';

const table = (page) => page.locator('forebay-box-table');
const header = (page, name) => page.getByRole('columnheader', { name, exact: true });
/** What stands in a column of the rows in sight, from above. */
async function column(page, name) {
  const titles = await page.getByRole('columnheader').evaluateAll((all) => all.map((one) => one.ariaLabel));
  const rows = await table(page)
    .locator('[role=row]:not(.head)')
    .evaluateAll((all, at) => all.map((row) => [row.ariaRowIndex, row.children[at].innerText]), titles.indexOf(name));
  return rows.sort((a, b) => a[0] - b[0]).map(([, text]) => text.trim());
}
const many = async (page, n) =>
  until(
    async () => (await table(page).locator('.scroll').getAttribute('aria-rowcount')) === String(n + 1),
    `${n} boxes`,
  );
const numbers = async (page, name) => (await column(page, name)).map((text) => Number(text.replace(/,/g, '')));
const isSorted = (values, down) => values.every((v, k) => k === 0 || (down ? values[k - 1] >= v : values[k - 1] <= v));

test('boxes of what the filter keeps are rows, sorted by any column, each with its crop', async () => {
  const page = await opened('file=300.tbl&view=boxes');
  await many(page, 600);
  assert.deepEqual((await column(page, 'Sample')).slice(0, 6), ['0', '1', '1', '2', '2', '2']);
  assert.deepEqual((await column(page, 'Class')).slice(0, 4), ['boat', 'buoy', 'gull', 'gull']);
  // The crop is what is in the box: an ellipse in front of a sky.
  const middle = () =>
    table(page)
      .locator('#p3 canvas')
      .evaluate((canvas) => [...canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data]);
  await until(async () => (await middle())[3] === 255, 'the crop is drawn');
  const [corner] = await table(page)
    .locator('#p3 canvas')
    .evaluate((canvas) => [[...canvas.getContext('2d').getImageData(2, 2, 1, 1).data]]);
  assert.notDeepEqual(await middle(), corner);
  for (const name of ['Left', 'Top', 'Width', 'Height', 'Area'])
    for (const down of [false, true]) {
      await header(page, name).getByRole('button').click();
      await page.locator(`[aria-sort=${down ? 'descending' : 'ascending'}]`, { hasText: name }).waitFor();
      const found = await numbers(page, name);
      assert.ok(found.length > 10 && isSorted(found, down), `${name}: ${found}`);
    }
  await header(page, 'Area').getByRole('button').click();
  await page.locator('[aria-sort=descending]').waitFor({ state: 'detached' });
  assert.deepEqual((await column(page, 'Sample')).slice(0, 3), ['0', '1', '1']);
  await header(page, 'Class').getByRole('button').click();
  assert.ok((await column(page, 'Class')).every((name) => name === 'boat'));
  await page.locator('forebay-filter input').fill('format == "png"');
  await page.locator('.counts', { hasText: '27 of 300' }).waitFor();
  const kept = Array.from({ length: 300 }, (_, i) => i).filter((i) => i % 11 === 3);
  await many(
    page,
    kept.reduce((sum, i) => sum + 1 + (i % 3), 0),
  );
  assert.ok((await numbers(page, 'Sample')).every((i) => kept.includes(i)));
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a row opens the image at its box, and keys go on from there', async () => {
  const page = await opened('file=300.tbl');
  await page.keyboard.press('T');
  await many(page, 600);
  const shown = (i, nth) =>
    until(
      () =>
        page.locator('forebay-sample').evaluate(
          (panel, [i, nth]) => {
            const boxes = panel.renderRoot.querySelector('forebay-boxes');
            return panel.index === i && boxes?.marked && boxes.boxes.indexOf(boxes.marked) === nth;
          },
          [i, nth],
        ),
      `box ${nth} of sample ${i}`,
    );
  await table(page).locator('#p4').click();
  await shown(2, 1);
  // The box is in the middle of the stage, and takes half of it.
  const zoomed = await page.locator('forebay-sample').evaluate((panel) => panel.zoom);
  assert.ok(zoomed > 1.2, String(zoomed));
  await table(page).locator('.scroll').focus();
  await page.keyboard.press('ArrowDown');
  await shown(2, 2);
  await page.keyboard.press('ArrowDown');
  await shown(3, 0);
  assert.match(page.url(), /i=3&view=boxes/);
  // To step by samples keeps the row in step.
  await page.keyboard.press('j');
  await until(async () => (await table(page).locator('.row.current').innerText()).startsWith('4'), 'the row follows');
  await page.keyboard.press('Escape');
  await page.locator('forebay-sample').waitFor({ state: 'detached' });
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('boxes of many samples are counted when that is asked for, with progress and an end', async () => {
  const page = await opened('file=2000000.tbl');
  await page.locator('.bar').getByRole('button', { name: 'Table', exact: true }).click();
  await page.locator('.bar').getByRole('button', { name: 'Boxes', exact: true }).click();
  const main = page.locator('.empty');
  await main.getByRole('button', { name: 'Count boxes' }).click();
  await main.getByRole('progressbar').waitFor();
  await main.getByText(/Reading [1-9][\d,]* of 2,000,000…/).waitFor();
  assert.deepEqual(await axe(page), []);
  await main.getByRole('button', { name: 'Cancel' }).click();
  await main.getByRole('button', { name: 'Count boxes' }).waitFor();
  assert.equal(await page.locator('progress').count(), 0);
  assert.deepEqual(page.faults, []);
  await page.close();
});
