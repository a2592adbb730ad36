// Tables in the built site: exports with the bytes of the command, text shown as rows, layouts that need a schema.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, launch, nameOf, newPage, serveFolder, until } from '../browser.mjs';
import { SLOW } from '../slow.mjs';

const FOREBAY = process.env.FOREBAY ?? join(ROOT, 'target/release/forebay');
const folder = mkdtempSync(join(tmpdir(), 'forebay-tables-'));
const at = (name) => join(folder, name);
let browser, server, url;

before(async () => {
  const lines = ['id,city,note,score'];
  for (let i = 0; i < 3000; i++) lines.push(`${i},${['Oslo', 'Kyoto', 'Lima'][i % 3]},"<b>${i}</b>, said",${i / 4}`);
  writeFileSync(at('people.csv'), lines.join('\n'));
  execFileSync(FOREBAY, ['convert', at('people.csv'), at('damaged.tbf'), '--group-rows', '1000', '--quiet']);
  const damaged = readFileSync(at('damaged.tbf'));
  damaged[damaged.length >> 1] ^= 1;
  writeFileSync(at('damaged.tbf'), damaged);
  writeFileSync(at('bad.csv'), 'id,name\n1,a\n2\n3,c\n');
  writeFileSync(at('rows.jsonl'), '{"id":1,"tags":["a","b"]}\n{"id":2,"tags":[]}\n');
  execFileSync(FOREBAY, ['convert', at('people.csv'), at('people.tbf'), '--quiet']);
  // Larger than what is shown, and nothing in it.
  const large = openSync(at('large.csv'), 'w');
  writeSync(large, 'id,name\n1,a\n');
  ftruncateSync(large, 600_000_000);
  closeSync(large);
  ({ server, url } = await serveFolder(join(ROOT, 'dist/site')));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page of the site with a file in it; without pickers, so that what is saved is downloaded. */
async function opened(name, options = {}) {
  const page = await newPage(browser, options);
  await page.addInitScript(() => {
    delete globalThis.showSaveFilePicker;
    delete globalThis.showOpenFilePicker;
  });
  await page.goto(url);
  await page.locator('#file-input').setInputFiles(at(name));
  return page;
}

/** Presses "Convert…"; the bytes that are saved. */
async function saved(page, dialog) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Convert…' }).click(),
  ]);
  await dialog.getByText(`✓ ${nameOf(download)}`).waitFor();
  return { name: nameOf(download), bytes: readFileSync(await download.path()) };
}

/** What the command makes of it. */
function natively(...args) {
  execFileSync(FOREBAY, ['convert', ...args, '--force', '--quiet']);
  return readFileSync(args[1]);
}

