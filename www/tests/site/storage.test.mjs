// No room, no permission, no store any more while something is written: the page says what to do, and what was there stands.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, launchWithProfile, limitStorage, newPage, serveFolder } from '../browser.mjs';

const SAMPLE = process.env.FOREBAY_SAMPLE ?? join(ROOT, 'dist/sample/sample.tar');
const folder = mkdtempSync(join(tmpdir(), 'forebay-storage-'));
/** More than a small store takes. */
const LARGE = join(folder, 'large.tar');
let context, site;

before(async () => {
  copyFileSync(SAMPLE, join(folder, 'sample.tar'));
  const whole = readFileSync(SAMPLE);
  // Without the empty blocks at its end, which end an archive.
  let end = whole.length;
  while (whole.subarray(end - 512, end).every((byte) => byte === 0)) end -= 512;
  const copies = Math.ceil(40e6 / end);
  writeFileSync(LARGE, Buffer.concat([...Array(copies).fill(whole.subarray(0, end)), Buffer.alloc(1024)]));
  context = await launchWithProfile(join(folder, 'profile'));
  site = await serveFolder(join(ROOT, 'dist/site'));
});
after(async () => {
  await context?.close();
  site?.server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page with a file; `spoil` is done to it before anything of it runs. */
async function opened(file, spoil, arg) {
  const page = await newPage(context);
  if (spoil) await page.addInitScript(spoil, arg);
  await page.goto(site.url);
  await page.locator('#file-input').setInputFiles(file);
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  return page;
}
const dialogOf = (page) => page.locator('forebay-convert');
async function convert(page, ...choices) {
  await page.locator('.scroll').focus();
  await page.keyboard.press('e');
  for (const choice of choices) await dialogOf(page).getByLabel(choice, { exact: true }).check();
  await dialogOf(page).getByRole('button', { name: 'Convert…' }).click();
}
async function says(page, told) {
  const alert = dialogOf(page).getByRole('alert');
  await alert.waitFor({ timeout: 60_000 });
  assert.ok((await alert.innerText()).includes(told), `${await alert.innerText()}, not ${told}`);
}
const stored = (page) =>
  page.evaluate(async () => (await Array.fromAsync((await navigator.storage.getDirectory()).keys())).sort().join());

/** A browser that lets pages write into folders: those of its own store, which may fail as folders on a disk do. */
const folders = (fails) => {
  globalThis.showDirectoryPicker = async () =>
    (await navigator.storage.getDirectory()).getDirectoryHandle('datasets', { create: true });
  // Nor has the empty page before it a store.
  if (!fails || !globalThis.StorageManager) return;
  // As of a folder on a disk, which no worker opens.
  StorageManager.prototype.getDirectory = new Proxy(StorageManager.prototype.getDirectory, {
    apply: async (own, of) => {
      const root = await Reflect.apply(own, of, []);
      root.resolve = async () => null;
      return root;
    },
  });
  const { write } = FileSystemWritableFileStream.prototype;
  let writes = 0;
  FileSystemWritableFileStream.prototype.write = function (...args) {
    return ++writes > 2 ? Promise.reject(new DOMException(`${fails.message}`, fails.name)) : write.apply(this, args);
  };
};

test('a store that is full ends a download before it begins, and says what can be done instead', async () => {
  for (const [spoil, told] of [
    [folders, 'a folder does not need it'],
    [() => delete globalThis.showDirectoryPicker, 'free disk space'],
  ]) {
    const page = await opened(LARGE, spoil, null);
    await limitStorage(page, 12e6);
    await convert(page);
    await says(page, told);
    assert.deepEqual(await axe(page), []);
    await limitStorage(page, null);
    assert.equal(await stored(page), '', 'nothing is left of it');
    // With room the same page goes on.
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialogOf(page).getByRole('button', { name: 'Convert…' }).click(),
    ]);
    // Firefox numbers a second one of the same name.
    assert.match(download.suggestedFilename(), /^large(\(1\))?\.tbl$/);
    await dialogOf(page).getByText('✓ large.tbl').waitFor();
    await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      for (const name of await Array.fromAsync(root.keys())) await root.removeEntry(name);
    });
    await page.close();
  }
});

test('a folder that is full, refused or gone meanwhile says so, and what was in it stands', async () => {
  for (const [name, message, told] of [
    ['QuotaExceededError', 'No space', 'The disk is full'],
    ['NotAllowedError', 'The request is not allowed', 'no longer lets this page write into the folder'],
    ['NotFoundError', 'A requested file could not be found', 'moved or removed meanwhile'],
  ]) {
    const page = await opened(join(folder, 'sample.tar'), folders, { name, message });
    await page.evaluate(async () => {
      const to = await (await navigator.storage.getDirectory()).getDirectoryHandle('datasets', { create: true });
      await to.getFileHandle('sample.tbl', { create: true });
    });
    await convert(page, 'A folder, to be chosen');
    await says(page, told);
    const left = await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const names = await Array.fromAsync((await root.getDirectoryHandle('datasets')).keys());
      await root.removeEntry('datasets', { recursive: true });
      return names.join();
    });
    assert.equal(left, 'sample.tbl', `${name}: what was there, and nothing else`);
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});
