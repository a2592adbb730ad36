// The pictures of the viewer in docs/screenshots, taken from the sample dataset.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSite } from './build-site.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { FOREBAY, buildForebay } from './lib/forebay.mjs';
import { smallPng } from './lib/png.mjs';
import { ROOT, main, run } from './lib/run.mjs';
import { ensureSample } from './sample.mjs';

const OUT = join(ROOT, 'docs/screenshots');
const WIDE = { width: 1280, height: 800 };
/** Bytes that a picture may have: people look at these over slow connections too. */
const BUDGET = 300_000;

/** A folder with the sample in every shape that is pictured. */
async function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'forebay-pictures-'));
  const at = (name) => join(folder, name);
  copyFileSync(await ensureSample(), at('sample.tar'));
  await run(FOREBAY, ['convert', at('sample.tar'), at('sample.tbl'), '--quiet'], { quiet: true });
  const damaged = readFileSync(at('sample.tbl'));
  for (const part of [0.2, 0.35, 0.5, 0.65, 0.8]) damaged[Math.floor(damaged.length * part)] ^= 0xff;
  writeFileSync(at('damaged.tbl'), damaged);
  // One row a box: the table that a labeling tool would export.
  const lines = (await run(FOREBAY, ['head', at('sample.tbl'), '-n', '240', '--json'], { quiet: true }))
    .trim()
    .split('\n')
    .map((l) => JSON.parse(l));
  const rows = lines.flatMap(({ name, width, height, metadata: { json } }) =>
    json.boxes.map(({ label, bbox: [x, y, w, h] }) =>
      [
        name,
        label,
        x,
        y,
        w,
        h,
        ((w * h) / (width * height)).toFixed(4),
        json.weather,
        json.hour,
        JSON.stringify(json.caption),
      ].join(','),
    ),
  );
  writeFileSync(at('boxes.csv'), ['image,label,x,y,width,height,part,weather,hour,caption', ...rows].join('\n'));
  await run(FOREBAY, ['convert', at('boxes.csv'), at('boxes.tbf'), '--quiet'], { quiet: true });
  return folder;
}

await main(async () => {
  process.env.CHROMIUM = await ensureChromium();
  await buildSite();
  await buildForebay();
  const folder = await makeFolder();
  const served = spawn(FOREBAY, ['serve', folder, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const { url } = JSON.parse(await new Promise((resolve) => served.stdout.once('data', (d) => resolve(String(d)))));
  const { launch, newPage, visit } = await import('../www/tests/browser.mjs');
  const browser = await launch();
  mkdirSync(OUT, { recursive: true });
  /** Opens a link, does something there, and takes the picture once nothing more arrives. */
  const shot = async (name, hash, options, act, rest = 1500) => {
    const page = await newPage(browser, { viewport: WIDE, ...options });
    const of = await act?.before?.(page);
    await visit(page, `${url}#file=data/${hash}`);
    await page.locator('.tile canvas[data-ready], [role=grid] .row.current').first().waitFor();
    await (act?.after ?? act)?.(page, of);
    if (rest > 0) await page.waitForLoadState('networkidle');
    await page.waitForTimeout(rest);
    const png = await shrink(page, await page.screenshot());
    writeFileSync(join(OUT, `${name}.png`), png);
    console.log(`${name}.png: ${png.length} bytes${png.length > BUDGET ? ', which is too many' : ''}`);
    await page.close();
  };
  try {
    await shot('light', 'sample.tbl');
    await shot('dark', 'sample.tbl&i=6', { colorScheme: 'dark' });
    await shot('drawing', 'sample.tbl&i=6', {}, async (page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      // The sample does not state what the numbers of its boxes are.
      await page.locator('forebay-drawing-page .remark button').click();
      await page.locator('forebay-labels').getByLabel('The numbers of a box are').selectOption('xywh');
      await page.locator('forebay-labels').getByLabel('Close').click();
      await page.locator('forebay-drawing[data-drawn]').waitFor();
      await page.locator('forebay-sample .stage').focus();
      await page.keyboard.press(']');
      await page.locator('.bar .kept', { hasText: 'every change is kept' }).waitFor();
    });
    await shot('narrow', 'sample.tbl', { viewport: { width: 400, height: 780 } });
    await shot('table', 'sample.tbl&view=table&i=18');
    await shot('check', 'damaged.tbl', {}, async (page) => {
      await page.keyboard.press('c');
      await page.getByText(/Damaged: \d+ faults/).waitFor();
    });
    await shot('convert', 'sample.tbl&q=json.label%20%3D%3D%20%22boat%22', {}, async (page) => {
      await page.locator('.counts', { hasText: ' of ' }).waitFor();
      await page.keyboard.press('e');
    });
    // As over a connection that takes its time.
    const slowly = {
      before: (page) =>
        page.route('**/data/sample.tar', (route) =>
          sleep(350)
            .then(() => route.continue())
            .catch(() => undefined),
        ),
      after: async (page) => {
        await page.locator('.growing').waitFor();
        await page.locator('.tile canvas[data-ready]').nth(14).waitFor();
      },
    };
    await shot('filling', 'sample.tar', {}, slowly, 0);
    await shot('rows', 'boxes.tbf&i=4', {}, async (page) => {
      await page.getByRole('button', { name: /^width/ }).click();
      await page.locator('forebay-schema forebay-histogram').waitFor();
      await page.locator('forebay-row dt').first().waitFor();
    });
    await shot(
      'convert-table',
      'boxes.csv&q=label%20%3D%3D%20%22boat%22%20%26%26%20width%20%3E%20100',
      {},
      async (page) => {
        await page.getByLabel('Show caption', { exact: true }).uncheck();
        await page.keyboard.press('Tab');
        await page.getByRole('button', { name: 'Convert', exact: true }).click();
        await page.getByLabel(/that are shown/).check();
      },
    );
  } finally {
    await browser.close();
    served.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The same picture in few colors; the browser unpacks it. */
async function shrink(page, png) {
  const { width, height, pixels } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const g = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    g.drawImage(bitmap, 0, 0);
    const { data } = g.getImageData(0, 0, bitmap.width, bitmap.height);
    let text = '';
    for (let k = 0; k < data.length; k += 32_768) text += String.fromCharCode(...data.subarray(k, k + 32_768));
    return { width: bitmap.width, height: bitmap.height, pixels: btoa(text) };
  }, png.toString('base64'));
  return smallPng(width, height, Buffer.from(pixels, 'base64'));
}
