// The ways into a file, over made-up datasets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, newPage, until, visit } from '../browser.mjs';
import { browser, site } from './made-up.mjs';
import { SLOW } from '../slow.mjs';

const at = (hash) => `${site.url}#${hash}`;

test('while a file is open, what was open before and any address are a click away', async () => {
  for (const options of [{}, { viewport: { width: 360, height: 740 } }]) {
    const page = await newPage(browser, options);
    for (const name of ['300.tbl', '400.tbl']) {
      await visit(page, at(`file=${name}`));
      await page.locator('.tile').first().waitFor();
      const menu = page.locator('forebay-open');
      await until(() => menu.evaluate((m, name) => m.recent[0]?.name === name, name), `${name} is remembered`);
    }
    const menu = page.locator('forebay-open');
    const sheet = menu.locator('[popover]');
    const button = menu.getByRole('button', { name: 'Open', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await menu.getByText('Recent').waitFor();
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    const box = await sheet.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= page.viewportSize().width, JSON.stringify(box));
    assert.deepEqual(await axe(page), []);
    // Its keys are not those of the page behind it, and Esc leads back.
    await page.keyboard.press('t');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    assert.equal(await page.locator('forebay-table').count(), 0);
    await page.keyboard.press('Enter');
    await menu.getByRole('button', { name: /^300\.tbl/ }).click();
    await page.locator('.facts, h1', { hasText: '300.tbl' }).first().waitFor();
    assert.match(page.url(), /300\.tbl$/);
    await button.click();
    await menu.getByLabel('Address of a file').fill('1200.tbl');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: '1200.tbl' }).waitFor();
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('the sample dataset opens from the empty page and from a link, and back leads out of it', async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  await page.getByRole('button', { name: 'Try the sample dataset' }).click();
  await page.locator('h1', { hasText: 'harbor.tar' }).waitFor();
  assert.match(page.url(), /#file=sample:harbor$/);
  await page.goBack();
  await page.getByText('Drop a dataset file here').waitFor();
  await page.goForward();
  await page.locator('h1', { hasText: 'harbor.tar' }).waitFor();
  await visit(page, at('file=sample:harbor&i=7'));
  await page.getByRole('heading', { name: 'Sample 7', exact: true }).waitFor();
  for (const [name, place, shown] of [
    ['Look into an image', /#file=sample:harbor&i=3$/, 'forebay-sample'],
    ['Find the boats', /#file=sample:harbor&q=json\.label/, '.tile'],
    ['Map similar images', /#file=sample:harbor&view=map$/, 'forebay-map'],
  ]) {
    await visit(page, site.url);
    await page.getByRole('button', { name }).click();
    await page.locator(shown).first().waitFor();
    assert.match(page.url(), place);
  }
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a link to a sample that a growing file is not known to have yet leads there once it is', SLOW, async () => {
  const page = await newPage(browser);
  await visit(page, at('file=grow3000.tar&i=2900'));
  await page.locator('.growing').waitFor();
  await page.getByRole('heading', { name: 'Sample 2,900', exact: true }).waitFor();
  assert.match(page.url(), /&i=2900/);
  // Whoever opened another one meanwhile stays there.
  await visit(page, at('file=grow4000.tar&i=3900'));
  await page.locator('#p0').click();
  await page.getByRole('heading', { name: 'Sample 0', exact: true }).waitFor();
  await page.locator('.growing').waitFor({ state: 'detached' });
  await page.waitForTimeout(100);
  assert.equal(await page.getByRole('heading', { name: 'Sample 0', exact: true }).count(), 1);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a number that no sample or row has opens none', async () => {
  for (const name of ['300.tbl', '300.tbf']) {
    const page = await newPage(browser);
    await visit(page, at(`file=${name}&i=7`));
    const panel = page.locator('forebay-sample, forebay-row');
    await panel.waitFor();
    await page.locator('forebay-viewer').evaluate((viewer) => (viewer.selected = -1));
    await panel.waitFor({ state: 'detached' });
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('a filter that was being written when the file was left is none of the next file', async () => {
  const page = await newPage(browser);
  await visit(page, at('file=300.tbl'));
  await page.locator('.tile').first().waitFor();
  await page.locator('forebay-filter input').fill('width >= 500');
  await page.evaluate(() => (location.hash = '#file=400.tbl'));
  await page.locator('h1', { hasText: '400.tbl' }).waitFor();
  await page.waitForTimeout(700);
  assert.match(await page.locator('.counts').innerText(), /^\s*400\s*$/);
  assert.equal(await page.locator('forebay-filter input').inputValue(), '');
  // Whoever leaves the box at once means what is written, also if it could be half a word.
  await page.locator('forebay-filter input').fill('nobody');
  await page.locator('forebay-filter input').blur();
  await page.getByText('No sample matches the filter').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('of the same filter fewer may be left: keys then stand at the last of them', async () => {
  const page = await newPage(browser);
  await visit(page, at('file=300.tbl'));
  await page.locator('.tile').first().waitFor();
  const keep = (many) =>
    page.locator('forebay-viewer').evaluate((viewer, many) => {
      const samples = Uint32Array.from({ length: many }, (_, i) => i);
      viewer.filtering.setClause('set:some', { label: 'set: some', expression: '', samples });
    }, many);
  await keep(40);
  await page.locator('.counts', { hasText: '40 of 300' }).waitFor();
  await page.locator('.scroll').focus();
  await page.keyboard.press('End');
  await page.locator('#p39.current').waitFor();
  await keep(3);
  await page.locator('#p2.current').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sample 2', exact: true }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what a dialog says of a file is gone with the file', async () => {
  const page = await newPage(browser);
  for (const [key, dialog, done] of [
    ['c', 'forebay-check dialog', 'Damaged'],
    ['i', 'forebay-about dialog', 'About this file'],
  ]) {
    await visit(page, at('file=300.tbl'));
    await page.locator('.tile').first().waitFor();
    await page.keyboard.press(key);
    await page.locator(dialog).getByText(done).first().waitFor();
    await page.evaluate(() => (location.hash = '#file=400.tbl'));
    await page.locator('h1', { hasText: '400.tbl' }).waitFor();
    await page.locator(`${dialog}[open]`).waitFor({ state: 'detached' });
  }
  assert.deepEqual(page.faults, []);
  await page.close();
});
