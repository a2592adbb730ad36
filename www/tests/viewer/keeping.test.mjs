// What stays for the next visit: named filters and the widths of columns; and what stays in sight while columns move.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, needs, newPage, visit } from '../browser.mjs';
import { browser, opened, site } from './made-up.mjs';

const filterOf = (page) => page.locator('forebay-filter input').first();

/** Types a filter, and keeps it under a name. */
async function keep(page, text, name) {
  const counts = page.locator('.counts', { hasText: ' of ' });
  const before = (await counts.count()) > 0 ? await counts.textContent() : '';
  await filterOf(page).fill(text);
  await filterOf(page).press('Enter');
  await counts.filter({ hasNotText: before || 'nothing yet' }).waitFor();
  await page.getByRole('button', { name: 'Give this filter a name' }).click();
  await page.getByLabel('Name of the filter').fill(name);
  await page.keyboard.press('Enter');
  // One of that name may have been there before.
  await page
    .getByRole('button', { name, exact: true })
    .and(page.getByTitle(text, { exact: true }))
    .waitFor();
}

for (const [file, text, other] of [
  ['300.tbl', 'width >= 600', '301.tbl'],
  ['500.tbf', 'age >= 10', '501.tbf'],
]) {
  test(`a filter of ${file} gets a name, stays with the browser for this dataset alone, and is forgotten when told so`, async () => {
    const page = await opened(`file=${file}`);
    await keep(page, text, 'the <wide> ones');
    const chip = page.getByRole('button', { name: 'the <wide> ones', exact: true });
    assert.equal(await chip.getAttribute('aria-pressed'), 'true');
    assert.equal(await chip.getAttribute('title'), text);
    assert.deepEqual(await axe(page), []);
    // A second click takes the filter away.
    await chip.click();
    await page.locator('.counts', { hasText: / of / }).waitFor({ state: 'detached' });
    assert.equal(await filterOf(page).inputValue(), '');
    await page.reload();
    await chip.click();
    await page.locator('.counts', { hasText: ' of ' }).waitFor();
    assert.equal(await filterOf(page).inputValue(), text);
    await visit(page, `${site.url}#file=${other}`);
    await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
    assert.equal(await chip.count(), 0);
    await visit(page, `${site.url}#file=${file}`);
    await page.getByRole('button', { name: 'Forget the filter the <wide> ones' }).click();
    await chip.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
    assert.equal(await chip.count(), 0);
    assert.deepEqual(page.faults, []);
    await page.close();
  });
}

test('a name that is taken gets the new filter, one without letters is refused, and Esc asks no more', async () => {
  const page = await opened('file=300.tbl');
  await keep(page, 'width >= 600', 'large');
  await keep(page, 'width >= 700', 'large');
  const chip = page.getByRole('button', { name: 'large', exact: true });
  assert.equal(await chip.getAttribute('title'), 'width >= 700');
  assert.equal(await page.getByRole('button', { name: /^Forget the filter/ }).count(), 1);
  await page.getByRole('button', { name: 'Give this filter a name' }).click();
  await page.getByLabel('Name of the filter').fill('  ');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'A filter has a name of up to 60 characters' }).waitFor();
  await page.getByLabel('Name of the filter').press('Escape');
  await page.getByLabel('Name of the filter').waitFor({ state: 'detached' });
  // Nothing else of the page took the key, and the keys are where they were.
  assert.equal(await filterOf(page).evaluate((input) => input.getRootNode().activeElement === input), true);
  await page.close();
});

