// Drawing on pictures in the built site: by mouse and by keys, undone, kept, saved and read back.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { shutdown } from 'forebay';
import { smallPng } from '../../../scripts/lib/png.mjs';
import { ROOT, axe, launch, nameOf, needs, newPage, pen, serveFolder, touch, until, visit } from '../browser.mjs';
import { zipOf } from '../lib/zips.mjs';
import { recordsOf, tblOf } from './edited.mjs';
import { SLOW } from '../slow.mjs';

const SAMPLES = 6;
const WIDTH = 160;
const HEIGHT = 120;
let browser, site, tbl;
before(async () => {
  browser = await launch();
  site = await serveFolder(join(ROOT, 'dist/site'));
  tbl = await tblOf(SAMPLES, WIDTH, HEIGHT, (i) => ({
    label: 'sea',
    // One of the last cannot be drawn.
    boxes: [
      { label: i === 1 ? '<b>gull</b>' : 'boat', bbox: [20, 30, 40, 50], iscrowd: 0 },
      ...(i === 5 ? [{ label: 'x', bbox: [1, 2, null, 4], iscrowd: 0 }] : []),
    ],
  }));
});
after(async () => {
  await browser?.close();
  site?.server.close();
  await shutdown();
});

/** A page of a fresh browser, or of this one, with the dataset open at a sample. */
async function opened(i, context, name = 'harbor.tbl', bytes = tbl) {
  const page = await newPage(context ?? (await browser.newContext()));
  await visit(page, site.url);
  await page.locator('#file-input').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes });
  await page.locator('.tile').first().waitFor();
  if (i !== null) {
    await page.locator(`#p${i}`).click();
    await page.locator('forebay-sample .sum.good').waitFor();
  }
  return page;
}
const edit = async (page) => {
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.locator('forebay-edit-bar').waitFor();
};
/** The boxes of the open picture, as they are listed. */
const listed = (page) =>
  page
    .locator('forebay-drawing-page forebay-boxes button')
    .evaluateAll((all) =>
      all.map((b) => [b.querySelector('bdi').textContent, ...b.title.match(/\d+(?:\.\d+)?/g).map(Number)]),
    );
const drawable = (page, many) => page.locator(`forebay-drawing[data-drawn="${many}"]`).waitFor();
const kept = (page) => page.locator('forebay-edit-bar .kept', { hasText: 'every change is kept' }).waitFor();
const far = (page, text) => page.locator('forebay-edit-bar .far', { hasText: text }).waitFor();
/** Drags on the picture, in its pixels. */
async function drag(page, from, to) {
  const at = await placed(page);
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]));
  await page.mouse.move(...at(to));
  await page.mouse.up();
}
async function placed(page) {
  const { x, y, width } = await page.locator('forebay-sample .picture').boundingBox();
  return ([px, py]) => [x + (px * width) / WIDTH, y + (py * width) / WIDTH];
}
const near = (found, wanted) =>
  assert.ok(
    found.every((v, k) => (typeof v === 'string' ? v === wanted[k] : Math.abs(v - wanted[k]) <= 1)),
    `${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`,
  );
/** The file that the page downloads when it saves. */
async function saved(page) {
  await page.getByRole('button', { name: 'Save…' }).first().click();
  const dialog = page.locator('forebay-save-edits');
  await dialog.getByText('A new file').waitFor();
  let downloads = 0;
  page.on('download', () => downloads++);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    // Whoever clicks twice wants one file.
    dialog
      .locator('.foot')
      .getByRole('button', { name: 'Save…' })
      .evaluate((button) => {
        button.click();
        button.click();
      }),
  ]);
  await dialog.getByText(`✓ ${nameOf(download)}`).waitFor();
  const bytes = readFileSync(await download.path());
  assert.equal(downloads, 1);
  return { name: nameOf(download), bytes, dialog };
}

