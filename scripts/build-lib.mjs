// The npm package `forebay`: types by tsc, modules by esbuild, the WebAssembly beside them. Needs `build-wasm` first.
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MODULES, buildWasm } from './build-wasm.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ROOT, isMain, main, run } from './lib/run.mjs';

/** Builds into `www/lib/dist`; once a process, for nothing that it is made of changes while it runs. */
export function buildLib() {
  built ??= buildOnce();
  return built;
}

let built;

async function buildOnce() {
  await ensurePackages();
  // Not above: in a fresh clone there are no packages yet when this file is loaded.
  const { build } = await import('esbuild');
  const lib = join(ROOT, 'www/lib');
  const dist = join(lib, 'dist');
  const modules = MODULES.map(({ name }) => `${name}.wasm`);
  if (!modules.every((name) => existsSync(join(lib, 'wasm', name)))) await buildWasm();
  rmSync(dist, { recursive: true, force: true });
  await run('npx', ['--no-install', 'tsc', '-p', 'www/lib']);
  // Without source maps: what an app's bundler takes apart is readable as it is, in shorter words alone, and they would be an
  // eighth of the package.
  // The threads of the threaded module run the worker's own script, not the one that its bindings bring.
  const threads = {
    name: 'threads',
    setup: ({ onResolve }) =>
      onResolve({ filter: /workerHelpers\.js$/ }, () => ({ path: join(lib, 'src/worker/threads.ts') })),
  };
  const common = {
    bundle: true,
    minifySyntax: true,
    plugins: [threads],
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  };
  await build({
    ...common,
    entryPoints: [join(lib, 'src/index.ts')],
    outdir: dist,
    splitting: true,
    chunkNames: '[name]-[hash]',
  });
  // A worker is one file, so that its URL is all that a host must know. It is loaded as it is, so it is small.
  await build({ ...common, minify: true, entryPoints: [join(lib, 'src/worker.ts')], outdir: dist });
  // Every browser takes a service worker that is a plain script, and one of the site's own can load it.
  await build({
    ...common,
    minify: true,
    format: 'iife',
    entryPoints: { 'forebay-sw': join(lib, 'src/service-worker.ts') },
    outdir: dist,
  });
  for (const name of modules) copyFileSync(join(lib, 'wasm', name), join(dist, name));
}

if (isMain(import.meta.url)) await main(buildLib);
