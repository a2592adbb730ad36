// A page with the package and a dataset to edit, for tests of journals in the origin-private file system.
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { convert, memorySink, shutdown } from 'forebay';
import { launch } from '../browser.mjs';
import { ROOT, tarOf } from './helpers.mjs';

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

/** Serves the page over a TBL of `samples` samples, and starts a browser. */
export async function start(samples, height) {
  const sink = memorySink();
  await convert(new Blob([tarOf(samples, height)]), sink, { to: 'tbl' });
  await shutdown();
  const made = Buffer.from(sink.bytes());
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    if (path === '/made.tbl') return response.writeHead(200).end(made);
    const file = join(ROOT, 'www/lib', path);
    if (!path.startsWith('/dist/') || path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await launch();
  const context = await browser.newContext();
  return {
    made,
    async newPage() {
      const page = await context.newPage();
      // A browser that just lost a tab may take its time.
      await page.goto(`http://127.0.0.1:${server.address().port}/`, { timeout: 120_000 });
      await page.waitForFunction(() => globalThis.forebay);
      return page;
    },
    async stop() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Opens the journal; the lock of a tab that died goes when the browser has let it go. */
export async function edit(page) {
  for (let tries = 0; ; tries++) {
    const code = await page.evaluate(() =>
      globalThis.edit().then(
        () => null,
        (e) => e.code ?? String(e),
      ),
    );
    if (code === null) return;
    if (code !== 'edits.locked' || tries === 100) throw new Error(`the journal does not open: ${code}`);
    await new Promise((go) => setTimeout(go, 100));
  }
}
