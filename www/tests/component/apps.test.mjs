// Both packages as they are published, packed and installed into a fresh folder, in the usual kinds of app: no bundler, Vite,
// webpack, esbuild, React, Vue. Each opens a dataset in Chromium, draws its pictures, and hears what is clicked.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, launch, newPage, until } from '../browser.mjs';
import { tarOf } from '../lib/helpers.mjs';
import { lintPackage } from '../publint.mjs';
import { inFolder, serve } from './host.mjs';

let folder, site, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forebay-apps-'));
  for (const [workspace, name] of [
    ['www/lib', 'forebay'],
    ['www/viewer', '@forebay/viewer'],
  ]) {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
        cwd: join(ROOT, workspace),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    const target = join(folder, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', target, '--strip-components=1']);
  }
  // The frameworks are those that are installed here.
  for (const name of ['react', 'react-dom', 'vue', 'scheduler'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  site = await serve(inFolder(folder));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("publint finds nothing in the element's package", async () => {
  assert.deepEqual(await lintPackage(join(folder, 'node_modules/@forebay/viewer')), []);
});

const STYLE = 'body { margin: 0; } forebay-viewer { height: 600px; }';
const head = (more = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title><link rel="icon" href="data:,"><link rel="stylesheet" href="./page.css">${more}</head>`;
const PAGE = `${head()}<body><main id="app"></main><script type="module" src="./main.js"></script></body></html>`;
/** What every app does, with the element itself. */
const PLAIN = `import '@forebay/viewer';
const viewer = document.createElement('forebay-viewer');
viewer.addEventListener('open', (event) => (document.title = 'open ' + event.detail.dataset.length));
viewer.addEventListener('select', (event) => (document.title = 'selected ' + event.detail.selected));
viewer.filter = 'cls == 1';
viewer.src = new URL('a.tar', location.href).href;
document.querySelector('#app').append(viewer);
`;
const REACT = `import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ForebayViewer } from '@forebay/viewer/react';
function App() {
  const [selected, select] = useState(null);
  return createElement(ForebayViewer, {
    src: new URL('a.tar', location.href).href,
    filter: 'cls == 1',
    selected,
    onOpen: (event) => (document.title = 'open ' + event.detail.dataset.length),
    onSelect: (event) => { select(event.detail.selected); document.title = 'selected ' + event.detail.selected; },
  });
}
createRoot(document.querySelector('#app')).render(createElement(App));
`;
const VUE = `import { createApp, h, ref } from 'vue/dist/vue.runtime.esm-bundler.js';
import { ForebayViewer } from '@forebay/viewer/vue';
const selected = ref(null);
createApp({
  render: () => h(ForebayViewer, {
    src: new URL('a.tar', location.href).href,
    filter: 'cls == 1',
    selected: selected.value,
    onOpen: ({ dataset }) => (document.title = 'open ' + dataset.length),
    onSelect: (detail) => { selected.value = detail.selected; document.title = 'selected ' + detail.selected; },
  }),
}).mount('#app');
`;

/** An app's folder with its sources. */
function app(name, files) {
  const root = join(folder, name);
  mkdirSync(root);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return root;
}

/** Opens the page of an app that was built: the dataset is open, pictures are drawn, a click is heard. */
async function shown(path) {
  writeFileSync(join(folder, path, 'a.tar'), tarOf(9, 60));
  writeFileSync(join(folder, path, 'page.css'), STYLE);
  const page = await newPage(browser);
  await page.goto(`${site.url}${path}/`);
  const titled = (text) =>
    until(async () => (await page.title()) === text, `${path} says ${text}`).catch(async (e) =>
      assert.fail(`${e.message}, but ${await page.title()}\n${page.faults.join('\n')}`),
    );
  await titled('open 9');
  await page.locator('.counts', { hasText: '3 of 9' }).waitFor();
  const picture = page.locator('.tile canvas[data-ready]').nth(1);
  await picture.waitFor();
  await picture.click();
  await titled('selected 4');
  await page.getByRole('heading', { name: 'Sample 4', exact: true }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.close();
}

async function vite(root) {
  const { build } = await import('vite');
  writeFileSync(join(root, 'index.html'), PAGE.replace('<link rel="stylesheet" href="./page.css">', ''));
  await build({
    root,
    base: './',
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: { target: 'esnext', minify: false, modulePreload: { polyfill: false } },
  });
  const page = join(root, 'dist/index.html');
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace('</head>', '<link rel="stylesheet" href="./page.css"></head>'),
  );
}

test('no bundler: a map of imports and a module', async () => {
  const at = (name) => `../node_modules/${name}/dist/index.js`;
  const map = { imports: { forebay: at('forebay'), '@forebay/viewer': at('@forebay/viewer') } };
  const html = `${head(`<script type="importmap">${JSON.stringify(map)}</script>`)}<body><main id="app"></main><script type="module" src="./main.js"></script></body></html>`;
  app('plain', { 'main.js': PLAIN, 'index.html': html });
  await shown('plain');
});

test('Vite', async () => {
  await vite(app('vite', { 'main.js': PLAIN }));
  await shown('vite/dist');
});

test('React, by Vite', async () => {
  await vite(app('react', { 'main.js': REACT }));
  await shown('react/dist');
});

test('Vue, by Vite', async () => {
  await vite(app('vue', { 'main.js': VUE }));
  await shown('vue/dist');
});

test('webpack', async () => {
  const { default: webpack } = await import('webpack');
  const root = app('webpack', { 'main.js': PLAIN });
  const stats = await new Promise((resolve, reject) => {
    webpack(
      {
        mode: 'production',
        context: root,
        entry: './main.js',
        output: { path: join(root, 'dist'), filename: 'main.js', publicPath: 'auto', module: true },
        experiments: { outputModule: true },
        // The packages are small as they are.
        optimization: { minimize: false },
      },
      (e, done) => (e ? reject(e) : resolve(done)),
    );
  });
  assert.ok(!stats.hasErrors(), stats.toString());
  writeFileSync(join(root, 'dist/index.html'), PAGE);
  await shown('webpack/dist');
});

test("esbuild, with the package's files copied and named", async () => {
  const { build } = await import('esbuild');
  const named = `import { configure } from 'forebay';\nconfigure({ workerUrl: 'forebay/worker.js', wasmUrl: 'forebay/forebay.wasm' });\n${PLAIN}`;
  const root = app('esbuild', { 'main.js': named });
  await build({
    entryPoints: [join(root, 'main.js')],
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: join(root, 'dist'),
    logLevel: 'error',
  });
  const files = join(folder, 'node_modules/forebay/dist');
  mkdirSync(join(root, 'dist/forebay'));
  for (const name of readdirSync(files))
    if (name.endsWith('.wasm') || name === 'worker.js')
      copyFileSync(join(files, name), join(root, 'dist/forebay', name));
  writeFileSync(join(root, 'dist/index.html'), PAGE);
  await shown('esbuild/dist');
});

test('Node: what draws pages on a server imports it, and types hold for React, Vue and the element', () => {
  const root = app('node', {
    'main.mjs': "import { ForebayViewer } from '@forebay/viewer';\nconsole.log(typeof ForebayViewer);\n",
    'all.ts': `import { ForebayViewer } from '@forebay/viewer';
import { ForebayViewer as ReactViewer } from '@forebay/viewer/react';
import { ForebayViewer as VueViewer } from '@forebay/viewer/vue';
import { createElement } from 'react';
import { h } from 'vue';
const viewer = new ForebayViewer();
const same: HTMLElement = document.createElement('forebay-viewer');
viewer.addEventListener('select', (event) => { const one: number | null = event.detail.selected; console.log(one, same); });
viewer.open(new File([], 'a.tbl')).then((dataset) => dataset.length);
// @ts-expect-error there is no such view
viewer.view = 'list';
createElement(ReactViewer, { src: 'a.tbl', selected: 3, onOpen: (event) => event.detail.dataset.length, className: 'mine' });
// @ts-expect-error it is a number
createElement(ReactViewer, { selected: '3' });
createElement('forebay-viewer', { src: 'a.tbl', hide: 'brand' });
h(VueViewer, { src: 'a.tbl', onSelect: (detail) => detail.picked.length });
// @ts-expect-error it is a text
h(VueViewer, { src: 3 });
`,
  });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  const node = (...args) => execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 120_000 });
  assert.equal(node('main.mjs').trim(), 'function');
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'],
    types: [],
  };
  for (const [module, moduleResolution] of [
    ['esnext', 'bundler'],
    ['nodenext', 'nodenext'],
  ]) {
    writeFileSync(
      join(root, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, module, moduleResolution }, files: ['all.ts'] }),
    );
    try {
      node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', root);
    } catch (e) {
      assert.fail(`${moduleResolution}: ${e.stdout}`);
    }
  }
});

test('what is packed is what it needs, and nothing else', () => {
  const root = join(folder, 'node_modules/@forebay/viewer');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const places = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(
    about.dependencies.forebay,
    JSON.parse(readFileSync(join(ROOT, 'www/lib/package.json'), 'utf8')).version,
  );
  for (const conditions of Object.values(about.exports)) {
    if (typeof conditions !== 'object') continue;
    assert.equal(Object.keys(conditions)[0], 'types');
    for (const path of Object.values(conditions)) assert.ok(places.includes(path.slice(2)), path);
  }
  assert.ok(
    places.includes('README.md') && !places.some((path) => /^(src|public)\b/.test(dirname(path))),
    places.join('\n'),
  );
});
