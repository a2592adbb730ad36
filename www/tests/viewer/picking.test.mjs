// Picking samples, and what the panel of one says, over made-up datasets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, until } from '../browser.mjs';
import { opened } from './made-up.mjs';

test('a range is picked with Shift, by mouse and by keys, and what the filter keeps with Ctrl+A', async () => {
  for (const view of ['gallery', 'table']) {
    const page = await opened(`file=300.tbl&view=${view}`);
    const said = (text) => page.locator('.selection b', { hasText: text }).waitFor();
    await page.locator('#p2').click({ modifiers: ['Control'] });
    await page.locator('#p6').click({ modifiers: ['Shift'] });
    await said('5 selected');
    assert.equal(await page.locator('forebay-sample').count(), 0, 'a click with Shift opens nothing');
    assert.equal(await page.locator('#p4').getAttribute('aria-selected'), 'true');
    assert.deepEqual(await axe(page), []);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.locator('.selection').waitFor({ state: 'detached' });
    await page.locator('.scroll').focus();
    await page.keyboard.press('Home');
    for (let k = 0; k < 3; k++) await page.keyboard.press(view === 'gallery' ? 'Shift+ArrowRight' : 'Shift+ArrowDown');
    await said('4 selected');
    await page.locator('forebay-filter input').fill('format == "png"');
    await page.locator('.counts', { hasText: '27 of 300' }).waitFor();
    await page.locator('.scroll').focus();
    await page.keyboard.press('Control+a');
    // One of the four is among them.
    await said('30 selected');
    await page.locator('.selection').getByRole('button', { name: 'Export' }).click();
    await page.locator('forebay-convert').getByLabel('The 30 selected').waitFor();
    assert.equal(await page.locator('forebay-convert').getByLabel('The 30 selected').isChecked(), true);
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('what is picked gets a name from where it is counted, on a phone too', async () => {
  for (const width of [1280, 360]) {
    const page = await opened('file=300.tbl', { viewport: { width, height: 740 } });
    await page.locator('.scroll').focus();
    await page.keyboard.press('Space');
    await page.locator('.selection').getByRole('button', { name: 'Name them' }).click();
    await until(
      () => page.getByLabel('Name of the set').evaluate((field) => field.getRootNode().activeElement === field),
      'the name is asked for',
    );
    await page.keyboard.type('first');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'first 1' }).waitFor();
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test('more than can be held is not picked, and where text is written Ctrl+A is of the text', async () => {
  const page = await opened('file=2000000.tbl');
  await page.locator('.scroll').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('alert').filter({ hasText: 'At most 1,000,000 samples' }).waitFor();
  await page.locator('forebay-filter input').fill('width >= 5000');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  assert.equal(await page.locator('forebay-filter input').inputValue(), '');
  assert.equal(await page.locator('.selection').count(), 0);
  await page.close();
});

test('the panel begins with the class, and its list of boxes and the image point at each other', async () => {
  const page = await opened('file=300.tbl&i=8');
  const panel = page.locator('forebay-sample');
  await panel.locator('.title .class', { hasText: 'boat' }).waitFor();
  const boxes = panel.getByRole('list', { name: 'Boxes' }).getByRole('button');
  await boxes.nth(2).waitFor();
  assert.equal(await boxes.count(), 3);
  const thickness = () =>
    panel.locator('canvas.boxes').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let drawn = 0;
      for (let k = 3; k < data.length; k += 4) drawn += data[k] > 0 ? 1 : 0;
      return drawn;
    });
  await until(async () => (await thickness()) > 0, 'the boxes are drawn');
  const thin = await thickness();
  await boxes.nth(1).focus();
  await until(async () => (await thickness()) > thin * 1.1, `more than ${thin} pixels`);
  // The picture is fitted into its stage: the middle of its first box is looked for there.
  const { x, y, width, height } = await panel.locator('.sheet .picture').boundingBox();
  const [w, h] = await panel.locator('.sheet .picture').evaluate((canvas) => [canvas.width, canvas.height]);
  const first = await boxes.nth(0).getAttribute('title');
  const [bw, bh, bx, by] = first.match(/\d+/g).map(Number);
  await page.mouse.move(x + ((bx + bw / 2) / w) * width, y + ((by + bh / 2) / h) * height);
  await panel.locator('forebay-boxes .on').waitFor();
  assert.equal(await panel.locator('forebay-boxes .on').getAttribute('title'), first);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(page.faults, []);
  await page.close();
});
