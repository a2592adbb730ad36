// The WebAssembly of the npm package. As published: the crate `wasm`, built once for each module, bound, made small, held to
// budgets. Quick: one module with everything, neither small nor fast, for `npm start` and tests.
//
//   npm run build:wasm -- [--quick] [--threads] [MODULE...]
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { ensureBindgen } from './lib/bindgen.mjs';
import { TARGET as TARGET_FOLDER } from './lib/forebay.mjs';
import { Failure, ROOT, isMain, main, patiently, read, run, seconds } from './lib/run.mjs';
import { digest, stamp, stamped, unstamp } from './lib/stamps.mjs';
import { TARGET, wasmToolchain } from './lib/wasm.mjs';

/**
 * The modules: the reader first, which every page loads; the others are loaded when they are used. `budget` is the bytes of
 * brotli that a module may have. A `fast` one is built for speed, the others for size; a `large` one is optimized in one pass,
 * for more take many minutes. `threads` is built only on request.
 */
export const MODULES = [
  { name: 'forebay', features: ['reader'], budget: 150_000 },
  { name: 'samples', features: ['samples'], budget: 560_000, fast: true },
  { name: 'labels', features: ['labels'], budget: 560_000 },
  { name: 'tables', features: ['tables'], budget: 389_000, fast: true },
  { name: 'columns', features: ['columns'], budget: 960_000, large: true },
  { name: 'pixels', features: ['pixels'], budget: 340_000, fast: true },
];
const THREADS = { name: 'threads', features: ['threads'], budget: 580_000, fast: true, variant: 'threads' };
const FEATURES = [
  'simd',
  'bulk-memory',
  'bulk-memory-opt',
  'mutable-globals',
  'nontrapping-float-to-int',
  'sign-ext',
  'reference-types',
  'multivalue',
];
/**
 * What wasm-opt does: for speed, and for size, where a look at the code without its structure finds more. The first KiB of
 * memory is the far end of the stack: nothing stands there, so addresses fold into what reads them. Nothing is put into
 * functions of more bytes than said: passes over large ones are more than linear (with the default of 400 KiB half of the time
 * goes there, of the largest module two thirds), and what comes out is no smaller.
 */
const UP_TO = '--inline-max-combined-binary-size';
const FAST = ['--low-memory-unused', `${UP_TO}=32768`, '-O3', '--flatten', '--rereloop', '-O3'];
const SMALL = ['--low-memory-unused', `${UP_TO}=4096`, '-Oz', '--flatten', '--rereloop', '-Oz', '-Oz'];
const ONCE = ['--low-memory-unused', `${UP_TO}=4096`, '-Oz'];

const OUT = join(ROOT, 'www/lib/wasm');

/** The folder of the quick module. */
export const QUICK = join(ROOT, 'www/lib/wasm-quick');

/**
 * Builds into `www/lib/wasm`: for each module, or those that are named, its JavaScript, its types and the `.wasm`. A module
 * that was made of the same bytes in the same way is not bound and optimized again; cargo compiles the next one meanwhile.
 * Once a process, for nothing that they are made of changes while it runs.
 */
export function buildWasm({ names = MODULES.map(({ name }) => name), threads = false } = {}) {
  const wanted = [...MODULES.filter(({ name }) => names.includes(name)), ...(threads ? [THREADS] : [])];
  if (wanted.length === 0) throw new Failure(`the modules are ${MODULES.map(({ name }) => name).join(', ')}`);
  const key = wanted.map(({ name }) => name).join();
  if (!builds.has(key)) builds.set(key, build(wanted));
  return builds.get(key);
}

const builds = new Map();

/**
 * Builds the quick module into `www/lib/wasm-quick`, under the names of all modules; with `lean` without Parquet and Arrow, which
 * are a third of its time; `tested` as tests have it: with their profile, whose macros are compiled anyway and whose core is
 * optimized a little. `compiled` is called as soon as cargo is free for something else.
 */
