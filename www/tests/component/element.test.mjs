// `<forebay-viewer>` on pages of other people, without a bundler: what it takes, what it says, and what it leaves alone.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { ROOT, axe, launch, newPage, until } from '../browser.mjs';
import { tarOf } from '../lib/helpers.mjs';
import { serve } from './host.mjs';

/** What a page loads before a file is opened, at most. */
const BUDGET = 60_000;
const MAP = JSON.stringify({
  imports: { forebay: '/forebay/index.js', '@forebay/viewer': '/viewer/index.js' },
});
const pageOf = (
  body,
) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>Theirs</title>
<script type="importmap">${MAP}</script><script type="module" src="/viewer/index.js"></script>
<link rel="stylesheet" href="/page.css"></head><body><main><h1>Theirs</h1>${body}</main></body></html>`;
const PAGES = {
  '/empty/': pageOf('<forebay-viewer></forebay-viewer>'),
  '/two/': pageOf(`<forebay-viewer id="a" src="/a.tar"></forebay-viewer><input id="field" aria-label="Field">
<forebay-viewer id="b" src="/b.tar" filter="cls == 1" view="table" theme="dark" selected="1"></forebay-viewer>`),
  '/early/': pageOf(
    `<forebay-viewer id="a" src="/a.tar"></forebay-viewer><script>Object.assign(a, { picked: [3, 1], view: 'table' })</script>`,
  ),
  '/slots/': pageOf(`<forebay-viewer id="a" src="/a.tar" hide="brand open convert facets theme">
