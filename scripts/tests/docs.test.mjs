// The pages of the documentation in Chromium: they hang together, the search finds what is in them, and they fit.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { buildPages } from '../build-docs.mjs';
import { deadLinks } from '../docs/links.mjs';
import { axe, launch, newPage } from '../../www/tests/browser.mjs';

const site = mkdtempSync(join(tmpdir(), 'forebay-docs-'));
const at = (page) => pathToFileURL(join(site, page)).href;
let pages, browser;

before(async () => {
  pages = buildPages(site);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(site, { recursive: true, force: true });
});

test('a dead link and a dead anchor are reported', () => {
  const folder = join(site, 'wrong');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'a.html'),
    '<h1 id="here">A</h1> <a href="#here">1</a> <a href="#there">2</a> <a href="b.html">3</a>',
  );
  assert.deepEqual(deadLinks(folder, ['a.html']), [
    'a.html: #there: a.html has no such anchor',
    'a.html: b.html: there is no b.html',
  ]);
});

test('the search leads to a section, by keys alone and without a server', async () => {
  const page = await newPage(browser);
  await page.goto(at('index.html'));
  await page.keyboard.press('/');
  await page.keyboard.type('exit codes');
  await page.locator('#found a').first().waitFor();
  await page.getByRole('searchbox').fill('folder level of the classes');
  await page.locator('#found a', { hasText: 'command' }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\.html/);
  await page.getByRole('searchbox').fill('qqqqqq');
  await page.getByText('Nothing found').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

for (const [name, options] of [
  ['light and wide', { colorScheme: 'light' }],
  ['dark and 400 pixels wide', { colorScheme: 'dark', viewport: { width: 400, height: 800 } }],
]) {
  test(`every page fits and can be used by everybody: ${name}`, async () => {
    const page = await newPage(browser, options);
    for (const path of pages) {
      await page.goto(at(path));
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${path} is ${over} pixels wider than the window`);
    }
    assert.deepEqual(page.faults, []);
    for (const path of ['index.html', 'cli.html', 'cookbook/read_sample.html']) {
      await page.goto(at(path));
      assert.deepEqual(await axe(page), [], path);
    }
    await page.close();
  });
}
