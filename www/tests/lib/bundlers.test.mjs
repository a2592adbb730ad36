// The packed tarball in the bundlers that need a line of configuration, each with the line that README.md gives: esbuild,
// Rollup, Parcel, Next.js on the server; and from another origin, without a bundler.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import { PAGE, SHOW, app, cdnOrigin, folder, shown, skip, start, stop } from './apps.mjs';
import { ROOT, tarOf } from './helpers.mjs';

/** Where the bundlers are that nothing but this file needs: together they are larger than all else. */
const TOOLS = join(ROOT, 'target/bundlers');
const WANTED = join(ROOT, 'www/tests/lib/bundlers/package.json');
const MAIN = `import { work } from './work.js';\n${SHOW}`;
/** What README.md says where a bundler leaves the files behind. */
const CONFIGURED = `import { configure } from 'forebay';\nimport { work } from './work.js';\nconfigure({ workerUrl: 'forebay/worker.js', wasmUrl: 'forebay/forebay.wasm' });\n${SHOW}`;

function copyFiles(to) {
  mkdirSync(to, { recursive: true });
  const dist = join(folder, 'node_modules/forebay/dist');
  for (const name of readdirSync(dist))
    if (name.endsWith('.wasm') || name === 'worker.js') copyFileSync(join(dist, name), join(to, name));
}

/** A module of the bundlers' own packages. */
async function tool(name) {
  return import(pathToFileURL(createRequire(`${TOOLS}/`).resolve(name)));
}

before(async () => {
  const installed = join(TOOLS, 'package.json');
  if (!existsSync(join(TOOLS, 'node_modules')) || readFileSync(installed, 'utf8') !== readFileSync(WANTED, 'utf8')) {
    console.log(
      '# installing Rollup, Parcel and Next.js into target/bundlers, for the tests of the package: about 450 MB, once',
    );
    mkdirSync(TOOLS, { recursive: true });
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefix', TOOLS, ...dependencies()], {
      cwd: TOOLS,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    copyFileSync(WANTED, installed);
  }
  await start();
});
after(stop);

function dependencies() {
  return Object.entries(JSON.parse(readFileSync(WANTED, 'utf8')).dependencies).map(
    ([name, version]) => `${name}@${version}`,
  );
}

test('esbuild, with the files copied and named', { skip }, async () => {
  const { build } = await import('esbuild');
  const root = app('esbuild', { 'main.js': CONFIGURED });
  await build({
    entryPoints: [join(root, 'main.js')],
    bundle: true,
    format: 'esm',
    outfile: join(root, 'dist/main.js'),
    logLevel: 'error',
  });
  copyFiles(join(root, 'dist/forebay'));
  writeFileSync(join(root, 'dist/index.html'), PAGE);
  await shown('esbuild/dist');
});

test('Rollup, with its plugin for assets', { skip }, async () => {
  const { rollup } = await tool('rollup');
  const { nodeResolve } = await tool('@rollup/plugin-node-resolve');
  const { importMetaAssets } = await tool('@web/rollup-plugin-import-meta-assets');
  const root = app('rollup', { 'main.js': MAIN });
  const bundle = await rollup({
    input: join(root, 'main.js'),
    plugins: [nodeResolve({ browser: true }), importMetaAssets()],
    logLevel: 'silent',
  });
  await bundle.write({ dir: join(root, 'dist'), format: 'esm' });
  writeFileSync(join(root, 'dist/index.html'), PAGE);
  await shown('rollup/dist');
});

test('Rollup without the plugin, with the files copied and named', { skip }, async () => {
  const { rollup } = await tool('rollup');
  const { nodeResolve } = await tool('@rollup/plugin-node-resolve');
  const root = app('rollup-plain', { 'main.js': CONFIGURED });
  const bundle = await rollup({
    input: join(root, 'main.js'),
    plugins: [nodeResolve({ browser: true })],
    logLevel: 'silent',
  });
  await bundle.write({ dir: join(root, 'dist'), format: 'esm' });
  copyFiles(join(root, 'dist/forebay'));
  writeFileSync(join(root, 'dist/index.html'), PAGE);
  await shown('rollup-plain/dist');
});

test('a CDN: the package comes from another origin', { skip }, async () => {
  const root = app('cdn', { 'main.js': MAIN });
  const work = join(root, 'work.js');
  writeFileSync(work, readFileSync(work, 'utf8').replace("'forebay'", `'${cdnOrigin()}/forebay/dist/index.js'`));
  writeFileSync(join(root, 'index.html'), PAGE);
  await shown('cdn');
});

/** An app beside the bundlers, which look for their parts from the app on, with the package installed beside them. */
function appOfTools(name) {
  const root = join(TOOLS, name);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  rmSync(join(TOOLS, 'node_modules/forebay'), { recursive: true, force: true });
  cpSync(join(folder, 'node_modules/forebay'), join(TOOLS, 'node_modules/forebay'), { recursive: true });
  return root;
}

test('Parcel', { skip }, async () => {
  const root = appOfTools('parcel-app');
  const source = app('parcel', { 'main.js': MAIN });
  for (const name of ['main.js', 'work.js']) copyFileSync(join(source, name), join(root, name));
  writeFileSync(join(root, 'package.json'), '{ "private": true }');
  writeFileSync(join(root, 'index.html'), PAGE);
  const { bin } = JSON.parse(readFileSync(join(TOOLS, 'node_modules/parcel/package.json'), 'utf8'));
  const parcel = join(TOOLS, 'node_modules/parcel', bin.parcel ?? bin);
  const options = [
    '--public-url',
    './',
    '--dist-dir',
    join(source, 'dist'),
    '--no-cache',
    '--no-source-maps',
    '--log-level',
    'error',
  ];
  execFileSync(process.execPath, [parcel, 'build', join(root, 'index.html'), ...options], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 300_000,
  });
  await shown('parcel/dist');
});

test('Next.js on the server: a route handler opens a dataset', async () => {
  const root = appOfTools('next-app');
  mkdirSync(join(root, 'app/api'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "private": true }');
  writeFileSync(
    join(root, 'next.config.mjs'),
    `import { join } from 'node:path';\nexport default { turbopack: { root: join(import.meta.dirname, '..') } };\n`,
  );
  writeFileSync(
    join(root, 'app/layout.js'),
    'export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n',
  );
  writeFileSync(join(root, 'app/page.js'), 'export default function Page() { return <p>page</p>; }\n');
  writeFileSync(
    join(root, 'app/api/route.js'),
    `import { openSamples } from 'forebay';
export const dynamic = 'force-dynamic';
export async function GET() {
  const ds = await openSamples(process.env.DATASET);
  return Response.json({ samples: ds.length, matches: [...(await ds.matches('cls == 1'))], shape: (await ds.tensor(2, { size: [8, 8] })).shape });
}
`,
  );
  writeFileSync(join(root, 'a.tar'), tarOf(5, 200));
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', DATASET: join(root, 'a.tar') };
  const next = join(TOOLS, 'node_modules/next/dist/bin/next');
  execFileSync(process.execPath, [next, 'build'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 300_000,
  });
  const child = spawn(process.execPath, [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const address = await new Promise((resolve, reject) => {
      let said = '';
      child.on('exit', (code) => reject(new Error(`next ended with ${code}: ${said}`)));
      child.stdout.on('data', (text) => {
        said += text;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
        if (found && /Ready/.test(said)) resolve(found[0]);
      });
    });
    const response = await fetch(`${address}/api`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.deepEqual(JSON.parse(text), { samples: 5, matches: [1, 4], shape: [3, 8, 8] });
  } finally {
    child.kill();
  }
});