<button slot="toolbar" id="mine">Hand over</button><p slot="panel" id="panel">My panel <input id="inner" aria-label="Inner"></p>
<p slot="empty" id="nothing">Nothing here yet</p></forebay-viewer>`),
};
const CSS = `main { letter-spacing: 4px; text-align: right; }
forebay-viewer { height: 600px; } #field { display: block; }
.narrow { width: 380px; } .colored { --forebay-accent: #aa0055; } .colored::part(header) { border-bottom-width: 7px; }`;

let browser, site, folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forebay-element-'));
  writeFileSync(join(folder, 'a.tar'), tarOf(40, 60));
  writeFileSync(join(folder, 'b.tar'), tarOf(9, 40));
  writeFileSync(join(folder, 'rows.csv'), 'id,name\n1,one\n2,two\n');
  writeFileSync(join(folder, 'page.css'), CSS);
  const dist = { '/forebay/': 'www/lib/dist/', '/viewer/': 'www/viewer/dist/' };
  site = await serve((path) => {
    const at = Object.keys(dist).find((prefix) => path.startsWith(prefix));
    return PAGES[path] ?? (at ? join(ROOT, dist[at], path.slice(at.length)) : join(folder, path));
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A page with what its viewers say, in `heard`. */
async function shown(path, options) {
  const page = await newPage(browser, options);
  await page.addInitScript(() => {
    globalThis.heard = [];
    document.addEventListener('DOMContentLoaded', () => {
      for (const viewer of document.querySelectorAll('forebay-viewer'))
        for (const type of ['open', 'close', 'select', 'filter', 'error'])
          viewer.addEventListener(type, (e) => globalThis.heard.push([viewer.id, type, e.detail]));
    });
  });
  await page.goto(site.url + path);
  return page;
}
const tiles = (page, id) => page.locator(`#${id} .tile canvas[data-ready]`);
const heard = (page, id, type) =>
  page.evaluate(
    ([id, type]) => globalThis.heard.filter(([of, what]) => of === id && what === type).map(([, , detail]) => detail),
    [id, type],
  );
const told = (page, id, type, many) =>
  until(async () => (await heard(page, id, type)).length >= many, `${id} says ${type} ${many} times`);

test('before a file is opened it costs less than 60 kB, and what opens files is not loaded', async () => {
  site.answers.length = 0;
  const page = await shown('empty/');
  await page.getByText('Drop a dataset file here').waitFor();
  await page.waitForLoadState('networkidle');
  const scripts = site.answers.filter(({ path }) => path.endsWith('.js') || path.endsWith('.wasm'));
  assert.ok(scripts.length > 0 && scripts.every(({ path }) => path.startsWith('/viewer/')), JSON.stringify(scripts));
  const bytes = scripts.reduce((sum, { body }) => sum + brotliCompressSync(body).length, 0);
  assert.ok(bytes < BUDGET, `${bytes} bytes of brotli`);
  console.log(`# ${bytes} bytes of brotli in ${scripts.length} files`);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('two on one page open, show and filter, each its own', async () => {
  const page = await shown('two/');
  await tiles(page, 'a').first().waitFor();
  await page.locator('#b [role=grid] .row.current').waitFor();
  await told(page, 'a', 'open', 1);
  await told(page, 'b', 'open', 1);
  const state = (id) =>
    page.locator(`#${id}`).evaluate((v) => [v.opened.length, v.filter, v.selected, v.view, v.theme, v.picked]);
  assert.deepEqual(await state('a'), [40, '', null, 'gallery', null, []]);
  assert.deepEqual(await state('b'), [9, 'cls == 1', 1, 'table', 'dark', []]);
  await page.locator('#b .counts', { hasText: '3 of 9' }).waitFor();
  await tiles(page, 'a').first().click();
  await told(page, 'a', 'select', 1);
  assert.deepEqual((await heard(page, 'a', 'select')).at(-1), { selected: 0, picked: [] });
  assert.equal((await state('a'))[2], 0);
  // What is typed is told; what the page sets is applied.
  await page.locator('#a forebay-filter input').fill('cls == 2');
  await page.keyboard.press('Enter');
  await told(page, 'a', 'filter', 1);
  assert.deepEqual((await heard(page, 'a', 'filter')).at(-1), { filter: 'cls == 2' });
  await page.locator('#a').evaluate((v) => {
    v.filter = 'cls == 0';
    v.selected = 3;
    v.picked = [6, 3, 1e9];
  });
  await page.locator('#a .counts', { hasText: '14 of 40' }).waitFor();
  await page.getByRole('heading', { name: 'Sample 3', exact: true }).waitFor();
  assert.deepEqual((await state('a')).slice(1, 3), ['cls == 0', 3]);
  assert.deepEqual((await state('a'))[5], [3, 6]);
  // Who sets it hears nothing of it; before anything is open it holds for what is opened next.
  assert.deepEqual(
    await page.locator('#a').evaluate((v) => {
      const told = [];
      v.addEventListener('select', (e) => told.push(e.detail.picked));
      v.picked = [1, 2];
      return [v.picked, told];
    }),
    [[1, 2], []],
  );
  assert.deepEqual(
    await page.evaluate(async () => {
      const v = document.createElement('forebay-viewer');
      v.picked = [2, 5, 1e9];
      document.body.append(v);
      await v.open(await (await fetch(document.querySelector('#a').src)).blob(), { name: 'a.tbl' });
      const { picked } = v;
      v.remove();
      return picked;
    }),
    [2, 5],
  );
  assert.deepEqual((await state('b')).slice(1, 3), ['cls == 1', 1], 'the other stays as it is');
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('the page of others stays theirs: address, title, history, storage, keys and text', async () => {
  const page = await shown('two/');
  await tiles(page, 'a').first().waitFor();
  const before = await page.evaluate(() => [location.href, document.title, history.length]);
  await page.locator('#field').focus();
  for (const key of ['t', 'o', 'd', '?', 'Escape', 'End']) await page.keyboard.press(key);
  await page.locator('h1', { hasText: 'Theirs' }).click();
  for (const key of ['t', 'd', '?', 'End']) await page.keyboard.press(key);
  assert.deepEqual(
    await page.evaluate(() =>
      ['a', 'b'].map((id) => [document.getElementById(id).view, document.getElementById(id).theme]),
    ),
    [
      ['gallery', null],
      ['table', 'dark'],
    ],
  );
  assert.equal(await page.locator('#field').inputValue(), 'tod?');
  // Within it the keys are its own, and only there.
  await page.locator('#a .scroll').focus();
  await page.keyboard.press('t');
  await page.locator('#a forebay-table').waitFor();
  await page.keyboard.press('b');
  await page.keyboard.press('?');
  await page.locator('#a forebay-help dialog[open]').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#b forebay-help dialog[open]').count(), 0);
  assert.deepEqual(await page.evaluate(() => [location.href, document.title, history.length]), before);
  const kept = await page.evaluate(async () => [localStorage.length, (await indexedDB.databases()).length]);
  assert.deepEqual(kept, [0, 0]);
  const looks = await page
    .locator('#a')
    .evaluate((v) => [getComputedStyle(v).letterSpacing, getComputedStyle(v).textAlign]);
  assert.deepEqual(looks, ['normal', 'start']);
  assert.deepEqual(await axe(page), []);
  await page.close();
});

test('slots take own buttons and panels, what is named by hide is gone, and the keys of slots are theirs', async () => {
  const page = await shown('slots/');
  await tiles(page, 'a').first().waitFor();
  assert.ok(await page.locator('#mine').isVisible());
  const [viewer, panel, list] = await Promise.all(
    ['#a', '#panel', '#a forebay-gallery .scroll'].map((what) => page.locator(what).boundingBox()),
  );
  assert.ok(panel.x >= list.x + list.width - 1 && panel.x + panel.width <= viewer.x + viewer.width + 1);
  assert.equal(await page.locator('#nothing').isVisible(), false);
  for (const gone of ['forebay-open', 'forebay-facets', '.brand', 'button[aria-label="Dark or light"]'])
    assert.equal(await page.locator(`#a ${gone}`).count(), 0, gone);
  assert.equal(await page.getByRole('button', { name: 'Convert' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Check' }).count(), 1);
  await page.locator('#mine').focus();
  await page.keyboard.press('t');
  await page.locator('#a .scroll').focus();
  await page.keyboard.press('e');
  await page.keyboard.press('d');
  assert.deepEqual(await page.locator('#a').evaluate((v) => [v.view, v.theme]), ['gallery', null]);
  // While one edits, too: reviews are made by keys.
  await page.locator('#a').evaluate((v) => {
    globalThis.edits = [];
    v.addEventListener('edit', (e) => globalThis.edits.push(e.detail));
    const note = document.createElement('div');
    Object.assign(note, { id: 'note', contentEditable: 'true' });
    document.querySelector('#panel').append(note);
    [v.selected, v.editable] = [5, true];
  });
  await page.locator('#a forebay-edit-bar').waitFor();
  await page.locator('#a forebay-drawing').waitFor();
  await page.locator('#note').click();
  await page.keyboard.type('war fans');
  await page.locator('#mine').focus();
  await page.keyboard.press('r');
  assert.equal(await page.locator('#note').textContent(), 'war fans');
  // A letter that is composed is none of its keys either.
  await page.locator('#a').evaluate((v) => {
    const stage = v.shadowRoot.querySelector('forebay-sample').shadowRoot.querySelector('.stage');
    const key = { key: 'r', isComposing: true, bubbles: true, composed: true };
    stage.dispatchEvent(new KeyboardEvent('keydown', key));
  });
  // Nobody judges what they do not see.
  await page.locator('#a').evaluate((v) => (v.hide += ' sample'));
  await page.locator('#a forebay-sample').waitFor({ state: 'detached' });
  await page.locator('#a .scroll').focus();
  await page.keyboard.press('a');
  assert.deepEqual(await page.evaluate(() => globalThis.edits), []);
  await page.locator('#a').evaluate((v) => v.edits.stop());
  await page.locator('#a').evaluate((v) => v.close());
  await page.locator('#nothing').waitFor();
  await told(page, 'a', 'close', 1);
  assert.deepEqual(await axe(page), []);
  await page.close();
});

test('methods and providers open files, texts and sources; what fails is an event and rejects', async () => {
  const page = await shown('empty/');
  const viewer = page.locator('forebay-viewer');
  const opened = await viewer.evaluate(async (v) => {
    const bytes = await (await fetch('/b.tar')).arrayBuffer();
    const source = {
      byteLength: bytes.byteLength,
      name: 'made.tar',
      read: async (from, to) => new Uint8Array(bytes, from, to - from),
    };
    const seen = [];
    for (const [input, options] of [
      [new File([bytes], 'file.tar')],
      [new Blob([bytes]), { name: 'blob.tar' }],
      ['/a.tar'],
      [source],
      [new File([await (await fetch('/rows.csv')).blob()], 'rows.csv')],
    ]) {
      const found = await v.open(input, options);
      seen.push([found.kind, found.name, found.length, found === v.opened]);
    }
    return seen;
  });
  assert.deepEqual(opened, [
    ['samples', 'file.tar', 9, true],
    ['samples', 'blob.tar', 9, true],
    ['samples', 'a.tar', 40, true],
    ['samples', 'made.tar', 9, true],
    ['table', 'rows.csv', 2, true],
  ]);
  await page.getByRole('grid').getByText('two').waitFor();
  assert.deepEqual(await heard(page, '', 'select'), []);
  await page.getByRole('grid').getByText('two').click();
  await told(page, '', 'select', 1);
  assert.equal((await heard(page, '', 'select'))[0].selected, 1);
  const failed = await viewer.evaluate((v) =>
    v.open(new File([new Uint8Array(2000).fill(7)], 'wrong.bin')).then(
      () => null,
      (e) => [e.code, e.message.length > 10, v.opened],
    ),
  );
  assert.deepEqual(failed, ['format.unknown', true, null]);
  const [error] = await heard(page, '', 'error');
  assert.deepEqual([error.name, error.code], ['wrong.bin', 'format.unknown']);
  // A provider gives what an address stands for, and hears when it is no longer wanted.
  await viewer.evaluate((v) => {
    globalThis.asked = [];
    v.dataProvider = async (src, { signal }) => {
      globalThis.asked.push(src);
      if (src === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
      if (src === 'secret') throw new Error('sign in first');
      return (await fetch(`/${src}.tar`)).blob();
    };
    v.src = 'slow';
  });
  await until(() => page.evaluate(() => globalThis.asked.includes('slow')), 'it is asked for slow');
  await viewer.evaluate((v) => (v.src = 'b'));
  await until(() => viewer.evaluate((v) => v.opened?.length === 9), 'b is open');
  await viewer.evaluate((v) => (v.src = 'secret'));
  await page.getByText('sign in first').waitFor();
  await viewer.evaluate((v) => (v.src = null));
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what a page sets before the element is known holds', async () => {
  const page = await shown('early/');
  await page.locator('#a forebay-table').waitFor();
  await page.locator('.selection b', { hasText: '2 selected' }).waitFor();
  assert.deepEqual(await page.locator('#a').evaluate((v) => v.picked), [1, 3]);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what is on no page yet opens files too, and shows them once it is', async () => {
  const page = await shown('empty/');
  const opened = await page.evaluate(async () => {
    const lengths = [];
    for (const name of ['a.tar', 'rows.csv']) {
      const v = document.createElement('forebay-viewer');
      const file = new File([await (await fetch(`/${name}`)).blob()], name);
      const late = new Promise((_, reject) => setTimeout(() => reject(new Error('it never opens')), 10_000));
      lengths.push((await Promise.race([v.open(file), late])).length);
      document.querySelector('main').append(v);
    }
    return lengths;
  });
  assert.deepEqual(opened, [40, 2]);
  await page.getByRole('gridcell', { name: 'two' }).waitFor();
  await page.locator('.tile canvas[data-ready]').first().waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('whoever is asked last is shown, however long others take to find out what they open', async () => {
  const page = await shown('empty/');
  const told = await page.locator('forebay-viewer').evaluate(async (v) => {
    const fileOf = async (name) => new File([await (await fetch(`/${name}.tar`)).blob()], `${name}.tar`);
    const [a, b] = [await fileOf('a'), await fileOf('b')];
    let give = null;
    const later = () => new Promise((resolve) => (give = () => resolve(a)));
    const asked = async () => {
      while (!give) await new Promise((go) => setTimeout(go, 10));
    };
    const given = async () => {
      give();
      give = null;
      await new Promise((go) => setTimeout(go, 300));
    };
    // A handle whose file takes its time.
    const first = v.open({ kind: 'file', name: 'a.tar', getFile: later }).then(
      () => 'opened',
      (e) => e.name,
    );
    const second = await v.open(b);
    await given();
    const seen = [await first, v.opened === second];
    // An address whose source does.
    v.dataProvider = later;
    v.src = 'slow';
    await asked();
    const third = await v.open(b);
    await given();
    seen.push(v.opened === third);
    v.src = 'slower';
    await asked();
    v.close();
    await given();
    return [...seen, v.opened];
  });
  assert.deepEqual(told, ['AbortError', true, true, null]);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('what is taken off the page while it opens something opens nothing, and leaves the edits to others', async () => {
  const page = await shown('two/');
  await tiles(page, 'a').first().waitFor();
  const found = await page.evaluate(async () => {
    const [a, b] = ['a', 'b'].map((id) => document.getElementById(id));
    const blob = await (await fetch('/a.tar')).blob();
    a.src = b.src = null;
    a.editable = b.editable = true;
    const coming = a.open(blob, { name: 'gone.tar' }).then(
      () => 'open',
      (e) => e.name,
    );
    a.remove();
    const left = [await coming, a.opened];
    await b.open(blob, { name: 'gone.tar' });
    for (let tries = 0; tries < 200 && b.edits?.state !== 'on' && !b.edits?.failure; tries++)
      await new Promise((go) => setTimeout(go, 50));
    return [...left, b.edits.state, b.edits.failure];
  });
  assert.deepEqual(found, ['AbortError', null, 'on', null]);
  await page.close();
});

test('it is laid out by its own size, takes colors and parts, and goes on when it is moved', async () => {
  const page = await shown('two/', { viewport: { width: 1200, height: 1000 } });
  await tiles(page, 'a').first().waitFor();
  await page.getByRole('button', { name: 'Check' }).first().waitFor();
  await page.locator('#a').evaluate((v) => v.classList.add('narrow', 'colored'));
  await page.locator('#a forebay-menu[label=More]').waitFor();
  assert.equal(await page.locator('#a forebay-facets').isVisible(), false);
  assert.equal(await page.locator('#b forebay-facets').isVisible(), true);
  assert.deepEqual(
    await page
      .locator('#a .top')
      .evaluate((top) => [getComputedStyle(top).borderBottomWidth, getComputedStyle(top).getPropertyValue('--accent')]),
    ['7px', '#aa0055'],
  );
  assert.equal((await page.locator('#a').boundingBox()).height, 600);
  await page.locator('#a').evaluate((v) => document.querySelector('main').append(v));
  await told(page, 'a', 'open', 2);
  await tiles(page, 'a').first().waitFor();
  await page.locator('#b').evaluate((v) => v.remove());
  assert.equal(await page.locator('#a').evaluate((v) => v.opened.length), 40);
  // So does what was handed to it; what was closed stays closed.
  await page.locator('#a').evaluate(async (v) => {
    v.src = null;
    await v.updateComplete;
    await v.open(new File([await (await fetch('/b.tar')).blob()], 'b.tar'));
    document.body.append(v);
  });
  await until(() => page.locator('#a').evaluate((v) => v.opened?.length === 9), 'it is open again');
  await page.locator('#a').evaluate((v) => {
    v.close();
    document.querySelector('main').append(v);
  });
  await page.waitForTimeout(200);
  assert.equal(await page.locator('#a').evaluate((v) => v.opened), null);
  assert.deepEqual(page.faults, []);
  await page.close();
});
