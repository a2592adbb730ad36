// A warehouse and label files in the viewer, over what the package would give.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, dropFiles, launch, nameOf, needs, newPage, serveFolder, until, visit } from '../browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-warehouse-'));
let browser, site;
before(async () => {
  mkdirSync(join(folder, 'captures'));
  writeFileSync(join(folder, 'captures/manifest.json'), '{}');
  for (const name of ['captures-before', 'captures-other']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'manifest.json'), '{}');
  }
  mkdirSync(join(folder, 'yolo'));
  writeFileSync(join(folder, 'yolo/classes.txt'), 'boat\n');
  for (const name of ['coco.json', 'bad.json']) writeFileSync(join(folder, name), '{}');
  browser = await launch();
  site = await serveFolder(process.env.FOREBAY_FAKE_SITE ?? join(ROOT, 'target/viewer-fake'));
});
after(async () => {
  await browser?.close();
  site?.server.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (hash) => `${site.url}#${hash}`;
async function opened(hash, options) {
  const page = await newPage(browser, options);
  await visit(page, at(hash));
  await page.locator('.tile, [role=grid] [role=row]').first().waitFor();
  return page;
}
/** Drops what lies at a place of this machine. */
async function drop(page, name) {
  await dropFiles(page, [join(folder, name)], { x: 200, y: 300 });
}

test('a warehouse shows its images without taking bars for them, its boxes, and its runs as a facet', async () => {
  const page = await opened('file=warehouse/manifest.json');
  await page.locator('h1', { hasText: /^warehouse$/ }).waitFor();
  await page.locator('.facts', { hasText: '96 × 96 u8, letterbox' }).waitFor();
  const tile = page.locator('#p1');
  await tile.locator('.caption', { hasText: 'buoy' }).waitFor();
  await page.keyboard.press('b');
  // Left of the picture there is the pattern, in the middle the picture.
  const sample = (canvas) => {
    const g = canvas.getContext('2d');
    const side = Math.min(canvas.width, canvas.height);
    const at = (part) => [...g.getImageData(canvas.width / 2 + (part - 0.5) * side, canvas.height / 2, 1, 1).data];
    return [at(0.1), at(0.5)];
  };
  let seen;
  const right = async () => {
    seen = await tile.locator('canvas').evaluate(sample);
    const [bar, middle] = seen;
    return Math.abs(bar[0] - bar[2]) < 40 && bar[0] > 90 && middle[0] > 180 && middle[2] < 80;
  };
  await until(right, 'a bar beside the image').catch((e) => assert.fail(`${e.message}: ${JSON.stringify(seen)}`));
  const runs = page.getByRole('region', { name: 'Classes' });
  await runs.getByText('3 of run').waitFor();
  await runs.locator('.bar', { hasText: 'run_b' }).click();
  await page.locator('.chips button', { hasText: 'run: run_b' }).waitFor();
  await page.locator('.counts', { hasText: / of / }).waitFor();
  await page.locator('#p0').click();
  await page.locator('forebay-sample forebay-boxes', { hasText: 'buoy' }).waitFor();
  assert.match(await page.locator('forebay-boxes button').getAttribute('title'), /^29 × 48 pixels at 29, 24$/);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what became of the frames is told by run and by cause, and broken thresholds are marked', async () => {
  for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 360, height: 740 } }]) {
    const page = await opened('file=broken/warehouse-broken', options);
    await page.getByRole('alert').filter({ hasText: 'This warehouse breaks 1 threshold.' }).waitFor();
    await page.keyboard.press('v');
    const dialog = page.locator('forebay-warehouse');
    await dialog.getByText('Breaks 1 threshold').waitFor();
    await dialog.getByText('3 frames are invalid, and 2 may be').waitFor();
    const row = (name) => dialog.getByRole('row').filter({ hasText: name });
    assert.match(await row('invalid frames').innerText(), /3\s+2\s+✗ broken/);
    assert.match(await row('missing frames').innerText(), /2\s+–/);
    assert.match(await row('empty of all').innerText(), /8\.57 %\s+50 %\s+✓/);
    assert.match(await row('run_b').innerText(), /10\s+9\s+1\s+0\s+1\s+3/);
    await dialog.getByText('/data/<b>captures</b>').waitFor();
    assert.deepEqual(await axe(page), [], JSON.stringify(options));
    assert.deepEqual(page.faults, []);
    await page.close();
  }
  const page = await opened('file=warehouse/manifest.json');
  await page.getByRole('button', { name: 'Validation' }).click();
  await page.getByText('Within its thresholds').waitFor();
  assert.equal(await page.getByRole('alert').filter({ hasText: 'threshold' }).count(), 0);
  await page.close();
});