test('a table is exported: all of it, or the rows of the filter and the columns that are shown', async () => {
  const page = await opened('people.tbf');
  await page.getByRole('gridcell', { name: 'Oslo' }).first().waitFor();
  await page.keyboard.press('e');
  const dialog = page.locator('forebay-convert-table');
  await dialog.getByLabel('CSV').check();
  const all = await saved(page, dialog);
  assert.equal(all.name, 'people.csv');
  assert.ok(all.bytes.equals(natively(at('people.tbf'), at('all.csv'))), 'byte-identical');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByLabel('Show note', { exact: true }).uncheck();
  await page.locator('forebay-filter input').fill('city == "Lima" && id > 100');
  await page.locator('.counts', { hasText: 'of 3,000' }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  await dialog.getByLabel("The filter's 967").waitFor();
  await dialog.getByLabel('The 3 that are shown').check();
  await dialog.getByLabel('JSON lines').check();
  const some = await saved(page, dialog);
  assert.equal(some.name, 'people-selection.jsonl');
  assert.ok(
    some.bytes.equals(
      natively(
        at('people.tbf'),
        at('some.jsonl'),
        '--where',
        'city == "Lima" && id > 100',
        '--columns',
        'id,city,score',
      ),
    ),
    'byte-identical',
  );
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what a format cannot hold is refused with its column, and changed where that is asked for', async () => {
  const page = await opened('people.tbf');
  await page.getByRole('gridcell', { name: 'Oslo' }).first().waitFor();
  await page.keyboard.press('e');
  const dialog = page.locator('forebay-convert-table');
  await dialog.getByLabel('IDV (ML.NET)').check();
  await dialog.getByLabel('None').check();
  const { bytes } = await saved(page, dialog);
  assert.ok(bytes.equals(natively(at('people.tbf'), at('people.idv'), '--compression', 'none')), 'byte-identical');
  await page.close();
  const rows = await opened('rows.jsonl');
  await rows.getByRole('gridcell', { name: '["a","b"]' }).waitFor();
  await rows.keyboard.press('e');
  const other = rows.locator('forebay-convert-table');
  await other.getByLabel('TBF').check();
  await other.getByRole('button', { name: 'Convert…' }).click();
  await other.locator('[role=alert] code', { hasText: 'table.target' }).waitFor();
  const words = await other.getByRole('alert').innerText();
  assert.match(words, /column "/i);
  assert.match(words, /converting with losses/);
  assert.doesNotMatch(words, /--/);
  await other.getByLabel('Change what the format cannot hold').check();
  const lossy = await saved(rows, other);
  assert.ok(lossy.bytes.equals(natively(at('rows.jsonl'), at('rows.tbf'), '--lossy')), 'byte-identical');
  await other.getByText('becomes string').waitFor();
  assert.deepEqual(rows.faults, []);
  await rows.close();
});

test('CSV and JSON lines are shown as rows, exported from the text itself, and leave nothing behind', async () => {
  const page = await opened('people.csv');
  await page.getByRole('gridcell', { name: '<b>0</b>, said' }).waitFor();
  await page.locator('.badge', { hasText: 'CSV' }).waitFor();
  await page.locator('.facts', { hasText: '3,000 rows' }).waitFor();
  await page.getByRole('button', { name: 'Check' }).click();
  await page.locator('forebay-check', { hasText: 'Sound' }).getByText('3,000 rows could be read').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: /^city/ }).click();
  await page.locator('forebay-schema .bar', { hasText: 'Kyoto' }).click();
  await page.locator('.counts', { hasText: '1,000 of 3,000' }).waitFor();
  await page.keyboard.press('e');
  const dialog = page.locator('forebay-convert-table');
  await dialog.getByLabel("The filter's 1,000").waitFor();
  const { name, bytes } = await saved(page, dialog);
  assert.equal(name, 'people-selection.tbf');
  assert.ok(
    bytes.equals(natively(at('people.csv'), at('selected.tbf'), '--where', 'city == "Kyoto"')),
    'byte-identical',
  );
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.keyboard.press('i');
  await page.locator('forebay-about dt', { hasText: 'Shown as' }).waitFor();
  await page.keyboard.press('Escape');
  const texts = () =>
    page.evaluate(async () => {
      const names = [];
      for await (const name of (await navigator.storage.getDirectory()).keys())
        if (name.startsWith('forebay-text-')) names.push(name);
      return names.length;
    });
  assert.equal(await texts(), 1);
  await page.getByRole('button', { name: /close the file/ }).click();
  await page.getByText('Drop a dataset file here').waitFor();
  await until(async () => (await texts()) === 0, 'the copy is gone');
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a fault of a checksum leads to the first row of what is damaged', async () => {
  const page = await opened('damaged.tbf');
  await page.getByRole('gridcell', { name: 'Oslo' }).first().waitFor();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Damaged: 1 fault').waitFor();
  await page.locator('forebay-check li button', { hasText: 'row 1,000' }).click();
  await page.getByRole('heading', { name: 'Row 1,000' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('bad rows of a text are counted, named with their line, and left out only if that is asked for', async () => {
  const page = await opened('bad.csv');
  await page.locator('.notice', { hasText: '1 row could not be read and is left out.' }).waitFor();
  await page.locator('.notice', { hasText: 'line 3: 1 fields where there are 2 columns' }).waitFor();
  await page.keyboard.press('e');
  const dialog = page.locator('forebay-convert-table');
  await dialog.getByRole('button', { name: 'Convert…' }).click();
  await dialog.locator('[role=alert]', { hasText: 'line 3' }).waitFor();
  await dialog.getByLabel('Leave bad rows out').check();
  await saved(page, dialog);
  await dialog.getByText('1 bad row').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Damaged: 1 fault').waitFor();
  await page.locator('forebay-check li', { hasText: 'line 3: 1 fields where there are 2 columns' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a text that is too large to be shown is offered for conversion', async () => {
  const page = await opened('large.csv');
  await page.getByText('This text has 600.0 MB').waitFor();
  await page.getByRole('button', { name: 'Convert it…' }).click();
  const dialog = page.locator('forebay-convert-table');
  await dialog.getByText('is too large to be shown').waitFor();
  await dialog.getByLabel('Only rows where').fill('id > 0');
  assert.deepEqual(await axe(page), []);
  await page.close();
});

const corpora = join(ROOT, 'tests/corpus/tbf');
const untyped = readdirSync(corpora, { recursive: true })
  .map(String)
  .find((name) => name.endsWith('s_compact.tbf'));
test('a layout without names and types asks for its schema', async () => {
  const page = await newPage(browser);
  await page.addInitScript(() => {
    delete globalThis.showOpenFilePicker;
  });
  await page.goto(url);
  await page.locator('#file-input').setInputFiles(join(corpora, untyped));
  await page.locator('.failed code', { hasText: 'tbf.schema_needed' }).waitFor();
  const choose = async (name, json) => {
    writeFileSync(at(name), json);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose its schema…' }).click(),
    ]);
    await chooser.setFiles(at(name));
  };
  await choose('wrong.json', 'nonsense');
  await page.getByText('wrong.json is not a schema').waitFor();
  await choose(
    'schema.json',
    JSON.stringify({ S: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, type: 'i64' })) }),
  );
  await page.getByRole('columnheader', { name: /^f/ }).waitFor();
  await page.locator('.facts', { hasText: 'layout S' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('no dialog of tables has a fault that axe knows, light or dark, wide or narrow', SLOW, async () => {
  for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 400, height: 780 } }]) {
    const page = await opened('people.csv', options);
    await page.getByRole('gridcell', { name: '<b>0</b>, said' }).waitFor();
    await page.keyboard.press('e');
    const dialog = page.locator('forebay-convert-table');
    await dialog.getByText('Change what the format cannot hold').waitFor();
    assert.deepEqual(await axe(page), [], `asking ${JSON.stringify(options)}`);
    await saved(page, dialog);
    assert.deepEqual(await axe(page), [], `done ${JSON.stringify(options)}`);
    await page.close();
  }
});
