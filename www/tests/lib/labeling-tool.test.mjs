// The example's labeling tool, drawn on with a mouse.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { convert, memorySink, open, shutdown } from 'forebay';
import { launch, newPage, noBrowser } from '../browser.mjs';
import { ROOT, bitmap, filesOf } from './helpers.mjs';

const skip = noBrowser;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const PROGRAM = readFileSync(join(ROOT, 'examples/labeling-tool.html'), 'utf8');
let browser, server, address;

before(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(PROGRAM);
    if (path === '/favicon.ico') return response.writeHead(204).end();
    const file = join(ROOT, 'www/lib', path.replace('/node_modules/forebay', ''));
    if (path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.address().port}/`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  await shutdown();
});

test('the labeling tool has 100 lines, and draws, deletes, undoes, saves and exports', { skip }, async () => {
  assert.ok(PROGRAM.trim().split('\n').length <= 102);
  const sink = memorySink();
  const files = [0, 1, 2].flatMap((i) => [
    [`${i}.bmp`, bitmap(200, 150, i)],
    [`${i}.json`, Buffer.from(JSON.stringify({ boxes: [{ label: 'gull', bbox: [10, 20, 40, 60] }] }))],
  ]);
  await convert(filesOf(files), sink, { to: 'tbl' });
  const page = await newPage(await browser.newContext());
  await page.goto(address);
  const project = {
    forebay_project: 1,
    classes: [
      { name: 'boat', id: 7, color: '#1f77b4', key: 1 },
      { name: 'gull', key: 2 },
    ],
  };
  const given = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer });
  await page.getByLabel('Project').setInputFiles(given('p.json', Buffer.from(JSON.stringify(project))));
  await page.getByText('1 boat ✓, 2 gull').waitFor();
  await page.getByLabel('Dataset').setInputFiles(given('a.tbl', Buffer.from(sink.bytes())));
  await page.getByAltText('sample 2').click();
  await page.waitForFunction(() => document.querySelector('canvas').width === 200);
  const { x, y } = await page.locator('canvas').boundingBox();
  const drawn = async ([x0, y0], [x1, y1]) => {
    await page.mouse.move(x + x0, y + y0);
    await page.mouse.down();
    await page.mouse.move(x + x1, y + y1);
    await page.mouse.up();
  };
  await drawn([100, 90], [60, 50]);
  await drawn([5, 5], [9, 9]);
  await page.getByText('Undo').click();
  await page.getByAltText('sample 1').click();
  await page.getByText('Delete image').click();
  await page.getByAltText('sample 1').waitFor({ state: 'detached' });
  const written = async (button) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByText(button, { exact: true }).click()]);
    return readFileSync(await file.path());
  };
  const coco = JSON.parse(await written('Export COCO'));
  assert.deepEqual(
    coco.categories.map(({ name }) => name),
    ['boat', 'gull'],
  );
  const names = new Map(coco.categories.map(({ id, name }) => [id, name]));
  const boxes = coco.annotations.map(({ image_id, category_id, bbox }) => [image_id, names.get(category_id), bbox]);
  const [first, last] = coco.images.map(({ id }) => id);
  assert.deepEqual(boxes, [
    [first, 'gull', [10, 20, 30, 40]],
    [last, 'gull', [10, 20, 30, 40]],
    [last, 'boat', [60, 50, 40, 40]],
  ]);
  const saved = await open(new Blob([await written('Save')]));
  assert.equal(saved.length, 2);
  assert.equal((await saved.record(1)).json.annotations.length, 2);
  saved.close();
  assert.deepEqual(page.faults, []);
});