export async function buildQuickWasm({ lean = false, tested = false, compiled } = {}) {
  // The core is the long pole: what binds the module is made in its shadow.
  const bindgen = patiently(ensureBindgen, 4);
  bindgen.catch(() => {});
  const toolchain = await wasmToolchain();
  const features = ['samples', 'labels', lean ? 'tables' : 'columns', 'pixels'];
  const raw = await compile({ features, profile: tested ? 'dev' : 'quick' }, toolchain);
  compiled?.();
  const { command, made } = await bindgen;
  mkdirSync(QUICK, { recursive: true });
  const ingredients = { raw: digest(readFileSync(raw)), made };
  if (stamped(QUICK, 'quick', ingredients)) return;
  unstamp(QUICK, 'quick');
  const part = join(QUICK, 'part');
  rmSync(part, { recursive: true, force: true });
  await run(command, [raw, part, 'quick']);
  renameSync(join(part, 'quick_bg.wasm'), join(part, 'quick.wasm'));
  const files = moved(part, QUICK);
  for (const { name } of MODULES) {
    for (const suffix of ['js', 'd.ts'])
      writeFileSync(join(QUICK, `${name}.${suffix}`), 'export * from "./quick.js";\n');
    files.push(`${name}.js`, `${name}.d.ts`);
  }
  writeWithoutThreads(QUICK);
  stamp(QUICK, 'quick', ingredients, files, {});
}

/** In the place of the threaded module where there is none: nothing calls it. */
function writeWithoutThreads(folder) {
  const missing = '() { throw new Error("this build has no threads"); }\n';
  const names = ['initThreadPool', 'wbg_rayon_start_worker'];
  writeFileSync(
    join(folder, 'threads.js'),
    `export * from "./samples.js";\n${names.map((name) => `export function ${name}${missing}`).join('')}`,
  );
  writeFileSync(
    join(folder, 'threads.d.ts'),
    'export * from "./samples.js";\nexport function initThreadPool(threads: number): Promise<unknown>;\n' +
      'export function wbg_rayon_start_worker(receiver: number): void;\n',
  );
}

/** Whether the threaded module was built. */
export const hasThreads = () => existsSync(join(OUT, 'threads.wasm'));

async function build(wanted) {
  // The first module is compiled meanwhile.
  const tools = finishingTools();
  tools.catch(() => {});
  mkdirSync(OUT, { recursive: true });
  if (wanted.length === MODULES.length) rmSync(join(OUT, 'threads.wasm'), { force: true });
  if (!hasThreads()) writeWithoutThreads(OUT);
  const toolchains = {};
  for (const { variant = 'plain' } of wanted) toolchains[variant] ??= await wasmToolchain(variant);
  let finished = Promise.resolve();
  const made = [];
  // Cargo builds one thing at a time in the folder of a profile.
  const lanes = [wanted.filter(({ fast }) => fast), wanted.filter(({ fast }) => !fast)];
  const compiled = lanes.map(async (modules) => {
    for (const module of modules) {
      const { variant = 'plain' } = module;
      // The next one's takes its place.
      const raw = join(OUT, `${module.name}.raw.wasm`);
      const started = performance.now();
      copyFileSync(await compile(module, toolchains[variant]), raw);
      const compiled = `compiled in ${seconds(performance.now() - started)}`;
      finished = finished.then(() => finish(module, raw, tools, compiled));
      // Whoever waits for it hears of it.
      finished.catch(() => {});
      made.push(finished);
    }
  });
  await Promise.all(compiled);
  const over = (await Promise.all(made)).filter(({ small, budget }) => small > budget);
  if (over.length > 0)
    throw new Failure(
      over.map(({ name, small, budget }) => `${name} is ${small - budget} bytes over its budget`).join('; '),
    );
}

