// Lists of pictures in the built site: as a table that could be samples, with files beside them, and from servers.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, launch, needs, newPage, serveFolder } from '../browser.mjs';
import { bitmap } from '../lib/helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-lists-'));
const set = join(folder, 'a set');
let browser, site, pictures, far;

before(async () => {
  mkdirSync(set);
  const lines = [];
  for (let i = 0; i < 30; i++) {
    writeFileSync(join(set, `${i}.bmp`), bitmap(40 + i, 30, i * 8));
    lines.push(JSON.stringify({ file_name: `${i}.bmp`, label: ['boat', 'gull'][i % 2], boxes: [[2, 2, 9, 9]] }));
  }
  lines.push('{"file_name": "gone.bmp"}');
  writeFileSync(join(set, 'metadata.jsonl'), lines.join('\n'));
  site = await serveFolder(join(ROOT, 'dist/site'));
  pictures = createServer((request, response) => {
    const file = join(set, new URL(request.url, 'http://x').pathname);
    const headers = { 'access-control-allow-origin': '*' };
    if (existsSync(file)) response.writeHead(200, headers).end(readFileSync(file));
    else response.writeHead(404, headers).end();
  });
  await new Promise((resolve) => pictures.listen(0, '127.0.0.1', resolve));
  far = `http://127.0.0.1:${pictures.address().port}`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.server.close();
  pictures?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page of the site. */
async function visited() {
  const page = await newPage(browser);
  await page.addInitScript(() => {
    delete globalThis.showDirectoryPicker;
    delete globalThis.showOpenFilePicker;
  });
  await page.goto(site.url);
  return page;
}

test('a folder with a list opens as samples, with its records, classes and what is missing', {
  skip: needs('choose folders'),
}, async () => {
  const page = await visited();
  await page.locator('#folder-input').setInputFiles(set);
  await page.getByRole('alert').filter({ hasText: 'Some lines have no image' }).waitFor();
  const words = await page.getByRole('alert').innerText();
  assert.match(words, /1 of 31 lines are left out: line 31, "gone\.bmp": there is no such file next to the list/);
  await page.locator('.counts', { hasText: /^\s*30\s*$/ }).waitFor();
  await page.getByRole('button', { name: /gull/ }).first().waitFor();
  // It counts as a TAR within; nobody made one.
  const badge = page.getByRole('button', { name: /^images$/i });
  assert.equal(await page.getByText('members').count(), 0);
  await badge.click();
  await page.getByText('images that a list or a folder names').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('forebay-filter input').fill('json.label == "gull"');
  await page.locator('.counts', { hasText: '15 of 30' }).waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a list by itself is a table; what it names beside it is said, and what has an address is shown when asked for', async () => {
  const page = await visited();
  await page.locator('#file-input').setInputFiles(join(set, 'metadata.jsonl'));
  await page.getByText('names images next to this file').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Show as samples' }).count(), 0);
  const lines = Array.from({ length: 20 }, (_, i) => JSON.stringify({ data: { image: `${far}/${i}.bmp` }, n: i }));
  const asked = [];
  page.on('request', (request) => request.url().startsWith(far) && asked.push(request.url()));
  await page
    .locator('#file-input')
    .setInputFiles({ name: 'far.jsonl', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) });
  await page.getByText('each of them is fetched from the address that the line says').waitFor();
  assert.deepEqual(asked, [], 'nothing is fetched unasked');
  const { height } = await page.locator('.app > .labels').boundingBox();
  assert.ok(height < 80, `the notice takes ${height} pixels of the rows' place`);
  assert.deepEqual(await axe(page), []);
  await page.getByRole('button', { name: 'Show as samples' }).click();
  await page.locator('.counts', { hasText: /^\s*20\s*$/ }).waitFor();
  await page.locator('#p3 canvas').waitFor();
  await page.locator('#p3').click();
  await page.getByRole('heading', { name: /Sample 3/ }).waitFor();
  assert.ok(new Set(asked).size === 20, `${new Set(asked).size} images`);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a list on a server names images beside it', async () => {
  const page = await visited();
  await page.goto(`${site.url}#file=${encodeURIComponent(`${far}/metadata.jsonl`)}`);
  await page.getByRole('button', { name: 'Show as samples' }).click();
  await page.locator('.counts', { hasText: /^\s*30\s*$/ }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'line 31' }).waitFor();
  // The browser says by itself that a picture is missing.
  assert.deepEqual(
    page.faults.filter((fault) => !/404/.test(fault)),
    [],
  );
  await page.close();
});

test('a list of which no line leads to an image says why, and its rows are a click away', async () => {
  const page = await visited();
  const lines = Array.from({ length: 3 }, (_, i) => JSON.stringify({ image: `${far}/gone${i}.bmp`, n: i }));
  await page
    .locator('#file-input')
    .setInputFiles({ name: 'lost.jsonl', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) });
  await page.getByRole('button', { name: 'Show as samples' }).click();
  await page.getByText('No line of this list leads to an image. The first says: line 1').waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole('button', { name: 'Show its rows' }).click();
  await page.getByRole('gridcell', { name: `${far}/gone2.bmp` }).waitFor();
  await page.close();
});

test('a folder of images opens as samples, with its folders as classes; one without any says what was looked for', {
  skip: needs('choose folders'),
}, async () => {
  const many = join(folder, 'animals');
  for (const kind of ['cats', 'dogs']) {
    mkdirSync(join(many, kind), { recursive: true });
    for (let i = 0; i < 4; i++) writeFileSync(join(many, kind, `${i} #1.bmp`), bitmap(20 + i, 20, i * 50));
  }
  writeFileSync(join(many, 'read me.md'), '# animals');
  const page = await visited();
  await page.locator('#folder-input').setInputFiles(many);
  await page.locator('.counts', { hasText: /^\s*8\s*$/ }).waitFor();
  await page.getByRole('button', { name: /^dogs/ }).click();
  await page.locator('.counts', { hasText: '4 of 8' }).waitFor();
  await page.locator('forebay-gallery canvas[data-ready]').first().waitFor();
  assert.deepEqual(page.faults, []);
  await page.goto('about:blank');
  await page.goto(site.url);
  const none = join(folder, 'texts');
  mkdirSync(none);
  writeFileSync(join(none, 'a.md'), 'nothing');
  await page.locator('#folder-input').setInputFiles(none);
  await page.getByText('No dataset in this folder. Supported: manifest.json').waitFor();
  assert.deepEqual(await axe(page), []);
  await page.close();
});

test('a server that lets no other page read from it is told from one that is out of reach', async () => {
  const closed = createServer((_, response) => response.writeHead(200).end(Buffer.alloc(600)));
  await new Promise((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address();
  const page = await visited();
  const open = async (address) => {
    await page.goto('about:blank');
    await page.goto(`${site.url}#file=${encodeURIComponent(address)}`);
  };
  try {
    await open(`http://127.0.0.1:${port}/train.tbl`);
    await page.getByText(`127.0.0.1:${port} answers, but does not let pages of other sites read from it`).waitFor();
    await page.getByText(`Access-Control-Allow-Origin: ${new URL(site.url).origin}`).waitFor();
    assert.deepEqual(await axe(page), []);
  } finally {
    await new Promise((resolve) => closed.close(resolve));
  }
  await open(`http://127.0.0.1:${port}/train.tbl`);
  await page.getByText(`no answer from 127.0.0.1:${port}`).waitFor();
  await page.waitForTimeout(500);
  assert.equal(await page.getByText('answers, but').count(), 0);
  await page.close();
});
