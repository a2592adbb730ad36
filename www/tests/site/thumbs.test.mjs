// Thumbnails beside a file on a server: the built site, served by the command, which made them.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, dropFiles, launch, needs, newPage, visit } from '../browser.mjs';
import { bitmap, member } from '../lib/helpers.mjs';

const FOREBAY = process.env.FOREBAY ?? join(ROOT, 'target/dist/forebay');
const SAMPLES = 60;
const folder = mkdtempSync(join(tmpdir(), 'forebay-thumbs-site-'));
const at = (name) => join(folder, name);
let browser, served, url;

/** A TBL of bitmaps, so large that it is asked for thumbnails. */
function large(name, shade) {
  const parts = [];
  for (let i = 0; i < SAMPLES; i++) {
    parts.push(member(`${i}.bmp`, bitmap(360, 280, i + shade)));
    const boxes = [{ label: 'thing', bbox: [30 + shade, 40, 200, 120] }];
    parts.push(member(`${i}.json`, Buffer.from(JSON.stringify({ boxes }))));
  }
  writeFileSync(at('made.tar'), Buffer.concat([...parts, Buffer.alloc(1024)]));
  execFileSync(FOREBAY, ['convert', at('made.tar'), at(name), '--quiet', '--force']);
  rmSync(at('made.tar'));
}

before(async () => {
  mkdirSync(at('alone'));
  large('a.tbl', 0);
  large('stale.tbl', 1);
  execFileSync(FOREBAY, ['thumbs', at('stale.tbl'), '--quiet']);
  large('stale.tbl', 2);
  large('none.tbl', 3);
  copyFileSync(at('a.tbl'), at('alone/a.tbl'));
  execFileSync(FOREBAY, ['thumbs', at('a.tbl'), '--quiet']);
  served = spawn(FOREBAY, ['serve', folder, '--port', '0', '--no-token', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  url = JSON.parse(await new Promise((resolve) => served.stdout.once('data', (d) => resolve(String(d))))).url;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  served?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a served file; the requests for it and for its thumbnails, and the bytes that were asked of the file. */
async function opened(page, name) {
  const asked = { thumbs: 0, file: 0, bytes: 0 };
  page.on('request', (request) => {
    if (request.url().endsWith('.thumbs')) asked.thumbs++;
    else if (request.url().includes('/data/')) {
      asked.file++;
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers().range ?? '')?.map(Number) ?? [];
      asked.bytes += (end ?? 0) + 1 - (start ?? 0);
    }
  });
  await visit(page, `${url}#file=data/${name}`);
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  await page.locator('.tile canvas[data-ready]').nth(11).waitFor();
  return asked;
}

test('the first screen comes from the thumbnails, with one request more than opening', async () => {
  assert.ok(statSync(at('a.tbl')).size > 16 << 20);
  const page = await newPage(browser);
  const asked = await opened(page, 'a.tbl');
  await page.getByText('thing').first().waitFor();
  assert.equal(asked.thumbs, 1);
  assert.ok(asked.bytes < 1 << 20, `${asked.bytes} bytes of the file in ${asked.file} requests`);
  await page.keyboard.press('i');
  await page.locator('forebay-about').getByText('in use, from a file next to it').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('thumbnails of an earlier file are not shown, and a file without any opens as always', async () => {
  for (const name of ['stale.tbl', 'none.tbl']) {
    const page = await newPage(browser);
    const asked = await opened(page, name);
    assert.equal(asked.thumbs, 1);
    assert.ok(asked.bytes > 2 << 20, `${name}: ${asked.bytes}`);
    await page.keyboard.press('i');
    await page.locator('forebay-about').getByText('none').first().waitFor();
    assert.equal(await page.getByRole('alert').filter({ visible: true }).count(), 0);
    await page.close();
  }
});

test('thumbnails that are dropped together with their file, or on it, are used', {
  skip: needs('drop folders'),
}, async () => {
  const page = await newPage(browser);
  await visit(page, url.replace(/#.*/, ''));
  await page
    .getByRole('button', { name: /Choose a file/ })
    .first()
    .waitFor();
  await dropFiles(page, [at('a.tbl.thumbs'), at('a.tbl')], { x: 300, y: 300 });
  await page.locator('h1', { hasText: 'a.tbl' }).waitFor();
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  await page.keyboard.press('i');
  await page.locator('forebay-about').getByText('in use, from a file next to it').waitFor();
  await page.keyboard.press('Escape');
  await dropFiles(page, [at('stale.tbl.thumbs')], { x: 300, y: 300 });
  await page.getByText('are not those of a.tbl').waitFor();
  await page.close();
});
