// What is written goes where nothing is: no file of anybody is lost, and what is canceled leaves nothing behind.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, launch, newPage, serveFolder, visit } from '../browser.mjs';
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

/**
 * A page with a made-up file, whose pickers lead into the browser's own store. The one for files does what Chrome's does:
 * it empties what is chosen before the page hears of it, so that asking for it at all is a fault.
 */
async function opened(hash, context = browser) {
  const page = await newPage(context);
  await page.addInitScript(() => {
    globalThis.asked = [];
    globalThis.showSaveFilePicker = async () => {
      asked.push('file');
      throw new DOMException('', 'AbortError');
    };
    globalThis.showDirectoryPicker = async () => {
      asked.push('folder');
      return (await navigator.storage.getDirectory()).getDirectoryHandle('datasets', { create: true });
    };
  });
  await visit(page, `${site.url}#${hash}`);
  await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
  return page;
}
/** Files of the folder that the picker gives, with their texts. */
const inFolder = (page) =>
  page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('datasets', { create: true });
    const files = {};
    for await (const [name, handle] of folder.entries())
      files[name] = handle.kind === 'file' ? await (await handle.getFile()).text() : handle.kind;
    return files;
  });
const putInFolder = (page, files) =>
  page.evaluate(async (files) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('datasets', { create: true });
    for (const [name, text] of Object.entries(files)) {
      if (text === null) {
        await folder.getDirectoryHandle(name, { create: true });
        continue;
      }
      const stream = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await stream.write(text);
      await stream.close();
    }
  }, files);
const dialogOf = (page) => page.locator('forebay-convert:has(dialog[open]), forebay-convert-table:has(dialog[open])');

