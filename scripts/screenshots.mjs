// The pictures of the viewer in docs/screenshots, taken from the sample dataset.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSite } from './build-site.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { FOREBAY, buildForebay } from './lib/forebay.mjs';
import { ROOT, main, run } from './lib/run.mjs';
import { ensureSample } from './sample.mjs';

const OUT = join(ROOT, 'docs/screenshots');
const WIDE = { width: 1280, height: 800 };

await main(async () => {
  process.env.CHROMIUM = await ensureChromium();
  await buildSite();
  await buildForebay();
  await ensureSample();
  const cwd = join(ROOT, 'dist/sample');
  await run(FOREBAY, ['convert', 'sample.tar', 'sample.tbl', '--force'], { cwd, quiet: true });
  const served = spawn(FOREBAY, ['serve', 'sample.tbl', '--port', '0', '--json'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  const { url } = JSON.parse(await new Promise((resolve) => served.stdout.once('data', (d) => resolve(String(d)))));
  const { launch, newPage, visit } = await import('../www/tests/browser.mjs');
  const browser = await launch();
  mkdirSync(OUT, { recursive: true });
  /** Opens a link, does something there, and takes the picture once nothing more arrives. */
  const shot = async (name, more, options, act) => {
    const page = await newPage(browser, { viewport: WIDE, ...options });
    await visit(page, url + more);
    await page.locator('[role=option] canvas[data-ready], [role=grid] #p0').first().waitFor();
    await act?.(page);
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(OUT, `${name}.png`) });
    await page.close();
  };
  try {
    await shot('light', '');
    await shot('dark', '&i=6', { colorScheme: 'dark' });
    await shot('narrow', '', { viewport: { width: 400, height: 780 } });
    await shot('table', '&view=table&i=18');
    await shot('check', '', {}, async (page) => {
      await page.keyboard.press('c');
      await page.getByText('✓ Sound').waitFor();
    });
    await shot('convert', '&q=json.label%20%3D%3D%20%22boat%22', {}, (page) => page.keyboard.press('e'));
  } finally {
    await browser.close();
    served.kill();
  }
});
