// The npm package `forebay`: modules by esbuild, types by tsc, the WebAssembly next to them.
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MODULES, QUICK, buildQuickWasm, buildWasm, hasThreads } from './build-wasm.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ROOT, isMain, main, run } from './lib/run.mjs';

const LIB = join(ROOT, 'www/lib');
const DIST = join(LIB, 'dist');

/**
 * Builds into `www/lib/dist`: the package as it is published, or with `quick` over the quick module, without `types` unless they
 * are asked for, and with `lean` without Parquet and Arrow. Not again while `dist` is what was asked for: nothing that it is made of changes while a process runs.
 */
export async function buildLib({ quick = false, lean = false, threads = false, types = !quick, compiled } = {}) {
  const kind = [quick, lean, threads];
  if (built?.kind.join() === kind.join() && (built.types || !types)) return built.done;
  built = { kind, types, done: buildOnce({ quick, lean, threads, types, compiled }) };
  return built.done;
}

let built;

/** Builds the package over the quick module again, since something changed. */
export function rebuildLib() {
  built = undefined;
  return buildLib({ quick: true });
}

async function buildOnce({ quick, lean, threads, types, compiled }) {
  const packages = ensurePackages({ lean: quick && !types });
  // Only the published modules are made with a package.
  if (quick) await Promise.all([packages, buildQuickWasm({ lean, tested: types, compiled })]);
  else await packages.then(() => buildWasm({ threads }));
  rmSync(DIST, { recursive: true, force: true });
  if (types) await run('npx', ['--no-install', 'tsc', '-p', 'www/lib']);
  await bundle(quick, lean);
  if (quick) return copyFileSync(join(QUICK, 'quick.wasm'), join(DIST, 'forebay.wasm'));
  const modules = [...MODULES.map(({ name }) => name), ...(hasThreads() ? ['threads'] : [])];
  for (const name of modules) copyFileSync(join(LIB, `wasm/${name}.wasm`), join(DIST, `${name}.wasm`));
}

async function bundle(quick, lean) {
  // Not above: in a fresh clone there are no packages yet when this file is loaded.
  const { build } = await import('esbuild');
  // Without source maps: they would be an eighth of the package, and an app's bundler shows readable code anyway.
  const common = {
    bundle: true,
    minifySyntax: true,
    plugins: [replaced(quick)],
    define: { FOREBAY_THREADS: String(!quick && hasThreads()), FOREBAY_COLUMNS: String(!lean) },
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  };
  await Promise.all([
    build({
      ...common,
      entryPoints: ['index', 'command'].map((name) => join(LIB, `src/${name}.ts`)),
      outdir: DIST,
      splitting: true,
      chunkNames: '[name]-[hash]',
    }),
    // A worker is one file, so that its URL is all that a host must know. It is loaded as it is, so it is small.
    build({ ...common, minify: true, entryPoints: [join(LIB, 'src/worker.ts')], outdir: DIST }),
    // Every browser takes a service worker that is a plain script, and one of the site's own can load it.
    build({
      ...common,
      minify: true,
      format: 'iife',
      entryPoints: { 'forebay-sw': join(LIB, 'src/service-worker.ts') },
      outdir: DIST,
    }),
  ]);
}

/** Files that others take the place of. */
function replaced(quick) {
  return {
    name: 'replaced',
    setup({ onResolve }) {
      // The threads of the threaded module run the worker's own script, not the one that its bindings bring.
      onResolve({ filter: /workerHelpers\.js$/ }, () => ({ path: join(LIB, 'src/worker/threads.ts') }));
      if (!quick) return;
      onResolve({ filter: /\/wasm\/\w+\.js$/ }, ({ path }) => ({ path: join(QUICK, path.split('/').pop()) }));
      onResolve({ filter: /\/module-urls\.js$/ }, () => ({ path: join(LIB, 'src/pool/module-urls-quick.ts') }));
    },
  };
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, threads: { type: 'boolean' } } });
  await main(() => buildLib(values));
}
