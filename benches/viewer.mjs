// npm run bench:viewer: the viewer in Chromium against its promises: how soon the first pictures of a huge file show,
// with how many requests, bytes and how much memory, and how smoothly ten million samples and rows scroll.
//
//   npm run bench:viewer -- [--seconds 6] [--dry]
//
// Writes docs/benchmarks-viewer.md and benches/results/viewer.json, with --dry neither.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countingServer, hugeTbl, picturesOf } from './lib/huge.mjs';
import { buildFakeSite, buildSite } from '../scripts/build-site.mjs';
import { ensureChromium } from '../scripts/lib/chromium.mjs';
import { ROOT, main } from '../scripts/lib/run.mjs';
import { ensureSample } from '../scripts/sample.mjs';

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '6' }, dry: { type: 'boolean', default: false } },
});
const SECONDS = Number(options.seconds);
const FOLDER = join(ROOT, 'target/bench');
const WIDE = { width: 1280, height: 800 };
/** Pictures that are there when "the first pictures" are. */
const FIRST = 12;

await main(async () => {
  process.env.CHROMIUM = await ensureChromium();
  await buildSite();
  const fake = await buildFakeSite();
  const pictures = picturesOf(await ensureSample());
  mkdirSync(FOLDER, { recursive: true });
  const big = hugeTbl(join(FOLDER, 'imagenet.tbl'), 1_281_167, pictures, 31_200);
  const ten = hugeTbl(join(FOLDER, 'ten-million.tbl'), 10_000_000, pictures, 31_200);
  const { launch } = await import('../www/tests/browser.mjs');
  const browser = await launch();
  const site = await countingServer({ site: join(ROOT, 'dist/site'), fake, data: FOLDER });
  const results = {};
  try {
    results.disk = await median(3, () => fromDisk(browser, site, big));
    results.http = await median(3, () => fromHttp(browser, site, big));
    for (const view of ['gallery', 'table'])
      results[`scroll ${view}`] = await scroll(browser, `${site.url}#file=data/ten-million.tbl&view=${view}`);
    results['scroll rows'] = await scroll(browser, `${site.url}fake/#file=10000000.tbf`);
    results.closing = await closing(browser, site, big);
  } finally {
    await browser.close();
    site.close();
    rmSync(big.path, { force: true });
    rmSync(ten.path, { force: true });
  }
  const about = {
    processor: cpus()[0]?.model ?? '?',
    cores: availableParallelism(),
    node: process.version,
    load: loadavg().map((n) => Number(n.toFixed(1))),
    samples: big.samples,
    bytes: big.bytes,
  };
  const text = page(about, results);
  console.log(`\n${text}`);
  if (options.dry) return;
  mkdirSync(join(ROOT, 'benches/results'), { recursive: true });
  writeFileSync(join(ROOT, 'docs/benchmarks-viewer.md'), text);
  writeFileSync(join(ROOT, 'benches/results/viewer.json'), `${JSON.stringify({ about, results }, null, 1)}\n`);
});

/** The run in the middle by its `ms`. */
async function median(rounds, body) {
  const all = [];
  for (let k = 0; k < rounds; k++) {
    all.push(await body());
    console.log(JSON.stringify(all.at(-1)));
  }
  return all.sort((a, b) => a.ms - b.ms)[rounds >> 1];
}

/** Resident memory of the tab alone, in bytes: pages shared with other processes count by their part. */
async function memoryOf(browser, settle = 400) {
  await new Promise((resolve) => setTimeout(resolve, settle));
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  let sum = 0;
  for (const { id, type } of processInfo) {
    if (type !== 'renderer') continue;
    sum += 1024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  }
  return sum;
}

