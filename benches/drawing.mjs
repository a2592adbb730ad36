// npm run bench:drawing: how smoothly one draws in a picture with 2,000 boxes, in Chromium without a GPU.
//
//   npm run bench:drawing -- [--boxes 2000] [--seconds 2] [--dry]
//
// Writes benches/results/drawing.json, with --dry only what it found. The site must be built (`npm run build`).
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shutdown } from 'forebay';
import { ensureChromium } from '../scripts/lib/chromium.mjs';
import { ROOT, main } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    boxes: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '2' },
    dry: { type: 'boolean', default: false },
  },
});
const [BOXES, SECONDS] = [Number(options.boxes), Number(options.seconds)];
const [WIDTH, HEIGHT] = [1920, 1080];
/** Milliseconds of a frame at 60 a second, and a little. */
const FRAME = 17;

/** The same boxes at every run, of twenty classes. */
function boxes() {
  let state = 1;
  const random = () => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
  return Array.from({ length: BOXES }, (_, k) => {
    const [w, h] = [8 + random() * 120, 8 + random() * 90];
    return {
      label: `class ${k % 20}`,
      bbox: [random() * (WIDTH - w), random() * (HEIGHT - h), w, h].map(Math.round),
      iscrowd: 0,
    };
  });
}

await main(async () => {
  process.env.CHROMIUM = await ensureChromium();
  const { launch, newPage, serveFolder, visit } = await import('../www/tests/browser.mjs');
  const { tblOf } = await import('../www/tests/viewer/edited.mjs');
  const buffer = await tblOf(1, WIDTH, HEIGHT, () => ({ boxes: boxes() }));
  await shutdown();
  const browser = await launch();
  const site = await serveFolder(join(ROOT, 'dist/site'));
  const results = {};
  try {
    const page = await newPage(browser);
    await visit(page, site.url);
    await page.locator('#file-input').setInputFiles({ name: 'many.tbl', mimeType: 'application/octet-stream', buffer });
    await page.locator('#p0').click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.locator(`forebay-drawing[data-drawn="${BOXES}"]`).waitFor();
    await page.locator('.bar .kept', { hasText: 'every change is kept' }).waitFor();
    await page.waitForTimeout(1000);
    const { x, y, width, height } = await page.locator('forebay-sample .picture').boundingBox();
    const at = (part) => [x + width * (0.15 + 0.7 * part), y + height * (0.5 + 0.35 * Math.sin(part * 12))];
    const stage = page.locator('forebay-sample .stage');
    await stage.focus();
    const rest = () => page.waitForTimeout(400);
    results['pointing at boxes'] = await frames(page, (part) => page.mouse.move(...at(part)));
    await page.mouse.move(x + 2, y + 2);
    await page.mouse.down();
    results['drawing a box'] = await frames(page, (part) => page.mouse.move(...at(part)));
    await page.mouse.up();
    await rest();
    const [cx, cy] = [x + width / 2, y + height / 2];
    await page.keyboard.press('n');
    await rest();
    await page.mouse.move(cx, cy);
    await page.mouse.down();
    results['moving a box'] = await frames(page, (part) => page.mouse.move(...at(part)));
    await page.mouse.up();
    await rest();
    results['moving it by keys'] = await frames(page, (part) =>
      page.keyboard.press(part < 0.5 ? 'ArrowLeft' : 'ArrowRight'),
    );
    await rest();
    await page.keyboard.down('Alt');
    await page.mouse.move(cx, cy);
    await page.mouse.down();
    results['moving the image'] = await frames(page, (part) =>
      page.mouse.move(cx + 80 * Math.sin(part * 9), cy + 60 * Math.sin(part * 7)),
    );
    await page.mouse.up();
    await page.keyboard.up('Alt');
    results.zooming = await frames(page, (part) => page.mouse.wheel(0, part < 0.5 ? -24 : 24));
    if (page.faults.length) throw new Error(page.faults.join('\n'));
  } finally {
    await browser.close();
    site.server.close();
  }
  const about = {
    boxes: BOXES,
    processor: cpus()[0]?.model ?? '?',
    cores: availableParallelism(),
    node: process.version,
    load: loadavg().map((n) => Number(n.toFixed(1))),
  };
  console.log(`${BOXES} boxes in ${WIDTH} x ${HEIGHT}, load ${about.load[0]}: frames under ${FRAME} ms`);
  console.table(results);
  if (options.dry) return;
  mkdirSync(join(ROOT, 'benches/results'), { recursive: true });
  writeFileSync(join(ROOT, 'benches/results/drawing.json'), `${JSON.stringify({ about, results }, null, 1)}\n`);
});

/**
 * Does something over and over, and measures every frame meanwhile: its milliseconds, those of them that the page's thread
 * worked (`thread`), and the processor time of all that draws (`cpu`), which other work on the machine does not change.
 */
async function frames(page, act) {
  await page.evaluate(() => {
    const all = (globalThis.frames_ = []);
    let last = 0;
    const tick = (now) => {
      if (last) all.push(now - last);
      last = now;
      globalThis.ticking = requestAnimationFrame(tick);
    };
    globalThis.ticking = requestAnimationFrame(tick);
  });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const browser = await page.context().browser().newBrowserCDPSession();
    const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
    await browser.detach();
    // Drawing is the work of the page's process and of the one that puts it on the screen.
    const drawing = processInfo.filter(({ type }) => type === 'renderer' || type === 'GPU');
    return {
      thread: metrics.find(({ name }) => name === 'TaskDuration').value,
      all: drawing.reduce((sum, { cpuTime }) => sum + cpuTime, 0),
    };
  };
  const before = await busy();
  const begin = performance.now();
  for (let part = 0; part < 1; part = (performance.now() - begin) / (SECONDS * 1000)) {
    await act(part);
    await new Promise((go) => setTimeout(go, 6));
  }
  const all = await page.evaluate(() => {
    cancelAnimationFrame(globalThis.ticking);
    return globalThis.frames_;
  });
  const after = await busy();
  await session.detach();
  const each = (key) => Number(((1000 * (after[key] - before[key])) / all.length).toFixed(1));
  const [thread, cpu] = [each('thread'), each('all')];
  all.sort((a, b) => a - b);
  const at = (part) => Number(all[Math.min(all.length - 1, Math.floor(all.length * part))].toFixed(1));
  const under = Number(((100 * all.filter((ms) => ms < FRAME).length) / all.length).toFixed(1));
  return { frames: all.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), worst: at(1), under, thread, cpu };
}
