// The widget of notebooks, over a kernel that is played here: what it asks for, what it shows, what it tells.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { convert, memorySink } from 'forebay';
import { ROOT, launch, newPage, until } from '../browser.mjs';
import { moduleFile, tarOf } from '../lib/helpers.mjs';
import { serve } from './host.mjs';

const PAGE =
  '<!doctype html><html lang="en"><head><title>Notebook</title><link rel="icon" href="data:,"></head><body></body></html>';
let browser, site;
before(async () => {
  // Notebooks have no policy: their scripts are loaded from what is in memory.
  site = await serve((path) => (path === '/' ? PAGE : join(ROOT, 'dist/widget', path)), null);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.close();
});

/** A page with a widget for each of these files, and what the kernel is asked. */
async function shown(datasets) {
  const page = await newPage(browser);
  // Notebooks come over plain HTTP from other machines too, and then there is none.
  await page.addInitScript(() => delete Crypto.prototype.randomUUID);
  const asked = [];
  await page.exposeFunction('kernel', (of, { kind, name, start, end }) => {
    asked.push(kind === 'asset' ? name : `${of} ${kind}`);
    const bytes =
      kind === 'asset'
        ? readFileSync(name.endsWith('.wasm') ? moduleFile(name.slice(0, -5)) : join(ROOT, 'www/lib/dist', name))
        : Buffer.from(datasets[of][1].subarray(start, end));
    return bytes.toString('base64');
  });
  await page.goto(site.url);
  await page.evaluate(
    async (about) => {
      const text = await (await fetch('/widget.js')).text();
      globalThis.models = {};
      for (const [of, [name, size]] of Object.entries(about)) {
        const state = {
          filter: '',
          selected: null,
          view: 'gallery',
          theme: null,
          editable: false,
          hide: 'open',
          picked: of === 'b' ? [2] : [],
          height: 420,
          _name: name,
          _bytes: size,
        };
        const listeners = new Map();
        const model = {
          get: (name) => state[name],
          set: (name, value) => (state[name] = value),
          save_changes: () => undefined,
          on: (event, listener) => listeners.set(event, listener),
          off: (event) => listeners.delete(event),
          send(question) {
            globalThis.kernel(of, question).then(
              (packed) => {
                const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
                listeners.get('msg:custom')?.({ id: question.id }, [new DataView(bytes.buffer)]);
              },
              (e) => listeners.get('msg:custom')?.({ id: question.id, error: e.message }, []),
            );
          },
        };
        globalThis.models[of] = { state, listeners };
        const el = document.createElement('div');
        el.id = of;
        document.body.append(el);
        // As anywidget does it: each widget has a copy of the script.
        const { default: widget } = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
        globalThis.models[of].coming = widget.render({ model, el });
      }
    },
    Object.fromEntries(Object.entries(datasets).map(([of, [name, bytes]]) => [of, [name, bytes.length]])),
  );
  return { page, asked };
}

test('two widgets show their datasets by what the kernel gives, and tell what is done', async () => {
  const { page, asked } = await shown({ a: ['a.tar', tarOf(9, 60)], b: ['b.tar', tarOf(5, 60)] });
  const tiles = (of) => page.locator(`#${of} .tile canvas[data-ready]`);
  await tiles('a').first().waitFor();
  await tiles('b').first().waitFor();
  assert.deepEqual([...new Set(asked)].sort(), ['a read', 'b read', 'forebay.wasm', 'worker.js']);
  assert.equal(asked.filter((name) => name.endsWith('.wasm')).length, 1, 'one of them asks for what both need');
  await tiles('a').nth(4).click();
  const state = (of) => page.evaluate((of) => globalThis.models[of].state, of);
  await until(async () => (await state('a')).selected === 4, 'the kernel knows what is open');
  assert.equal((await state('b')).selected, null);
  await page.evaluate(() => {
    const { state, listeners } = globalThis.models.b;
    state.filter = 'cls == 1';
    listeners.get('change:filter')();
  });
  await page.locator('#b .counts', { hasText: '2 of 5' }).waitFor();
  // What is picked can be set, before it is open and later, and how samples are shown is told.
  const picked = (of) => page.locator(`#${of} forebay-viewer`).evaluate((viewer) => viewer.picked);
  await until(async () => (await picked('b')).join() === '2', 'what was picked at first is picked');
  await page.evaluate(() => {
    const { state, listeners } = globalThis.models.a;
    state.picked = [1, 3];
    listeners.get('change:picked')();
  });
  assert.deepEqual(await picked('a'), [1, 3]);
  await page.locator('#a .scroll').focus();
  await page.keyboard.press('t');
  await until(async () => (await state('a')).view === 'table', 'the kernel knows of the table');
  await page.locator('#a forebay-table').waitFor();
  await page.keyboard.press('g');
  await tiles('a').first().waitFor();
  // The last one goes; the other asks for what it needs, for itself.
  await page.evaluate(async () => (await globalThis.models.b.coming)());
  assert.equal(await page.locator('#b forebay-viewer').count(), 0);
  await page.locator('#a .tile').first().focus();
  await page.keyboard.press('u');
  const dialog = page.locator('#a forebay-curate dialog');
  await dialog.getByRole('button', { name: 'Look at all 9 samples' }).click();
  await dialog.getByText('No duplicates among 9 samples').waitFor();
  assert.ok(asked.includes('pixels.wasm'), asked.join());
  await page.evaluate(async () => (await globalThis.models.a.coming)());
  assert.equal(await page.locator('#a forebay-viewer').count(), 0);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a table is opened with the module that reads it', async () => {
  const sink = memorySink();
  await convert(new File(['id,name\n1,gull\n2,pier\n'], 'birds.csv'), sink, { to: 'parquet' });
  const { page, asked } = await shown({ a: ['birds.parquet', Buffer.from(sink.bytes())] });
  // The kernel hands over a module of twenty megabytes, which takes a busy machine a while.
  await page.locator('#a').getByText('gull').first().waitFor({ timeout: 120_000 });
  assert.ok(asked.includes('columns.wasm'), asked.join());
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('a kernel that does not answer at first is asked again by the next widget', async () => {
  const page = await newPage(browser);
  await page.goto(site.url);
  const told = await page.evaluate(async () => {
    const text = await (await fetch('/widget.js')).text();
    const { default: widget } = await import(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
    const asked = [];
    const render = () => {
      let hear;
      const model = {
        get: () => undefined,
        on: (_, listener) => (hear = listener),
        off: () => undefined,
        send(question) {
          asked.push(question.name);
          setTimeout(() => hear({ id: question.id, error: 'the kernel is busy' }, []));
        },
      };
      return widget.render({ model, el: document.body }).then(
        () => 'shown',
        (e) => e.message,
      );
    };
    return [await render(), await render(), asked];
  });
  assert.deepEqual(told, ['the kernel is busy', 'the kernel is busy', ['worker.js', 'worker.js']]);
  await page.close();
});
