// The viewer alone, over made-up datasets of any size.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, dropFiles, launch, needs, newPage, serveFolder, until, visit } from '../browser.mjs';
import { SLOW } from '../slow.mjs';

let browser, site;
before(async () => {
  browser = await launch();
  site = await serveFolder(process.env.FOREBAY_FAKE_SITE ?? join(ROOT, 'target/viewer-fake'));
});
after(async () => {
  await browser?.close();
  site?.server.close();
});

const at = (hash) => `${site.url}#${hash}`;
async function opened(hash, options) {
  const page = await newPage(browser, options);
  await visit(page, at(hash));
  await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
  return page;
}
async function focusRows(page) {
  await page.locator('.scroll').focus();
}

test('the last of ten million samples can be reached and is drawn where it belongs', SLOW, async () => {
  for (const [view, rows] of [
    ['gallery', '.tile'],
    ['table', '.row:not(.head)'],
  ]) {
    const page = await opened(`file=10000000.tbl&view=${view}`);
    await focusRows(page);
    await page.keyboard.press('End');
    const last = page.locator('#p9999999');
    await last.waitFor();
    const [box, window] = [await last.boundingBox(), await page.locator('.scroll').boundingBox()];
    assert.ok(
      box.y >= window.y - 1 && box.y + box.height <= window.y + window.height + 1,
      `${view}: ${JSON.stringify([box, window])}`,
    );
    await page.keyboard.press(view === 'gallery' ? 'ArrowLeft' : 'ArrowUp');
    await page.locator('#p9999998.current').waitFor();
    await page.mouse.move(window.x + 100, window.y + 100);
    await page.mouse.wheel(0, -64);
    await page.waitForTimeout(100);
    await page.locator('#p9999998').waitFor();
    const moved = await page.locator('#p9999998').boundingBox();
    assert.ok(moved && Math.abs(moved.y - (await page.locator('#p9999998').boundingBox()).y) < 1);
    assert.ok((await page.locator(rows).count()) < 200, 'only what is in sight is there');
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('a wheel moves ten million rows by pixels, not by thousands of rows', async () => {
  const page = await opened('file=10000000.tbl&view=table');
  const { x, y } = await page.locator('.scroll').boundingBox();
  await page.mouse.move(x + 100, y + 200);
  await page.mouse.wheel(0, 400);
  await page.locator('#p10').waitFor();
  const further = async () => Math.round((await page.locator('#p10').boundingBox()).y - y);
  await until(async () => (await further()) === 40, 'ten rows of 40 pixels further');
  await page.close();
});

test('counts, positions and names are true for screen readers', async () => {
  const page = await opened('file=1200.tbl&view=table');
  assert.equal(await page.locator('[role=grid]').getAttribute('aria-rowcount'), '1201');
  assert.equal(await page.locator('#p3').getAttribute('aria-rowindex'), '5');
  await page.keyboard.press('g');
  const tile = page.locator('#p3');
  await tile.waitFor();
  // Tiles of a line are a row: of those that are not on the page it is known that they are there.
  const perRow = Number(await page.locator('[role=grid]').getAttribute('aria-colcount'));
  assert.ok(perRow > 2, `${perRow} images side by side`);
  assert.equal(await page.locator('[role=grid]').getAttribute('aria-rowcount'), String(Math.ceil(1200 / perRow)));
  const place = (position) =>
    page
      .locator(`#p${position}`)
      .evaluate((cell) => [
        cell.parentElement.ariaRowIndex,
        cell.ariaColIndex,
        cell.parentElement.getAttribute('role'),
      ]);
  assert.deepEqual(await place(3), ['1', '4', 'row']);
  await focusRows(page);
  await page.keyboard.press('End');
  await page.locator('#p1199').waitFor();
  assert.deepEqual(await place(1199), [String(Math.ceil(1200 / perRow)), String((1199 % perRow) + 1), 'row']);
  assert.equal(await page.locator('[role=grid]').getAttribute('aria-activedescendant'), 'p1199');
  await page.close();
});

test('a filter is applied, counted, kept in the link, and its errors stand where they are', async () => {
  const page = await opened('file=1200.tbl');
  await page.keyboard.press('/');
  await page.keyboard.type('wid');
  await page.locator('#fields li').first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('>= 800');
  await page.locator('.counts', { hasText: 'of 1,200' }).waitFor();
  assert.match(page.url(), /q=width%20%20?%3E%3D%20800|q=width%20%3E%3D%20800/);
  await page.keyboard.type(' &&');
  await page.locator('.error').waitFor();
  assert.equal(await page.locator('forebay-filter input').getAttribute('aria-invalid'), 'true');
  await page.getByLabel('Clear the filter').click();
  await page.locator('.counts', { hasText: /^\s*1,200\s*$/ }).waitFor();
  await page.close();
});

test('while a filter is typed, what was found stays, and only what is likely meant is looked for', SLOW, async () => {
  const page = await opened('file=1200.tbl');
  await page.locator('forebay-facets').getByText('4 of json.label').waitFor();
  await page.evaluate(() => (globalThis.asked = []));
  await page.keyboard.press('/');
  for (const letter of 'json.label == "boat"') {
    await page.keyboard.type(letter);
    await page.waitForTimeout(320);
    assert.ok(
      (await page.locator('.tile').count()) > 0,
      `the images stay after ${await page.locator('forebay-filter input').inputValue()}`,
    );
    assert.doesNotMatch(await page.locator('.counts').innerText(), /^0 of/);
  }
  await page.locator('.counts', { hasText: '300 of 1,200' }).waitFor();
  const asked = await page.evaluate(() => globalThis.asked);
  assert.ok(
    asked.every((text) => /^json\.label ==? ?/.test(text)),
    JSON.stringify(asked),
  );
  assert.equal(
    asked.filter((text) => !/"?\w*$/.test(text) || text.endsWith('"boat"')).length,
    1,
    JSON.stringify(asked),
  );
  // A field alone is a filter too, for those who say so; and whoever leaves the box is done with it.
  for (const done of ['Enter', 'Tab']) {
    await page.locator('forebay-filter input').fill('json.o');
    await page.getByText('The first sample has no json.o. Enter filters all the same.').waitFor();
    assert.deepEqual(await axe(page), []);
    await page.keyboard.press(done);
    await page.getByText('No sample matches the filter.').waitFor();
    await page.getByLabel('Clear the filter').click();
    await page.locator('.counts', { hasText: /^\s*1,200\s*$/ }).waitFor();
  }
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("where the user's few colors take the place of all others, states can still be told apart", async () => {
  const page = await opened('file=300.tbl&i=8', { forcedColors: 'active' });
  await page.locator('forebay-sample .legend i').first().waitFor();
  await page.evaluate(() => {
    globalThis.look = (path) => {
      const element = path.reduce((root, selector) => (root.shadowRoot ?? root).querySelector(selector), document);
      const { outlineStyle, outlineWidth, outlineColor, backgroundColor, borderBottomColor, fill, height } =
        getComputedStyle(element);
      return JSON.stringify([
        outlineStyle,
        outlineStyle === 'none' ? '' : [outlineWidth, outlineColor],
        backgroundColor,
        borderBottomColor,
        fill,
        height,
      ]);
    };
  });
  const look = (...path) => page.evaluate((path) => look(path), ['forebay-viewer', ...path]);
  const apart = async (what, one, other) => assert.notEqual(await look(...one), await look(...other), what);
  const picked = page.locator('#p3');
  await picked.click({ modifiers: ['Control'] });
  await page.locator('#p8').click();
  await apart('the current tile', ['forebay-gallery', '#p8'], ['forebay-gallery', '#p4']);
  await apart('a picked tile', ['forebay-gallery', '#p3'], ['forebay-gallery', '#p4']);
  await apart('a picked tile and the current one', ['forebay-gallery', '#p3'], ['forebay-gallery', '#p8']);
  await apart('the view', ['.views [aria-pressed=true]'], ['.views [aria-pressed=false]']);
  await apart('the tab', ['forebay-sample', '[aria-selected=true]'], ['forebay-sample', '[aria-selected=false]']);
  await apart(
    'a label that is hidden',
    ['forebay-sample', '.legend button'],
    await (async () => {
      await page.locator('forebay-sample .legend button').nth(1).click();
      return ['forebay-sample', '.legend button[aria-pressed=false]'];
    })(),
  );
  await apart(
    'colors of labels',
    ['forebay-sample', '.legend button:nth-child(1) i'],
    ['forebay-sample', '.legend button:nth-child(2) i'],
  );
  await apart('bars of a facet', ['forebay-facets', '.bar i'], ['forebay-facets', '.bar i + i']);
  await apart(
    'bars of a histogram',
    ['forebay-facets', 'forebay-histogram', '.all'],
    ['forebay-facets', 'forebay-histogram', '.kept'],
  );
  await page.keyboard.press('t');
  await page.locator('forebay-table').waitFor();
  await apart('the current row', ['forebay-table', '#p8'], ['forebay-table', '#p4']);
  assert.deepEqual(await axe(page), []);
  await page.close();
});

test('what was wrong with a filter is not a fault of the classes once it is mended', async () => {
  const page = await opened('file=1200.tbl&q=width%20%3E');
  await page.locator('.error').waitFor();
  // There was no filter before: all are there.
  await page.locator('.counts', { hasText: /^\s*1,200\s*$/ }).waitFor();
  const classes = page.getByRole('region', { name: 'Classes' });
  await classes.getByText('4 of json.label').waitFor();
  assert.equal(await classes.getByRole('alert').count(), 0);
  // What went wrong with one field is not said of what comes after it.
  await page.getByRole('button', { name: 'Change the field that is counted' }).click();
  await page.keyboard.type('torn');
  await page.keyboard.press('Enter');
  await classes.getByRole('alert').waitFor();
  await page.locator('forebay-filter input').fill('width >= 400');
  await page.locator('.counts', { hasText: 'of 1,200' }).waitFor();
  await classes.getByRole('alert').waitFor({ state: 'detached' });
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('files of one name are remembered each by itself', async () => {
  const page = await newPage(browser);
  for (const folder of ['good', 'other', 'good']) {
    await visit(page, at(`file=${folder}/300.tbl`));
    await page.locator('.tile').first().waitFor();
    const menu = page.locator('forebay-open');
    await until(
      () => menu.evaluate((m, part) => m.recent[0]?.url.includes(part), `/${folder}/`),
      `${folder} is remembered`,
    );
  }
  await page.goto('about:blank');
  await page.goto(site.url);
  const recent = page.locator('forebay-welcome section', { hasText: 'Recent' }).locator('li');
  await recent.nth(1).waitFor();
  assert.equal(await recent.count(), 2);
  assert.match(await recent.nth(0).innerText(), /\/good\//);
  assert.match(await recent.nth(1).innerText(), /\/other\//);
  assert.deepEqual(await axe(page), []);
  await recent.nth(1).locator('button').click();
  await page.locator('.tile').first().waitFor();
  assert.match(page.url(), /other\/300\.tbl$/);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a link to a file of which there are several by its name lets choose among them', async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const db = await new Promise(
      (resolve) => (indexedDB.open('forebay-viewer').onsuccess = (e) => resolve(e.target.result)),
    );
    const store = db.transaction('recent', 'readwrite').objectStore('recent');
    const handles = [];
    for (const name of ['one', 'two'])
      handles.push(
        await (await root.getDirectoryHandle(name, { create: true })).getFileHandle('300.tbl', { create: true }),
      );
    const again = db.transaction('recent', 'readwrite').objectStore('recent');
    handles.forEach(
      (handle, k) => void again.put({ id: String(k), name: '300.tbl', handle, bytes: 1000 * (k + 1), when: 1e12 + k }),
    );
    await new Promise((resolve) => (again.transaction.oncomplete = resolve));
    db.close();
    void store;
  });
  await visit(page, at('file=local:300.tbl&i=7'));
  await page.getByText('There are 2 of this name.').waitFor();
  await page.getByRole('button', { name: 'Open 300.tbl, 2.0 kB' }).waitFor();
  await page.getByRole('button', { name: 'Choose the file' }).waitFor();
  await page.getByRole('button', { name: 'Open 300.tbl, 1.0 kB' }).click();
  await page.getByRole('heading', { name: 'Sample 7', exact: true }).waitFor();
  await page.close();
});

test('captions of tiles mean the same, whichever samples were opened', async () => {
  const page = await opened('file=300.tbl');
  // Of what is in sight: behind its edge nothing is read.
  const captions = () =>
    page
      .locator('.tile .caption')
      .evaluateAll((all) => all.slice(0, 10).map((caption) => caption.innerText.replace(/\s+/g, ' ')));
  await page.locator('#p8 .caption', { hasText: '00000008.png' }).waitFor();
  const same = (texts) => texts.every((text) => /^(boat|buoy|gull|pier) \d{8}\.png$/.test(text));
  assert.ok(same(await captions()), JSON.stringify(await captions()));
  await page.locator('#p2').click();
  await page.locator('forebay-sample .title', { hasText: '00000002.png' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('forebay-sample .title', { hasText: '00000003.png' }).waitFor();
  await page.locator('#p9 .caption', { hasText: '00000009.png' }).waitFor();
  assert.ok(same(await captions()), JSON.stringify(await captions()));
  await page.close();
});

test('who opens a file by keys goes on in it, and the first stop of the tabulator leads to what is shown', async () => {
  const page = await newPage(browser);
  const active = () =>
    page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.className || at?.tagName;
    });
  for (const [name, words] of [
    ['300.tbl', 'To the samples'],
    ['2000.tbf', 'To the rows'],
  ]) {
    await visit(page, site.url);
    await page.getByLabel('Address of a file').fill(name);
    await page.keyboard.press('Enter');
    await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
    await until(async () => (await active()) === 'scroll', 'the focus is where the samples are');
    await visit(page, at(`file=${name}`));
    await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
    assert.equal(await active(), 'BODY', 'a link takes the focus from nobody');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('button', { name: words });
    assert.equal(await active(), 'skip');
    assert.ok((await skip.boundingBox()).height > 20, 'it is seen while it has the focus');
    assert.deepEqual(await axe(page), []);
    await page.keyboard.press('Enter');
    await until(async () => (await active()) === 'scroll', 'the focus is where the samples are');
  }
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a growing file is shown and filtered while it grows, and nothing jumps', SLOW, async () => {
  const page = await newPage(browser);
  await visit(page, at('file=grow60000.tar'));
  await page.locator('.growing').waitFor();
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  const size = () =>
    page
      .locator('.tile')
      .first()
      .evaluate((tile) => Number(tile.closest('[role=grid]').ariaRowCount));
  const early = await size();
  assert.ok(early > 0 && early < 60_000, `${early} at first`);
  await focusRows(page);
  await page.keyboard.press('PageDown');
  const current = await page.locator('.current').getAttribute('id');
  await page.locator('forebay-filter input').fill('width >= 400');
  await page.locator('.counts', { hasText: / of / }).waitFor();
  await page.locator('.growing').waitFor();
  const text = () => page.locator('.counts').innerText();
  const kept = await text();
  await page.waitForFunction((before) => {
    const now = document.querySelector('forebay-viewer').shadowRoot.querySelector('.counts').textContent.trim();
    return now !== before && / of /.test(now);
  }, kept.trim());
  await page.locator('forebay-filter input').fill('');
  await page.locator('.growing').waitFor({ state: 'detached' });
  await page.locator('.counts', { hasText: /^\s*60,000\s*$/ }).waitFor();
  assert.notEqual(current, 'p0');
  // Growing moves nobody: only another filter does.
  await visit(page, at('file=grow60000.tar&view=table'));
  await page.locator('.growing').waitFor();
  await focusRows(page);
  for (let k = 0; k < 3; k++) await page.keyboard.press('PageDown');
  const row = await page.locator('.row.current').getAttribute('id');
  await page.locator('.growing').waitFor({ state: 'detached' });
  assert.equal(await page.locator('.row.current').getAttribute('id'), row);
  assert.ok(await page.locator(`#${row}`).isVisible());
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('facets and a brush over a histogram filter', async () => {
  const page = await opened('file=1200.tbl');
  await page.locator('button.bar', { hasText: 'png' }).click();
  await page.locator('.counts', { hasText: '109 of 1,200' }).waitFor();
  await page.locator('.chips button').click();
  await page.locator('.counts', { hasText: /^\s*1,200\s*$/ }).waitFor();
  const box = await page.locator('section[aria-label=Width] forebay-histogram svg').boundingBox();
  await page.mouse.move(box.x + 4, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.up();
  await page.locator('.chips button', { hasText: 'width >= 160' }).waitFor();
  await page.close();
});

test('classes are counted by any field, as many as are wanted, and what goes wrong there is said', async () => {
  const page = await opened('file=1200.tbl');
  const classes = page.getByRole('region', { name: 'Classes' });
  await classes.getByText('4 of json.label').waitFor();
  const count = async (field) => {
    await page.getByRole('button', { name: 'Change the field that is counted' }).click();
    assert.equal(
      await page.evaluate(
        () =>
          document.querySelector('forebay-viewer').shadowRoot.querySelector('forebay-facets').shadowRoot.activeElement
            ?.tagName,
      ),
      'INPUT',
    );
    assert.ok(
      (
        await page.locator('forebay-facets datalist option').evaluateAll((options) => options.map((o) => o.value))
      ).includes('json.note'),
    );
    await page.keyboard.type(field);
    await page.keyboard.press('Enter');
  };
  await count('json.shade');
  await classes.getByText('400 of json.shade').waitFor();
  assert.equal(await classes.locator('.bar').count(), 12);
  await classes.getByRole('button', { name: 'Show 100 more of 388' }).click();
  await classes.getByRole('button', { name: 'Show 38 more of 288' }).click();
  await classes.getByText('and 250 more').waitFor();
  assert.deepEqual(await axe(page), []);
  await count('torn');
  await page.getByRole('alert').getByText('The metadata is cut off').waitFor();
  await page.close();
});

test('keys that move through the list do so as soon as it is there', async () => {
  for (const [hash, to] of [
    ['file=2000.tbl', 'p1999'],
    ['file=2000.tbl&view=table', 'p1999'],
    ['file=2000.tbf', 'p1999'],
  ]) {
    const page = await opened(hash);
    await page.keyboard.press('End');
    await page.locator(`#${to}.current`).waitFor();
    await page.keyboard.press('Home');
    await page.locator('#p0.current').waitFor();
    await page.close();
  }
});

test('an export that is asked for while the filter is at work is of what the filter keeps', async () => {
  const page = await opened('file=1200.tbl&q=width%20%3E%3D%20777');
  await page.keyboard.press('e');
  const dialog = page.locator('forebay-convert');
  assert.equal(await dialog.getByLabel('All 1,200').isChecked(), true);
  await page.evaluate(() => (globalThis.goOn = true));
  await dialog.getByLabel(/^The filter's \d+/).waitFor();
  assert.equal(await dialog.getByLabel(/^The filter's/).isChecked(), true);
  await page.close();
});

test('what is open follows the list', async () => {
  for (const [hash, keys] of [
    ['file=2000.tbl', 'ArrowRight'],
    ['file=2000.tbl&view=table', 'ArrowDown'],
  ]) {
    const page = await opened(hash);
    await focusRows(page);
    await page.keyboard.press(keys);
    assert.equal(await page.locator('forebay-sample').count(), 0);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sample 1', exact: true }).waitFor();
    await page.keyboard.press(keys);
    await page.getByRole('heading', { name: 'Sample 2', exact: true }).waitFor();
    await page.keyboard.press('End');
    await page.getByRole('heading', { name: 'Sample 1,999', exact: true }).waitFor();
    assert.match(page.url(), /i=1999/);
    await page.close();
  }
});

test('a link to a file of this machine asks for it, and keeps what else it says', async () => {
  const page = await newPage(browser);
  await page.addInitScript(() => {
    delete globalThis.showOpenFilePicker;
  });
  await visit(page, at('file=local:300.tbl&i=7'));
  await page.getByRole('heading', { name: 'Open 300.tbl' }).waitFor();
  assert.deepEqual(await axe(page), []);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose the file' }).click(),
  ]);
  await chooser.setFiles({ name: '300.tbl', mimeType: '', buffer: Buffer.from('x') });
  await page.getByRole('heading', { name: 'Sample 7', exact: true }).waitFor();
  await page.close();
});

test('back leads from a file to the page without one, and forward to the file', async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  await page.getByLabel('Address of a file').fill('300.tbl');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await page.locator('.tile').first().waitFor();
  await page.locator('.tile').nth(3).click();
  await page.getByRole('heading', { name: 'Sample 3', exact: true }).waitFor();
  await page.goBack();
  await page.getByText('Drop a dataset file here').waitFor();
  assert.equal(page.url(), site.url);
  await page.goForward();
  await page.getByRole('heading', { name: 'Sample 3', exact: true }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a link can be dropped, and a folder that is none of a warehouse says so', {
  skip: needs('drop folders'),
}, async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  const drop = (type, text) =>
    page.evaluate(
      ([type, text]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData(type, text);
        document
          .querySelector('forebay-viewer')
          .dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      },
      [type, text],
    );
  const dropFolder = () => dropFiles(page, [join(ROOT, 'docs')], { x: 400, y: 300 });
  await dropFolder();
  await page.getByText('No dataset in this folder').waitFor();
  await drop('text/uri-list', `# a comment\r\n${site.url}300.tbl\r\n`);
  await page.locator('.facts', { hasText: '300 samples' }).waitFor();
  await dropFolder();
  await page.getByRole('group', { name: 'Labels' }).getByText('3 samples').waitFor();
  await drop('text/plain', 'just words');
  await page.waitForTimeout(200);
  assert.equal(await page.locator('.facts', { hasText: '300 samples' }).count(), 1, 'what is open stays so');
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a page that converts does not go without being asked', async () => {
  const page = await opened('file=1200.tbl');
  const goes = () => page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })));
  assert.equal(await goes(), true);
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'Convert…' }).click();
  await page.locator('forebay-convert').getByRole('button', { name: 'Cancel' }).waitFor();
  assert.equal(await goes(), false);
  await page.locator('forebay-convert').getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Canceled; nothing was kept.').waitFor();
  assert.equal(await goes(), true);
  await page.close();
});

test('keys do nothing behind a dialog, wherever the focus is', async () => {
  const page = await opened('file=300.tbl');
  await page.keyboard.press('e');
  await page.locator('forebay-convert dialog[open]').waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.mouse.click(3, 3);
  for (const key of ['t', 'c', 'End', '/']) await page.keyboard.press(key);
  await page.waitForTimeout(200);
  assert.equal(await page.locator('forebay-table').count(), 0);
  assert.equal(await page.locator('dialog[open]').count(), 1);
  await page.close();
});

test('an empty address opens nothing', async () => {
  const page = await newPage(browser);
  await visit(page, site.url);
  await page.getByLabel('Address of a file').press('Enter');
  await page.waitForTimeout(200);
  await page.getByText('Drop a dataset file here').waitFor();
  await page.close();
});

test('a sample opens with its image, boxes and metadata, markup stays text, and keys step', async () => {
  const page = await opened('file=1200.tbl&i=6');
  await page.locator('forebay-sample canvas.boxes').waitFor();
  await page.getByText('<img src=x onerror=alert(1)>').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: 'Sample 7' }).waitFor();
  assert.match(page.url(), /i=7/);
  await visit(page, at('file=1200.tbl&i=13'));
  await page.locator('.sum.bad', { hasText: 'tbl.payload_crc' }).waitFor();
  await page.locator('.scroll').first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('forebay-sample').waitFor({ state: 'detached' });
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what is opened from far away is in sight beside its panel, and stays there when that goes', async () => {
  const page = await opened('file=2000.tbl');
  const inSight = async (what) => {
    await page.waitForTimeout(300);
    const [box, window] = [await page.locator('#p1203').boundingBox(), await page.locator('.scroll').boundingBox()];
    assert.ok(
      box && box.y >= window.y - 1 && box.y + box.height <= window.y + window.height + 1,
      `${what}: ${JSON.stringify([box, window])}`,
    );
  };
  await page.evaluate(() => (location.hash += '&i=1203'));
  await page.getByRole('heading', { name: 'Sample 1,203' }).waitFor();
  await inSight('opened');
  await page.setViewportSize({ width: 1000, height: 700 });
  await inSight('narrower');
  await page.keyboard.press('Escape');
  await inSight('closed');
  await page.getByLabel('Size of the images').fill('300');
  await inSight('larger');
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a fault of the check leads to its sample', async () => {
  const page = await opened('file=1200.tbl');
  await page.keyboard.press('c');
  await page.getByText('Damaged: 3 faults').waitFor();
  await page.locator('forebay-check li button').nth(1).click();
  await page.getByRole('heading', { name: 'Sample 110' }).waitFor();
  await page.close();
});

test('a table shows its rows to the ten-millionth, each in full, its columns, and filters', async () => {
  const page = await opened('file=10000000.tbf');
  await page.getByRole('gridcell', { name: '<b>Oslo</b>' }).first().waitFor();
  assert.equal(await page.locator('[role=grid]').getAttribute('aria-rowcount'), '10000001');
  await focusRows(page);
  await page.keyboard.press('End');
  await page
    .locator('#p9999999')
    .getByText(String(9_999_999n * 1_000_003n))
    .waitFor();
  const [box, window] = [await page.locator('#p9999999').boundingBox(), await page.locator('.scroll').boundingBox()];
  assert.ok(box.y >= window.y && box.y + box.height <= window.y + window.height + 1);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Row 9,999,999' }).waitFor();
  await page.locator('forebay-row dt', { hasText: 'feature_29' }).waitFor();
  assert.match(page.url(), /i=9999999/);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('heading', { name: 'Row 9,999,998' }).waitFor();
  await page.keyboard.press('Escape');
  await visit(page, at('file=2000.tbf'));
  await page.getByRole('button', { name: /^city/ }).click();
  await page.locator('forebay-schema .bar', { hasText: 'Kyoto' }).click();
  await page.locator('.counts', { hasText: /of 2,000/ }).waitFor();
  assert.match(page.url(), /q=city/);
  await page.locator('.chips button').click();
  await page.getByRole('button', { name: /^age/ }).click();
  await page.locator('forebay-schema forebay-histogram svg').focus();
  for (const key of ['End', 'ArrowLeft', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
  await page.locator('.chips button', { hasText: /age >= .* && age < / }).waitFor();
  await page.getByLabel('Show feature_5', { exact: true }).uncheck();
  await page.getByRole('columnheader', { name: /feature_5/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('c');
  await page.getByText('Damaged: 1 fault').waitFor();
  await page.locator('forebay-check li button').click();
  await page.getByRole('heading', { name: 'Row 17' }).waitFor();
  await page.locator('forebay-filter input').fill('age >= ');
  await page.locator('.error').waitFor();
  assert.deepEqual(page.faults, []);
  for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 400, height: 780 } }]) {
    const other = await opened('file=2000.tbf&i=5', options);
    await other.locator('forebay-row dt').first().waitFor();
    assert.deepEqual(await axe(other), [], JSON.stringify(options));
    await other.close();
  }
  await page.close();
});

test('a file that cannot be opened says why, as text', async () => {
  const page = await newPage(browser);
  await visit(page, at('file=bad.tbl'));
  await page.getByText('tbl.magic', { exact: true }).waitFor();
  await page.getByText('<b>this</b> is not a TBL').waitFor();
  await page.getByRole('button', { name: 'Open another' }).click();
  await page.getByText('Drop a dataset file here').waitFor();
  await page.close();
});

/** Everything that a page shows or has read out: texts, titles and labels. */
const words = (page) =>
  page.evaluate(() => {
    const all = [document.title];
    const look = (node) => {
      for (const child of node.childNodes) {
        if (child.nodeType === 3) all.push(child.data);
        else if (child.nodeType === 1 && child.localName !== 'style') {
          for (const name of ['title', 'aria-label', 'placeholder']) all.push(child.getAttribute(name) ?? '');
          if (child.shadowRoot) look(child.shadowRoot);
          look(child);
        }
      }
    };
    look(document.body);
    return all.join('\n');
  });

test('names, labels and metadata that would turn text around show what they hold', async () => {
  const turns = /[\u202a-\u202e\u2066-\u2069\u001b]/u;
  const file = (end) => `file=${encodeURIComponent(`turn\u202e300.${end}`)}`;
  const page = await opened(`${file('tbl')}&i=6`);
  await page.locator('.key', { hasText: 'key' }).waitFor();
  const clean = async (what, ...shown) => {
    const said = await words(page);
    const at = said.search(turns);
    assert.equal(at, -1, `${what}: ${JSON.stringify(said.slice(Math.max(0, at - 60), at + 20))}`);
    for (const text of shown) assert.ok(said.includes(text), `${what} does not show ${text}`);
  };
  await clean(
    'a sample',
    'turn\\u{202e}300.tbl',
    '6gnp\\u{202e}\\u{2066}\\u{1b}[1m.png',
    'keygnp\\u{202e}',
    'gullgnp\\u{202e}',
  );
  await page.getByRole('button', { name: 'Close the sample' }).click();
  await page.locator('.bar', { hasText: 'boatgnp' }).click();
  await page.locator('.chips button', { hasText: 'boatgnp' }).waitFor();
  await clean('a facet', 'boatgnp\\u{202e}');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByRole('button', { name: 'Done' }).and(page.locator(':enabled')).waitFor();
  await clean('a check');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.keyboard.press('i');
  await page.getByText('Note:').waitFor();
  await clean('about the file');
  await visit(page, at(`${file('tbf')}&i=3`));
  await page.locator('forebay-row dt').first().waitFor();
  await clean('a table', '\\u{202e}city\\u{1b}');
  await page.close();
});

test('a phone shows several images side by side', async () => {
  for (const [width, least] of [
    [360, 2],
    [320, 2],
    [412, 2],
    [1280, 5],
  ]) {
    const page = await opened('file=300.tbl', { viewport: { width, height: 740 } });
    const tiles = await page
      .locator('.tile')
      .evaluateAll((all) =>
        all.map((tile) => tile.getBoundingClientRect()).map(({ top, left, right }) => ({ top, left, right })),
      );
    const row = tiles.filter((tile) => tile.top === Math.min(...tiles.map((t) => t.top)));
    assert.ok(row.length >= least, `${row.length} at ${width}`);
    assert.ok(
      row.every((tile) => tile.left >= 0 && tile.right <= width),
      JSON.stringify(row),
    );
    await page.close();
  }
});

test('no page has a fault that axe knows, light or dark, wide or narrow', SLOW, async () => {
  for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 400, height: 780 } }]) {
    const page = await newPage(browser, options);
    const clean = async (what) => assert.deepEqual(await axe(page), [], `${what} ${JSON.stringify(options)}`);
    await visit(page, site.url);
    await page.getByText('Drop a dataset file here').waitFor();
    await clean('welcome');
    await visit(page, at('file=300.tbl'));
    await page.locator('.tile canvas[data-ready]').first().waitFor();
    await clean('gallery');
    await page.keyboard.press('t');
    await page.locator('forebay-table').waitFor();
    await clean('table');
    await visit(page, at('file=300.tbl&i=6'));
    await page.locator('forebay-sample .sum.good').waitFor();
    await clean('sample');
    await page.keyboard.press('Escape');
    for (const [key, words] of [
      ['c', 'Damaged: 3 faults'],
      ['e', 'Leave broken samples out'],
      ['?', 'write a filter'],
    ]) {
      await page.keyboard.press(key);
      await page.getByText(words).waitFor();
      await clean(`dialog ${key}`);
      await page.keyboard.press('Escape');
    }
    await page.close();
  }
});