/** A page whose pictures are counted from inside. */
async function open(browser, url) {
  const page = await browser.newPage({ viewport: WIDE });
  await page.addInitScript(() => {
    delete globalThis.showOpenFilePicker;
    const shown = () =>
      document
        .querySelector('forebay-viewer')
        ?.shadowRoot?.querySelector('forebay-gallery')
        ?.shadowRoot?.querySelectorAll('canvas[data-ready]').length ?? 0;
    globalThis.pictures = (n) =>
      new Promise((resolve) => {
        const look = () => (shown() >= n ? resolve(performance.now()) : requestAnimationFrame(look));
        look();
      });
  });
  await page.goto(url);
  return page;
}

async function fromDisk(browser, site, file) {
  const page = await open(browser, site.url);
  await page.locator('forebay-welcome .drop').waitFor();
  const before = await memoryOf(browser);
  const input = page.locator('#file-input');
  // From the moment that the page hears of the file.
  await page.evaluate((n) => {
    globalThis.shownAt = globalThis.pictures(n);
    const input = document.querySelector('forebay-viewer').shadowRoot.querySelector('#file-input');
    input.addEventListener('change', () => (globalThis.beganAt = performance.now()), { capture: true, once: true });
  }, FIRST);
  await input.setInputFiles(file.path);
  const ms = await page.evaluate(async () => (await globalThis.shownAt) - globalThis.beganAt);
  const memory = await memoryOf(browser);
  await page.close();
  return { ms: Math.round(ms), memory, added: memory - before };
}

async function fromHttp(browser, site, file) {
  const page = await open(browser, 'about:blank');
  site.reset();
  const began = performance.now();
  await page.goto(`${site.url}#file=data/imagenet.tbl`);
  await page.evaluate(() => globalThis.pictures(1));
  const first = { requests: site.requests, bytes: site.bytes };
  await page.evaluate((n) => globalThis.pictures(n), FIRST);
  const ms = performance.now() - began;
  await page.waitForTimeout(1500);
  const shown = await page.evaluate(() =>
    Array.from(
      document
        .querySelector('forebay-viewer')
        .shadowRoot.querySelector('forebay-gallery')
        .shadowRoot.querySelectorAll('canvas[data-ready]'),
      (c) => Number(c.dataset.sample),
    ),
  );
  const payloads = shown.reduce((sum, i) => sum + file.sizeOf(i), 0);
  await page.close();
  return {
    ms: Math.round(ms),
    requestsBeforePictures: first.requests,
    bytesBeforePictures: first.bytes,
    index: file.index,
    shownPayloads: payloads,
    requests: site.requests,
    bytes: site.bytes,
  };
}

