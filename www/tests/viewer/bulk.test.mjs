// What is done to many samples at once, and the classes of a project, in the built site.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { shutdown } from 'forebay';
import { ROOT, axe, launch, newPage, serveFolder, until, visit } from '../browser.mjs';
import { recordsOf, tblOf } from './edited.mjs';

const box = (name, k) => ({ class: name, xmin: 20 + k, ymin: 30, xmax: 60, ymax: 80 });
let browser, site, tbl;
before(async () => {
  browser = await launch();
  site = await serveFolder(join(ROOT, 'dist/site'));
  tbl = await tblOf(5, 160, 120, (i) => ({
    annotations_format: 'forebay.1',
    annotations: [box(i % 2 ? 'gull' : 'boat', i), box('boat', i + 5)],
  }));
});
after(async () => {
  await browser?.close();
  site?.server.close();
  await shutdown();
});

async function opened() {
  const page = await newPage(await browser.newContext());
  await visit(page, site.url);
  await page.locator('#file-input').setInputFiles({ name: 'a.tbl', mimeType: 'application/octet-stream', buffer: tbl });
  await page.locator('.tile').first().waitFor();
  return page;
}
const project = (page, classes) =>
  page.locator('#labels-input').setInputFiles({
    name: 'p.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ forebay_project: 1, classes })),
  });
const kept = (page) => page.locator('forebay-edit-bar .kept', { hasText: 'every change is kept' }).waitFor();
async function saved(page) {
  await page.locator('forebay-edit-bar').getByRole('button', { name: 'Save…' }).click();
  const dialog = page.locator('forebay-save-edits');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save…', exact: true }).click(),
  ]);
  return recordsOf(readFileSync(await file.path()));
}

