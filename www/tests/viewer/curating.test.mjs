// Duplicates, outliers and named sets, over made-up datasets.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { axe, newPage, visit } from '../browser.mjs';
import { browser, opened, site } from './made-up.mjs';

/** The dialog, opened by its key, and what is said in it. */
async function curate(page) {
  await page.keyboard.press('u');
  const dialog = page.locator('forebay-curate dialog');
  await dialog.waitFor();
  return dialog;
}

test('duplicates are shown as groups, whose best stays and whose others are picked', async () => {
  const page = await opened('file=300.tbl');
  const dialog = await curate(page);
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole('button', { name: 'Look at all 300 samples' }).click();
  await dialog.getByText('29 groups', { exact: true }).waitFor();
  assert.equal(await dialog.getByRole('group', { name: 'Group of' }).count(), 20);
  await dialog.getByRole('button', { name: 'Show more of 9 groups' }).click();
  await dialog.getByRole('group', { name: 'Group of' }).nth(28).waitFor();
  await dialog.locator('canvas[data-drawn$=ready]').first().waitFor();
  const first = dialog.getByRole('group', { name: 'Group of' }).first();
  assert.match(await first.getByRole('button', { name: 'Sample 9 keep' }).innerText(), /9 keep/);
  await first.getByRole('button', { name: 'Sample 10 3 bits' }).waitFor();
  assert.deepEqual(await axe(page), []);
  await dialog
    .getByRole('group', { name: 'Group of 3' })
    .first()
    .getByRole('button', { name: 'Select the others' })
    .click();
  await page.locator('.selection b', { hasText: '2 selected' }).waitFor();
  // What was found is there when the dialog comes back, and becomes a filter.
  await curate(page);
  await dialog.getByRole('button', { name: 'Select all but the best' }).click();
  await page.locator('.selection b', { hasText: '31 selected' }).waitFor();
  await curate(page);
  await dialog.getByRole('button', { name: 'Show them' }).click();
  await page.locator('.counts', { hasText: '60 of 300' }).waitFor();
  await page.getByRole('button', { name: 'Remove duplicates' }).click();
  await page.locator('.counts', { hasText: /^300$/ }).waitFor();
  await curate(page);
  await dialog.getByRole('button', { name: /^Sample 10 / }).click();
  await page.locator('forebay-sample').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('where nothing is there twice, that is what is said', async () => {
  const page = await opened('file=8.tbl');
  const dialog = await curate(page);
  await dialog.getByRole('button', { name: 'Look at all 8 samples' }).click();
  await dialog.getByText('No duplicates among 8 samples.').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('outliers have their reasons, and what could not be read is said', async () => {
  const page = await opened('file=300.tbl', { viewport: { width: 360, height: 700 } });
  const dialog = await curate(page);
  await dialog.getByRole('button', { name: 'Outliers' }).click();
  await dialog.getByRole('button', { name: 'Look at all 300 samples' }).click();
  await dialog.getByText('2 of 300 samples stand out').waitFor();
  await dialog.getByText('1 sample could not be read or decoded: 13 (image.damaged)').waitFor();
  assert.equal(await dialog.getByRole('button', { name: /^Sample \d/ }).count(), 2);
  await dialog.locator('canvas[data-drawn$=ready]').nth(1).waitFor();
  await dialog.getByRole('button', { name: 'dark 1' }).click();
  await dialog.getByRole('button', { name: 'Sample 7 dark: 3, usual 120' }).waitFor();
  assert.equal(await dialog.getByRole('button', { name: /^Sample \d/ }).count(), 1);
  assert.deepEqual(await axe(page), []);
  const wide = await dialog.locator('.body').evaluate((body) => body.scrollWidth - body.clientWidth);
  assert.ok(wide <= 1, `${wide} pixels stand out`);
  await dialog.getByRole('button', { name: 'Select these' }).click();
  await page.locator('.selection b', { hasText: '1 selected' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('picked samples get a name, stay with the browser, filter, and go along as a file', async () => {
  const page = await opened('file=300.tbl');
  const sets = page.locator('forebay-sets');
  for (const i of [2, 4, 9]) await page.locator(`#p${i}`).click({ modifiers: ['Control'] });
  await sets.getByLabel('Name of the set').fill('odd ones');
  await sets.getByLabel('Name of the set').press('Enter');
  await sets.getByRole('button', { name: 'odd ones 3' }).click();
  await page.locator('.counts', { hasText: '3 of 300' }).waitFor();
  await page.getByRole('button', { name: 'Remove set: odd ones' }).waitFor();
  assert.deepEqual(await axe(page), []);
  const coming = page.waitForEvent('download');
  await sets.getByRole('button', { name: 'Export' }).click();
  const file = JSON.parse(readFileSync(await (await coming).path(), 'utf8'));
  assert.deepEqual([file.forebay_sets, file.of.samples, file.sets], [1, 300, { 'odd ones': [2, 4, 9] }]);
  // Another visit finds them; another dataset does not.
  await page.reload();
  await sets.getByRole('button', { name: 'odd ones 3' }).waitFor();
  await sets.getByRole('button', { name: 'Select the set odd ones' }).click();
  await page.locator('.selection b', { hasText: '3 selected' }).waitFor();
  await sets.getByRole('button', { name: 'Remove the set odd ones' }).click();
  await sets.getByRole('button', { name: 'odd ones 3' }).waitFor({ state: 'detached' });
  const read = (name, of, samples) =>
    sets.locator('input[type=file]').setInputFiles({
      name: 'sets.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({ forebay_sets: 1, of, sets: { [name]: samples } })),
    });
  await read('other', { ...file.of, samples: 299 }, [1]);
  await sets.getByText('These sets are of another dataset').waitFor();
  await read('wrong', file.of, [300]);
  await sets.getByText('is not a list of samples').waitFor();
  await read('<b>again</b>', file.of, [5, 3, 5]);
  await sets.getByRole('button', { name: '<b>again</b> 2' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('sets of two pages of one browser are all kept, and one that grows filters by all of it', async () => {
  const context = await browser.newContext();
  const shown = async () => {
    const page = await newPage(context);
    await visit(page, `${site.url}#file=300.tbl`);
    await page.locator('.tile').first().waitFor();
    return page;
  };
  const save = async (page, name, ...samples) => {
    for (const i of samples) await page.locator(`#p${i}`).click({ modifiers: ['Control'] });
    const sets = page.locator('forebay-sets');
    await sets.getByLabel('Name of the set').fill(name);
    await sets.getByLabel('Name of the set').press('Enter');
    await sets.getByRole('button', { name: new RegExp(`^${name} \\d`) }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
  };
  const [one, other] = [await shown(), await shown()];
  await save(one, 'first', 1, 2);
  await save(other, 'second', 3);
  await save(one, 'third', 4);
  // What the other page kept is there at once, and after a reload.
  const sets = one.locator('forebay-sets');
  await sets.getByRole('button', { name: 'second 1' }).waitFor();
  await one.reload();
  for (const name of ['first 2', 'second 1', 'third 1']) await sets.getByRole('button', { name }).waitFor();
  await sets.getByRole('button', { name: 'first 2' }).click();
  await one.locator('.counts', { hasText: '2 of 300' }).waitFor();
  await sets.getByRole('button', { name: 'Select the set second' }).click();
  await sets.getByLabel('Name of the set').fill('first');
  await sets.getByLabel('Name of the set').press('Enter');
  await one.locator('.counts', { hasText: '3 of 300' }).waitFor();
  // A browser that takes a set and then has no room for it has not kept it.
  await one.evaluate(() => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...given) {
      const request = put.apply(this, given);
      request.addEventListener('success', () => this.transaction.abort());
      return request;
    };
  });
  await sets.getByLabel('Name of the set').fill('fourth');
  await sets.getByLabel('Name of the set').press('Enter');
  await sets.getByText('This browser keeps nothing').waitFor();
  await sets.getByRole('button', { name: /^fourth/ }).waitFor();
  assert.deepEqual([one.faults, other.faults], [[], []]);
  await context.close();
});
