// The built site with the real package: served by the command, and by a static host without special headers.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ROOT, axe, launch, needs, newPage, serveFolder, visit } from '../browser.mjs';
import { SLOW } from '../slow.mjs';

const FOREBAY = process.env.FOREBAY ?? join(ROOT, 'target/release/forebay');
const SAMPLE = process.env.FOREBAY_SAMPLE ?? join(ROOT, 'dist/sample/sample.tar');
const folder = mkdtempSync(join(tmpdir(), 'forebay-site-'));
let browser, served, url;

before(async () => {
  copyFileSync(SAMPLE, join(folder, 'sample.tar'));
  execFileSync(FOREBAY, ['convert', join(folder, 'sample.tar'), join(folder, 'sample.tbl'), '--quiet']);
  const tbl = readFileSync(join(folder, 'sample.tbl'));
  const broken = Buffer.from(tbl);
  broken[Math.floor(broken.length / 2)] ^= 0xff;
  writeFileSync(join(folder, 'broken.tbl'), broken);
  writeFileSync(join(folder, 'cut.tbl'), tbl.subarray(0, 4000));
  writeFileSync(join(folder, 'half.tbl'), tbl.subarray(0, tbl.length / 2));
  // Files that are not pictures, one with more metadata than can be drawn at once.
  const points = Array.from({ length: 150 }, () => Array.from({ length: 150 }, (_, k) => ({ x: k, y: k })));
  for (const [name, text] of [
    ['a.txt', 'hello'],
    ['b.bin', 'there'],
    ['b.json', JSON.stringify({ deep: { points } })],
  ])
    writeFileSync(join(folder, name), text);
  execFileSync('tar', ['-cf', join(folder, 'texts.tar'), '-C', folder, 'a.txt', 'b.bin', 'b.json']);
  writeFileSync(join(folder, 'cut.tar'), readFileSync(join(folder, 'sample.tar')).subarray(0, 3_000_123));
  served = spawn(FOREBAY, ['serve', folder, '--port', '0', '--no-token', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  url = JSON.parse(await new Promise((resolve) => served.stdout.once('data', (d) => resolve(String(d))))).url;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  served?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const at = (hash) => `${url}#${hash}`;

test('a served TBL opens in few requests and shows images, boxes and a sound checksum', async () => {
  const page = await newPage(browser);
  const ranges = [];
  page.on('request', (r) => r.url().includes('/data/') && ranges.push(r.headers().range));
  await visit(page, at('file=data/sample.tbl'));
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  assert.ok(ranges.length < 60, `${ranges.length} requests`);
  await page.locator('h1', { hasText: 'sample.tbl' }).waitFor();
  await page.locator('.facts', { hasText: '240 samples' }).waitFor();
  await visit(page, at('file=data/sample.tbl&i=6'));
  await page.locator('forebay-sample .sum.good').waitFor();
  await page.locator('forebay-sample .legend button').first().waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('the filter reads the index, and the metadata where it must', async () => {
  const page = await newPage(browser);
  await visit(page, at('file=data/sample.tbl&q=format%20%3D%3D%20%22png%22'));
  await page.locator('.counts', { hasText: '10 of 240' }).waitFor();
  const filter = page.locator('forebay-filter input');
  await filter.fill('json.label == "boat" && width >=');
  // Until the fields are known, what names one waits for Enter.
  await filter.press('Enter');
  await page.locator('.error mark').waitFor();
  await filter.fill('json.label == "boat"');
  await filter.press('Enter');
  await page.locator('.counts', { hasText: /^\s*\d+ of 240/ }).waitFor();
  await page.close();
});

test('a TAR opens, with images and names', async () => {
  const page = await newPage(browser);
  await visit(page, at('file=data/sample.tar'));
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  await page.getByText('000003.jpg').first().waitFor();
  // Its headers know no sizes: they come with the classes, which look at the pictures once somebody wants them.
  const width = page
    .locator('forebay-facets')
    .getByRole('region', { name: 'Width', exact: true })
    .locator('forebay-histogram');
  assert.equal(await width.count(), 0);
  await page.getByRole('button', { name: 'Count', exact: true }).click();
  await width.waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('of a file on a server nothing is read that nobody looks at, and nothing twice', SLOW, async () => {
  for (const name of ['sample.tar', 'sample.tbl']) {
    const page = await newPage(browser);
    const total = statSync(join(folder, name)).size;
    const read = new Uint8Array(total);
    let bytes = 0;
    page.on('request', (request) => {
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers().range ?? '')?.map(Number) ?? [];
      if (!request.url().includes('/data/') || start === undefined) return;
      bytes += Math.min(end + 1, total) - start;
      for (let k = start; k <= Math.min(end, total - 1); k++) read[k] = 1;
    });
    await visit(page, at(`file=data/${name}`));
    await page.locator('.tile canvas[data-ready]').first().waitFor();
    await page.locator('.facts', { hasText: '240 samples' }).waitFor();
    await page.waitForTimeout(2500);
    const shown = await page.locator('canvas[data-ready]').count();
    const different = read.reduce((sum, one) => sum + one, 0);
    // The headers of a TAR lie between its pictures: here they are read with nearly all of the file, and what is in sight again.
    assert.ok(
      bytes < (name.endsWith('.tar') ? 1.15 : 0.25) * total,
      `${name}: ${bytes} of ${total} bytes for ${shown} images`,
    );
    assert.ok(bytes - different < 0.15 * total, `${name}: ${bytes - different} bytes again`);
    await page.close();
  }
});

test('a file of nothing but zeros says so, and an archive in which nothing is does not', async () => {
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(browser);
  try {
    for (const [name, bytes, zeros] of [
      ['zeros.tbl', 3_000_000, 1],
      ['empty.tar', 10_240, 0],
      ['end.tar', 1024, 0],
    ]) {
      await page.goto('about:blank');
      await page.goto(host);
      await page.locator('#file-input').setInputFiles({ name, mimeType: '', buffer: Buffer.alloc(bytes) });
      await page.getByText('There are no samples in this file.').waitFor();
      assert.equal(
        await page.getByRole('alert').filter({ hasText: 'This file holds only zeros.' }).count(),
        zeros,
        name,
      );
    }
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
    server.close();
  }
});

test('what is packed as a whole is unpacked and opened, and what only the command reads is said with the command', async () => {
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(browser);
  const packed = gzipSync(readFileSync(join(folder, 'sample.tar')), { level: 1 });
  const stored = () =>
    page.evaluate(
      async () =>
        (await Array.fromAsync((await navigator.storage.getDirectory()).keys())).filter((name) =>
          name.startsWith('forebay-unpacked'),
        ).length,
    );
  try {
    await page.addInitScript(() => {
      delete globalThis.showOpenFilePicker;
    });
    await page.goto(host);
    await page.locator('#file-input').setInputFiles({ name: 'sample.tar.gz', mimeType: '', buffer: packed });
    await page.getByRole('button', { name: 'Unpack and open' }).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole('button', { name: 'Unpack and open' }).click();
    await page.locator('h1', { hasText: /^sample\.tar$/ }).waitFor();
    await page.locator('.tile canvas[data-ready]').first().waitFor();
    assert.equal(await stored(), 1);
    await page.getByRole('button', { name: /close the file/ }).click();
    await page.getByText('Drop a dataset file here').waitFor();
    await page.waitForTimeout(300);
    assert.equal(await stored(), 0);
    // One that is cut, a table, and what is none of these.
    await page
      .locator('#file-input')
      .setInputFiles({ name: 'cut.tgz', mimeType: '', buffer: packed.subarray(0, 100_000) });
    await page.getByRole('button', { name: 'Unpack and open' }).click();
    await page.getByText('It could not be unpacked here').waitFor();
    assert.equal(await stored(), 0);
    await page
      .locator('#file-input')
      .setInputFiles({ name: 'people.csv.gz', mimeType: '', buffer: gzipSync('name,age\nAda,36\n') });
    await page.getByRole('button', { name: 'Unpack and open' }).click();
    await page.getByRole('gridcell', { name: 'Ada' }).waitFor();
    await page.getByRole('button', { name: /close the file/ }).click();
    await page
      .locator('#file-input')
      .setInputFiles({ name: 'people.parquet', mimeType: '', buffer: Buffer.from(`PAR1${'x'.repeat(600)}PAR1`) });
    await page.getByText('table.arrow').waitFor();
    await page.locator('#file-input').setInputFiles(join(ROOT, 'tests/fixtures/tables/pandas.parquet'));
    await page.getByRole('gridcell', { name: '2024-02-29' }).first().waitFor();
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
    server.close();
  }
});

test('an image that is damaged is drawn as far as it goes, a film is played, and a huge image is no larger than its place', async () => {
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(browser);
  const at = join(folder, 'kinds');
  mkdirSync(at);
  await page.goto(host);
  const made = await page.evaluate(async () => {
    const text = async (blob) => {
      let binary = '';
      for (const byte of new Uint8Array(await blob.arrayBuffer())) binary += String.fromCharCode(byte);
      return btoa(binary);
    };
    const draw = (width, height) => {
      const canvas = new OffscreenCanvas(width, height);
      const g = canvas.getContext('2d');
      for (let k = 0; k < 60; k++) {
        g.fillStyle = `hsl(${k * 6} 80% 60%)`;
        g.fillRect(0, (k * height) / 60, width, height / 60);
      }
      return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 });
    };
    const screen = Object.assign(document.createElement('canvas'), { width: 64, height: 64 });
    const type = ['video/mp4;codecs=vp9', 'video/mp4'].find((one) => MediaRecorder.isTypeSupported(one));
    let film = null;
    if (type) {
      const g = screen.getContext('2d');
      const recorder = new MediaRecorder(screen.captureStream(20), { mimeType: type });
      const parts = [];
      recorder.ondataavailable = ({ data }) => parts.push(data);
      recorder.start();
      for (let k = 0; k < 12; k++) {
        g.fillStyle = k % 2 ? 'red' : 'blue';
        g.fillRect(0, 0, 64, 64);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await new Promise((resolve) => {
        recorder.onstop = resolve;
        recorder.stop();
      });
      film = await text(new Blob(parts));
    }
    return { small: await text(await draw(640, 480)), large: await text(await draw(6000, 4000)), film };
  });
  const [small, large] = [made.small, made.large].map((one) => Buffer.from(one, 'base64'));
  writeFileSync(join(at, '1.jpg'), small.subarray(0, small.length * 0.6));
  writeFileSync(join(at, '2.jpg'), large);
  if (made.film) writeFileSync(join(at, '3.mp4'), Buffer.from(made.film, 'base64'));
  writeFileSync(
    join(at, '4.mp4'),
    Buffer.concat([Buffer.from('0000001866747970', 'hex'), Buffer.from('isom\0\0\0\0isomiso2'), Buffer.alloc(600, 7)]),
  );
  execFileSync('tar', ['--sort=name', '-cf', join(folder, 'kinds.tar'), '-C', at, '.']);
  await page.locator('#file-input').setInputFiles(join(folder, 'kinds.tar'));
  const show = async (k) => {
    await page.evaluate((k) => (location.hash = `file=local:kinds.tar&i=${k}`), k);
    await page.getByRole('heading', { name: `Sample ${k}`, exact: true }).waitFor();
  };
  const pixel = (x, y) =>
    page.evaluate(
      ([x, y]) => {
        const { data } = document
          .querySelector('forebay-viewer')
          .shadowRoot.querySelector('forebay-sample')
          .shadowRoot.querySelector('.picture')
          .getContext('2d')
          .getImageData(x, y, 1, 1);
        return [...data];
      },
      [x, y],
    );
  try {
    const told = !needs('refuse images that end too early');
    if (told) await page.locator('.tile .part', { hasText: 'damaged' }).waitFor();
    await show(0);
    if (told) await page.getByText('This image is damaged: what could be decoded of it is drawn.').waitFor();
    else await page.locator('forebay-sample .sum.good').waitFor();
    const [r, g, b, alpha] = await pixel(320, 4);
    assert.ok(alpha === 255 && r > 150 && g < 140 && b < 140, `the upper part is there: ${[r, g, b]}`);
    assert.deepEqual(await axe(page), []);
    await show(1);
    await page.locator('forebay-sample .sum.good').waitFor();
    await page.locator('forebay-sample .picture').waitFor();
    const canvases = () =>
      page
        .locator('forebay-sample')
        .evaluate((panel) =>
          Object.fromEntries(
            [...panel.shadowRoot.querySelectorAll('canvas:not([hidden])')].map((canvas) => [
              canvas.className,
              [canvas.width, canvas.height],
            ]),
          ),
        );
    // The picture before stays until this one is decoded.
    while ((await canvases()).picture[0] === 640) await page.waitForTimeout(100);
    const { picture, ...others } = await canvases();
    assert.ok(picture[0] <= 2048 && Math.abs(picture[0] / picture[1] - 1.5) < 0.01, JSON.stringify(picture));
    assert.deepEqual(others, {}, 'without boxes there is nothing to draw them on');
    for (let k = 0; k < 9; k++) await page.keyboard.press('+');
    await page.locator('forebay-sample .detail:not([hidden])').waitFor();
    const { detail } = await canvases();
    assert.ok(detail[0] <= 1400 && detail[1] <= 1400, JSON.stringify(detail));
    await page.keyboard.press('0');
    await page.locator('forebay-sample .detail').waitFor({ state: 'hidden' });
    if (made.film) {
      await show(2);
      const film = page.locator('forebay-sample video');
      await film.waitFor();
      await film.evaluate(
        (video) =>
          new Promise((resolve, reject) => {
            video.onended = resolve;
            video.onerror = () => reject(new Error('not played'));
            video.muted = true;
            void video.play();
          }),
      );
      assert.deepEqual(await axe(page), []);
    }
    await show(made.film ? 3 : 2);
    await page.getByText('This browser cannot play this MP4').waitFor();
    assert.deepEqual(
      page.faults.filter((fault) => !/decode|DEMUXER/i.test(fault)),
      [],
    );
  } finally {
    await page.close();
    server.close();
  }
});

test('what was found in a TAR is kept for the next visit, and can be forgotten', SLOW, async () => {
  const page = await newPage(browser);
  const ranges = [];
  page.on('request', (r) => r.url().includes('/data/') && ranges.push(r.headers().range));
  const about = async () => {
    await page.locator('.tile canvas[data-ready]').first().waitFor();
    await page.locator('.facts', { hasText: '240 samples' }).waitFor();
    await page.keyboard.press('i');
    const facts = page.locator('forebay-about dl', { hasText: /read from the headers|kept from/ });
    await facts.waitFor();
    return facts.innerText();
  };
  await visit(page, at('file=data/sample.tar'));
  assert.match(await about(), /read from the headers/);
  assert.deepEqual(await axe(page), []);
  const scanned = ranges.length;
  await page.waitForTimeout(500);
  ranges.length = 0;
  await visit(page, at('file=data/sample.tar'));
  assert.match(await about(), /kept from an earlier visit/);
  assert.ok(ranges.length < scanned, `${ranges.length} requests, ${scanned} before`);
  await Promise.all([
    page.waitForRequest(/data\/sample\.tar/),
    page.getByRole('button', { name: 'Read again' }).click(),
  ]);
  assert.match(await about(), /read from the headers/);
  await page.keyboard.press('Escape');
  await page.waitForTimeout(500);
  await page.getByRole('button', { name: /close the file/ }).click();
  await page.getByRole('button', { name: /Forget, with .* of indexes/ }).click();
  await page.getByRole('button', { name: /Forget/ }).waitFor({ state: 'detached' });
  await visit(page, at('file=data/sample.tar'));
  assert.match(await about(), /read from the headers/);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('damaged files open as far as they can and say what is wrong', SLOW, async () => {
  const page = await newPage(browser);
  await visit(page, at('file=data/broken.tbl'));
  await page.locator('.tile').first().waitFor();
  await page.keyboard.press('c');
  await page.getByText(/Damaged: \d+ fault/).waitFor();
  await visit(page, at('file=data/cut.tbl'));
  await page.locator('.failed code, .notice').first().waitFor();
  await visit(page, at('file=data/cut.tar'));
  await page.locator('.notice').waitFor();
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  await visit(page, at('file=data/half.tbl'));
  await page
    .locator('.notice', { hasText: /^This file is damaged, or ends too early. \d+ of 240 samples cannot be read/ })
    .waitFor();
  await page.getByRole('button', { name: 'Count', exact: true }).click();
  await page.getByRole('region', { name: 'Classes' }).getByRole('alert').waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole('button', { name: 'Check it' }).click();
  await page.getByText(/Damaged: \d+ faults/).waitFor();
  await visit(page, at('file=data/nothing.tbl'));
  await page.locator('.failed code').waitFor();
  await page.getByText('It was looked for on the server of this page').waitFor();
  await page.close();
});

test('files that are not images are not faults, and metadata is drawn as far as it is unfolded', async () => {
  const page = await newPage(browser);
  await visit(page, at('file=data/texts.tar'));
  await page.locator('.tile .why', { hasText: 'no image' }).first().waitFor();
  assert.equal(await page.locator('.tile .why.bad').count(), 0);
  await visit(page, at('file=data/texts.tar&i=1'));
  await page.getByText('This is not an image that the browser knows.').waitFor();
  const page_ = page.locator('forebay-sample .page');
  await page_.locator('summary', { hasText: 'deep' }).click();
  await page_.locator('summary', { hasText: 'points' }).click();
  await page_.locator('summary', { hasText: /^149/ }).waitFor();
  assert.ok((await page_.locator('*').count()) < 3000, 'what is folded is not there');
  await page_.locator('summary', { hasText: /^149/ }).click();
  await page_.locator('summary', { hasText: /^149/ }).nth(1).click();
  await page_.getByText('149', { exact: true }).last().waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a field that nobody has is named where a filter matches nothing', async () => {
  const page = await newPage(browser);
  await visit(page, at('file=data/sample.tbl&q=json.lable%20%3D%3D%20%22boat%22'));
  await page.getByText('no sample has the field json.lable').waitFor();
  await visit(page, at('file=data/sample.tbl&q=width%20%3E%2099999'));
  await page.getByText('No sample matches the filter.').waitFor();
  assert.equal(await page.getByText('has the field').count(), 0);
  await page.close();
});

/** Opens the sample's TAR by the file field, and downloads a TBL that has the command's bytes. */
async function convertsAsTheCommand(page) {
  await page.locator('#file-input').setInputFiles(join(folder, 'sample.tar'));
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  await page.keyboard.press('e');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Convert…' }).click(),
  ]);
  await page.getByText('✓ sample.tbl').waitFor();
  assert.ok(readFileSync(await download.path()).equals(readFileSync(join(folder, 'sample.tbl'))), 'byte-identical');
}

test('a file dropped on a static host converts to the same bytes as by the command', async () => {
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(browser);
  try {
    // Without the picker the file is spooled in the browser's own store and then downloaded.
    await page.addInitScript(() => {
      delete globalThis.showSaveFilePicker;
      delete globalThis.showOpenFilePicker;
    });
    await page.goto(host);
    await convertsAsTheCommand(page);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
    server.close();
  }
});

test('a page over http from another machine, which may store nothing, converts and shows text all the same', async () => {
  const other = await launch(['--host-resolver-rules=MAP other.test 127.0.0.1']);
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(other);
  try {
    await page.goto(host.replace('127.0.0.1', 'other.test'));
    assert.deepEqual(await page.evaluate(() => [isSecureContext, navigator.storage]), [false, undefined]);
    await convertsAsTheCommand(page);
    await page.getByRole('button', { name: 'Done' }).click();
    writeFileSync(join(folder, 'people.csv'), 'name,age\nAda,36\n');
    await page.locator('#file-input').setInputFiles(join(folder, 'people.csv'));
    await page.getByRole('gridcell', { name: 'Ada' }).waitFor();
    assert.deepEqual(page.faults, []);
  } finally {
    await other.close();
    server.close();
  }
});

test('an image that its EXIF turns is drawn as it is stored where its boxes are meant so', async () => {
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(browser);
  await page.goto(host);
  // Stored 200 x 100, with a yellow square in one corner.
  const drawn = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 200, height: 100 });
    const g = canvas.getContext('2d');
    g.fillRect(0, 0, 200, 100);
    g.fillStyle = 'yellow';
    g.fillRect(150, 10, 40, 30);
    return canvas.toDataURL('image/jpeg', 0.95).split(',')[1];
  });
  const jpeg = Buffer.from(drawn, 'base64');
  const turned = (orientation) =>
    Buffer.concat([
      jpeg.subarray(0, 2),
      Buffer.from(`ffe100224578696600004d4d002a0000000800010112000300000001000${orientation}000000000000`, 'hex'),
      jpeg.subarray(2),
    ]);
  const at = join(folder, 'exif');
  mkdirSync(at);
  const boxes = (bbox) => JSON.stringify({ annotations: [{ bbox, label: 'yellow' }] });
  for (let k = 1; k <= 8; k++) {
    writeFileSync(join(at, `${k}.jpg`), turned(k));
    writeFileSync(join(at, `${k}.json`), boxes([150, 10, 40, 30]));
  }
  writeFileSync(join(at, '9.jpg'), turned(6));
  writeFileSync(join(at, '9.json'), boxes([60, 150, 30, 40]));
  execFileSync('tar', ['--sort=name', '-cf', join(folder, 'exif.tar'), '-C', at, '.']);
  const yellow = (x, y) =>
    page.waitForFunction(
      ([x, y]) => {
        const { data } = document
          .querySelector('forebay-viewer')
          .shadowRoot.querySelector('forebay-sample')
          .shadowRoot.querySelector('.picture')
          .getContext('2d')
          .getImageData(x, y, 1, 1);
        return data[0] > 200 && data[1] > 200 && data[2] < 90;
      },
      [x, y],
      { timeout: 30_000 },
    );
  const stored = page.getByRole('button', { name: 'As stored' });
  await page.locator('#file-input').setInputFiles(join(folder, 'exif.tar'));
  await page.locator('.tile').first().waitFor();
  for (let k = 0; k < 9; k++) {
    await page.evaluate((k) => (location.hash = `file=local:exif.tar&i=${k}`), k);
    await page.getByRole('heading', { name: `Sample ${k}`, exact: true }).waitFor();
    await page.locator('forebay-sample .sum.good').waitFor();
    await page.locator('forebay-sample .legend button').waitFor();
    if (k === 0) {
      assert.equal(await stored.count(), 0);
      continue;
    }
    // Turned upright the boxes of 5 to 8 would lie outside, which says what they mean; of 2 to 4 nothing does.
    assert.equal(await stored.getAttribute('aria-pressed'), String(k >= 4 && k < 8), `orientation ${k + 1}`);
    if (k === 8) await yellow(75, 170);
    else if (k < 4) await stored.click();
    if (k < 8) await yellow(170, 25);
  }
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
  server.close();
});

test('a file that is changed while it is open is said to have changed, not to be broken', async () => {
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(browser);
  const file = join(folder, 'changing.tar');
  copyFileSync(join(folder, 'sample.tar'), file);
  try {
    await page.goto(host);
    await page.locator('#file-input').setInputFiles(file);
    await page.locator('.tile canvas[data-ready]').first().waitFor();
    writeFileSync(file, readFileSync(file).subarray(0, 2_000_000));
    await page.locator('.scroll').focus();
    await page.keyboard.press('End');
    await page.locator('.why', { hasText: 'the file changed' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('forebay-sample .trouble', { hasText: 'changed, moved or removed' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    const check = page.locator('forebay-check');
    if (needs('stream what became shorter')) await check.getByRole('button', { name: 'Cancel' }).click();
    else await check.locator('p.bad', { hasText: 'changed, moved or removed' }).waitFor();
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
    server.close();
  }
});

test('images that the network lost are asked for again once it is back', SLOW, async () => {
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(browser);
  const file = readFileSync(join(folder, 'sample.tbl'));
  let lost = false;
  await page.route('**/far.tbl', (route) => {
    if (lost) return route.abort('internetdisconnected');
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(route.request().headers().range).map(Number);
    const body = file.subarray(start, end + 1);
    return route.fulfill({
      status: 206,
      headers: { etag: '"1"', 'content-range': `bytes ${start}-${start + body.length - 1}/${file.length}` },
      body,
    });
  });
  try {
    await visit(page, `${host}#file=far.tbl`);
    await page.locator('.tile canvas[data-ready]').first().waitFor();
    lost = true;
    await page.locator('.scroll').focus();
    await page.keyboard.press('End');
    await page.locator('.why', { hasText: 'not reached' }).nth(1).waitFor();
    assert.deepEqual(
      [await page.locator('.tile', { hasText: 'http.network' }).count(), await page.locator('.lost').count()],
      [0, 1],
      'it is said once',
    );
    assert.deepEqual(await axe(page), []);
    await page.locator('.lost', { hasText: 'http.network' }).waitFor();
    lost = false;
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.locator('.lost').waitFor({ state: 'detached', timeout: 5000 });
    lost = true;
    await page.keyboard.press('Home');
    for (let row = 0; row < 4; row++) await page.keyboard.press('PageDown');
    await page.locator('.lost', { hasText: 'http.network' }).waitFor();
    lost = false;
    // Nobody says that it is back.
    await page.locator('.lost').waitFor({ state: 'detached', timeout: 30_000 });
    await page.locator('.tile canvas[data-ready]').nth(3).waitFor();
  } finally {
    await page.close();
    server.close();
  }
});

test('what was spooled for a page that went is removed later', async () => {
  const { server, url: host } = await serveFolder(join(ROOT, 'dist/site'));
  const page = await newPage(browser);
  const names = () => page.evaluate(async () => Array.fromAsync((await navigator.storage.getDirectory()).keys()));
  try {
    await page.addInitScript(() => {
      delete globalThis.showSaveFilePicker;
    });
    await page.goto(host);
    await page.locator('#file-input').setInputFiles(join(folder, 'sample.tar'));
    await page.locator('.tile canvas[data-ready]').first().waitFor();
    await page.keyboard.press('e');
    await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Convert…' }).click()]);
    assert.equal((await names()).length, 1);
    await page.reload();
    assert.equal((await names()).length, 1, 'it may still be on its way');
    await page.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 2 * 86_400_000;
    });
    await page.reload();
    for (let tries = 0; (await names()).length > 0; tries++) {
      assert.ok(tries < 50, JSON.stringify(await names()));
      await page.waitForTimeout(100);
    }
  } finally {
    await page.close();
    server.close();
  }
});

test('the list of a served folder is offered', async () => {
  const page = await newPage(browser);
  await page.goto(url);
  await page.getByRole('button', { name: /sample\.tbl/ }).click();
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  assert.match(page.url(), /#file=data\/sample\.tbl/);
  await page.close();
});

test('the sample dataset is drawn in the page, with boxes where things are', async () => {
  const page = await newPage(browser);
  await visit(page, at('file=sample:harbor&i=1'));
  await page.locator('.facts', { hasText: '40 samples' }).waitFor();
  await page.locator('forebay-sample canvas.boxes').waitFor();
  await page.locator('forebay-sample .legend button', { hasText: 'boat' }).waitFor();
  await page.keyboard.press('c');
  await page.getByText('✓ Sound').waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});
