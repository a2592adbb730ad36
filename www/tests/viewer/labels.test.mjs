// What labels and boxes look like in the viewer, over made-up datasets.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, launch, newPage, serveFolder, visit } from '../browser.mjs';

let browser, site;
before(async () => {
  browser = await launch();
  site = await serveFolder(process.env.FOREBAY_FAKE_SITE ?? join(ROOT, 'target/viewer-fake'));
});
after(async () => {
  await browser?.close();
  site?.server.close();
});

const at = (hash) => `${site.url}#${hash}`;
async function opened(hash, options) {
  const page = await newPage(browser, options);
  await visit(page, at(hash));
  await page.locator('[role=option], [role=grid] [role=row]').first().waitFor();
  return page;
}

/** How many pixels of a tile's picture have a color, as CSS writes it. */
const pixelsOf = (page, tile, color) =>
  page.locator(`${tile} canvas`).evaluate((canvas, color) => {
    const probe = new OffscreenCanvas(1, 1).getContext('2d');
    probe.fillStyle = color;
    probe.fillRect(0, 0, 1, 1);
    const want = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let k = 0; k < data.length; k += 4)
      found += [0, 1, 2].every((c) => Math.abs(data[k + c] - want[c]) < 24) ? 1 : 0;
    return found;
  }, color);

test('a tile says its class and shows its boxes, in the color that the class has everywhere', async () => {
  const page = await opened('file=300.tbl');
  const caption = page.locator('#p1 .caption');
  await caption.getByText('buoy').waitFor();
  assert.match(await page.locator('#p1').getAttribute('title'), /^Sample 1, 00000001\.png, class buoy, 2 boxes/);
  const color = await caption.locator('i').evaluate((i) => i.style.background);
  const swatch = page.locator('forebay-facets .bar', { hasText: 'buoy' }).locator('b');
  assert.equal(await swatch.evaluate((b) => b.style.background), color);
  const drawn = () => pixelsOf(page, '#p1', color);
  const on = await drawn();
  assert.ok(on > 100, `${on} pixels`);
  await page.keyboard.press('b');
  await page.getByRole('button', { name: 'Boxes', pressed: false }).waitFor();
  await page.waitForTimeout(100);
  assert.ok((await drawn()) < on / 4, `${await drawn()} of ${on} pixels are left`);
  await page.locator('#p1').click();
  await page.locator('forebay-sample .sum.good').waitFor();
  assert.equal(await page.locator('forebay-sample canvas.boxes').count(), 0, 'one choice for tiles and panel');
  // It is the same at the next visit, and comes back from the panel.
  await visit(page, at('file=300.tbl&i=1'));
  await page.locator('forebay-sample .sum.good').waitFor();
  assert.equal(await page.locator('forebay-sample canvas.boxes').count(), 0);
  await page.locator('forebay-sample').getByRole('button', { name: 'Boxes' }).click();
  await page.locator('forebay-sample canvas.boxes').waitFor();
  assert.equal(
    await page
      .locator('forebay-sample .legend button', { hasText: 'buoy' })
      .locator('i')
      .evaluate((i) => i.style.background),
    color,
  );
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});
