// The core of the viewer in WebKitGTK: open, look, filter, convert. What this engine has not is said by the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join } from 'node:path';
import { ROOT, serveFolder } from '../browser.mjs';
import { start } from '../engines/webdriver.mjs';

const SAMPLE = process.env.FOREBAY_SAMPLE ?? join(ROOT, 'dist/sample/sample.tar');
let page, site;

before(async () => {
  site = await serveFolder(join(ROOT, 'dist/site'));
  page = await start({
    driver: process.env.WEBKIT_DRIVER ?? '/usr/bin/WebKitWebDriver',
    browser: process.env.WEBKIT ?? '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
    screen: process.env.XVFB ?? '/usr/bin/Xvfb',
  });
});
after(async () => {
  await page?.stop();
  site?.server.close();
});

const press = (key) =>
  page.run((key) => {
    find('.scroll').focus();
    return void find('.scroll').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }));
  }, key);

test('a file opens, and its images are drawn', async (t) => {
  t.diagnostic(`WebKitGTK ${page.version}`);
  await page.go(site.url);
  await page.until(() => find('#file-input') !== null);
  await page.type('#file-input', SAMPLE);
  await page.until(() => find('.tile canvas[data-ready]') !== null);
  // A TAR is shown while it grows.
  await page.until(() => find('.facts', '240 samples') !== null);
  // Something was drawn, and not one color.
  const colors = await page.run(() => {
    const canvas = find('.tile canvas[data-ready]');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let k = 0; k < data.length; k += 4) seen.add(`${data[k]},${data[k + 1]},${data[k + 2]}`);
    return seen.size;
  });
  assert.ok(colors > 50, `${colors} colors`);
});

test('a filter keeps what it says, and a sample shows its boxes', async () => {
  await page.run(() => {
    const input = find('input[role=combobox]');
    input.focus();
    input.value = 'width >= 400';
    input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true }));
  });
  await page.until(() => find('.counts', 'of 240') !== null);
  await page.run(() => void find('.tile').click());
  await page.until(() => find('.sum', 'read whole') !== null);
  await page.until(() => find('canvas.picture') !== null);
  await page.run(() => void find('[aria-label="Close the sample"]').click());
});

test('a conversion is made in its own store and downloaded, and the page says why there is no folder to choose', async () => {
  await press('e');
  await page.until(() => find('dialog[open]', 'Convert and export') !== null);
  const folders = await page.run(() => 'showDirectoryPicker' in globalThis);
  const said = await page.run(() => find('dialog[open]', 'Convert and export').innerText);
  assert.equal(/does not let a page write into folders/.test(said), !folders);
  await page.run(() => void find('dialog[open] button.primary', 'Convert…').click());
  await page.until(() => find('.verdict', '✓ sample') !== null || find('dialog[open] [role=alert]') !== null);
  assert.equal(await page.run(() => find('dialog[open] [role=alert]')?.innerText ?? null), null);
  // What was made is opened again.
  await page.run(() => void find('dialog[open] button', 'Open it').click());
  await page.until(() => find('h1', '.tbl') !== null);
});
