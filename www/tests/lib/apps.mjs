// The packed tarball, installed, in an app: what the tests of bundlers share. Each page has a strict policy without
// `blob:`, and uses every module of the package; with the headers that threads need, and without.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { launch, noBrowser } from '../browser.mjs';
import { ROOT, THREADS, tarOf } from './helpers.mjs';

export const skip = noBrowser;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
/** The policy of an app's page: what README.md says that it needs. */
function policy(path) {
  // The package comes from another origin, and workers begin in a script that the page makes.
  const [cdn, blob] = path.startsWith('/cdn/') ? [cdnOrigin(), 'blob:'] : ['', ''];
  // Parcel writes a map of its files into the page.
  const inline = path.startsWith('/parcel/') ? "'unsafe-inline'" : '';
  return `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${cdn} ${inline}; worker-src 'self' ${blob} ${cdn}; connect-src 'self' ${cdn}`;
}
export const EXPECTED = 'matches 1,4; tensor 3x8x8 192; tbl 5; id 5; large 600; threads false';
/** What public CDNs send with every file; the last lets the page see how long it is. */
const CDN = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'timing-allow-origin': '*',
};
/** In a page that is cross-origin isolated, the large file is converted by the threaded module. */
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const THREADED = EXPECTED.replace('false', String(THREADS));

/** What every app does: opens by URL, filters, makes a tensor, converts, reads a table. */
const WORK = `import { capabilities, configure, convert, memorySink, open, openSamples, openTable } from 'forebay';
export async function work(base) {
  configure({ threads: 2 });
  const ds = await openSamples(new URL('a.tar', base));
  const matches = await ds.matches('cls == 1');
  const tensor = await ds.tensor(2, { size: [8, 8], dtype: 'u8' });
  const sink = memorySink();
  await convert(ds, sink, { to: 'tbl', compression: 'lz4' });
  const tbl = await open(sink.bytes());
  const table = await openTable(Uint8Array.from([84, 66, 70, 1, 1, 2, 0, 0, 1, 2, 105, 100, 6, 1, 7, 1, 4, 0, 19, 5]));
  let id;
  for await (const row of table.rows()) id = row.id;
  const piece = await ds.source.read(0, ds.byteLength - 1024);
  const large = memorySink();
  const { samples } = await convert(new Blob([...Array(120).fill(piece), new Uint8Array(1024)]), large, { to: 'tbl' });
  // Bundlers give files other names, and leave them their lengths.
  const loaded = performance.getEntriesByType('resource').some((entry) => entry.decodedBodySize === THREADS_BYTES);
  return 'matches ' + matches.join() + '; tensor ' + tensor.shape.join('x') + ' ' + tensor.data.length + '; tbl ' + tbl.length + '; id ' + id + '; large ' + samples + '; threads ' + (loaded && capabilities().threads);
}
`;
export const SHOW =
  "work(location.href).then((text) => (document.title = text), (e) => (document.title = 'failed: ' + (e.stack ?? e)));\n";
export const PAGE = '<!doctype html><title>waiting</title><script type="module" src="./main.js"></script>';

export let folder;
export let server;
export let browser;
/** Another origin that serves the installed packages to everybody, as CDNs do. */
let cdn;
export const cdnOrigin = () => `http://127.0.0.1:${cdn.address().port}`;

/** Packs and installs the package, serves the folder, starts the browser. */
export async function start() {
  folder = mkdtempSync(join(tmpdir(), 'forebay-'));
  const lib = join(ROOT, 'www/lib');
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: lib,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const target = join(folder, 'node_modules/forebay');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', target, '--strip-components=1']);
  if (skip) return;
  const served = (root, request, response, headersOf) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const file = join(root, path.endsWith('/') ? `${path}index.html` : path);
    if (path.includes('..') || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response
      .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...headersOf(path) })
      .end(readFileSync(file));
  };
  cdn = createServer((request, response) => served(join(folder, 'node_modules'), request, response, () => CDN));
  server = createServer((request, response) =>
    served(folder, request, response, (path) => {
      // A script says for itself that its worker may be isolated; a page is so where it says that too.
      const headers = path.endsWith('/') && !request.url.endsWith('?isolated') ? {} : ISOLATED;
      return { 'content-security-policy': policy(path), ...headers };
    }),
  );
  for (const one of [cdn, server]) await new Promise((resolve) => one.listen(0, '127.0.0.1', resolve));
  browser = await launch();
}

/** Ends what `start` started. */
export async function stop() {
  await browser?.close();
  for (const one of [cdn, server]) {
    one?.closeAllConnections();
    one?.close();
  }
  rmSync(folder, { recursive: true });
}

/** An app's folder with its sources and the dataset. */
export function app(name, files) {
  const root = join(folder, name);
  mkdirSync(root);
  const size = THREADS ? statSync(join(folder, 'node_modules/forebay/dist/threads.wasm')).size : 0;
  const work = WORK.replace('THREADS_BYTES', String(size));
  const bare =
    name === 'plain' || name === 'worker' ? work.replace("'forebay'", "'../node_modules/forebay/dist/index.js'") : work;
  for (const [path, text] of Object.entries({ 'work.js': bare, ...files })) writeFileSync(join(root, path), text);
  return root;
}

/** Opens a page that was built, with and without the headers of threads, and waits for its title. */
export async function shown(path, base = `http://127.0.0.1:${server.address().port}/${path}/`) {
  writeFileSync(join(folder, path, 'a.tar'), tarOf(5, 200));
  for (const [query, expected] of [
    ['', EXPECTED],
    ['?isolated', THREADED],
  ]) {
    const page = await browser.newPage();
    const errors = [];
    page.on('pageerror', (e) => errors.push(String(e)));
    page.on(
      'console',
      (message) => message.type() === 'error' && !message.text().includes('favicon') && errors.push(message.text()),
    );
    await page.goto(`${base}${query}`);
    const done = page.waitForFunction(() => document.title !== 'waiting', undefined, { timeout: 180_000 });
    await done.catch((e) => assert.fail(`${e.message}\n${errors.join('\n')}`));
    const title = await page.title();
    await page.close();
    assert.equal(title, expected, errors.join('\n'));
  }
}
