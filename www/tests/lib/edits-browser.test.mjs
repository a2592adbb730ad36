// Journals of edits in a browser's origin-private file system: two tabs, and tabs that die.
import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { convert, memorySink, shutdown } from 'forebay';
import { crash, launch, noBrowser } from '../browser.mjs';
import { ROOT, tarOf } from './helpers.mjs';

const skip = noBrowser;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const PAGE = `<!doctype html><script type="module">
import * as f from '/dist/index.js';
f.configure({ workers: 1 });
globalThis.edit = async () => {
  const bytes = await (await fetch('/made.tbl')).blob();
  globalThis.dataset = await f.open(new File([bytes], 'made.tbl'));
  globalThis.edits = await dataset.edit();
};
globalThis.forebay = f;
</script>`;
/** Tabs that are killed. */
const ROUNDS = Number(process.env.FOREBAY_KILLS ?? 12);
let server;
let browser;
let context;

before(async () => {
  if (skip) return;
  const sink = memorySink();
  await convert(new Blob([tarOf(40)]), sink, { to: 'tbl' });
  await shutdown();
  const made = Buffer.from(sink.bytes());
  server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    if (path === '/made.tbl') return response.writeHead(200).end(made);
    const file = join(ROOT, 'www/lib', path);
    if (!path.startsWith('/dist/') || path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launch();
  context = await browser.newContext();
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function newPage() {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.forebay);
  return page;
}

test('one tab edits, the other is told, and goes on where the first stopped', { skip }, async () => {
  const [first, second] = [await newPage(), await newPage()];
  await first.evaluate(async () => {
    await globalThis.edit();
    await globalThis.edits.set(3, { note: 'kept' });
  });
  const opened = () =>
    second.evaluate(() =>
      globalThis.edit().then(
        () => 'open',
        (e) => e.code,
      ),
    );
  assert.equal(await opened(), 'edits.locked');
  await first.close();
  // The lock goes when the browser has let the tab go.
  for (let tries = 0; tries < 50 && (await opened()) !== 'open'; tries++)
    await new Promise((ok) => setTimeout(ok, 100));
  assert.equal(await second.evaluate(async () => (await globalThis.edits.record(3)).note), 'kept');
  await second.evaluate(() => globalThis.edits.discard());
  await second.close();
});

test('a tab that is killed loses nothing that was shown as kept', { skip }, async () => {
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const page = await newPage();
    let kept = before;
    await page.exposeFunction('shown', (n) => {
      kept = n;
    });
    for (let tries = 0; ; tries++) {
      const code = await page.evaluate(() =>
        globalThis.edit().then(
          () => null,
          (e) => e.code,
        ),
      );
      if (code === null) break;
      assert.ok(code === 'edits.locked' && tries < 50, code);
      await new Promise((ok) => setTimeout(ok, 100));
    }
    const found = await page.evaluate(() => globalThis.edits.changes);
    assert.ok(found >= before, `round ${round}: ${found} changes are left of ${before}`);
    const saved = await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const file = await (await root.getFileHandle('saved.tbl', { create: true })).getFile();
      return file.size === 0 ? null : (await globalThis.forebay.check(file)).ok;
    });
    assert.ok(saved !== false, `round ${round}: what was saved is not whole`);
    page
      .evaluate(async () => {
        for (let i = 0; ; i = (i + 1) % 40) {
          await globalThis.edits.set(i, { note: `round ${i}` });
          await globalThis.shown(globalThis.edits.changes);
          if (i === 20) {
            const root = await navigator.storage.getDirectory();
            await globalThis.edits.save(await root.getFileHandle('saved.tbl', { create: true }));
          }
        }
      })
      .catch(() => {});
    await new Promise((ok) => setTimeout(ok, 30 + 37 * round));
    await crash(page);
    before = kept;
    await page.close();
  }
  assert.ok(before > 0, 'no change was made');
});
