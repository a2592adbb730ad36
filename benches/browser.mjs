// npm run bench:browser: the npm package in Chromium and Node against the native command, in one run.
//
//   npm run bench:browser -- [--samples 2000] [--rounds 3] [--built] [--dry]
//
// With --built it takes the programs that were built before. Writes docs/benchmarks-browser.md; with --dry it only prints.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { MODULES } from '../scripts/build-wasm.mjs';
import { findChromium } from '../scripts/lib/chromium.mjs';
import { ROOT, main, read, run } from '../scripts/lib/run.mjs';
import { tarOf } from '../www/tests/lib/helpers.mjs';
import { makeSmall, repeat } from './lib/set.mjs';

const { values: options } = parseArgs({
  options: {
    samples: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    built: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
  },
});
const ROUNDS = Number(options.rounds);
const FOLDER = join(ROOT, 'target/bench');
const DIST = join(ROOT, 'www/lib/dist');
const EXECUTABLE = findChromium();
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** What a page must say to have threads. */
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const mb = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

function timed(program, args) {
  const started = performance.now();
  execFileSync(program, args, { stdio: 'pipe' });
  return performance.now() - started;
}

async function sha256(stream) {
  const hash = createHash('sha256');
  for await (const part of stream) hash.update(part);
  return hash.digest('hex');
}

/** A worker that only reads: a part of a file, as the package's workers read it, and does nothing with it. */
const READER = `onmessage = async ({ data: { file, start, end } }) => {
  const reader = file.slice(start, end).stream().getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(8 << 20);
  for (let at = start; at < end; ) {
    const wanted = new Uint8Array(buffer, 0, Math.min(buffer.byteLength, end - at));
    const { value } = await reader.read(wanted, { min: wanted.length });
    at += value.length;
    buffer = value.buffer;
  }
  postMessage('read');
};`;

/** The page's own server: the package, and a place where a file that the page made is hashed. */
async function serve() {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    if (path === '/reader.js')
      return response.writeHead(200, { 'content-type': 'text/javascript', ...ISOLATED }).end(READER);
    if (path === '/hash') return response.end(await sha256(request));
    if (path === '/' || path === '/isolated')
      return response
        .writeHead(200, { 'content-type': 'text/html', ...(path === '/' ? {} : ISOLATED) })
        .end(
          '<!doctype html><input type="file"><script type="module">import * as f from "/dist/index.js"; globalThis.forebay = f;</script>',
        );
    const file = join(DIST, path.replace(/^\/dist\//, ''));
    if (!path.startsWith('/dist/') || path.includes('..') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...ISOLATED });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Memory that only the browser's renderers have, sampled while something runs: the peak over what it was before. */
function watchMemory(folder) {
  const renderers = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          if (!line.includes('--type=renderer') || !line.includes(folder)) return [];
          return [Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024];
        } catch {
          return [];
        }
      });
  const now = () => Math.max(0, ...renderers());
  const before = now();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, now())), 20);
  return () => {
    clearInterval(timer);
    return { before, peak };
  };
}

/** Converts a file into the origin-private file system, several times: how long, the memory, and whether it is as expected. */
async function conversions(page, file, to, expected, profile) {
  await page.setInputFiles('input', file);
  const times = [];
  let memory = { before: 0, peak: 0 };
  let identical = true;
  for (let round = 0; round < ROUNDS; round++) {
    const stop = watchMemory(profile);
    times.push(
      await page.evaluate(async (to) => {
        const root = await navigator.storage.getDirectory();
        await root.removeEntry('out').catch(() => {});
        const handle = await root.getFileHandle('out', { create: true });
        const started = performance.now();
        await forebay.convert(document.querySelector('input').files[0], handle, { to });
        return performance.now() - started;
      }, to),
    );
    const seen = stop();
    if (seen.peak > memory.peak) memory = seen;
    if (round > 0) continue;
    const hash = await page.evaluate(async () => {
      const file = await (await (await navigator.storage.getDirectory()).getFileHandle('out')).getFile();
      return (await fetch('/hash', { method: 'POST', body: file })).text();
    });
    identical = hash === expected;
  }
  return { time: median(times), memory, identical };
}

