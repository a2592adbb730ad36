// A server that wants to know who asks: the page asks for a token, sends it there, and keeps it nowhere.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ROOT, axe, launch, newPage, visit } from '../browser.mjs';
import { tarOf } from '../lib/helpers.mjs';

const SECRET = 'not-to-be-kept-4711';
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const tar = Buffer.from(tarOf(30));
const FILES = { '.csv': Buffer.from('id,name\n1,one\n2,two\n'), '.gz': gzipSync(tar), '.tar': tar };
const site = process.env.FOREBAY_SITE ?? join(ROOT, 'dist/site');
const seen = [];
let browser;
let server;
let url;

before(async () => {
  browser = await launch();
  server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname).replace(/\/$/, '/index.html');
    const file = FILES[extname(path)];
    if (file) {
      seen.push([path, request.headers.authorization ?? request.headers['x-key'] ?? null]);
      const [name, value] = path === '/key.tar' ? ['x-key', SECRET] : ['authorization', `Bearer ${SECRET}`];
      if (request.headers[name] !== value) return response.writeHead(path === '/key.tar' ? 403 : 401).end();
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [0, 0, file.length];
      const body = file.subarray(Number(start), Number(end) + 1);
      const range = `bytes ${start}-${Number(start) + body.length - 1}/${file.length}`;
      return response.writeHead(206, { 'content-range': range, etag: '"1"' }).end(body);
    }
    const bytes = await readFile(join(site, path)).catch(() => null);
    if (!bytes) return response.writeHead(404).end();
    const type = TYPES[extname(path)] ?? (path.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream');
    response.writeHead(200, { 'content-type': type }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${server.address().port}/`;
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

test('a token is asked for, sent to its server, and kept nowhere', async () => {
  const page = await newPage(browser);
  await visit(page, `${url}#file=secret.tar`);
  await page.getByRole('button', { name: 'Sign in…' }).click();
  const dialog = page.getByRole('dialog', { name: /Sign in to 127\.0\.0\.1/ });
  await dialog.waitFor();
  assert.deepEqual(await axe(page), []);
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  // A wrong one: the server says so again, and it is asked for again.
  await dialog.getByLabel('Token').fill('wrong');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign in…' }).click();
  await dialog.getByLabel('Token').fill(SECRET);
  await page.keyboard.press('Enter');
  await page.locator('.tile').first().waitFor();
  assert.ok(seen.some(([, sent]) => sent === 'Bearer wrong'));
  const kept = await page.evaluate(async () => {
    const databases = [];
    for (const { name } of await indexedDB.databases())
      databases.push(
        await new Promise((resolve) => {
          const opening = indexedDB.open(name);
          opening.onsuccess = async () => {
            const found = [];
            for (const store of opening.result.objectStoreNames)
              found.push(
                await new Promise((done) => {
                  const all = opening.result.transaction(store).objectStore(store).getAll();
                  all.onsuccess = () => done(all.result);
                }),
              );
            resolve(found);
          };
        }),
      );
    const shown = [location.href, document.title, JSON.stringify({ ...localStorage, ...sessionStorage })];
    return [...shown, JSON.stringify(databases), JSON.stringify(history.state)].join('\n');
  });
  assert.ok(!kept.includes(SECRET), kept);
  // The next file of the same server needs no asking, and a new page knows nothing.
  await page.evaluate(() => (location.hash = '#file=other.tar'));
  await page.locator('.tile').first().waitFor();
  await visit(page, `${url}#file=secret.tar`);
  await page.getByRole('button', { name: 'Sign in…' }).waitFor();
  await page.close();
});

test('a header of any name will do, and who does not want to goes back', async () => {
  const page = await newPage(browser, { viewport: { width: 360, height: 700 } });
  await visit(page, `${url}#file=key.tar`);
  await page.getByRole('button', { name: 'Sign in…' }).click();
  const dialog = page.getByRole('dialog', { name: /Sign in to/ });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Sign in…' }).click();
  await dialog.getByLabel('Token').fill(SECRET);
  await dialog.getByLabel('Sent as the header').fill('no header at all');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Sent as the header').fill('X-Key');
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT.replace('.png', '-360.png') });
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.tile').first().waitFor();
  await page.close();
});

test('what was said opens texts, packed files and other versions of that server too', async () => {
  const page = await newPage(browser);
  const signIn = async () => {
    await page.getByRole('button', { name: 'Sign in…' }).click();
    await page
      .getByRole('dialog', { name: /Sign in to/ })
      .getByLabel('Token')
      .fill(SECRET);
    await page.keyboard.press('Enter');
  };
  await visit(page, `${url}#file=rows.csv`);
  await signIn();
  await page.getByRole('gridcell', { name: 'two' }).waitFor();
  await page.keyboard.press('c');
  await page.locator('forebay-check dialog').getByText('Sound').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  const dialog = page.locator('forebay-convert-table dialog');
  const coming = page.waitForEvent('download');
  await dialog.locator('.foot .primary').click();
  await coming;
  await visit(page, `${url}#file=packed.tar.gz`);
  await signIn();
  await page.getByRole('button', { name: 'Unpack and open' }).click();
  await page.locator('.tile').first().waitFor();
  await visit(page, `${url}#file=secret.tar`);
  await signIn();
  await page.locator('.tile').first().waitFor();
  await page.keyboard.press('m');
  const compare = page.locator('forebay-compare dialog');
  await compare.locator('input.address').fill('other.tar');
  await page.keyboard.press('Enter');
  await compare.getByText('Both have the same 30 samples.').waitFor();
  await page.close();
});
