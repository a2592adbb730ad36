// The WebAssembly of the npm package: one crate, built once for each module, bound, made small, held to budgets.
//
//   npm run build:wasm -- [MODULE...]
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { Failure, ROOT, isMain, main, run } from './lib/run.mjs';
import { wasmBindgen } from './lib/wasm-bindgen.mjs';
import { TARGET, wasmToolchain } from './lib/wasm.mjs';

/**
 * The modules: the reader first, which every page loads; the others are loaded when they are used. `budget` is the
 * bytes of brotli that a module may have: for the reader what was asked for, for the others what they have, and a little. A `fast` one is
 * built for speed, one of the `variant` threads with them.
 */
export const MODULES = [
  { name: 'forebay', features: ['reader'], budget: 150_000 },
  { name: 'convert', features: ['convert'], budget: 225_000, fast: true },
  { name: 'threads', features: ['threads'], budget: 250_000, fast: true, variant: 'threads' },
  { name: 'tables', features: ['tables'], budget: 368_000, fast: true },
  { name: 'tensor', features: ['tensor'], budget: 140_000, fast: true },
  { name: 'pictures', features: ['pictures'], budget: 280_000 },
];
const FEATURES = ['simd', 'bulk-memory', 'bulk-memory-opt', 'mutable-globals', 'nontrapping-float-to-int', 'sign-ext', 'reference-types', 'multivalue'];
/**
 * What wasm-opt does: for speed, and for size, where a second look at the code without its structure finds more. The
 * first KiB of memory is the far end of the stack: nothing stands there, so addresses fold into what reads them.
 */
const FAST = ['--low-memory-unused', '-O3', '--flatten', '--rereloop', '-O3'];
const SMALL = ['-Oz', '-Oz', '--flatten', '--rereloop', '-Oz', '-Oz'];

/** Builds into `www/lib/wasm`: for each module, or those that are named, its JavaScript, its types and the `.wasm`. */
export async function buildWasm(names = MODULES.map(({ name }) => name)) {
  const bindgen = await wasmBindgen();
  const out = join(ROOT, 'www/lib/wasm');
  mkdirSync(out, { recursive: true });
  const over = [];
  const toolchains = {};
  for (const { name, features, budget, fast, variant = 'plain' } of MODULES.filter(({ name }) => names.includes(name))) {
    const { cargo, args, env } = (toolchains[variant] ??= await wasmToolchain(variant));
    const folder = variant === 'plain' ? 'target/wasm' : `target/wasm-${variant}`;
    const profile = fast ? 'wasm-fast' : 'wasm';
    await run(
      cargo,
      [...args[0], 'build', '--locked', '-p', 'forebay-wasm', '--no-default-features', '--features', features.join(), '--profile', profile, '--target', TARGET, '--target-dir', folder, ...args[1]],
      { env },
    );
    const built = join(ROOT, `${folder}/${TARGET}/${profile}/forebay_wasm.wasm`);
    await run(bindgen, ['--target', 'web', '--remove-name-section', '--remove-producers-section', '--omit-default-module-path', '--out-dir', out, '--out-name', name, built]);
    const bytes = await optimise(join(out, `${name}_bg.wasm`), join(out, `${name}.wasm`), [...(variant === 'threads' ? ['--enable-threads'] : []), ...(fast ? FAST : SMALL)]);
    const small = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
    console.log(`${name}.wasm: ${bytes.length} bytes, ${small} as brotli of ${budget}`);
    if (small > budget) over.push(`${name} is ${small - budget} bytes over its budget`);
  }
  if (over.length > 0) throw new Failure(over.join('; '));
}

async function optimise(raw, optimised, levels) {
  const enabled = FEATURES.map((name) => `--enable-${name}`);
  await run('npx', ['--no-install', 'wasm-opt', ...enabled, ...levels, '--strip-producers', raw, '-o', `${optimised}.part`]);
  renameSync(`${optimised}.part`, optimised);
  // The bindings' own name for the module: nothing asks for it.
  rmSync(raw);
  return readFileSync(optimised);
}

if (isMain(import.meta.url)) await main(() => buildWasm(process.argv.length > 2 ? process.argv.slice(2) : undefined));
