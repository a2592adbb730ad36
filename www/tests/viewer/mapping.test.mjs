// The map of pictures: where they stand, and what is done on it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, axe, newPage, touch, until, visit } from '../browser.mjs';
import { browser, opened, site } from './made-up.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-map-'));
let layout, camera;
before(async () => {
  const { build } = await import('esbuild');
  const names = ['layout', 'camera'];
  const entryPoints = names.map((name) => join(ROOT, `www/viewer/src/mapping/${name}.ts`));
  await build({ entryPoints, outdir: folder, outExtension: { '.js': '.mjs' }, format: 'esm' });
  [layout, camera] = await Promise.all(names.map((name) => import(join(folder, `${name}.mjs`))));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const FEATURES = 192;

/** Pictures of some kinds, one after the other, each a little other than the rest of its kind. */
function kinds(count, many, noise = 0.2) {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
  const middles = Array.from({ length: many }, () => Float32Array.from({ length: FEATURES }, next));
  return Float32Array.from({ length: count * FEATURES }, (_, at) => {
    const kind = Math.floor(at / FEATURES) % many;
    return middles[kind][at % FEATURES] + noise * (next() - 0.5);
  });
}
function whole(work) {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    assert.ok(value >= 0 && value <= 1, `${value} is not a part of the work`);
  }
}

test('images of one kind stand near each other, whatever order they come in, and each has room', () => {
  const [count, many] = [600, 6];
  const places = whole(layout.layOut(kinds(count, many), count));
  assert.equal(places.length, 2 * count);
  assert.ok(places.every((value) => value >= 0 && value <= 1));
  const far = (i, j) => Math.hypot(places[2 * i] - places[2 * j], places[2 * i + 1] - places[2 * j + 1]);
  let [same, tight] = [0, 0];
  for (let i = 0; i < count; i++) {
    const others = Array.from({ length: count }, (_, j) => j).filter((j) => j !== i);
    others.sort((a, b) => far(i, a) - far(i, b));
    same += others.slice(0, 5).filter((j) => j % many === i % many).length;
    if (far(i, others[0]) < 0.2 / Math.sqrt(count)) tight++;
  }
  assert.ok(same > 0.97 * 5 * count, `${same} of ${5 * count} nearest ones are of the same kind`);
  assert.ok(tight < 0.02 * count, `${tight} lie over another one`);
});

test('the same images have the same places each time, and other images others', () => {
  const features = kinds(200, 4);
  const first = whole(layout.layOut(features.slice(), 200));
  assert.deepEqual(whole(layout.layOut(features.slice(), 200)), first);
  assert.notDeepEqual(whole(layout.layOut(kinds(200, 4, 0.3), 200)), first);
});

test('few images, equal ones and none at all have places too', () => {
  for (const count of [0, 1, 2, 3, 5, 40]) {
    for (const features of [new Float32Array(count * FEATURES), kinds(count, 1)]) {
      const places = whole(layout.layOut(features, count));
      assert.equal(places.length, 2 * count);
      assert.ok(
        places.every((value) => Number.isFinite(value) && value >= 0 && value <= 1),
        `${count}: ${places}`,
      );
    }
  }
});

test('the nearest ones are those that comparing each with each finds', () => {
  const [count, features] = [300, kinds(300, 5, 0.8)];
  const { rows, kept } = whole(layout.mainDirections(features, count));
  const { near, of } = whole(layout.neighbors(rows, kept, count));
  const square = (i, j) => {
    let sum = 0;
    for (let d = 0; d < kept; d++) sum += (rows[i * kept + d] - rows[j * kept + d]) ** 2;
    return sum;
  };
  for (let i = 0; i < count; i++) {
    const all = Array.from({ length: count }, (_, j) => j).filter((j) => j !== i);
    all.sort((a, b) => square(i, a) - square(i, b));
    const found = [...of.subarray(i * near, (i + 1) * near)].map((j) => square(i, j));
    assert.deepEqual(
      found,
      all.slice(0, near).map((j) => square(i, j)),
    );
  }
});

test('what lies under the pointer stays there while the map is magnified', () => {
  const view = new camera.Camera();
  view.measure(900, 600, 1000);
  const [x, y] = view.at(0.3, 0.7);
  view.magnify(3, [x, y]);
  const [x2, y2] = view.at(0.3, 0.7);
  assert.ok(Math.hypot(x2 - x, y2 - y) < 1e-6, `${x2}, ${y2} instead of ${x}, ${y}`);
  assert.equal(view.sees(view.at(0.95, 0.1)), false);
  view.reveal(0.95, 0.1);
  assert.equal(view.sees(view.at(0.95, 0.1)), true);
});

/** A page with a map, once it is drawn. */
async function mapped(hash, options) {
  const page = await newPage(browser, options);
  await visit(page, `${site.url}#${hash}&view=map`);
  await page.getByRole('button', { name: /^Make the map of/ }).click();
  await page.locator('forebay-map canvas[data-drawn]').waitFor();
  return page;
}

test('a map is asked for, drawn, and a line around images picks them, which get a name', async () => {
  const page = await newPage(browser);
  await visit(page, `${site.url}#file=120.tbl`);
  await page.locator('.tile').first().waitFor();
  await page.keyboard.press('h');
  const map = page.locator('forebay-map');
  await map.getByText('Every image is read and decoded').waitFor();
  assert.deepEqual(await axe(page), []);
  await map.getByRole('button', { name: 'Make the map of 120 samples' }).click();
  await map.locator('canvas[data-drawn="120"]').waitFor();
  await map.getByText('120 images').waitFor();
  assert.deepEqual(await axe(page), []);
  const { x, y, width, height } = await map.locator('.scroll').boundingBox();
  await page.mouse.move(x + 2, y + 2);
  await page.mouse.down();
  for (const [right, down] of [
    [0.55, 0],
    [0.55, 0.99],
    [0, 0.99],
  ])
    await page.mouse.move(x + 2 + right * (width - 4), y + 2 + down * (height - 4), { steps: 4 });
  await page.mouse.up();
  const picked = Number(/\d+/.exec(await page.locator('.selection b').innerText())[0]);
  assert.ok(picked > 5 && picked < 115, `${picked} are picked`);
  await page.getByRole('button', { name: 'Name them' }).click();
  await page.keyboard.type('left side');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `left side ${picked}` }).waitFor();
  // The map of what is open is made once, and what the filter leaves out is not on it.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await page.locator('forebay-table').waitFor();
  await page.getByRole('button', { name: `left side ${picked}` }).click();
  await page.getByRole('button', { name: 'Map', exact: true }).click();
  await map.locator(`canvas[data-drawn="${picked}"]`).waitFor();
  await map.getByText(`${picked} of 120 images`).waitFor();
  assert.match(page.url(), /view=map/);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('by keys alone one goes from image to image, zooms, opens one and picks what is in sight', async () => {
  const page = await mapped('file=90.tbl');
  const map = page.locator('forebay-map');
  await map.locator('.scroll').focus();
  const said = page.locator('forebay-viewer [role=status][aria-live]');
  const heard = new Set();
  for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'ArrowLeft']) {
    await page.keyboard.press(key);
    heard.add(await said.innerText());
  }
  assert.ok(heard.size > 2, [...heard].join(' | '));
  for (let k = 0; k < 6; k++) await page.keyboard.press('+');
  await page.locator('forebay-map canvas[data-drawn]:not([data-drawn="90"])').waitFor();
  await page.keyboard.press(' ');
  await page.locator('.selection b', { hasText: '1 selected' }).waitFor();
  await map.getByRole('button', { name: 'Select what is in sight' }).click();
  const picked = Number(/\d+/.exec(await page.locator('.selection b').innerText())[0]);
  assert.ok(picked > 0 && picked < 90, `${picked} are in sight`);
  await map.locator('.scroll').focus();
  await page.keyboard.press('0');
  await map.locator('canvas[data-drawn="90"]').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('forebay-sample').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('forebay-sample').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.localName), 'forebay-map');
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('on a phone two fingers zoom the map, one draws around images, and nothing is cut off', async () => {
  const page = await mapped('file=60.tbl', { viewport: { width: 360, height: 700 }, hasTouch: true });
  const map = page.locator('forebay-map');
  await map.locator('canvas[data-drawn="60"]').waitFor();
  assert.deepEqual(await axe(page), []);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels stand out`);
  const { x, y, width, height } = await map.locator('.scroll').boundingBox();
  const [cx, cy] = [x + width / 2, y + height / 2];
  const apart = (by) => [
    [cx - by, cy],
    [cx + by, cy],
  ];
  await touch(page, [apart(20), apart(50), apart(90), apart(140)]);
  await page.locator('forebay-map canvas[data-drawn]:not([data-drawn="60"])').waitFor();
  await map.getByRole('button', { name: 'All', exact: true }).click();
  const corners = [
    [x + 3, y + 3],
    [x + width - 3, y + 3],
    [x + width - 3, y + height - 3],
    [x + 3, y + height - 3],
  ];
  await touch(
    page,
    corners.map((at) => [at]),
  );
  await page.locator('.selection b', { hasText: '60 selected' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('who goes to the map from the samples by keys may come before it is fetched, and has its keys then', async () => {
  const page = await opened('file=300.tbl');
  await page.route('**/map-view*', async (route) => {
    await new Promise((go) => setTimeout(go, 300));
    await route.continue();
  });
  await page.locator('.scroll').focus();
  await page.keyboard.press('h');
  await page.locator('forebay-map').getByRole('button').first().click();
  await page.locator('forebay-map canvas').waitFor();
  await page.keyboard.press('g');
  await page.locator('#p0').waitFor();
  await page.locator('.scroll').focus();
  await page.keyboard.press('h');
  await until(
    () => page.locator('forebay-map .scroll').evaluate((map) => map.matches(':focus')),
    'the map has the keys',
  );
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a file that is left while its map is made takes the map with it, and not the page', async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  const open = (name) =>
    page.locator('#file-input').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from('x') });
  await open('1900.tbl');
  await page.locator('.tile').first().waitFor();
  // As of the package: once it is closed, nothing of it can be read.
  await page.locator('forebay-viewer').evaluate(({ opened }) => {
    let closed = false;
    const { blob } = opened;
    const gone = () => Object.assign(new Error('the dataset was closed'), { code: 'dataset.closed' });
    const given = {
      close: () => (closed = true),
      blob: async (...i) => (closed ? Promise.reject(gone()) : blob(...i)),
    };
    Object.assign(opened, given);
  });
  await page.keyboard.press('h');
  await page.locator('forebay-map progress').waitFor();
  await open('300.tbl');
  await page.locator('h1', { hasText: '300.tbl' }).waitFor({ timeout: 10_000 });
  assert.deepEqual(page.faults, []);
  await page.close();
});
