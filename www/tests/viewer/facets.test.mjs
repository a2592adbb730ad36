// What the facets at the side filter and count, over files as they come, in the built site.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, launch, newPage, serveFolder } from '../browser.mjs';
import { bitmap, filesOf } from '../lib/helpers.mjs';
import { SLOW } from '../slow.mjs';

const SAMPLES = 24;
let browser, site;
before(async () => {
  site = await serveFolder(join(ROOT, 'dist/site'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.server.close();
});

/** A page that has a TAR open, in which `record` says what is beside each picture. */
async function opened(record, samples = SAMPLES) {
  const files = Array.from({ length: samples }, (_, i) => [
    [`${String(i).padStart(4, '0')}.bmp`, bitmap(20 + i, 20, 9 * i)],
    [`${String(i).padStart(4, '0')}.json`, Buffer.from(JSON.stringify(record(i)))],
  ]);
  const page = await newPage(browser);
  await page.goto(site.url);
  const buffer = Buffer.from(await filesOf(files.flat()).arrayBuffer());
  await page.locator('#file-input').setInputFiles({ name: 'some.tar', mimeType: 'application/x-tar', buffer });
  await page.locator('.counts', { hasText: new RegExp(`^\\s*${samples}\\s*$`) }).waitFor();
  return page;
}
const classes = (page) => page.getByRole('region', { name: 'Classes' });
const kept = (page, many, of = SAMPLES) => page.locator('.counts', { hasText: `${many} of ${of}` }).waitFor();

test('a class is filtered by as what it stands in the metadata', SLOW, async () => {
  const kinds = {
    number: [(i) => i % 4, '1', 6],
    digits: [(i) => String(i % 4), '1', 6],
    float: [(i) => (i % 4) / 8, '0.125', 6],
    truth: [(i) => i % 3 === 0, 'true', 8],
    text: [(i) => String(i % 3 === 0), 'true', 8],
    // Where both are there, both are counted as one class.
    both: [(i) => (i % 2 ? 1 : i % 4 ? '1' : 'x'), '1', 18],
  };
  for (const [kind, [of, label, many]] of Object.entries(kinds)) {
    const page = await opened((i) => ({ label: of(i) }));
    const bar = classes(page).locator('.bar', { has: page.getByText(label, { exact: true }) });
    await bar.first().click();
    await kept(page, many);
    assert.equal(await page.locator('.error').count(), 0, kind);
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

const boxes = (page) => page.getByRole('region', { name: 'Boxes', exact: true });
const fruit = (i) => ({
  class: i % 3 ? 'pear' : 'apple',
  boxes: [{ xmin: 2, ymin: 2, xmax: 12, ymax: 12, class: i % 3 ? 'pear' : 'apple' }],
});
/** A COCO file in which one picture has one box. */
const coco = (images) => ({
  images: images.map((file_name, k) => ({ id: k + 1, file_name, width: 20, height: 20 })),
  annotations: images.map((_, k) => ({ id: k + 1, image_id: k + 1, category_id: 1, bbox: [1, 1, 4 + k, 4] })),
  categories: [{ id: 1, name: 'pear' }],
});
const label = (page, said) =>
  page.locator('#labels-input').setInputFiles({
    name: 'coco.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(said)),
  });

test('what is clicked of boxes is divided, looked at, and follows labels that come later', async () => {
  const page = await opened(fruit);
  const bar = boxes(page).locator('.bar', { hasText: 'pear' });
  await bar.click();
  await kept(page, 16);
  await page.locator('.scroll').focus();
  await page.keyboard.press('u');
  const dialog = page.locator('forebay-curate dialog');
  await dialog.getByRole('button', { name: 'Look at samples of the filter' }).waitFor();
  await dialog.getByRole('button', { name: 'Train, validate, test' }).click();
  await dialog.locator('forebay-divide select').first().selectOption('');
  await dialog.locator('forebay-divide button.primary').click();
  await dialog.locator('td.number, .bad').nth(1).waitFor();
  const parts = await dialog.locator('td.number').allInnerTexts();
  assert.equal(
    parts.reduce((sum, text) => sum + Number.parseInt(text, 10), 0),
    16,
  );
  await page.keyboard.press('Escape');
  // Labels say otherwise: what was clicked keeps what they say.
  await page.locator('.chips button', { hasText: 'pear' }).waitFor();
  await label(page, coco(['0003.bmp']));
  await kept(page, 1);
  await bar.getByText('1', { exact: true }).first().waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('an image that the labels name exactly is theirs before one that is only named like it', async () => {
  const page = await opened(fruit);
  await label(page, coco(['other/0003.bmp', '0003.bmp']));
  await page.getByText('1 name without a sample').first().waitFor();
  const texts = await page.locator('.chips').textContent();
  assert.match(texts, /other\/0003\.bmp/);
  assert.doesNotMatch(texts, /(?<!other\/)0003\.bmp/);
  await page.close();
});
