// What the tests of the viewer over made-up datasets share: a browser and the site, for as long as a file of tests runs.
import { join } from 'node:path';
import { after, before } from 'node:test';
import { ROOT, launch, newPage, serveFolder, visit } from '../browser.mjs';

export let browser, site;
before(async () => {
  browser = await launch();
  site = await serveFolder(process.env.FOREBAY_FAKE_SITE ?? join(ROOT, 'target/viewer-fake'));
});
after(async () => {
  await browser?.close();
  site?.server.close();
});

/** A page whose address says this, once its samples are there. */
export async function opened(hash, options) {
  const page = await newPage(browser, options);
  await visit(page, `${site.url}#${hash}`);
  await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
  return page;
}
