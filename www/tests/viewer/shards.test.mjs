// Files of samples that are handed over together, as one dataset.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, dropFiles, launch, needs, newPage, serveFolder } from '../browser.mjs';
import { bitmap, filesOf } from '../lib/helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-shards-'));
const set = join(folder, 'train');
const shards = Array.from({ length: 3 }, (_, k) => join(set, `train-00${k}.tar`));
let browser, site;

before(async () => {
  mkdirSync(set);
  for (const [k, path] of shards.entries()) {
    const samples = Array.from({ length: 4 + k }, (_, i) => [
      [`${i}.bmp`, bitmap(20 + 10 * k, 20, 40 * i)],
      [`${i}.json`, Buffer.from(JSON.stringify({ label: k === 2 ? 'gull' : 'boat' }))],
    ]);
    writeFileSync(path, Buffer.from(await filesOf(samples.flat()).arrayBuffer()));
  }
  writeFileSync(join(set, 'read me.txt'), 'three shards');
  site = await serveFolder(join(ROOT, 'dist/site'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** All of it is there, and is looked at and filtered as one. */
async function looksWhole(page, name) {
  await page.locator('.counts', { hasText: /^\s*15\s*$/ }).waitFor();
  await page.getByText(name).first().waitFor();
  await page.locator('forebay-gallery canvas[data-ready]').first().waitFor();
  await page.locator('forebay-filter input').first().fill('width == 40');
  await page.keyboard.press('Enter');
  await page.locator('.counts', { hasText: '6 of 15' }).waitFor();
  await page.getByText('train-002.tar/0').first().waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
}

test('shards that are dropped together are one dataset, in the order of their names', {
  skip: needs('drop folders'),
}, async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  await dropFiles(page, [shards[2], shards[0], shards[1]], { x: 400, y: 300 });
  await looksWhole(page, 'train-000.tar and 2 more');
  await page.close();
});

test('shards of one name, from two folders, are both there', { skip: needs('drop folders') }, async () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  copyFileSync(shards[2], join(other, 'train-000.tar'));
  const page = await newPage(browser);
  await page.goto(site.url);
  await dropFiles(page, [shards[0], join(other, 'train-000.tar')], { x: 400, y: 300 });
  await page.locator('.counts', { hasText: /^\s*10\s*$/ }).waitFor();
  await page.close();
});

test('a folder of shards is one dataset', { skip: needs('choose folders') }, async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  await page.locator('#folder-input').setInputFiles(set);
  await looksWhole(page, 'train');
  await page.locator('.scroll').focus();
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'Convert…' }).click();
  await page.getByText('the command joins several files (forebay concat)').waitFor();
  await page.close();
});

test('shards of two kinds are not one dataset', { skip: needs('choose folders') }, async () => {
  const mixed = join(folder, 'mixed');
  mkdirSync(mixed);
  for (const name of ['a.tar', 'b.tbl']) writeFileSync(join(mixed, name), 'nothing that is read');
  const page = await newPage(browser);
  await page.goto(site.url);
  await page.locator('#folder-input').setInputFiles(mixed);
  await page.getByText('No dataset in this folder').waitFor();
  await page.close();
});
