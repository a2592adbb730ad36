// For everybody: by keys alone, from right to left, by names that are read out, and in the few colors that somebody chose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, needs, newPage, until, visit } from '../browser.mjs';
import { browser, opened, site } from './made-up.mjs';

/** What has the focus, inside of all components: its role or tag, and its name. */
const focused = (page) =>
  page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const name = at?.getAttribute('aria-label') || at?.labels?.[0]?.innerText || at?.innerText || '';
    return `${at?.getAttribute('role') || at?.localName} ${name.trim()}`;
  });

test('from an address to a converted file by keys alone', async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  /** Goes on with the tabulator until what is wanted has the focus. */
  const to = async (wanted) => {
    for (let steps = 0; !wanted.test(await focused(page)); steps++) {
      assert.ok(steps < 60, `${wanted} is not reached; now it is ${await focused(page)}`);
      await page.keyboard.press('Tab');
    }
  };
  await to(/Address of a file/);
  await page.keyboard.type('300.tbl');
  await page.keyboard.press('Enter');
  await page.locator('.tile').first().waitFor();
  await until(async () => /grid Samples/.test(await focused(page)), 'the samples have the focus');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await page.locator('.selection b', { hasText: '1 selected' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sample 1', exact: true }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: 'Sample 2', exact: true }).waitFor();
  await to(/button Close the sample/);
  await page.keyboard.press('Enter');
  await page.locator('forebay-sample').waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('width >= 400');
  await page.keyboard.press('Enter');
  await page.locator('.counts', { hasText: 'of 300' }).waitFor();
  await page.keyboard.press('Escape');
  await to(/grid Samples/);
  await page.keyboard.press('e');
  await to(/button Convert…/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  assert.match(download.suggestedFilename(), /^300/);
  await to(/button Done/);
  await page.keyboard.press('Enter');
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a dialog that a key opened has the focus itself: no button has a ring that nobody tabbed to', async () => {
  const page = await opened('file=300.tbl');
  for (const key of ['?', 'i', 'c', 'e', 'l', 'u', 'm']) {
    await page.keyboard.press(key);
    await page.locator('dialog[open]').waitFor();
    await until(async () => /^dialog /.test(await focused(page)), `${key}: the dialog has the focus`);
    assert.equal(await page.locator('dialog[open]').evaluate((one) => getComputedStyle(one).outlineStyle), 'none');
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'button Close', key);
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('no format stands alone in a row of the first page', { skip: needs('balance rows') }, async () => {
  for (const width of [1280, 800, 360]) {
    const page = await newPage(browser, { viewport: { width, height: 780 } });
    await page.goto(site.url);
    await page.locator('.formats li').first().waitFor();
    const tops = await page
      .locator('.formats li')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    const rows = [...new Set(tops)].map((top) => tops.filter((one) => one === top).length);
    assert.ok(Math.min(...rows) > 1, `${rows} at ${width}`);
    await page.close();
  }
});

test('everything that can be used has a name that is read out', async () => {
  for (const hash of ['', 'file=300.tbl', 'file=300.tbl&view=table&i=8', 'file=2000.tbf&i=3']) {
    const page = await newPage(browser);
    await visit(page, `${site.url}#${hash}`);
    await page
      .locator(hash ? '.tile, [role=grid] [role=row]' : 'forebay-welcome')
      .first()
      .waitFor();
    if (hash.includes('i=')) await page.locator('forebay-sample, forebay-row').first().waitFor();
    const spoken = await page.locator('body').ariaSnapshot();
    const used =
      /^\s*- (button|link|textbox|searchbox|combobox|checkbox|radio|slider|tab|option|listbox|grid|dialog|tabpanel|region)\b/;
    const lines = spoken.split('\n').filter((line) => used.test(line));
    assert.ok(lines.length > 5, spoken);
    const nameless = lines.filter((line) => !/^\s*- \w+ ["/]/.test(line));
    assert.deepEqual(nameless, [], hash);
    await page.close();
  }
});

test('a screen reader finds images in rows and columns, and hears what the keys did', async () => {
  const page = await opened('file=1200.tbl');
  await page.locator('.scroll').focus();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('ArrowRight');
  const current = page.locator('.tile.current');
  const tree = await page.getByRole('grid', { name: 'Samples' }).ariaSnapshot();
  const rows = tree.split('\n').filter((line) => /^\s*- row\b/.test(line));
  const cells = tree.split('\n').filter((line) => /^\s*- gridcell "Sample [\d,]+, /.test(line));
  assert.ok(rows.length > 3 && cells.length > rows.length * 2, tree);
  assert.doesNotMatch(tree, /- (listbox|option|generic)/);
  assert.deepEqual(await axe(page), []);
  const heard = () =>
    page.evaluate(
      () => document.querySelector('forebay-viewer').renderRoot.querySelector('[role=status][aria-live]').textContent,
    );
  await page.keyboard.press('Space');
  await until(async () => (await heard()).includes('1 sample selected'), 'that one is picked');
  await page.keyboard.press('Space');
  await until(async () => (await heard()).includes('0 samples selected'), 'that none is picked');
  assert.equal(await current.getAttribute('aria-selected'), 'false');
  await page.keyboard.press('b');
  await until(async () => /^boxes off/.test(await heard()), 'what became of the boxes');
  await page.keyboard.press('/');
  await page.keyboard.type('width >= 400');
  await page.keyboard.press('Enter');
  await until(async () => /of 1,200/.test(await heard()), 'how many the filter keeps');
  // What is said twice is said in other letters, or nobody hears it the second time.
  await visit(page, `${site.url}#file=300.tbl&i=299`);
  await page.getByRole('heading', { name: 'Sample 299', exact: true }).waitFor();
  await page.keyboard.press('j');
  await until(async () => /last sample/.test(await heard()), 'that there is no next');
  const once = await heard();
  await page.keyboard.press('j');
  await until(async () => (await heard()) !== once && /last sample/.test(await heard()), 'the same again');
  assert.deepEqual(page.faults, []);
  await page.close();
});

/** Whether a text reads as it is written: its first character is left of its last. */
const readsOn = (locator) =>
  locator.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = walker.nextNode();
    while (text && !text.data.trim()) text = walker.nextNode();
    const at = (k) => {
      const range = new Range();
      range.setStart(text, k);
      range.setEnd(text, k + 1);
      return range.getBoundingClientRect().x;
    };
    const { length } = text.data.trimEnd();
    return at(text.data.search(/\S/)) < at(length - 1);
  });

test('from right to left nothing is cut off, lies over something else or turns its meaning around', async () => {
  for (const [width, hash] of [
    [1280, 'file=300.tbl&i=8'],
    [1280, 'file=300.tbl&view=table'],
    [1280, 'file=2000.tbf'],
    [390, 'file=300.tbl'],
    [390, 'file=300.tbl&i=8'],
  ]) {
    const place = `${hash} at ${width}`;
    const page = await newPage(browser, { viewport: { width, height: 800 } });
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => (document.documentElement.dir = 'rtl'));
    });
    await visit(page, `${site.url}#${hash}`);
    await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
    assert.equal(
      await page.evaluate(() => getComputedStyle(document.querySelector('forebay-viewer')).direction),
      'rtl',
    );
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, place);
    for (const button of await page.locator('.top button:visible, .bar button:visible, .tile').all()) {
      const box = await button.boundingBox();
      if (box) assert.ok(box.x >= -1 && box.x + box.width <= width + 1, `${JSON.stringify(box)} of ${place}`);
    }
    assert.deepEqual(await axe(page), [], place);
    if (width > 1000) assert.ok(await readsOn(page.locator('.file h1')), place);
    if (hash.includes('tbf')) {
      const list = page.locator('#p0 [role=gridcell]', { hasText: /^\s*\[/ });
      assert.ok(await readsOn(list), await list.innerText());
    } else if (!hash.includes('table') && (width > 1000 || !hash.includes('i='))) {
      // Of what is in sight.
      const name = page.locator(`#p${hash.includes('i=') ? 8 : 0} .caption > :last-child`);
      await until(async () => /\d\.png/.test(await name.innerText()), 'the name is there');
      assert.ok(await readsOn(name), await name.innerText());
    }
    if (width > 1000 && hash.includes('i=8')) {
      // The classes are where lines begin, the sample where they end; an expression reads as it is written.
      const [classes, sample] = [page.locator('forebay-facets'), page.locator('forebay-sample')];
      assert.ok((await classes.boundingBox()).x > (await sample.boundingBox()).x, place);
      const filter = page.locator('forebay-filter input');
      assert.equal(await filter.evaluate((input) => getComputedStyle(input).direction), 'ltr');
      // Width comes before height, and a name begins with its beginning.
      assert.ok(await readsOn(sample.locator('forebay-boxes .muted').first()), place);
      assert.ok(await readsOn(sample.locator('.title .muted')), place);
      // An arrow's key leads where it points.
      const [one, next] = [await page.locator('#p8').boundingBox(), await page.locator('#p9').boundingBox()];
      assert.ok(next.x > one.x || next.y > one.y, place);
    }
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('on a phone the panel of a sample says its class, and a filter that keeps nothing is taken back by a button', async () => {
  const page = await opened('file=300.tbl&i=2', { viewport: { width: 360, height: 740 } });
  const title = page.locator('forebay-sample .title');
  const label = title.locator('.class', { hasText: 'gull' });
  await label.waitFor();
  const [outer, inner] = [await title.boundingBox(), await label.boundingBox()];
  assert.ok(inner.y + inner.height <= outer.y + outer.height + 1, JSON.stringify([outer, inner]));
  assert.ok(inner.x + inner.width <= outer.x + outer.width + 1, JSON.stringify([outer, inner]));
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press('Escape');
  await page.locator('forebay-filter input').fill('width >= 60000');
  await page.getByText('No sample matches the filter.').waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole('button', { name: 'Show all samples' }).click();
  await page.locator('.tile').first().waitFor();
  assert.equal(await page.locator('forebay-filter input').inputValue(), '');
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("in somebody's few colors dialogs can be used, on a phone too", async () => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ]) {
    const page = await opened('file=1200.tbl', { viewport, forcedColors: 'active' });
    assert.equal(await page.evaluate(() => matchMedia('(forced-colors: active)').matches), true);
    for (const [key, dialog] of [
      ['e', 'forebay-convert'],
      ['c', 'forebay-check'],
      ['?', 'forebay-help'],
    ]) {
      await page.locator('.scroll').focus();
      await page.keyboard.press(key);
      const open = page.locator(`${dialog} dialog[open]`);
      await open.waitFor();
      const { x, width } = await open.boundingBox();
      assert.ok(x >= 0 && x + width <= viewport.width, `${dialog} at ${x}, ${width} wide`);
      // What has the focus is seen without its color.
      await page.keyboard.press('Tab');
      const seen = await page.evaluate(() => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
      });
      assert.ok(seen, `the focus in ${dialog} is seen`);
      assert.deepEqual(await axe(page), [], dialog);
      await page.keyboard.press('Escape');
      await open.waitFor({ state: 'detached' });
    }
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});