test('boxes are drawn, moved, resized and deleted by mouse, undone past a reload, saved and read back', async () => {
  const context = await browser.newContext();
  let page = await opened(0, context);
  await edit(page);
  await drawable(page, 1);
  await drag(page, [80, 20], [120, 60]);
  await drawable(page, 2);
  await until(async () => (await listed(page)).length === 2, 'both are listed');
  near((await listed(page))[1], ['boat', 40, 40, 80, 20]);
  await drag(page, [100, 40], [110, 50]);
  await until(async () => (await listed(page))[1][3] > 85, 'the box is moved');
  near((await listed(page))[1], ['boat', 40, 40, 90, 30]);
  await drag(page, [130, 70], [150, 100]);
  await until(async () => (await listed(page))[1][1] > 50, 'the box is larger');
  near((await listed(page))[1], ['boat', 60, 70, 90, 30]);
  await page.getByLabel('Search a class').fill('pier');
  await page.getByRole('button', { name: 'New class pier' }).click();
  await page.locator('forebay-drawing-page forebay-boxes', { hasText: 'pier' }).waitFor();
  await kept(page);
  await far(page, '1 image changed');
  assert.deepEqual(await axe(page), []);
  // The journal outlasts the page, and undo with it.
  assert.deepEqual(page.faults, []);
  await page.close();
  page = await opened(0, context);
  await edit(page);
  await drawable(page, 2);
  await until(async () => (await listed(page)).length === 2, 'both are listed');
  near((await listed(page))[1], ['pier', 60, 70, 90, 30]);
  const undo = page.locator('forebay-edit-bar').getByRole('button', { name: 'Undo' });
  for (const [label, w] of [
    ['boat', 60],
    ['boat', 40],
  ]) {
    await undo.click();
    await until(async () => {
      const [, second] = await listed(page);
      return second[0] === label && Math.abs(second[1] - w) <= 1;
    }, `undone to ${label} ${w}`);
  }
  await page.keyboard.press('Control+Shift+Z');
  await until(async () => (await listed(page))[1][1] > 50, 'done again');
  await kept(page);
  const { name, bytes } = await saved(page);
  assert.equal(name, 'harbor-edited.tbl');
  const { records, document } = await recordsOf(bytes);
  const { annotations, annotations_format, boxes } = records[0].json;
  assert.equal(annotations_format, 'forebay.1');
  assert.equal(annotations.length, 2);
  assert.deepEqual(annotations[0], { class: 'boat', xmin: 20, ymin: 30, xmax: 60, ymax: 80 });
  near(Object.values(annotations[1]), ['boat', 90, 30, 150, 100]);
  assert.equal(boxes.length, 1, 'other fields stay as they are');
  assert.equal(document.classes, undefined, 'it listed none');
  assert.equal(records[1].json.annotations, undefined);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test('everything is done by keys: boxes, outlines, classes, copies, review', async () => {
  const page = await opened(1);
  await edit(page);
  await drawable(page, 1);
  await page.locator('forebay-sample .stage').focus();
  for (const key of ['n', 'ArrowRight', 'ArrowRight', 'Shift+ArrowDown', 'Control+ArrowUp'])
    await page.keyboard.press(key);
  await until(async () => (await listed(page)).length === 2, 'a box is there');
  const [, [, w, h]] = await listed(page);
  assert.ok(w > 10 && h > 10, `${w} by ${h}`);
  // Moves that follow one another are one change.
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await until(async () => (await listed(page)).length === 1, 'the box is gone');
  // An outline, and another class by its key: the first class is that of the first picture that was shown.
  await page.keyboard.press('p');
  for (const key of [' ', 'ArrowRight', 'ArrowRight', ' ', 'ArrowDown', 'ArrowDown', ' '])
    await page.keyboard.press(key);
  // What would drop an outline that is in hand is refused until it is ended.
  for (const key of ['a', 'r', 'n', 'p']) await page.keyboard.press(key);
  await page.getByRole('alert').filter({ hasText: 'Enter ends it' }).waitFor();
  await page.locator('h2', { hasText: 'Sample 1' }).waitFor();
  await far(page, '0 accepted');
  await page.keyboard.press('Enter');
  await until(async () => (await listed(page)).length === 2, 'an outline is there');
  await page.keyboard.press('s');
  await page.keyboard.type('sail & mast');
  await page.keyboard.press('Enter');
  await until(async () => (await listed(page))[1][0] === 'sail & mast', 'the outline has a new class');
  const row = page.locator('forebay-classes .row', { hasText: '<b>gull</b>' });
  await page.keyboard.press(await row.locator('kbd').innerText());
  await until(async () => (await listed(page))[1][0] === '<b>gull</b>', 'a key gave it another class');
  await page.keyboard.press('[');
  await page.keyboard.press('Delete');
  await until(async () => (await listed(page)).length === 1, 'the first one is deleted');
  await page.keyboard.press('a');
  await far(page, '1 accepted');
  assert.ok((await page.locator('forebay-classes .row').count()) >= 3);
  // The next picture that nobody has reviewed.
  await page.locator('h2', { hasText: 'Sample 2' }).waitFor();
  await drawable(page, 1);
  await page.keyboard.press('f');
  await until(async () => (await listed(page)).length === 2, 'the boxes of the image before are copied');
  await page.keyboard.press('r');
  await far(page, '1 rejected, 4 left');
  await page.locator('h2', { hasText: 'Sample 3' }).waitFor();
  await kept(page);
  assert.equal(await page.locator('b', { hasText: /^gull$/ }).count(), 0, 'names are text');
  const { bytes } = await saved(page);
  const { records } = await recordsOf(bytes);
  assert.deepEqual(
    records.map(({ json }) => json.review ?? null),
    [null, 'accepted', 'rejected', null, null, null],
  );
  assert.equal(records[1].json.annotations[0].segmentation[0].length, 6);
  assert.equal(records[2].json.annotations.length, 2);
  // What reviewers said is known again where it was saved.
  const again = await opened(1, null, 'again.tbl', bytes);
  await edit(again);
  await far(again, '0 images changed, 1 accepted, 1 rejected, 4 left');
  assert.deepEqual(page.faults, []);
  await page.context().close();
  await again.context().close();
});

test('the page for drawing is mostly image, every action has a key that its button shows, and full screen leaves nothing out', async () => {
  const page = await opened(1);
  await page.keyboard.press('E');
  await drawable(page, 1);
  const stage = page.locator('forebay-sample .stage');
  const share = async () => {
    const { width, height } = await stage.boundingBox();
    return (width * height) / (page.viewportSize().width * page.viewportSize().height);
  };
  assert.ok((await share()) >= 0.7, `${await share()} of 1280 by 800`);
  assert.deepEqual(await axe(page), []);
  await page.setViewportSize({ width: 1024, height: 768 });
  await until(async () => (await share()) >= 0.6, '60 % of 1024 by 768 is image');
  for (const button of await page.locator('forebay-drawing-page .tools button:has(kbd)').all())
    assert.match(await button.getAttribute('title'), /\(.+\)/);
  // Nothing lies over anything else, and whether changes are kept can be read.
  const cut = await page
    .locator('forebay-edit-bar')
    .evaluate((bar) => [bar, bar.renderRoot.querySelector('.kept')].map((one) => one.scrollWidth - one.clientWidth));
  assert.deepEqual(cut, [0, 0]);
  // The strip leads on, and folds, as does what lies beside the image.
  await page.locator('forebay-gallery #p2').click();
  await page.locator('h2', { hasText: 'Sample 2' }).waitFor();
  await drawable(page, 1);
  const narrow = await share();
  await page.keyboard.press('F');
  await page.keyboard.press('P');
  await until(async () => (await share()) > narrow + 0.2, 'the image is larger');
  await page.keyboard.press('F');
  await page.keyboard.press('P');
  // Close to what is selected, and back.
  const width = async () => (await page.locator('forebay-sample .picture').boundingBox()).width;
  const whole = await width();
  await page.keyboard.press(']');
  await page.keyboard.press('z');
  await until(async () => (await width()) > 1.3 * whole, 'the box is larger');
  await page.keyboard.press('0');
  await page.keyboard.press('v');
  await page.keyboard.press('ArrowRight');
  await until(
    () => stage.evaluate((one) => getComputedStyle(one.querySelector('.sheet')).filter.includes('brightness(1.1)')),
    'the image is brighter',
  );
  await stage.focus();
  await page.keyboard.press('x');
  await until(() => page.evaluate(() => document.fullscreenElement !== null), 'it has the whole screen');
  for (const name of ['Undo', 'Redo', 'Save…'])
    assert.ok(await page.locator('forebay-sample').getByRole('button', { name }).isVisible(), name);
  await kept(page);
  await page.keyboard.press('n');
  await page.keyboard.press('Control+s');
  await page.locator('forebay-save-edits').getByText('A new file').waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('keys go on to the next image that has no labels, is rejected or has the class', SLOW, async () => {
  const label = (name) => ({ boxes: [{ label: name, bbox: [20, 30, 40, 50], iscrowd: 0 }] });
  const records = [label('boat'), label('pier'), { boxes: [] }, {}, label('boat'), label('pier')];
  const page = await opened(0, null, 'kinds.tbl', await tblOf(SAMPLES, WIDTH, HEIGHT, (i) => records[i]));
  await page.keyboard.press('E');
  await drawable(page, 1);
  const at = (i) => page.locator('h2', { hasText: `Sample ${i}` }).waitFor();
  await page.keyboard.press('C');
  await at(4);
  // A list of none is a label: nothing is there.
  await page.keyboard.press('N');
  await at(3);
  await drawable(page, 0);
  await page.locator('forebay-drawing-page button:enabled', { hasText: 'Box' }).waitFor();
  await page.keyboard.press('n');
  await drawable(page, 1);
  await page.keyboard.press('r');
  await at(4);
  await drawable(page, 1);
  await page.keyboard.press('N');
  await page.getByRole('status').filter({ hasText: 'no such image' }).waitFor({ state: 'attached' });
  await page.keyboard.press('R');
  await at(3);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('what is selected is accepted or rejected together, and one undo takes that back', async () => {
  const page = await opened(null);
  await edit(page);
  for (const i of [1, 3, 4]) await page.locator(`#p${i}`).click({ modifiers: ['Control'] });
  const selected = page.getByRole('group', { name: 'Selected samples' });
  await selected.getByRole('button', { name: 'Reject' }).click();
  await far(page, '3 images changed, 0 accepted, 3 rejected, 3 left');
  await selected.getByRole('button', { name: 'Accept' }).click();
  await far(page, '3 accepted, 0 rejected');
  const undo = page.locator('forebay-edit-bar').getByRole('button', { name: 'Undo' });
  await undo.click();
  await far(page, '0 accepted, 3 rejected');
  await undo.click();
  await far(page, '0 images changed, 0 accepted, 0 rejected, 6 left');
  await kept(page);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('edits that wait are said at once, and what is written of the dataset has them or says so', async () => {
  const context = await browser.newContext();
  let page = await opened(0, context);
  await edit(page);
  await drawable(page, 1);
  await page.keyboard.press('n');
  await drawable(page, 2);
  await kept(page);
  await page.close();
  page = await opened(null, context);
  const waiting = page.getByText('Unsaved edits');
  await waiting.waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole('button', { name: 'Convert', exact: true }).click();
  await page.locator('forebay-convert').getByText('edits').first().waitFor();
  await page.locator('forebay-edit-bar').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Done' }).click();
  await waiting.waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('button', { name: 'Yes, discard all edits' }).click();
  await far(page, '0 images changed');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.locator('forebay-edit-bar').waitFor({ state: 'detached' });
  assert.equal(await waiting.count(), 0);
  assert.deepEqual(page.faults, []);
  await context.close();
});

test('on a phone the menu is gone once editing began, and nothing that is said of the sample is cut off', async () => {
  const page = await opened(1);
  await page.setViewportSize({ width: 360, height: 780 });
  await page.locator('forebay-menu[label="More"] > button, forebay-menu').getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await drawable(page, 1);
  assert.equal(await page.getByRole('button', { name: 'Keys and filters' }).isVisible(), false);
  const said = page.locator('forebay-sample .sum', { hasText: 'sound' });
  await said.waitFor();
  assert.ok(await said.evaluate((one) => one.scrollWidth <= one.clientWidth), await said.innerText());
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('the second tab is told, and goes on when the first has ended', async () => {
  const context = await browser.newContext();
  const [one, two] = [await opened(0, context), await opened(0, context)];
  await edit(one);
  await two.getByRole('button', { name: 'Edit', exact: true }).click();
  await two.getByText('Another tab has its edits open').waitFor();
  assert.deepEqual(await axe(two), []);
  await one.getByRole('button', { name: 'Done' }).click();
  await one.locator('forebay-edit-bar').waitFor({ state: 'detached' });
  await until(async () => {
    if (await two.locator('forebay-edit-bar').count()) return true;
    await two
      .getByRole('button', { name: 'Try again' })
      .click({ timeout: 500 })
      .catch(() => undefined);
    return false;
  }, 'the second tab edits');
  await context.close();
});

test('what cannot be drawn is said, and a full or evicted store says what to do', async () => {
  const page = await opened(5);
  await edit(page);
  await page.getByText('1 box of this image cannot be drawn').waitFor();
  await page.locator('forebay-sample .stage').focus();
  await page.keyboard.press('n');
  await kept(page);
  // The browser throws the journal away behind the page's back.
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    await root.removeEntry('forebay-edits', { recursive: true });
  });
  await page.keyboard.press('n');
  const alert = page.locator('forebay-edit-bar [role=alert]');
  await alert.getByText('The browser has removed the journal').waitFor();
  assert.deepEqual(await axe(page), []);
  // What is drawn meanwhile is not kept, and not lost.
  await page.keyboard.press('n');
  await alert.getByRole('button', { name: 'Write it again' }).click();
  await kept(page);
  assert.equal(await alert.count(), 0);
  assert.equal((await listed(page)).length, 4);
  // A full store.
  await page.evaluate(() => {
    const folder = FileSystemDirectoryHandle.prototype;
    const real = folder.getFileHandle;
    globalThis.room = () => void (folder.getFileHandle = real);
    // A handle that no worker takes, and that takes nothing.
    const full = (handle) => ({
      getFile: () => handle.getFile(),
      createWritable: async () => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      },
    });
    globalThis.fill = () => {
      folder.getFileHandle = async function (name, options) {
        const handle = await real.call(this, name, options);
        return name.endsWith('.jsonl') ? full(handle) : handle;
      };
    };
    fill();
  });
  await page.keyboard.press('n');
  await alert.getByText('Not kept.').waitFor();
  await alert.getByText('free room').waitFor();
  assert.equal(await page.locator('forebay-edit-bar .kept').innerText(), '');
  await page.evaluate(() => room());
  await alert.getByRole('button', { name: 'Try again' }).click();
  await kept(page);
  // What is not kept when editing ends is held, and kept when it begins again.
  await page.evaluate(() => fill());
  await page.keyboard.press('n');
  await alert.getByText('Not kept.').waitFor();
  await page.locator('forebay-edit-bar').getByRole('button', { name: 'Done' }).click();
  await page.getByText('1 change could not be kept. The page holds what is not kept').waitFor();
  await page.evaluate(() => room());
  await edit(page);
  await kept(page);
  await drawable(page, 6);
  const { bytes } = await saved(page);
  assert.equal((await recordsOf(bytes)).records[5].json.annotations.length, 6);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('a pen draws whatever the hand that holds it does, and its other end deletes', {
  skip: needs('use a pen'),
}, async () => {
  const page = await opened(0, await browser.newContext({ hasTouch: true }));
  await edit(page);
  await drawable(page, 1);
  const before = await page.locator('forebay-sample .picture').boundingBox();
  let at = await placed(page);
  await pen(page, 'Moved', at([80, 20]));
  await pen(page, 'Pressed', at([80, 20]));
  await pen(page, 'Moved', at([100, 40]));
  // The hand comes down and slides along: it moves the picture, and neither draws nor goes on to the next.
  const [x, y] = at([30, 100]);
  await touch(page, [[[x, y]], [[x + 50, y]], [[x + 90, y]]]);
  await until(
    async () => (await page.locator('forebay-sample .picture').boundingBox()).x > before.x + 40,
    'the image is moved',
  );
  at = await placed(page);
  await pen(page, 'Moved', at([120, 60]));
  await pen(page, 'Released', at([120, 60]));
  await drawable(page, 2);
  await until(async () => (await listed(page)).length === 2, 'both are listed');
  near((await listed(page))[1], ['boat', 40, 40, 80, 20]);
  // Between two strokes it draws nothing either.
  const [from, to] = [at([20, 90]), at([60, 110])];
  await touch(page, [[from], [[(from[0] + to[0]) / 2, to[1]]], [to]]);
  await page.getByRole('heading', { name: 'Sample 0', exact: true }).waitFor();
  assert.equal((await listed(page)).length, 2);
  // The other end takes away what it touches: the box in the front, and undo brings it back.
  const [ex, ey] = (await placed(page))([100, 40]);
  await page.locator('forebay-drawing').evaluate(
    (stage, { x, y }) => {
      const event = { pointerType: 'pen', pointerId: 77, clientX: x, clientY: y, bubbles: true, composed: true };
      stage.dispatchEvent(new PointerEvent('pointerdown', { ...event, button: 5, buttons: 32 }));
      stage.dispatchEvent(new PointerEvent('pointerup', { ...event, button: 5, buttons: 0 }));
    },
    { x: ex, y: ey },
  );
  await drawable(page, 1);
  await until(async () => (await listed(page)).length === 1, 'one is left');
  near((await listed(page))[0], ['boat', 40, 50, 20, 30]);
  await page.keyboard.press('Control+z');
  await drawable(page, 2);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('labels of a file become edits, and one undo takes them back', async () => {
  const page = await opened(0);
  const coco = {
    images: Array.from({ length: 4 }, (_, i) => ({
      id: i,
      file_name: `${String(i).padStart(4, '0')}.png`,
      // One was labeled on a copy of twice its size.
      width: WIDTH * (i === 3 ? 2 : 1),
      height: HEIGHT * (i === 3 ? 2 : 1),
    })),
    categories: [
      { id: 9, name: 'whale' },
      { id: 1, name: 'ship', supercategory: 'vessel' },
    ],
    annotations: Array.from({ length: 4 }, (_, i) => ({
      id: i,
      image_id: i,
      category_id: 1,
      bbox: i === 3 ? [10, 12, 20, 16] : [5, 6, 7 + i, 8],
      area: 56,
      iscrowd: i === 1 ? 1 : 0,
      ...(i === 0 && { score: 0.5, num_keypoints: 1, keypoints: [6, 7, 2], attributes: { flag: 'red' } }),
    })),
  };
  // Nobody draws what has no area.
  coco.annotations.push({ ...coco.annotations[2], id: 9, bbox: [5, 6, 0, 0], area: 0 });
  const file = { name: 'labels.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(coco)) };
  await page.locator('#labels-input').setInputFiles(file);
  await page.getByText('4 samples, nothing of 2').waitFor();
  await page.keyboard.press('l');
  const dialog = page.locator('forebay-labels');
  await dialog.getByRole('button', { name: 'Keep these labels as edits' }).click();
  await dialog.getByText('✓ 4 images').waitFor();
  await dialog.getByText('1 annotation left out').waitFor();
  assert.deepEqual(await axe(page), []);
  await dialog.getByLabel('Close').click();
  await far(page, '4 images changed');
  await kept(page);
  const { bytes, dialog: saving } = await saved(page);
  await saving.getByRole('button', { name: 'Done' }).click();
  const { records, document } = await recordsOf(bytes);
  assert.deepEqual(
    records.map(({ json }) => json.annotations?.[0].xmax),
    [12, 13, 14, 15, undefined, undefined],
  );
  const [{ keypoints, score, attributes }, { crowd }] = [0, 1].map((i) => records[i].json.annotations[0]);
  assert.deepEqual([keypoints, score, attributes, crowd], [[6, 7, 2], 0.5, { flag: 'red' }, true]);
  // By their numbers, as forebay convert --labels writes them.
  assert.deepEqual(document.classes, ['ship', 'whale']);
  assert.deepEqual(document.categories, [
    { id: 1, name: 'ship', supercategory: 'vessel' },
    { id: 9, name: 'whale' },
  ]);
  await page.locator('forebay-edit-bar').getByRole('button', { name: 'Undo' }).click();
  await far(page, '0 images changed');
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('a journal is taken over if it is of this dataset, and refused by name if it is not', async () => {
  const page = await opened(0);
  await edit(page);
  await page.locator('forebay-sample .stage').focus();
  await page.keyboard.press('n');
  await kept(page);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the journal' }).click(),
  ]);
  const journal = readFileSync(await download.path());
  const give = (page) =>
    page.locator('#journal').setInputFiles({ name: 'edits.jsonl', mimeType: 'text/plain', buffer: journal });
  const same = await opened(0);
  await edit(same);
  await give(same);
  await until(async () => (await listed(same)).length === 2, 'the box of the other browser is here');
  await kept(same);
  const foreign = await opened(0, null, 'other.tbl', await tblOf(2, WIDTH, HEIGHT, (i) => ({ n: i })));
  await edit(foreign);
  await give(foreign);
  const alert = foreign.locator('forebay-edit-bar [role=alert]');
  await alert.getByText('harbor.tbl').waitFor();
  await alert.getByText('edits.other_file').waitFor();
  for (const one of [page, same, foreign]) {
    assert.deepEqual(one.faults, []);
    await one.context().close();
  }
});

test('hosts hear of edits, and what is neither a TBL nor a TAR says what to do', async () => {
  const page = await opened(0);
  await page.evaluate(() => {
    globalThis.heard = [];
    document.addEventListener('edit', (e) => heard.push(e.detail));
    document.querySelector('forebay-viewer').editable = true;
  });
  await page.locator('forebay-edit-bar').waitFor();
  await drawable(page, 1);
  await page.locator('forebay-sample .stage').focus();
  await page.keyboard.press('n');
  await page.keyboard.press('a');
  await page.keyboard.press('Control+z');
  await kept(page);
  assert.deepEqual(await page.evaluate(() => heard), [
    { index: 0, kind: 'boxes', boxes: 2 },
    { index: 0, kind: 'review', review: 'accepted' },
    { index: 0, kind: 'undo' },
  ]);
  // An outline that is begun is nearer than what was done before, and other pictures are left alone.
  await page.locator('forebay-sample .stage').focus();
  for (const key of ['p', ' ', 'ArrowRight', ' ', 'Control+z', 'Control+z']) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => heard.length), 3);
  await page.keyboard.press('Escape');
  await page.locator('forebay-edit-bar').getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Throw all edits away' }).click();
  await page.getByRole('button', { name: 'Yes, throw' }).click();
  await until(() => page.evaluate(() => heard.at(-1).kind === 'discard'), 'hosts hear that nothing is left');
  await page.context().close();
  const picture = Buffer.from(smallPng(8, 8, Buffer.alloc(8 * 8 * 4, 200)));
  const other = await opened(null, undefined, 'harbor.zip', Buffer.from(zipOf([['train/0.png', picture, false]])));
  await other.getByRole('button', { name: 'Edit', exact: true }).click();
  await other.getByText('make one of it, and open that').waitFor();
  await other.context().close();
});