test('no conversion asks for a file to be overwritten, and none is offered the name of its source', SLOW, async () => {
  for (const [hash, all] of [
    [
      'file=1200.TBL',
      {
        '1200-guide.tbl': ['TBL'],
        '1200-turboloader.tbl': ['TurboLoader'],
        '1200-lz4.tbl': ['LZ4, if it helps'],
        '1200.tar': ['TAR (WebDataset)'],
      },
    ],
    ['file=1200.tar', { '1200.tbl': ['TBL'], '1200-copy.tar': ['TAR (WebDataset)'] }],
    ['file=2000.tbf', { '2000.csv': ['CSV'], '2000-copy.tbf': ['TBF'] }],
  ]) {
    const page = await opened(hash);
    await page.keyboard.press('e');
    const dialog = dialogOf(page);
    for (const [name, choices] of Object.entries(all)) {
      for (const choice of choices) await dialog.getByLabel(choice, { exact: true }).check();
      await dialog.getByText(`A new file ${name}.`).waitFor();
    }
    const name = Object.keys(all).at(-1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Convert…' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), name);
    await dialog.getByText(`✓ ${name}`).waitFor();
    assert.deepEqual(await page.evaluate(() => asked), [], 'nothing that empties files is asked for');
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('into a folder a new file is written, and what is there stays as it is', async () => {
  const page = await opened('file=1200.tbl');
  const before = { '1200.tbl': 'the source', '1200-lz4.tbl': 'of last week', '1200-lz4 (2).tbl': null };
  await putInFolder(page, before);
  await page.keyboard.press('e');
  const dialog = dialogOf(page);
  for (const choice of ['TBL', 'LZ4, if it helps', 'A folder, to be chosen'])
    await dialog.getByLabel(choice, { exact: true }).check();
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole('button', { name: 'Convert…' }).click();
  await dialog.getByText('✓ 1200-lz4 (3).tbl').waitFor();
  await dialog.getByText('It is in the folder datasets').waitFor();
  assert.deepEqual(await axe(page), []);
  const { '1200-lz4 (3).tbl': made, ...rest } = await inFolder(page);
  assert.equal(typeof made, 'string');
  assert.deepEqual(rest, { ...before, '1200-lz4 (2).tbl': 'directory' });
  assert.deepEqual(await page.evaluate(() => asked), ['folder']);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what is canceled leaves nothing, wherever it went, and says so only if it is true', async () => {
  for (const way of ['A download', 'A folder, to be chosen']) {
    const page = await opened('file=1200.tbl');
    await putInFolder(page, { '1200.tar': 'of last week' });
    await page.keyboard.press('e');
    const dialog = dialogOf(page);
    await dialog.getByLabel(way, { exact: true }).check();
    await dialog.getByRole('button', { name: 'Convert…' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByText('Canceled; nothing was kept.').waitFor();
    assert.deepEqual(await inFolder(page), { '1200.tar': 'of last week' }, way);
    const stored = await page.evaluate(async () => Array.fromAsync((await navigator.storage.getDirectory()).keys()));
    assert.deepEqual(stored, ['datasets'], way);
    // A file that somebody holds cannot be taken back.
    await page.evaluate(() => {
      FileSystemDirectoryHandle.prototype.removeEntry = async () => {
        throw new DOMException('held', 'NoModificationAllowedError');
      };
    });
    await dialog.getByRole('button', { name: 'Convert…' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const called = way === 'A download' ? '1200\\.tar' : '1200 \\(2\\)\\.tar\\.part';
    await dialog.getByText(new RegExp(`^Canceled\\. A file ${called} that is not whole is left`)).waitFor();
    await page.close();
  }
});

test('a file in a folder has its name only once it is whole, or from its beginning where the browser renames none', async () => {
  for (const renames of [true, false]) {
    const page = await opened('file=1200.tbl');
    await page.evaluate((renames) => {
      if (!renames) delete FileSystemFileHandle.prototype.move;
    }, renames);
    await page.keyboard.press('e');
    const dialog = dialogOf(page);
    await dialog.getByLabel('A folder, to be chosen', { exact: true }).check();
    await dialog.getByRole('button', { name: 'Convert…' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
    // What stands there if the page dies now.
    assert.deepEqual(Object.keys(await inFolder(page)), [renames ? '1200.tar.part' : '1200.tar']);
    await putInFolder(page, renames ? { '1200.tar': 'of somebody else' } : {});
    await dialog.getByText(renames ? '✓ 1200 (2).tar' : '✓ 1200.tar').waitFor();
    const { '1200.tar': first, '1200 (2).tar': second, ...rest } = await inFolder(page);
    assert.deepEqual(rest, {}, 'no part is left');
    if (renames) assert.equal(first, 'of somebody else');
    assert.equal(second !== undefined, renames);
    assert.deepEqual(page.faults, []);
    await page.evaluate(async () =>
      (await navigator.storage.getDirectory()).removeEntry('datasets', { recursive: true }),
    );
    await page.close();
  }
});

test('what was made can be looked at from where it was made', async () => {
  for (const way of ['A download', 'A folder, to be chosen']) {
    const page = await opened('file=1200.tbl');
    await page.keyboard.press('e');
    const dialog = dialogOf(page);
    await dialog.getByLabel(way, { exact: true }).check();
    await dialog.getByRole('button', { name: 'Convert…' }).click();
    await dialog.getByRole('button', { name: 'Open it' }).click();
    await page.locator('h1', { hasText: '1200.tar' }).waitFor();
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('the page says that nothing is held in memory only if that is so', async () => {
  const page = await opened('file=1200.tbl');
  await page.keyboard.press('e');
  const dialog = dialogOf(page);
  await dialog.getByText('Written to browser storage first').waitFor();
  assert.equal(await dialog.getByText('never held in memory').count(), 0);
  await dialog.getByLabel('A folder, to be chosen').check();
  await dialog.getByText('never held in memory').waitFor();
  await page.close();
  const none = await newPage(browser);
  // A private window, in browsers that give it no store.
  await none.addInitScript(() => {
    delete globalThis.showDirectoryPicker;
    navigator.storage.getDirectory = async () => {
      throw new DOMException('no', 'SecurityError');
    };
  });
  await visit(none, `${site.url}#file=1200.tbl`);
  await none.locator('.tile').first().waitFor();
  await none.keyboard.press('e');
  await dialogOf(none).getByText('This browser gives the page no store').waitFor();
  assert.equal(await none.getByText('never held in memory').count(), 0);
  await none.close();
});

test('what a page that died was writing is removed, and what another page needs is not', async () => {
  const context = await browser.newContext();
  const one = await opened('file=300.tbl', context);
  const names = (page) =>
    page.evaluate(async () => (await Array.fromAsync((await navigator.storage.getDirectory()).keys())).sort());
  await one.keyboard.press('e');
  await one.locator('forebay-convert').getByRole('button', { name: 'Convert…' }).click();
  await one.locator('forebay-convert').getByRole('button', { name: 'Cancel' }).waitFor();
  const [held] = await names(one);
  const id = '01234567-89ab-cdef-0123-456789abcdef';
  const [now, early] = [Date.now(), Date.now() - 2 * 86_400_000];
  const stale = [
    `.forebay-download-${now}-${id}.${id}.part`,
    `forebay-text-${now}-${id}`,
    `forebay-unpacked-${now}-${id}`,
    `forebay-download-${early}-${id}`,
  ];
  const fresh = `forebay-download-${now}-${id}`;
  await one.evaluate(
    async (names) => {
      const store = await navigator.storage.getDirectory();
      for (const name of names) await store.getFileHandle(name, { create: true });
    },
    [...stale, fresh],
  );
  const other = await context.newPage();
  await other.goto(site.url);
  for (let tries = 0; ; tries++) {
    const left = await names(other);
    if (stale.every((name) => !left.includes(name))) {
      assert.ok(left.includes(held), 'what is being written stays');
      assert.ok(left.includes(fresh), 'it may still be on its way to be downloaded');
      break;
    }
    assert.ok(tries < 50, JSON.stringify(left));
    await other.waitForTimeout(100);
  }
  await context.close();
});