test('selected samples get another class and tags, and are deleted, each undone at once', async () => {
  const page = await opened();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await kept(page);
  for (const i of [0, 1, 3]) await page.locator(`#p${i}`).click({ modifiers: ['Control'] });
  const menu = page.getByRole('group', { name: 'Selected samples' });
  const change = menu.getByRole('button', { name: 'Change…', exact: true });
  await change.click();
  await menu.getByLabel('Boxes of the class').selectOption('boat');
  await menu.getByLabel('New class').fill('ship');
  await menu.getByRole('button', { name: 'Change the class' }).click();
  await page.locator('forebay-edit-bar .far', { hasText: '3 images changed' }).waitFor();
  await menu.getByLabel('Tags, separated by commas').fill('night, rain');
  await menu.getByRole('button', { name: 'Add tags' }).click();
  await kept(page);
  await menu.getByRole('button', { name: 'Delete the samples' }).click();
  await page.getByText('without 3 deleted samples').waitFor();
  assert.equal(await page.locator('.tile').count(), 2);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('without 3 deleted samples').waitFor({ state: 'detached' });
  assert.equal(await page.locator('.tile').count(), 5);
  await page.locator('#p3').click({ modifiers: ['Control'] });
  await change.click();
  await menu.getByRole('button', { name: 'Delete the samples' }).click();
  await page.getByText('without 2 deleted samples').waitFor();
  await page.keyboard.press('Escape');
  await kept(page);
  const { records } = await saved(page);
  const classes = records.map(({ json }) => json.annotations.map((one) => one.class));
  assert.deepEqual(classes, [
    ['boat', 'boat'],
    ['gull', 'ship'],
    ['boat', 'boat'],
  ]);
  assert.deepEqual(
    records.map(({ json, tags }) => tags ?? json.tags ?? []),
    [[], ['night', 'rain'], []],
  );
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('a project gives classes their order, colors and keys, and every export and saved file its numbers', async () => {
  const page = await opened();
  await project(page, [
    { name: 'car', color: '#102030' },
    { name: 'gull', id: 18, key: 1, color: '#405060' },
    { name: 'boat', key: 4 },
  ]);
  await page.getByText('p.json gives the classes their numbers: 3 classes').first().waitFor({ state: 'attached' });
  await page.keyboard.press('l');
  const dialog = page.locator('forebay-labels');
  await dialog.getByText('A project of 3 classes').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export labels' }).click(),
  ]);
  const coco = JSON.parse(readFileSync(await file.path()));
  assert.deepEqual(
    coco.categories.map(({ name }) => name),
    ['car', 'gull', 'boat'],
  );
  await dialog.getByLabel('Close').click();
  await page.locator('#p1').click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.locator('forebay-drawing[data-drawn="2"]').waitFor();
  const rows = page.locator('forebay-classes .row');
  const shown = await rows.evaluateAll((all) =>
    all.map((row) => [row.querySelector('bdi').textContent, row.querySelector('kbd').textContent]),
  );
  assert.deepEqual(shown, [
    ['car', '2'],
    ['gull', '1'],
    ['boat', '4'],
  ]);
  const color = await rows
    .nth(1)
    .locator('.dot')
    .evaluate((dot) => getComputedStyle(dot).backgroundColor);
  assert.equal(color, 'rgb(64, 80, 96)');
  await page.locator('forebay-sample .stage').focus();
  await page.keyboard.press('n');
  await kept(page);
  // It stays for the next visit of this dataset, and is gone when it is taken away.
  const { document } = await saved(page);
  assert.deepEqual(document.classes, ['car', 'gull', 'boat']);
  assert.deepEqual(document.categories[1], { id: 18, name: 'gull' });
  await page.reload();
  await page.locator('#file-input').setInputFiles({ name: 'a.tbl', mimeType: 'application/octet-stream', buffer: tbl });
  await page.locator('.tile').first().waitFor();
  await page.keyboard.press('l');
  await dialog.getByText('A project of 3 classes').waitFor();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog.getByText('A project file, a COCO file or a data.yaml').waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('the filter asks about boxes', async () => {
  const page = await opened();
  const filter = page.locator('forebay-filter input');
  await filter.fill('any(box, box.label == "gull" && box.width < 38)');
  await filter.press('Enter');
  await page.locator('.counts', { hasText: '1 of 5' }).waitFor();
  await filter.fill('count(box, box.label == "boat") == 2');
  await filter.press('Enter');
  await page.locator('.counts', { hasText: '3 of 5' }).waitFor();
  await filter.fill('any(box, box.widht < 38)');
  await filter.press('Enter');
  await page.getByText('did you mean box.width?').first().waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('a rejected image takes a note, which the tiles show, the file keeps and one undo takes back', async () => {
  const page = await opened();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.locator('#p0').click();
  const note = page.getByLabel('Note: why the image is rejected');
  const at = (i) => page.getByRole('heading', { name: `Sample ${i}`, exact: true }).waitFor();
  await page.locator('forebay-drawing[data-drawn]').waitFor();
  await page.keyboard.press('t');
  await page.keyboard.type('blurred rat');
  await page.keyboard.press('Enter');
  await at(1);
  await until(async () => (await note.inputValue()) === '', 'the next image has no note');
  await page.locator('#p0[title*="rejected: blurred rat"] .verdict').waitFor();
  await page.locator('forebay-drawing[data-drawn]').waitFor();
  await page.keyboard.press('r');
  await at(2);
  await page.locator('#p1[title*=", rejected, "] .verdict').waitFor();
  // Somebody comes back, and changes only the note.
  await page.locator('#p0').click();
  await at(0);
  await page.locator('forebay-drawing[data-drawn]').waitFor();
  await until(async () => (await note.inputValue()) === 'blurred rat', 'the note is there');
  await note.fill('blurred boat');
  await note.press('Enter');
  await page.locator('#p0[title*="rejected: blurred boat"]').waitFor();
  await at(0);
  assert.deepEqual(await axe(page), []);
  await kept(page);
  const { records } = await saved(page);
  const said = (record) => [record.review ?? record.json?.review, record.review_note ?? record.json?.review_note];
  assert.deepEqual(said(records[0]), ['rejected', 'blurred boat']);
  assert.deepEqual(said(records[1]), ['rejected', undefined]);
  await page.locator('forebay-save-edits').getByRole('button', { name: 'Done' }).click();
  for (const words of ['rejected: blurred rat', 'rejected: blurred rat', null]) {
    await page.keyboard.press('Control+z');
    if (words) await page.locator(`#p0[title*="${words}"]`).waitFor();
    else await page.locator('#p0 .verdict').waitFor({ state: 'detached' });
  }
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what was done in a session is counted image by image, and exported as JSON and CSV', async () => {
  const page = await opened();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.locator('#p0').click();
  await page.locator('forebay-drawing[data-drawn="2"]').waitFor();
  // A box is put into the middle, and moved by a key that is held: drawn once, changed once.
  await page.keyboard.press('n');
  await page.locator('forebay-drawing[data-drawn="3"]').waitFor();
  for (let k = 0; k < 4; k++) await page.keyboard.press('ArrowRight');
  await kept(page);
  await page.keyboard.press('Delete');
  await page.locator('forebay-drawing[data-drawn="2"]').waitFor();
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Sample 1', exact: true }).waitFor();
  const bar = page.locator('forebay-edit-bar');
  await bar.getByRole('button', { name: 'More', exact: true }).click();
  await bar.getByText('This session: 1 image, 1 box drawn, 1 changed').waitFor();
  assert.deepEqual(await axe(page), []);
  const exported = async (name) => {
    const button = bar.getByRole('button', { name });
    const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
    return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
  };
  const [name, text] = await exported('Statistics (JSON)');
  assert.equal(name, 'a-session.json');
  const { samples, seconds, began, ended, ...sums } = JSON.parse(text);
  assert.deepEqual(sums, { dataset: 'a.tbl', images: 1, drawn: 1, changed: 1, deleted: 1, accepted: 0, rejected: 1 });
  assert.ok(seconds >= 0 && new Date(ended) >= new Date(began));
  const { seconds: _, name: first, ...done } = samples[0];
  assert.deepEqual(done, { sample: 0, drawn: 1, changed: 1, deleted: 1, review: 'rejected' });
  const [table, csv] = await exported('Statistics (CSV)');
  assert.equal(table, 'a-session.csv');
  const lines = csv.trimEnd().split('\n');
  assert.equal(lines[0], 'sample,name,drawn,changed,deleted,review,seconds');
  assert.match(lines[1], new RegExp(`^0,${first},1,1,1,rejected,[\\d.]+$`));
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a journal that says something else is taken over image by image, with both versions in sight', async () => {
  const page = await opened();
  const edited = async (keys) => {
    await page.keyboard.press('E');
    for (const [i, key] of keys) {
      await page.locator(`#p${i}`).click();
      await page.getByRole('heading', { name: `Sample ${i}`, exact: true }).waitFor();
      await page.locator('forebay-drawing[data-drawn="2"]').waitFor();
      await page.keyboard.press(key);
      if (key === 'n') await page.locator('forebay-drawing[data-drawn="3"]').waitFor();
    }
    await kept(page);
    await page.getByRole('button', { name: 'Close the sample' }).click();
  };
  const bar = page.locator('forebay-edit-bar');
  const more = () => bar.getByRole('button', { name: 'More', exact: true }).click();
  await edited([
    [1, 'n'],
    [0, 'n'],
  ]);
  await more();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('button', { name: 'Download the journal' }).click(),
  ]);
  const journal = readFileSync(await file.path());
  await more();
  for (const name of ['Throw all edits away', 'Yes, throw them all away'])
    await bar.getByRole('button', { name }).click();
  await page.locator('forebay-edit-bar .far', { hasText: '0 images changed' }).waitFor();
  // This time the new box of the first is moved, and all boxes of the second go.
  await page.locator('#p0').click();
  await page.locator('forebay-drawing[data-drawn="2"]').waitFor();
  await page.keyboard.press('n');
  await page.locator('forebay-drawing[data-drawn="3"]').waitFor();
  for (let k = 0; k < 20; k++) await page.keyboard.press('ArrowRight');
  await kept(page);
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Sample 1', exact: true }).waitFor();
  await page.locator('forebay-drawing[data-drawn="2"]').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await kept(page);
  await page.locator('#journal').setInputFiles({ name: 'b.jsonl', mimeType: 'text/plain', buffer: journal });
  const dialog = page.locator('forebay-clash');
  const first = dialog.getByRole('group', { name: 'Sample 0' });
  await first.getByText('3 labels').first().waitFor();
  await dialog.getByRole('group', { name: 'Sample 1' }).getByText('0 labels').waitFor();
  await first.getByLabel('Both').check();
  await dialog.getByRole('group', { name: 'Sample 1' }).getByLabel('Theirs').check();
  assert.deepEqual(await axe(page), []);
  if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
  await dialog.getByRole('button', { name: 'Take over as chosen' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('forebay-drawing[data-drawn="3"]').waitFor();
  await kept(page);
  const { records } = await saved(page);
  assert.deepEqual(
    records.slice(0, 2).map(({ json, annotations }) => (annotations ?? json.annotations).length),
    [4, 3],
  );
  assert.deepEqual(page.faults, []);
  await page.close();
});