test('a folder with a manifest is opened, others are labels of what is open or said to be none', {
  skip: needs('drop folders'),
}, async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  await drop(page, 'yolo');
  await page.getByText('No dataset in this folder').waitFor();
  await drop(page, 'captures');
  await page.locator('h1', { hasText: 'captures' }).waitFor();
  assert.match(page.url(), /local:captures/);
  await visit(page, at('file=300.tbl'));
  await page.locator('.tile').first().waitFor();
  await drop(page, 'yolo');
  await page.getByRole('group', { name: 'Labels' }).getByText('3 samples').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a second warehouse beside the open one shows how far they are apart', {
  skip: needs('drop folders'),
}, async () => {
  for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 360, height: 740 } }]) {
    const page = await opened('file=warehouse/manifest.json', options);
    await drop(page, 'captures-before');
    const dialog = page.locator('forebay-drift');
    await dialog.getByText('and the earlier captures-before').waitFor();
    const row = (name) => dialog.getByRole('row').filter({ hasText: name });
    assert.match(await row('classes').innerText(), /0\.3\s+0\.05\s+–\s+–/);
    assert.match(await row('red mean').innerText(), /0\.01\s+–\s+0\.4\s+0\.41/);
    assert.match(await row('runs').innerText(), /–\s+–\s+–\s+–/);
    await dialog.getByText('1 class is new: <i>buoy</i>').waitFor();
    assert.match(await dialog.getByRole('list').innerText(), /boat\s+60 % → 20 %\s+<i>buoy<\/i>\s+40 % → 80 %/);
    assert.deepEqual(await axe(page), [], JSON.stringify(options));
    await dialog.getByRole('button', { name: 'Done' }).click();
    // What was open stays so.
    await page.locator('h1', { hasText: /^warehouse$/ }).waitFor();
    assert.deepEqual(page.faults, []);
    await page.close();
  }
  const page = await opened('file=warehouse/manifest.json');
  await drop(page, 'captures-other');
  const dialog = page.locator('forebay-drift');
  await dialog.getByRole('alert').filter({ hasText: 'It has <b>no</b> boxes' }).waitFor();
  await dialog.getByRole('button', { name: 'Open it instead' }).click();
  await page.locator('h1', { hasText: 'captures-other' }).waitFor();
  assert.match(page.url(), /local:captures-other/);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a label file beside a dataset shows its boxes, and names what it matches with nothing', {
  skip: needs('drop folders'),
}, async () => {
  const page = await opened('file=300.tbl&i=1');
  await page.locator('forebay-boxes', { hasText: 'buoy' }).waitFor();
  await drop(page, 'coco.json');
  const notice = page.getByRole('group', { name: 'Labels' });
  await notice.getByText('(coco): 3 samples, nothing of 297').waitFor();
  await notice.getByText('1 name without a sample').click();
  await notice.getByText('nobody/<i>x</i>.png').waitFor();
  await page.locator('forebay-boxes', { hasText: 'seal' }).waitFor();
  assert.equal(await page.locator('forebay-boxes button').getAttribute('title'), '50 × 70 pixels at 10, 20');
  await page.getByRole('button', { name: 'Close the sample' }).click();
  await page.getByRole('button', { name: 'Count boxes' }).click();
  await page.locator('forebay-box-facets .bar', { hasText: 'whale' }).click();
  await page.locator('.counts', { hasText: '2 of 300' }).waitFor();
  await page.locator('.chips').getByRole('button', { name: 'Remove boxes: whale' }).click();
  assert.deepEqual(await axe(page), []);
  await notice.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.locator('forebay-box-facets .bar', { hasText: 'gull' }).waitFor();
  await drop(page, 'bad.json');
  await page.getByRole('alert').filter({ hasText: 'Line 3: <b>this</b> is not a number' }).waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('labels are written in the formats of tools, as one file or as an archive, of what is picked', async () => {
  const page = await opened('file=300.tbl');
  await page.locator('#p2').click({ modifiers: ['Control'] });
  await page.locator('#p5').click({ modifiers: ['Shift'] });
  await page.keyboard.press('l');
  const dialog = page.locator('forebay-labels');
  await dialog.getByText('Of the 4 selected samples').waitFor();
  assert.deepEqual(await axe(page), []);
  const exported = async (name) => {
    await dialog.getByLabel(name).check();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export labels' }).click(),
    ]);
    await dialog.getByText('scores that were left out: 2').waitFor();
    return [nameOf(file), readFileSync(await file.path())];
  };
  const [coco, bytes] = await exported('COCO');
  assert.deepEqual([coco, String(bytes)], ['300-coco.json', 'coco 4']);
  const [yolo, archive] = await exported('YOLO');
  assert.equal(yolo, '300-yolo.tar');
  assert.equal(archive.subarray(0, 16).toString(), 'labels/2.png.txt');
  assert.equal(archive.length, 4 * 1024 + 1024);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('labels are exported in one go where that is all of what is drawn, and through the page otherwise', async () => {
  for (const [name, all, picked] of [
    ['direct300', 'coco 300 directly', 'coco 2 directly'],
    ['partly300', 'coco 300', 'coco 2'],
  ]) {
    const page = await opened(`file=${name}.tbl`);
    const dialog = page.locator('forebay-labels');
    const exported = async (said) => {
      await page.keyboard.press('l');
      await dialog.getByText(said).waitFor();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Export labels' }).click(),
      ]);
      assert.equal(nameOf(file), `${name}-coco.json`);
      await dialog.getByText('scores that were left out: 2').waitFor();
      const text = readFileSync(await file.path(), 'utf8');
      await dialog.getByLabel('Close').click();
      return text;
    };
    assert.equal(await exported('all 300 samples'), all);
    await page.locator('#p2').click({ modifiers: ['Control'] });
    await page.locator('#p5').click({ modifiers: ['Control'] });
    assert.equal(await exported('Of the 2 selected samples'), picked);
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('an export tells how far it is, and ends when it is canceled', async () => {
  const page = await opened('file=slowly300.tbl');
  await page.keyboard.press('l');
  const dialog = page.locator('forebay-labels');
  await dialog.getByRole('button', { name: 'Export labels' }).click();
  await dialog.getByText('7 of 300').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Export labels' }).waitFor();
  assert.equal(await dialog.getByRole('alert').count(), 0);
  assert.deepEqual(page.faults, []);
  await page.close();
});