/** Checks on one worker and on two, by a handle of the origin-private file system or of the file that was chosen. */
async function checks(page, own) {
  const times = { 1: [], 2: [] };
  // In turn, so that what else the machine does falls on both.
  for (let round = 0; round < ROUNDS; round++) {
    for (const workers of [1, 2]) times[workers].push(await page.evaluate(checkWith, [workers, own]));
  }
  return { 1: median(times[1]), 2: median(times[2]) };
}

/** In the page: checks the file with this many workers; the fourth time, as a worker starts once, and its code gets better while it runs. */
async function checkWith([workers, own]) {
  await forebay.shutdown();
  forebay.configure({ workers });
  const input = own
    ? await (await navigator.storage.getDirectory()).getFileHandle('out')
    : document.querySelector('input').files[0];
  const ds = await forebay.openSamples(input);
  let took = 0;
  for (let k = 0; k < 4; k++) {
    const started = performance.now();
    const report = await ds.check();
    took = performance.now() - started;
    if (!report.ok) throw new Error('the file is sound');
  }
  ds.close();
  return took;
}

/** In the page: this many workers read the file, a part each, and do nothing else. */
async function readAlone(count) {
  const [file] = document.querySelector('input').files;
  const workers = Array.from({ length: count }, () => new Worker('/reader.js'));
  const cut = (k) => Math.floor((file.size * k) / count);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const started = performance.now();
  await Promise.all(
    workers.map(
      (worker, k) =>
        new Promise((resolve, reject) => {
          Object.assign(worker, { onmessage: resolve, onerror: (e) => reject(new Error(e.message)) });
          worker.postMessage({ file, start: cut(k), end: cut(k + 1) });
        }),
    ),
  );
  const took = performance.now() - started;
  for (const worker of workers) worker.terminate();
  return took;
}

