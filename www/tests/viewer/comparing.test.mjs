// Two versions of a dataset beside each other, and parts of one, over made-up datasets.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { axe, nameOf, visit } from '../browser.mjs';
import { opened, site } from './made-up.mjs';

async function comparing(page) {
  await page.keyboard.press('m');
  const dialog = page.locator('forebay-compare dialog');
  await dialog.waitFor();
  return dialog;
}
const choose = (dialog, name) =>
  dialog
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from('x') });

test('what differs is shown by kind, with both sides and the fields that differ', async () => {
  const page = await opened('file=300.tbl');
  const dialog = await comparing(page);
  assert.deepEqual(await axe(page), []);
  await choose(dialog, '301.tbl');
  await dialog.getByText('4 samples differ; 297 are the same').waitFor();
  const chips = dialog.getByRole('group', { name: 'What differs' });
  assert.deepEqual(
    (await chips.getByRole('button').allInnerTexts()).map((text) => text.trim()),
    ['all 4', 'added 1', 'removed 1', 'image 1', 'boxes 1', 'metadata 1'],
  );
  // The first is open: both pictures are drawn, and the field that differs has both values.
  await dialog.locator('forebay-pair canvas[data-drawn="1"]').nth(1).waitFor();
  await dialog
    .locator('forebay-pair')
    .getByRole('row', { name: /^json\.boxes/ })
    .waitFor();
  assert.deepEqual(await axe(page), []);
  await chips.getByRole('button', { name: 'metadata 1' }).click();
  assert.equal(await dialog.locator('forebay-pairs button').count(), 1);
  await dialog.locator('forebay-pair').getByRole('row', { name: /^cls/ }).waitFor();
  await chips.getByRole('button', { name: 'added 1' }).click();
  await dialog.locator('forebay-pair .none', { hasText: 'not there' }).waitFor();
  assert.equal(await dialog.getByText('<i>new.png').count(), 1, 'a name is text');
  await chips.getByRole('button', { name: 'all 4' }).click();
  const coming = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as JSON' }).click();
  const file = JSON.parse(readFileSync(await (await coming).path(), 'utf8'));
  assert.deepEqual([file.same, file.a_samples, file.b_samples, file.changed.length], [false, 300, 301, 2]);
  await dialog.getByRole('button', { name: 'Show these samples' }).click();
  await page.locator('.counts', { hasText: '3 of 300' }).waitFor();
  await comparing(page);
  await dialog.getByRole('button', { name: 'Open this sample' }).click();
  await page.getByRole('heading', { name: 'Sample 1', exact: true }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('the same is said to be the same, and what cannot be compared is refused', async () => {
  const page = await opened('file=300.tbl', { viewport: { width: 360, height: 700 } });
  const dialog = await comparing(page);
  await choose(dialog, '300.tar');
  await dialog.getByText('Both have the same 300 samples.').waitFor();
  await choose(dialog, '20.tbf');
  await dialog.getByText('This is a table').waitFor();
  await choose(dialog, 'bad.tbl');
  await dialog.getByText('tbl.magic').first().waitFor();
  await choose(dialog, '301.tbl');
  await dialog.getByText('4 samples differ').waitFor();
  const wide = await dialog.locator('.body').evaluate((body) => body.scrollWidth - body.clientWidth);
  assert.ok(wide <= 1, `${wide} pixels stand out`);
  // Another file forgets what was compared.
  await dialog.getByRole('button', { name: 'Close' }).click();
  await visit(page, `${site.url}#file=40.tbl`);
  await page.locator('.tile').first().waitFor();
  await comparing(page);
  assert.equal(await page.locator('forebay-compare').getByText('samples differ').count(), 0);
  assert.deepEqual(page.faults, []);
  await page.close();
});

/** By keys, since not every engine says that a field changed which was filled without any. */
async function typed(field, text) {
  await field.press('Control+a');
  await field.pressSequentially(text);
  await field.press('Tab');
}

test('parts become sets, a list and a filter', async () => {
  const page = await opened('file=300.tbl');
  await page.keyboard.press('u');
  const dialog = page.locator('forebay-curate dialog');
  await dialog.getByRole('button', { name: 'Train, validate, test' }).click();
  assert.deepEqual(await axe(page), []);
  await typed(dialog.getByLabel('Test, percent'), '10');
  await dialog.getByText('The shares are 110 percent together').waitFor();
  assert.ok(await dialog.getByRole('button', { name: 'Divide' }).isDisabled());
  await typed(dialog.getByLabel('Test, percent'), '0');
  await dialog.getByRole('button', { name: 'Divide' }).click();
  await dialog.getByRole('row', { name: /^train 240 samples boat 60/ }).waitFor();
  await dialog.getByText('2 groups of samples stayed together.').waitFor();
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole('button', { name: 'Keep as sets' }).click();
  await dialog.getByText('The parts are sets now').waitFor();
  const coming = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'List (CSV)' }).click();
  const list = readFileSync(await (await coming).path(), 'utf8').split('\n');
  assert.deepEqual([list[0], list[1], list.length], ['i,name,part', '0,train/00000000.png,train', 302]);
  const files = page.waitForEvent('download');
  // Whoever leaves the page meanwhile is asked.
  const isAsked = () => page.evaluate(() => !globalThis.dispatchEvent(new Event('beforeunload', { cancelable: true })));
  await dialog.getByRole('button', { name: 'Write the files' }).click();
  await dialog.getByText('train.tbl').first().waitFor();
  assert.ok(await isAsked());
  assert.match((await files).suggestedFilename(), /train\.tbl$/);
  await dialog.getByText(/✓ .*val\.tbl/).waitFor();
  assert.equal(await isAsked(), false);
  await dialog.getByRole('row', { name: /^val/ }).getByRole('button', { name: 'Show' }).click();
  await page.locator('.counts', { hasText: '60 of 300' }).waitFor();
  await page.getByRole('button', { name: 'Remove val', exact: true }).click();
  await page.locator('forebay-sets').getByRole('button', { name: 'train 240' }).click();
  await page.locator('.counts', { hasText: '240 of 300' }).waitFor();
  // A set that gets other samples filters by those.
  await page.keyboard.press('u');
  await dialog.waitFor();
  await typed(dialog.getByLabel('Training, percent'), '50');
  await typed(dialog.getByLabel('Validation, percent'), '50');
  await dialog.getByRole('button', { name: 'Divide' }).click();
  await dialog.getByRole('row', { name: /^train 150 samples/ }).waitFor();
  await dialog.getByRole('button', { name: 'Keep as sets' }).click();
  await dialog.getByText('The parts are sets now').waitFor();
  await dialog.getByLabel('Close').click();
  await page.locator('.counts', { hasText: '150 of 300' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('thumbnails are made from the page about the file', async () => {
  const page = await opened('file=300.tbl');
  await page.keyboard.press('i');
  await page.locator('forebay-about').getByRole('button', { name: 'Make them' }).click();
  const dialog = page.locator('forebay-thumbs dialog');
  await dialog.getByRole('radio', { name: '96 pixels' }).check();
  assert.deepEqual(await axe(page), []);
  const coming = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Make them…' }).click();
  assert.equal(nameOf(await coming), '300.tbl.thumbs');
  await dialog.getByText('Keep it next to the dataset').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what was canceled can be begun again', async () => {
  const page = await opened('file=300.tbl');
  await page.locator('forebay-viewer').evaluate((viewer) => {
    const { diff } = viewer.engine;
    viewer.engine = {
      ...viewer.engine,
      async diff(a, b, options) {
        options.signal.throwIfAborted();
        const { signal } = options;
        if (!globalThis.quick)
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        return diff(a, b, options);
      },
    };
  });
  const dialog = await comparing(page);
  await choose(dialog, '301.tbl');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.evaluate(() => (globalThis.quick = true));
  await dialog.getByRole('checkbox').check();
  await dialog.getByText('4 samples differ; 297 are the same').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});
