// The table of samples, and a page with little room, over made-up datasets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, visit } from '../browser.mjs';
import { opened, site } from './made-up.mjs';

test('the table sorts by what the index knows and by what is in the metadata, and stays so under a filter', async () => {
  const page = await opened('file=300.tbl&view=table');
  const header = (name) => page.getByRole('columnheader', { name });
  const column = async (name) => {
    const titles = await page.getByRole('columnheader').allInnerTexts();
    const at = titles.findIndex((title) => title.startsWith(name));
    return page
      .locator('[role=row]:not(.head)')
      .evaluateAll((rows, at) => rows.map((row) => [row.ariaRowIndex, row.children[at].innerText]), at)
      .then((cells) => cells.sort((a, b) => a[0] - b[0]).map(([, text]) => text.replace(/,/g, '')));
  };
  // The header says the order at once; the rows follow when what is sorted by has been read.
  const settles = async (name, holds) => {
    const end = Date.now() + 20_000;
    let seen;
    do {
      seen = await column(name);
    } while (!(seen.length > 0 && holds(seen)) && Date.now() < end);
    assert.ok(seen.length > 0 && holds(seen), String(seen));
  };
  const begins = (name, values) => settles(name, (seen) => String(seen.slice(0, values.length)) === String(values));
  const sorted = (values, down) => values.every((v, k) => k === 0 || (down ? values[k - 1] >= v : values[k - 1] <= v));
  await header('Width').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await page.locator('[aria-sort=ascending]', { hasText: 'Width' }).waitFor();
  await settles('Width', (values) => sorted(values.map(Number)));
  assert.equal(await page.locator('forebay-sample').count(), 0, 'Enter on a header opens no sample');
  await header('Width').getByRole('button').click();
  await page.locator('[aria-sort=descending]', { hasText: 'Width' }).waitFor();
  await settles('Width', (values) => sorted(values.map(Number), true));
  await page.locator('forebay-filter input').fill('format == "png"');
  await page.locator('.counts', { hasText: '27 of 300' }).waitFor();
  await settles('Format', (formats) => formats.every((format) => format === 'png'));
  await settles('Width', (values) => sorted(values.map(Number), true));
  // What is open follows the order that is seen.
  await page.locator('#p0').click();
  const first = Number((await column('Sample'))[0]);
  await page.getByRole('heading', { name: `Sample ${first}`, exact: true }).waitFor();
  const second = Number((await column('Sample'))[1]);
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: `Sample ${second}`, exact: true }).waitFor();
  await page.getByRole('button', { name: 'Close the sample' }).click();
  await page.getByLabel('Clear the filter').click();
  await page.locator('.counts', { hasText: /^\s*300\s*$/ }).waitFor();
  // A third time brings the file's order back.
  await header('Width').getByRole('button').click();
  await page.locator('[aria-sort=descending]').waitFor({ state: 'detached' });
  await begins('Sample', ['0', '1', '2']);
  await header('Class').getByRole('button').click();
  await page.locator('[aria-sort=ascending]', { hasText: 'Class' }).waitFor();
  await page.locator('#p0', { hasText: 'boat' }).waitFor();
  await begins('Sample', ['0', '4', '8']);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('rows that were sorted by the class before it was known which field that is are sorted again', async () => {
  const page = await opened('file=300.tbl&view=table');
  await page.getByRole('columnheader', { name: 'Class' }).getByRole('button').click();
  await page.locator('#p1').getByText('boat').waitFor();
  await page.close();
});

test('columns of the metadata are chosen, and stay for the next visit', async () => {
  const page = await opened('file=300.tbl&view=table');
  await page.locator('#p1 canvas').waitFor();
  await page.locator('#p1', { hasText: 'buoy' }).waitFor();
  await page.getByRole('button', { name: 'Columns', exact: true }).click();
  await page.getByLabel('json.note').check();
  await page.getByRole('checkbox', { name: 'Image', exact: true }).uncheck();
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press('Escape');
  await page.locator('#p1').getByText('<img src=x onerror=alert(1)>').waitFor();
  assert.equal(await page.locator('#p1 canvas').count(), 0);
  await visit(page, `${site.url}#file=400.tbl&view=table`);
  await page.getByRole('columnheader', { name: 'json.note' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('at 200 % and on a phone the images keep most of the page, and nothing is lost', async () => {
  for (const [width, height, least] of [
    [640, 400, 0.7],
    [360, 740, 0.8],
    [320, 256, 0.55],
  ]) {
    const page = await opened('file=300.tbl', { viewport: { width, height } });
    const box = await page.locator('.scroll').boundingBox();
    assert.ok(box.height / height >= least, `${box.height} of ${height}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} of ${width}`);
    for (const button of await page.locator('.top button:visible, .bar button:visible').all()) {
      const { x, width: w } = await button.boundingBox();
      assert.ok(x >= 0 && x + w <= width + 1, `${await button.innerText()} at ${x} of ${width}`);
    }
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByLabel('Size of the images').fill('300');
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.locator('forebay-table').waitFor();
    assert.deepEqual(await axe(page), [], `${width}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('Damaged: 3 faults').waitFor();
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});
