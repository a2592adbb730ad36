// The WebAssembly of the npm package: compiled, bound, made small, and held to its budget.
import { copyFileSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { Failure, ROOT, isMain, main, run } from './lib/run.mjs';
import { wasmBindgen } from './lib/wasm-bindgen.mjs';
import { TARGET, wasmToolchain } from './lib/wasm.mjs';

/**
 * Bytes of brotli that the module may have: what it has, and a little. The aim is 150,000. 61,000 are data, most of
 * it tables that do not compress: CRC-32 16 KiB, CRC-16 8 KiB, reading and writing floats 10 KiB each.
 */
const BUDGET = 212_000;
const FEATURES = ['simd', 'bulk-memory', 'bulk-memory-opt', 'mutable-globals', 'nontrapping-float-to-int', 'sign-ext', 'reference-types', 'multivalue'];

/** Builds into `www/lib/wasm`: `forebay.js`, its types and `forebay.wasm`. */
export async function buildWasm() {
  const { cargo, env } = await wasmToolchain('plain');
  await run(cargo, ['build', '--locked', '-p', 'forebay-wasm', '--profile', 'wasm', '--target', TARGET, '--target-dir', 'target/wasm'], { env });
  const out = join(ROOT, 'www/lib/wasm');
  mkdirSync(out, { recursive: true });
  const built = join(ROOT, `target/wasm/${TARGET}/wasm/forebay_wasm.wasm`);
  await run(await wasmBindgen(), ['--target', 'web', '--remove-name-section', '--remove-producers-section', '--out-dir', out, '--out-name', 'forebay', built]);
  const raw = join(out, 'forebay_bg.wasm');
  const optimised = join(out, 'forebay.wasm');
  const features = FEATURES.map((name) => `--enable-${name}`);
  await run('npx', ['--no-install', 'wasm-opt', ...features, '-Oz', '--strip-producers', raw, '-o', `${optimised}.part`]);
  renameSync(`${optimised}.part`, optimised);
  copyFileSync(optimised, raw);
  const bytes = readFileSync(optimised);
  const small = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
  console.log(`forebay.wasm: ${bytes.length} bytes, ${small} as brotli of ${BUDGET}`);
  if (small > BUDGET) throw new Failure(`the reader is ${small - BUDGET} bytes over its budget`);
}

if (isMain(import.meta.url)) await main(buildWasm);
