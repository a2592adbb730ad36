// Every file of the corpora that is damaged, odd or a lie, opened in the built site: the page lives on.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, launch, newPage, serveFolder } from '../browser.mjs';

const corpus = join(ROOT, 'tests/corpus');
/** Larger ones are tested where they are read without a browser. */
const LARGEST = 8_000_000;

let browser, site;
before(async () => {
  browser = await launch();
  site = await serveFolder(join(ROOT, 'dist/site'));
});
after(async () => {
  await browser?.close();
  site?.server.close();
});

function files(folder, extension) {
  const names = readdirSync(join(corpus, folder), { recursive: true })
    .map(String)
    .filter((name) => extname(name) === extension)
    .sort();
  return names.map((name) => join(corpus, folder, name)).filter((path) => statSync(path).size <= LARGEST);
}

for (const [folder, extension] of [
  ['tbl', '.tbl'],
  ['tar', '.tar'],
  ['tbf', '.tbf'],
  ['idv', '.idv'],
]) {
  test(`every ${extension} of the corpora opens or says why it does not, and the page lives on`, async () => {
    const page = await newPage(browser);
    await page.goto(site.url);
    const seen = { opened: 0, refused: 0 };
    for (const path of files(folder, extension)) {
      await page.locator('#file-input').setInputFiles(path);
      const state = await page
        .waitForFunction(
          () => {
            const viewer = document.querySelector('forebay-viewer');
            const failed = viewer.shadowRoot.querySelector('forebay-welcome')?.shadowRoot.querySelector('.failed');
            if (failed) return { code: failed.querySelector('code')?.textContent ?? '' };
            return viewer.shadowRoot.querySelector('.main, forebay-table-view') ? { open: true } : null;
          },
          null,
          { timeout: 60_000 },
        )
        .then((handle) => handle.jsonValue());
      if (state.open) {
        seen.opened++;
        // A look at the first sample or row, which may be as broken as it likes.
        await page
          .locator('.scroll')
          .first()
          .focus({ timeout: 300 })
          .catch(() => undefined);
        await page.keyboard.press('Enter');
        await page.waitForTimeout(60);
      } else {
        seen.refused++;
        assert.match(state.code, /^[a-z_]+\.[a-z_]+$/, `${path}: an error without a code`);
      }
      assert.deepEqual(page.faults, [], path);
      await page.evaluate(() => document.querySelector('forebay-viewer').close());
      await page.getByText('Drop a dataset file here').waitFor();
    }
    console.log(`${extension}: ${seen.opened} opened, ${seen.refused} refused`);
    assert.ok(seen.opened > 0);
    await page.close();
  });
}
