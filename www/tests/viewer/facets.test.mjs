// What the facets at the side filter and count, over files as they come, in the built site.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, launch, newPage, serveFolder } from '../browser.mjs';
import { bitmap, filesOf } from '../lib/helpers.mjs';

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

test('a class is filtered by as what it stands in the metadata', async () => {
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