/** Wheel, keys and jumps over the whole length; how long every frame took. */
async function scroll(browser, url) {
  const page = await open(browser, url);
  await page.locator('.scroll').first().waitFor({ timeout: 120_000 });
  await page.waitForTimeout(2500);
  await page.locator('.scroll').focus();
  const box = await page.locator('.scroll').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.evaluate(() => {
    const frames = (globalThis.frames_ = []);
    let last = performance.now();
    const tick = (now) => {
      frames.push(now - last);
      last = now;
      globalThis.ticking = requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const until = (seconds) => performance.now() + seconds * 1000;
  for (let end = until(SECONDS / 3); performance.now() < end; )
    await page.mouse.wheel(0, 240).then(() => page.waitForTimeout(16));
  for (let end = until(SECONDS / 3); performance.now() < end; )
    await page.keyboard.press('PageDown').then(() => page.waitForTimeout(30));
  // The scrollbar from the top to the end, in a hundred steps.
  for (let k = 0; k <= 100; k++) {
    await page.evaluate((part) => {
      const deep = (root) =>
        root.querySelector('.scroll') ??
        [...root.querySelectorAll('*')].map((e) => e.shadowRoot && deep(e.shadowRoot)).find(Boolean);
      const element = deep(document);
      element.scrollTop = part * (element.scrollHeight - element.clientHeight);
    }, k / 100);
    await page.waitForTimeout((SECONDS / 3) * 10);
  }
  const last = await page.locator('#p9999999').count();
  await page.evaluate(() => cancelAnimationFrame(globalThis.ticking));
  const frames = (await page.evaluate(() => globalThis.frames_)).slice(2).sort((a, b) => a - b);
  await page.close();
  const at = (part) => Number(frames[Math.min(frames.length - 1, Math.floor(frames.length * part))].toFixed(1));
  const result = {
    frames: frames.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    under33: Number(((100 * frames.filter((f) => f < 33.4).length) / frames.length).toFixed(1)),
    reachedLast: last === 1,
    load: loadavg()[0],
  };
  console.log(url, JSON.stringify(result));
  return result;
}

/** Memory before, with a file open, and after it was closed, again and again. */
async function closing(browser, site, file) {
  const page = await open(browser, site.url);
  await page.locator('forebay-welcome .drop').waitFor();
  const collect = async () => {
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    await session.detach();
    return memoryOf(browser, 1500);
  };
  const before = await collect();
  const after = [];
  let open_ = 0;
  for (let k = 0; k < 4; k++) {
    await page.locator('#file-input').setInputFiles(file.path);
    await page.evaluate((n) => globalThis.pictures(n), FIRST);
    open_ = await memoryOf(browser);
    await page.getByRole('button', { name: /close the file/ }).click();
    await page.locator('forebay-welcome .drop').waitFor();
    after.push(await collect());
  }
  await page.close();
  return { before, open: open_, after };
}

function page(about, r) {
  const mb = (n) => `${(n / 1e6).toFixed(0)} MB`;
  const yes = (ok) => (ok ? 'yes' : '**no**');
  const rows = [
    ['first images of a sparse 40 GB `.tbl` from disk', 'under 1.5 s', `${r.disk.ms} ms`, r.disk.ms < 1500],
    [
      'memory of the tab then, over that of the empty page',
      'under 200 MB',
      `${mb(r.disk.added)} (${mb(r.disk.memory)} in all)`,
      r.disk.added < 200e6,
    ],
    ['the same over HTTP on loopback: first images', '', `${r.http.ms} ms`, true],
    [
      'requests before the first image',
      'at most 3',
      `${r.http.requestsBeforePictures}`,
      r.http.requestsBeforePictures <= 3,
    ],
    [
      'bytes before the first image',
      'index + shown payloads',
      `${r.http.bytesBeforePictures} of ${r.http.index + r.http.shownPayloads}`,
      r.http.bytesBeforePictures <= r.http.index + r.http.shownPayloads,
    ],
    ...['gallery', 'table', 'rows'].map((view) => [
      `${view === 'rows' ? 'rows of a made-up table' : view}: frames under 33 ms while scrolling to the last of 10 million`,
      'at least 95 %',
      `${r[`scroll ${view}`].under33} % (median ${r[`scroll ${view}`].p50} ms, 95th ${r[`scroll ${view}`].p95} ms, last one reached: ${r[`scroll ${view}`].reachedLast ? 'yes' : 'no'}, load ${r[`scroll ${view}`].load.toFixed(1)})`,
      r[`scroll ${view}`].under33 >= 95,
    ]),
    [
      'memory after closing the file four times, over that of the empty page',
      'within 60 MB of its baseline',
      `${r.closing.after.map((n) => mb(n - r.closing.before)).join(', ')} (open: ${mb(r.closing.open - r.closing.before)})`,
      Math.min(...r.closing.after.slice(1)) - r.closing.before < 60e6,
    ],
  ];
  return `# The viewer, measured

Written by \`npm run bench:viewer\`: Chromium without a GPU on ${about.cores} cores (${about.processor}), Node ${about.node}, load ${about.load.join(', ')}
when it ended. The file has ${about.samples.toLocaleString('en-US')} samples and ${about.bytes.toLocaleString('en-US')} bytes, of which all but the index and 240 images are holes. Memory is the
part of the tab's process, workers included. Frames are counted by the page itself over wheel, PageDown and the
scrollbar from top to end.

| what | at least | measured | kept |
|---|---|---|---|
${rows.map(([what, least, is, ok]) => `| ${what} | ${least} | ${is} | ${least ? yes(ok) : ''} |`).join('\n')}
`;
}