/** Compiles a module; its path until another one is compiled. */
async function compile({ features, fast, variant = 'plain', profile = fast ? 'wasm-fast' : 'wasm' }, toolchain) {
  const { cargo, args, env } = toolchain;
  // Of the same compiler, the macros of the quick build are those of the command.
  const quick = ['quick', 'dev'].includes(profile);
  const folder = quick && cargo === 'cargo' ? TARGET_FOLDER : `target/wasm${variant === 'plain' ? '' : `-${variant}`}`;
  // If a library for Rust is made as well, every crate becomes code before the link, which is then optimized a second time: a
  // module for size is 5 to 8 % smaller without, and sooner there. One for speed would be 1 to 3 % larger.
  const how = fast ? ['build'] : ['rustc', '--lib', '--crate-type', 'cdylib'];
  // Without optimization frames are large; and wasm-bindgen reads and writes the whole module.
  const links = quick ? ['--', '-C', 'link-arg=-zstack-size=8388608', '-C', 'strip=symbols'] : [];
  const words = ['--locked', '-p', 'forebay-wasm', '--no-default-features', '--features', features.join()];
  const place = ['--profile', profile, '--target', TARGET, '--target-dir', folder];
  // With it cargo keeps the linked file of each module under a name of its own; else each would take the place of the last and
  // be linked again every time, for minutes.
  await run(cargo, [...args[0], ...how, ...words, ...place, ...args[1], ...links], {
    env: { ...env, __CARGO_DEFAULT_LIB_METADATA: 'forebay-wasm' },
  });
  return resolve(ROOT, folder, TARGET, profile === 'dev' ? 'debug' : profile, 'forebay_wasm.wasm');
}

/** What makes a module of what cargo made, with the versions that its bytes depend on. */
async function finishingTools() {
  const bindgen = await ensureBindgen();
  const optimizer = ['npx', ['--no-install', 'wasm-opt']];
  const versions = [bindgen.made, read(optimizer[0], [...optimizer[1], '--version'])];
  return { bindgen: bindgen.command, optimizer, versions };
}

/** Binds and optimizes a module, unless that was done; its name, its budget and its size as brotli. */
async function finish(module, raw, tools, compiled) {
  const {
    bindgen,
    optimizer: [command, first],
    versions,
  } = await tools;
  const { name, budget, fast, large, variant } = module;
  const started = performance.now();
  const enabled = [...FEATURES, ...(variant === 'threads' ? ['threads'] : [])].map((feature) => `--enable-${feature}`);
  const optimize = [...enabled, ...(fast ? FAST : large ? ONCE : SMALL), '--strip-producers'];
  const ingredients = { name, raw: digest(readFileSync(raw)), versions, optimize };
  let sizes = stamped(OUT, name, ingredients);
  const kept = Boolean(sizes);
  if (!sizes) {
    // Beside its place until it is whole.
    const part = join(OUT, `${name}.part`);
    rmSync(part, { recursive: true, force: true });
    await run(bindgen, [raw, part, name]);
    const [bound, optimized] = [join(part, `${name}_bg.wasm`), join(part, `${name}.wasm`)];
    await run(command, [...first, ...optimize, bound, '-o', optimized]);
    // The bindings' own name for the module: nothing asks for it.
    rmSync(bound);
    sizes = await sizesOf(optimized);
    unstamp(OUT, name);
    stamp(OUT, name, ingredients, moved(part, OUT), sizes);
  }
  rmSync(raw);
  const how = kept ? 'bound and optimized before' : `bound and optimized in ${seconds(performance.now() - started)}`;
  console.log(`${name}.wasm: ${sizes.bytes} bytes, ${sizes.small} as brotli of ${budget}; ${compiled}, ${how}`);
  return { name, budget, small: sizes.small };
}

async function sizesOf(path) {
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return { bytes: bytes.length, small: (await promisify(brotliCompress)(bytes, { params })).length };
}

/** Moves everything out of a folder into another one; the names of the files. */
function moved(part, out) {
  const files = readdirSync(part, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(part.length + 1));
  for (const file of files) {
    mkdirSync(dirname(join(out, file)), { recursive: true });
    renameSync(join(part, file), join(out, file));
  }
  rmSync(part, { recursive: true });
  return files;
}

if (isMain(import.meta.url)) {
  const options = { quick: { type: 'boolean' }, threads: { type: 'boolean' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const names = positionals.length > 0 ? positionals : undefined;
  await main(() => (values.quick ? buildQuickWasm() : buildWasm({ names, threads: values.threads })));
}