async function inBrowser({ tar, tbl, bitmaps, csv }, expected) {
  const { chromium } = await import('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'forebay-bench-'));
  const server = await serve();
  const context = await chromium.launchPersistentContext(profile, { executablePath: EXECUTABLE, args: FLAGS });
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => globalThis.forebay);
    await page.setInputFiles('input', tar);
    const converted = await conversions(page, tar, 'tbl', expected.tbl, profile);
    const own = await checks(page, true);
    const table = await conversions(page, csv, 'tbf', expected.tbf, profile);
    await page.setInputFiles('input', tbl);
    const check = await checks(page, false);
    const reading = { 1: [], 2: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const workers of [1, 2]) reading[workers].push(await page.evaluate(readAlone, workers));
    const abort = await page.evaluate(async () => {
      const ds = await forebay.openSamples(document.querySelector('input').files[0]);
      const controller = new AbortController();
      const work = ds.check({ signal: controller.signal });
      await new Promise((resolve) => setTimeout(resolve, 200));
      const started = performance.now();
      controller.abort();
      await work.catch(() => {});
      const took = performance.now() - started;
      const { requests } = ds.telemetry;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { took, later: ds.telemetry.requests - requests };
    });
    const packing = {};
    for (const [path, threads] of [
      ['', 0],
      ['isolated', 1],
      ['isolated', 2],
    ]) {
      await page.goto(`http://127.0.0.1:${server.address().port}/${path}`);
      await page.waitForFunction(() => globalThis.forebay);
      await page.setInputFiles('input', bitmaps);
      packing[threads] = [];
      for (let round = 0; round < ROUNDS; round++) packing[threads].push(await page.evaluate(pack, threads));
    }
    return {
      packing: Object.fromEntries(Object.entries(packing).map(([threads, times]) => [threads, median(times)])),
      converted,
      table,
      check,
      own,
      reading: { 1: median(reading[1]), 2: median(reading[2]) },
      abort,
      browser: context.browser()?.version() ?? read(EXECUTABLE, ['--version']),
    };
  } finally {
    await context.close();
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Bitmaps with one of 64 patterns every 16 bytes, so that LZ4 finds about half of them again. */
function drawn(tar) {
  const noise = (k) => Math.imul(k ^ (k >>> 15), 0x2c1b3c6d) >>> 8;
  for (let at = 0; at + 512 < tar.length; ) {
    const [name, size] = [
      tar[at + 14],
      Number.parseInt(String.fromCharCode(...tar.subarray(at + 124, at + 135)), 8) || 0,
    ];
    if (size > 1000 && name)
      for (let k = 54; k < size; k++) tar[at + 512 + k] = noise((noise(at + (k >> 4)) % 64) * 16 + (k & 15));
    at += 512 + ((size + 511) & ~511);
  }
  return tar;
}

/** Rows of integers, floats, words and times: a table as people have them. */
function writeTable(path, rows) {
  const out = openSync(path, 'w');
  writeSync(out, 'id,name,city,score,when,flag\n');
  let lines = [];
  for (let i = 0; i < rows; i++) {
    lines.push(
      `${i},person ${(i * 7919) % 100_003},city ${i % 977},${((i * 37) % 10_000) / 8},2024-02-${String(1 + (i % 28)).padStart(2, '0')}T10:${String(i % 60).padStart(2, '0')}:00,${i % 3 === 0}`,
    );
    if (lines.length < 20_000 && i + 1 < rows) continue;
    writeSync(out, `${lines.join('\n')}\n`);
    lines = [];
  }
  closeSync(out);
}

/** In the page: packs with LZ4, in a file of the origin-private file system. */
async function pack(threads) {
  await forebay.shutdown();
  forebay.configure({ threads });
  const handle = await (await navigator.storage.getDirectory()).getFileHandle('packed.tbl', { create: true });
  const started = performance.now();
  await forebay.convert(document.querySelector('input').files[0], handle, { to: 'tbl', compression: 'lz4' });
  return performance.now() - started;
}

/** Pictures of a second on one thread: the native core, and the module by itself. */
async function tensors(program, tar) {
  const { openSamples, shutdown } = await import(join(DIST, 'index.js'));
  const { initSync, Tensors } = await import(join(ROOT, 'www/lib/wasm/tensor.js'));
  initSync({ module: new WebAssembly.Module(readFileSync(join(DIST, 'tensor.wasm'))) });
  const wanted = {
    size: [224, 224],
    dtype: 'f32',
    layout: 'nchw',
    fit: 'center-crop',
    resampling: 'bilinear',
    mean: [0.485, 0.456, 0.406],
    std: [0.229, 0.224, 0.225],
    orient: false,
  };
  const maker = new Tensors(JSON.stringify({ ...wanted, short: 224 }));
  const ds = await openSamples(tar);
  const path = join(FOLDER, 'picture.jpg');
  const found = { native: [], wasm: [], about: '' };
  for (const i of [0, 7, 31]) {
    const payload = await ds.bytes(i);
    writeFileSync(path, payload);
    found.native.push(
      Number(
        execFileSync(program, [path, '224', '224', 'f32', 'nchw', 'center-crop', 'imagenet', '300'], {
          encoding: 'utf8',
        }),
      ),
    );
    // Into the same memory each time, as natively.
    let into;
    const make = () => (into = maker.make(payload, 0, 0, into));
    for (let k = 0; k < 50; k++) make();
    const started = performance.now();
    for (let k = 0; k < 300; k++) make();
    found.wasm.push(300_000 / (performance.now() - started));
    await ds.matches(`index == ${i} && width > 0`);
    const { width, height } = ds.info(i);
    found.about = `${width} x ${height}`;
  }
  ds.close();
  await shutdown();
  return { native: median(found.native), wasm: median(found.wasm), about: found.about };
}

function sizes() {
  const brotli = (bytes) =>
    brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).length;
  const modules = MODULES.map(({ name }) => {
    const bytes = readFileSync(join(DIST, `${name}.wasm`));
    return { name, bytes: bytes.length, brotli: brotli(bytes) };
  });
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--dry-run'], {
      cwd: join(ROOT, 'www/lib'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  return { modules, unpacked: packed.unpackedSize };
}

await main(async () => {
  mkdirSync(FOLDER, { recursive: true });
  if (!options.built) {
    await run('cargo', [
      'build',
      '--profile',
      'dist',
      '--locked',
      '-p',
      'forebay-cli',
      '-p',
      'forebay-sample',
      '--bins',
    ]);
    await run('cargo', [
      'build',
      '--profile',
      'dist',
      '--locked',
      '-p',
      'forebay',
      '--features',
      'decode,transform',
      '--example',
      'tensor',
    ]);
  }
  const release = (name) => join(ROOT, 'target/dist', name);
  const small = await makeSmall(release('forebay-sample'), FOLDER, Number(options.samples));
  const tar = join(FOLDER, `browser-${options.samples}.tar`);
  if (!existsSync(tar)) repeat(small, tar, 5);
  const tbl = join(FOLDER, 'browser.tbl');
  const native = [];
  for (let round = 0; round < ROUNDS; round++) native.push(timed(release('forebay'), ['convert', tar, tbl, '--force']));
  const [csv, tbf] = [join(FOLDER, 'browser.csv'), join(FOLDER, 'browser.tbf')];
  if (!existsSync(csv)) writeTable(csv, 2_000_000);
  const nativeTable = [];
  for (let round = 0; round < ROUNDS; round++)
    nativeTable.push(timed(release('forebay'), ['convert', csv, tbf, '--force']));
  const expected = { tbl: await sha256(createReadStream(tbl)), tbf: await sha256(createReadStream(tbf)) };
  const bitmaps = join(FOLDER, 'browser-bitmaps.tar');
  if (!existsSync(bitmaps)) {
    writeFileSync(join(FOLDER, 'bitmaps.tar'), drawn(tarOf(100, 400)));
    repeat(join(FOLDER, 'bitmaps.tar'), bitmaps, 20);
  }
  const page = await inBrowser({ tar, tbl, bitmaps, csv }, expected);
  const tensor = await tensors(release('examples/tensor'), small);
  const { modules, unpacked } = sizes();
  const row = (what, measured, other, ratio, wanted, met) =>
    `| ${what} | ${measured} | ${other} | ${ratio} | ${wanted} | ${met === null ? '' : met ? 'yes' : '**no**'} |`;
  const ratio = (x) => `${x.toFixed(2)} x`;
  const converted = median(native) / page.converted.time;
  const { memory } = page.converted;
  const grown = memory.peak - memory.before;
  const sped = (check) => check[1] / check[2];
  const speed = tensor.wasm / tensor.native;
  const reader = modules[0];
  const text = `# Benchmarks of the npm package

Made by \`npm run bench:browser\`, which writes this page: ${new Date().toISOString().slice(0, 10)}.

Machine: ${cpus().length} x ${cpus()[0]?.model ?? '?'}; load average at the end ${loadavg()
    .map((n) => n.toFixed(1))
    .join(', ')}; on a machine that is
busy with other work, times say less than they seem to. Versions: Chromium ${page.browser}, Node ${process.version}.
Set: a tar of ${mb(statSync(tar).size)}, drawn by \`forebay-sample --bench\`, and the TBL made of it. Medians of ${ROUNDS} rounds; a ratio is the
native time over the browser's, or one worker's over two's.

| what | here | against | ratio | goal | reached |
|---|---|---|---|---|---|
${[
  row(
    'TAR to TBL, a worker to the origin-private file system, against the command',
    seconds(page.converted.time),
    seconds(median(native)),
    ratio(converted),
    '0.5 x',
    converted >= 0.5,
  ),
  row(
    'the same bytes as the command writes',
    page.converted.identical ? 'yes' : 'no',
    '',
    '',
    'yes',
    page.converted.identical,
  ),
  row(
    'memory of the page while it converts: the peak over what it was before',
    mb(grown),
    mb(memory.peak),
    '',
    'under 300 MB',
    grown < 300e6,
  ),
  row(
    `CSV of ${mb(statSync(csv).size)} to TBF, likewise, against the command`,
    seconds(page.table.time),
    seconds(median(nativeTable)),
    ratio(median(nativeTable) / page.table.time),
    '',
    null,
  ),
  row('the same bytes as the command writes', page.table.identical ? 'yes' : 'no', '', '', 'yes', page.table.identical),
  row(
    'check of the TBL in the origin-private file system, two workers against one',
    seconds(page.own[2]),
    seconds(page.own[1]),
    ratio(sped(page.own)),
    '1.7 x',
    sped(page.own) >= 1.7,
  ),
  row(
    'check of the TBL on disk, likewise',
    seconds(page.check[2]),
    seconds(page.check[1]),
    ratio(sped(page.check)),
    '',
    null,
  ),
  row(
    'only reading the TBL on disk, likewise: the most that a check could gain',
    seconds(page.reading[2]),
    seconds(page.reading[1]),
    ratio(sped(page.reading)),
    '',
    null,
  ),
  row(
    `TAR of bitmaps (${mb(statSync(bitmaps).size)}) to TBL with LZ4, the threaded module: two threads against one`,
    seconds(page.packing[2]),
    seconds(page.packing[1]),
    ratio(page.packing[1] / page.packing[2]),
    '',
    null,
  ),
  row(
    'the same, two threads against the module without',
    seconds(page.packing[2]),
    seconds(page.packing[0]),
    ratio(page.packing[0] / page.packing[2]),
    '',
    null,
  ),
  row(
    `JPEG (${tensor.about}) to a 224 x 224 tensor, one thread, against the native core`,
    `${tensor.wasm.toFixed(0)}/s`,
    `${tensor.native.toFixed(0)}/s`,
    ratio(speed),
    '0.6 x',
    speed >= 0.6,
  ),
  row('the reader, as brotli', `${reader.brotli} bytes`, '', '', 'at most 150,000', reader.brotli <= 150_000),
  row('the package unpacked', `${unpacked} bytes`, '', '', 'under 5,000,000', unpacked < 5e6),
  row(
    'an abort: until the promise rejects',
    `${page.abort.took.toFixed(1)} ms`,
    '',
    '',
    'within 50 ms',
    page.abort.took < 50,
  ),
  row('an abort: reads that begin after it', String(page.abort.later), '', '', '0', page.abort.later === 0),
].join('\n')}

A conversion is held up by the browser, which reads the file in another process, and a TAR is read twice, once for its
headers. One worker reads, one packs and one writes (through a synchronous handle), on two processors; the command maps one
file and writes the other directly. A check of a file on disk is mostly the browser's reading: a single worker is as fast as
that already, so that a second one can gain no more than what the row below it says, which checks nothing. A file of the
origin-private file system is read by each worker for itself, without the browser's process. A check is shared by workers,
which need no special headers. Threads are for packing with LZ4 on more than two processors: on two, the workers that read
and write leave them nothing, so that they are used there only if they are asked for, as here.
The native tensor is made with the command's usual decoder, as the module does it (docs/decoders.md).

## Modules

The first is loaded with the first file; each of the others when it is used.

| module | bytes | brotli |
|---|---|---|
${modules.map(({ name, bytes, brotli }) => `| ${name} | ${bytes} | ${brotli} |`).join('\n')}
`;
  console.log(`\n${text}`);
  if (!options.dry) writeFileSync(join(ROOT, 'docs/benchmarks-browser.md'), text);
});
