// Labels exported from the built site: the bytes of the package, with the edits that were made.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { exportLabels, memorySink, open, shutdown } from 'forebay';
import { ROOT, launch, newPage, serveFolder, visit } from '../browser.mjs';
import { tblOf } from './edited.mjs';

const SAMPLES = 6;
let browser, site, tbl;
before(async () => {
  browser = await launch();
  site = await serveFolder(join(ROOT, 'dist/site'));
  tbl = await tblOf(SAMPLES, 160, 120, (i) => ({
    annotations_format: 'forebay.1',
    annotations: [
      { class: i % 2 ? 'gull' : 'boat', xmin: 20, ymin: 30.5, xmax: 60 + i / 3, ymax: 80, score: 0.5 },
      { class: 'boat', xmin: 1, ymin: 2, xmax: 30, ymax: 40, segmentation: [[1, 2, 30, 2, 30, 40]] },
    ],
  }));
});
after(async () => {
  await browser?.close();
  site?.server.close();
  await shutdown();
});

/** The file that the dialog makes. */
async function exported(page, title) {
  await page.keyboard.press('l');
  const dialog = page.locator('forebay-labels');
  await dialog.getByLabel(title, { exact: true }).check();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export labels' }).click(),
  ]);
  const bytes = readFileSync(await file.path());
  await dialog.getByLabel('Close').click();
  return bytes;
}

test('the dialog writes what the package exports, of all samples and of picked ones, and with edits what was drawn', async () => {
  const page = await newPage(await browser.newContext());
  await visit(page, site.url);
  await page.locator('#file-input').setInputFiles({ name: 'a.tbl', mimeType: 'application/octet-stream', buffer: tbl });
  await page.locator('.tile').first().waitFor();
  const dataset = await open(new File([tbl], 'a.tbl'));
  for (const [format, title] of [
    ['coco', 'COCO'],
    ['cvat', 'CVAT'],
    ['labelstudio', 'Label Studio'],
  ]) {
    const sink = memorySink();
    await exportLabels(dataset, format, sink);
    assert.ok((await exported(page, title)).equals(sink.bytes()), format);
  }
  await page.locator('#p2').click({ modifiers: ['Control'] });
  await page.locator('#p4').click({ modifiers: ['Control'] });
  const sink = memorySink();
  await exportLabels(dataset, 'coco', sink, { indexes: [2, 4] });
  assert.ok((await exported(page, 'COCO')).equals(sink.bytes()));
  dataset.close();

  // A box more on a picture that has some: it is in what is exported, of all samples and of that one.
  await page.locator('#p4').click({ modifiers: ['Control'] });
  await page.locator('#p2').click();
  await page.locator('forebay-sample .sum.good').waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.locator('forebay-drawing[data-drawn="2"]').waitFor();
  await page.locator('forebay-sample .stage').focus();
  await page.keyboard.press('n');
  await page.locator('forebay-edit-bar .kept', { hasText: 'every change is kept' }).waitFor();
  const boxesOf = (bytes) => {
    const { images, annotations } = JSON.parse(bytes);
    return images.map(({ id }) => annotations.filter((one) => one.image_id === id).length);
  };
  assert.deepEqual(boxesOf(await exported(page, 'COCO')), [3]);
  await page.locator('#p2').click({ modifiers: ['Control'] });
  const all = JSON.parse(await exported(page, 'COCO'));
  assert.deepEqual(boxesOf(JSON.stringify(all)), [2, 2, 3, 2, 2, 2]);

  // Of picked samples the changed ones have all that those of all have; what was removed is not there, and names are the new ones.
  const given = await open(new File([tbl], 'a.tbl'));
  const theirs = await given.edit();
  await theirs.remove(3);
  await theirs.rename(4, 'four.png');
  const { journal } = await theirs.export();
  theirs.close();
  given.close();
  const buffer = Buffer.from(await journal.arrayBuffer());
  await page.locator('#journal').setInputFiles({ name: 'edits.jsonl', mimeType: 'text/plain', buffer });
  await page.locator('forebay-edit-bar .kept', { hasText: 'every change is kept' }).waitFor();
  await page.locator('forebay-edit-bar .far', { hasText: '3 images changed' }).waitFor();
  // What is left out has left the gallery: the fourth is the one behind it.
  await page.locator('#p5').waitFor({ state: 'detached' });
  for (const i of [2, 3]) await page.locator(`#p${i}`).click({ modifiers: ['Control'] });
  const picked = JSON.parse(await exported(page, 'COCO'));
  assert.deepEqual(
    picked.images.map(({ file_name }) => file_name),
    [all.images[2].file_name, 'four.png'],
  );
  const said = ({ annotations }, image) =>
    annotations.filter((one) => one.image_id === image.id).map(({ id, image_id, ...rest }) => rest);
  assert.deepEqual(said(picked, picked.images[0]), said(all, all.images[2]));

  // What is converted is the file as it was: that is said, and the way to the edits is there.
  await page.keyboard.press('e');
  await page.locator('forebay-convert').getByText('The edits are not in what is written here').waitFor();
  await page.getByRole('button', { name: 'Save with the edits' }).click();
  await page.locator('forebay-save-edits dialog[open]').waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('boxes of four numbers are written as somebody says that they are, and nothing is drawn on them before', async () => {
  const plain = await tblOf(SAMPLES, 160, 120, () => ({ boxes: [{ label: 'boat', bbox: [20, 30, 60, 80] }] }));
  const page = await newPage(await browser.newContext());
  await visit(page, site.url);
  const file = { name: 'plain.tbl', mimeType: 'application/octet-stream', buffer: plain };
  await page.locator('#file-input').setInputFiles(file);
  await page.locator('.tile').first().waitFor();
  await page.locator('#p2').click();
  await page.locator('forebay-sample .sum.good').waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const remark = page.locator('forebay-drawing-page .remark');
  await remark.getByText('does not state what the numbers').waitFor();
  assert.equal(await page.locator('forebay-drawing[data-drawn="1"]').count(), 0);
  await remark.getByRole('button', { name: 'Change…' }).click();
  const dialog = page.locator('forebay-labels');
  await dialog.getByRole('button', { name: 'Export labels' }).click();
  await dialog.getByRole('alert').getByText('label.ambiguous').waitFor();
  await dialog.getByLabel('The numbers of a box are').selectOption('xyxy');
  await dialog.getByLabel('Close').click();
  await page.locator('forebay-drawing[data-drawn="1"]').waitFor();
  const dataset = await open(new File([plain], 'plain.tbl'));
  const sink = memorySink();
  await exportLabels(dataset, 'coco', sink, { boxes: ':xyxy' });
  dataset.close();
  assert.ok((await exported(page, 'COCO')).equals(sink.bytes()));
  // A box more: those beside it are kept as corners.
  await page.locator('forebay-sample .stage').focus();
  await page.keyboard.press('n');
  await page.locator('forebay-edit-bar .kept', { hasText: 'every change is kept' }).waitFor();
  const all = JSON.parse(await exported(page, 'COCO')).annotations.filter(({ image_id }) => image_id === 3);
  assert.deepEqual(all[0].bbox, [20, 30, 40, 50]);
  assert.equal(all.length, 2);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