test('a facet is folded to its title, and stays so', async () => {
  const page = await opened('file=300.tbl');
  const facets = page.locator('forebay-facets');
  await facets.getByRole('button', { name: 'Fold Width' }).click();
  await facets.getByRole('slider', { name: /Histogram of width/ }).waitFor({ state: 'detached' });
  await page.reload();
  await facets.getByRole('slider', { name: /Histogram of height/ }).waitFor();
  assert.equal(await facets.getByRole('slider', { name: /Histogram of width/ }).count(), 0);
  await facets.getByRole('button', { name: 'Unfold Width' }).press('Enter');
  await facets.getByRole('slider', { name: /Histogram of width/ }).waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

/** Pixels of a column's head. */
const widthOf = async (page, name) =>
  (
    await page
      .getByRole('columnheader', { name: new RegExp(`^${name}\\b`) })
      .first()
      .boundingBox()
  ).width;

for (const [hash, name] of [
  ['file=300.tbl&view=table', 'Width'],
  ['file=500.tbf', 'age'],
]) {
  test(`columns of ${hash} are pulled wider, by keys too, fit again, and stay so`, async () => {
    const page = await opened(hash);
    const grip = page.getByRole('separator', { name: `Width of ${name}`, exact: true });
    const usual = await widthOf(page, name);
    const { x, y, width, height } = await grip.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 60, y + height / 2, { steps: 4 });
    await page.mouse.up();
    assert.ok(Math.abs((await widthOf(page, name)) - usual - 60) <= 2, `${await widthOf(page, name)} after ${usual}`);
    assert.equal(await page.locator('forebay-sample, forebay-row').count(), 0);
    await grip.press('ArrowRight');
    await grip.press('Shift+ArrowLeft');
    const pulled = await widthOf(page, name);
    assert.ok(Math.abs(pulled - usual - 20) <= 2, `${pulled} after ${usual}`);
    assert.equal(Number(await grip.getAttribute('aria-valuenow')), Math.round(pulled));
    assert.deepEqual(await axe(page), []);
    await page.reload();
    await grip.waitFor();
    assert.equal(await widthOf(page, name), pulled);
    // One of them is on the way of the Tab key, and from there up and down lead to the others.
    assert.equal(await page.locator('[role=separator][tabindex="0"]').count(), 1);
    await grip.press('ArrowDown');
    assert.equal(await page.locator('[role=separator]:focus').count(), 1);
    assert.equal(await page.locator(`[role=separator][aria-label="Width of ${name}"]:focus`).count(), 0);
    if (needs('click twice')) await grip.press('Enter');
    else await grip.dblclick();
    await page.waitForFunction(
      ([label, wanted]) => {
        const all = [];
        const walk = (root) => {
          for (const one of root.querySelectorAll('*')) {
            if (one.getAttribute('aria-label') === label) all.push(one);
            if (one.shadowRoot) walk(one.shadowRoot);
          }
        };
        walk(document);
        return all.some((one) => Math.abs(one.parentElement.getBoundingClientRect().width - wanted) <= 2);
      },
      [`Width of ${name}`, usual],
    );
    assert.deepEqual(page.faults, []);
    await page.close();
  });
}

test('the first column stays in sight while the others move, and the last of them can be reached', async () => {
  const page = await opened('file=500.tbf', { viewport: { width: 1000, height: 600 } });
  const first = page.getByRole('row').nth(2).getByRole('gridcell').nth(1);
  const before = await first.boundingBox();
  const moved = await page.locator('forebay-rows .scroll').evaluate((scroll) => {
    scroll.scrollLeft = 400;
    return scroll.scrollLeft;
  });
  assert.ok(moved > 100, `only ${moved} pixels to move`);
  await page.waitForFunction(() => true);
  const after = await first.boundingBox();
  assert.ok(Math.abs(after.x - before.x) <= 1, `${after.x} after ${before.x}`);
  const number = await page.getByRole('row').nth(2).getByRole('gridcell').first().boundingBox();
  assert.ok(number.x + number.width <= after.x + 1);
  // It is not seen through.
  const color = await first.evaluate((cell) => getComputedStyle(cell).backgroundColor);
  assert.match(color, /^rgb\(/);
  await page.close();
});

test('a row is copied by Ctrl+C, a cell by its button, and who marks a part of a cell opens nothing', {
  skip: needs('read the clipboard'),
}, async () => {
  const context = await browser.newContext();
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(site.url).origin });
  const page = await newPage(context);
  await visit(page, `${site.url}#file=500.tbf`);
  await page.getByRole('row').nth(3).waitFor();
  await page.locator('forebay-rows .scroll').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+c');
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const cells = (await copied()).split('\t');
  const shown = await page.locator('forebay-rows .row.current [role=gridcell]').allInnerTexts();
  assert.equal(cells.length, shown.length - 1);
  assert.equal(cells[0], shown[1]);
  await page.keyboard.press('Enter');
  const panel = page.locator('forebay-row');
  await panel
    .getByRole('button', { name: /^Copy the value of/ })
    .nth(1)
    .click();
  assert.equal(await copied(), await panel.locator('dd').nth(1).innerText());
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  const cell = await page.locator('forebay-rows .row:not(.head) [role=gridcell]').nth(14).boundingBox();
  await page.mouse.move(cell.x + 12, cell.y + 15);
  await page.mouse.down();
  await page.mouse.move(cell.x + 40, cell.y + 15, { steps: 4 });
  await page.mouse.up();
  assert.equal(await panel.count(), 0);
  assert.deepEqual(page.faults, []);
  await context.close();
});
