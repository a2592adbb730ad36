// The npm package `@forebay/viewer`: the element in modules that are fetched when they are needed, wrappers for React and Vue,
// and types. `forebay`, React and Vue stay outside; Lit is in it, so that a page without a bundler needs no map for it.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePackages } from './lib/npm.mjs';
import { ROOT, isMain, main, run } from './lib/run.mjs';

const FOLDER = join(ROOT, 'www/viewer');
const ENTRIES = ['index', 'react', 'vue', 'server', 'messages'];
/** Modules that only say what is public, which the types of the entries stand on. */
const ROOMS = [
  'common',
  'curating',
  'dialogs',
  'drawing',
  'editing',
  'files',
  'mapping',
  'pictures',
  'samples',
  'shell',
  'tables',
  'ui',
];
const PUBLIC = [
  ...['index', 'react', 'vue', 'messages', 'public/element'],
  ...['en', 'language', ...ROOMS].map((name) => `messages/${name}`),
];

/** Builds into `www/viewer/dist`. */
export async function buildViewer() {
  await ensurePackages();
  // Not above: in a fresh clone there are no packages yet when this file is loaded.
  const { build } = await import('esbuild');
  const dist = join(FOLDER, 'dist');
  rmSync(dist, { recursive: true, force: true });
  await build({
    entryPoints: ENTRIES.map((name) => join(FOLDER, `src/${name}.ts`)),
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    format: 'esm',
    target: 'es2022',
    minify: true,
    external: ['forebay', '@forebay/viewer', 'react', 'vue'],
    tsconfig: join(FOLDER, 'tsconfig.json'),
    logLevel: 'warning',
  });
  await buildTypes(dist);
}

/** Builds the widget of notebooks, one file with everything but WebAssembly and the worker, into `dist/widget`. Needs the package. */
export async function buildWidget() {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(FOLDER, 'src/widget.ts')],
    outfile: join(ROOT, 'dist/widget/widget.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    alias: { forebay: join(ROOT, 'www/lib/dist/index.js') },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
    logLevel: 'warning',
  });
}

/** Of all the types that the compiler writes, those of the entries are kept: the others are nobody's. */
async function buildTypes(dist) {
  mkdirSync(join(ROOT, 'target'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'target/viewer-types-'));
  try {
    await run('npx', ['--no-install', 'tsc', '-p', 'www/viewer/tsconfig.package.json', '--outDir', folder]);
    const all = readdirSync(folder, { recursive: true });
    for (const name of PUBLIC) {
      const found = all.find((path) => path.endsWith(`viewer/src/${name}.d.ts`) || path === `${name}.d.ts`);
      const text = readFileSync(join(folder, found), 'utf8').replace(/(from "\.[^"]*)\.ts"/g, '$1.js"');
      mkdirSync(dirname(join(dist, name)), { recursive: true });
      writeFileSync(join(dist, `${name}.d.ts`), text);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await buildViewer();
    await buildWidget();
  });
}
