// The packed tarball, installed, in the usual kinds of app: Node, no bundler at all, inside a worker, Vite, webpack.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EXPECTED, PAGE, SHOW, app, shown, skip, start, stop } from './apps.mjs';
import { tarOf } from './helpers.mjs';

before(start);
after(stop);

test('Node', () => {
  const root = app('node', {});
  writeFileSync(join(root, 'a.tar'), tarOf(5, 200));
  // In Node a path is a path; the others have addresses.
  writeFileSync(
    join(root, 'main.mjs'),
    "import { work } from './work.js'; console.log(await work(import.meta.url));\n",
  );
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  assert.equal(
    execFileSync(process.execPath, ['main.mjs'], { cwd: root, encoding: 'utf8', timeout: 180_000 }).trim(),
    EXPECTED,
  );
});

test('no bundler', { skip }, async () => {
  app('plain', {
    'main.js': `import { work } from './work.js';\n${SHOW}`,
    'index.html': PAGE,
  });
  await shown('plain');
});

test('inside a worker', { skip }, async () => {
  app('worker', {
    'main.js': "new Worker('./own.js', { type: 'module' }).onmessage = (e) => (document.title = e.data);\n",
    'own.js':
      "import { work } from './work.js';\nwork(location.href).then(postMessage, (e) => postMessage('failed: ' + e.stack));\n",
    'index.html': PAGE,
  });
  await shown('worker');
});

test('Vite', { skip }, async () => {
  const { build } = await import('vite');
  const root = app('vite', {
    'main.js': `import { work } from './work.js';\n${SHOW}`,
    'index.html': PAGE,
  });
  await build({
    root,
    base: './',
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: { target: 'esnext' },
  });
  const workers = readdirSync(join(root, 'dist/assets')).filter((name) => /^worker.*\.js$/.test(name));
  assert.equal(workers.length, 1, workers.join());
  await shown('vite/dist');
});

test('webpack', { skip }, async () => {
  const { default: webpack } = await import('webpack');
  const root = app('webpack', { 'main.js': `import { work } from './work.js';\n${SHOW}` });
  const stats = await new Promise((resolve, reject) => {
    webpack(
      {
        mode: 'production',
        context: root,
        entry: './main.js',
        output: { path: join(root, 'dist'), filename: 'main.js', publicPath: 'auto' },
        experiments: { outputModule: true },
      },
      (e, done) => (e ? reject(e) : resolve(done)),
    );
  });
  assert.ok(!stats.hasErrors(), stats.toString());
  writeFileSync(join(root, 'dist/index.html'), PAGE);
  await shown('webpack/dist');
});
