// What the README of `@forebay/viewer` shows: each piece is on a page of its own, opens a dataset and hears of a click.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { ROOT, launch, newPage, until } from '../browser.mjs';
import { tarOf } from '../lib/helpers.mjs';
import { serve } from './host.mjs';

const README = readFileSync(join(ROOT, 'www/viewer/README.md'), 'utf8');
const piece = (kind) => {
  const found = [...README.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms'))];
  assert.equal(found.length, 1, `pieces of ${kind}`);
  return found[0][1];
};
const DIST = join(ROOT, 'www/viewer/dist');
const MAP = `<script type="importmap">${JSON.stringify({
  imports: {
    forebay: '/node_modules/forebay/dist/index.js',
    '@forebay/viewer': '/node_modules/@forebay/viewer/dist/index.js',
  },
})}</script>`;
const pageOf = (body) =>
  `<!doctype html><html lang="en"><head><title>App</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">${body}</body></html>`;
const CSS = 'forebay-viewer { display: block; height: 600px; }';

let folder, site, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forebay-readme-'));
  writeFileSync(join(folder, 'train.tar'), tarOf(9, 60));
  writeFileSync(join(folder, 'page.css'), CSS);
  const pages = {
    // Its height is a style of the element: a page whose policy forbids those says it in a sheet.
    '/html/': pageOf(`</head><body>${piece('html').replace(/ style="[^"]*"/, '')}`),
    ...Object.fromEntries(
      ['js', 'jsx', 'vue'].map((name) => [
        `/${name}/`,
        pageOf(`${MAP}</head><body><div id="app"></div><script type="module" src="/${name}.js"></script>`),
      ]),
    ),
  };
  site = await serve((path) => {
    const installed = /^\/node_modules\/(forebay|@forebay\/viewer)\/(.*)$/.exec(path);
    const place = { forebay: 'www/lib', '@forebay/viewer': 'www/viewer' };
    return pages[path] ?? (installed ? join(ROOT, place[installed[1]], installed[2]) : join(folder, path));
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes a script of sources, with the frameworks in it. */
async function bundle(name, sources, plugins = []) {
  for (const [path, text] of Object.entries(sources)) writeFileSync(join(folder, path), text);
  await build({
    entryPoints: [join(folder, `${name}-main.js`)],
    bundle: true,
    format: 'esm',
    outfile: join(folder, `${name}.js`),
    external: ['forebay', '@forebay/viewer'],
    alias: { '@forebay/viewer/react': join(DIST, 'react.js'), '@forebay/viewer/vue': join(DIST, 'vue.js') },
    nodePaths: [join(ROOT, 'node_modules')],
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    jsx: 'automatic',
    plugins,
    logLevel: 'error',
  });
}

/** Opens a page, clicks the second picture, and waits for what is heard of it. */
async function shown(name, heard) {
  const page = await newPage(browser);
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  await page.goto(`${site.url}${name}/`);
  const picture = page.locator('.tile canvas[data-ready]').nth(1);
  await picture.waitFor();
  await picture.click();
  await page.locator('forebay-sample').waitFor();
  if (heard) await until(() => said.includes(heard), `${name} says ${heard}`);
  assert.deepEqual(
    // React and the page set the height as a style, which this page's policy leaves out.
    page.faults.filter((text) => !/inline style/.test(text)),
    [],
  );
  await page.close();
}

test('on a page', () => shown('html'));

test('in a module', async () => {
  const example = piece('js').replace('import "@forebay/viewer";', '');
  writeFileSync(
    join(folder, 'js.js'),
    `import "@forebay/viewer";
document.querySelector("#app").append(document.createElement("forebay-viewer"));
const file = new File([await (await fetch("/train.tar")).blob()], "train.tar");
${example}
viewer.selected = null;`,
  );
  const page = await newPage(browser);
  await page.goto(`${site.url}js/`);
  await page.locator('.counts', { hasText: '3 of 9' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
  await shown('js', '4 []');
});

test('in another language', async () => {
  const example = piece('ts').replace('import "@forebay/viewer";', '');
  writeFileSync(
    join(folder, 'js.js'),
    `import "@forebay/viewer";
document.querySelector("#app").append(Object.assign(document.createElement("forebay-viewer"), { src: "/train.tar" }));
${example}`,
  );
  const page = await newPage(browser);
  await page.goto(`${site.url}js/`);
  await page.getByRole('button', { name: 'Prüfen' }).waitFor();
  await page.locator('.facts', { hasText: '9 Bilder' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
});

test('in React', async () => {
  await bundle('jsx', {
    'Browse.jsx': piece('jsx'),
    'jsx-main.js': `import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { Browse } from './Browse.jsx';
createRoot(document.querySelector('#app')).render(createElement(Browse, { src: '/train.tar', onPick: (i) => console.log('picked', i) }));`,
  });
  await shown('jsx', 'picked 1');
});

test('in Vue', async () => {
  const { parse, compileScript } = await import('vue/compiler-sfc');
  const { descriptor, errors } = parse(piece('vue'));
  assert.deepEqual(errors, []);
  await bundle('vue', {
    'browse.js': compileScript(descriptor, { id: 'browse', inlineTemplate: true }).content,
    'vue-main.js': `import { createApp, h } from 'vue';
import Browse from './browse.js';
createApp({ render: () => h(Browse, { src: '/train.tar', onPick: (i) => console.log('picked', i) }) }).mount('#app');`,
  });
  await shown('vue', 'picked 1');
});

test('its tables name what there is', () => {
  const types = readFileSync(join(ROOT, 'www/viewer/src/public/element.ts'), 'utf8');
  const between = (from, to) => types.slice(types.indexOf(from), types.indexOf(to, types.indexOf(from)));
  const members = [...between('export interface ViewerMembers', '\n}').matchAll(/^ {2}(?:readonly )?(\w+)[:(]/gm)];
  const events = [...between('export interface ViewerEvents', '\n}').matchAll(/^ {2}(\w+):/gm)];
  const hidden = [...between('export type HiddenPart', ';').matchAll(/"(\w+)"/g)];
  for (const [, name] of [...members, ...events, ...hidden]) assert.ok(README.includes(`\`${name}`), name);
});
