// The WebAssembly of the npm package: one crate, built once for each module, bound, made small, held to budgets.
//
//   npm run build:wasm -- [MODULE...]
import { copyFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { ensureBindgen } from './lib/bindgen.mjs';
import { Failure, ROOT, isMain, main, read, run, seconds } from './lib/run.mjs';
import { digest, stamp, stamped, unstamp } from './lib/stamps.mjs';
import { TARGET, wasmToolchain } from './lib/wasm.mjs';

/**
 * What the core has for modules of one kind together, so that it is compiled once for all of them: what a module does not use of it
 * costs it some 150 bytes. Left out is what every module that opens a file would carry, such as warehouses.
 */
const CORE = {
  fast: ['unzstd', 'zip', 'jpeg', 'transform'],
  pictures: ['curate', 'decode', 'transform'],
};

/**
 * The modules: the reader first, which every page loads; the others are loaded when they are used. `budget` is the
 * bytes of brotli that a module may have: for the reader what was asked for, for the others what they have, and a little. A `fast` one is
 * built for speed, an `even` one for size but not at any price, one of the `variant` threads with them; a `large` one is looked
 * at once, for more looks take many minutes. `core` names what it shares with others.
 */
export const MODULES = [
  { name: 'forebay', features: ['reader'], budget: 150_000 },
  { name: 'convert', features: ['convert'], budget: 283_000, fast: true, core: CORE.fast },
  { name: 'threads', features: ['threads'], budget: 303_000, fast: true, variant: 'threads' },
  { name: 'tables', features: ['tables'], budget: 389_000, fast: true, core: CORE.fast },
  { name: 'columns', features: ['columns'], budget: 960_000, large: true },
  { name: 'tensor', features: ['tensor'], budget: 116_000, fast: true, core: CORE.fast },
  { name: 'pictures', features: ['pictures'], budget: 262_000, core: CORE.pictures },
  { name: 'warehouse', features: ['warehouse'], budget: 286_000 },
  { name: 'labels', features: ['labels'], budget: 280_000 },
  { name: 'edits', features: ['edits'], budget: 341_000, even: true },
  { name: 'curate', features: ['curate'], budget: 256_000, core: CORE.pictures },
];
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

/**
 * Builds into `www/lib/wasm`: for each module, or those that are named, its JavaScript, its types and the `.wasm`. What
 * cargo made is bound and optimized only if the module there was not made of the same, in the same way; while that is
 * going on, cargo is at the next. Modules with different profiles are compiled beside each other: the last minute of each is
 * one unit of code, on one core.
 */
export function buildWasm(names) {
  if (names) return build(names);
  all ??= build(MODULES.map(({ name }) => name));
  return all;
}

/** All of them, once a process: nothing that they are made of changes while it runs. */
let all;

async function build(names) {
  // The first module is compiled meanwhile.
  const tools = finishingTools();
  tools.catch(() => {});
  mkdirSync(OUT, { recursive: true });
  const toolchains = {};
  const wanted = MODULES.filter(({ name }) => names.includes(name));
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
      copyFileSync(await compile(module, variant, toolchains[variant]), raw);
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

/** Compiles a module; where it lies until another one is compiled. */
async function compile({ features, core = [], fast, even }, variant, { cargo, args, env }) {
  const folder = variant === 'plain' ? 'target/wasm' : `target/wasm-${variant}`;
  const profile = fast ? 'wasm-fast' : 'wasm';
  // In the folder of the small ones, whose macros it shares.
  const level = even ? { CARGO_PROFILE_WASM_OPT_LEVEL: 's' } : {};
  // If a library for Rust is made as well, every crate becomes code before the link, which is then optimized a second time: what is
  // built for size is 5 to 8 % smaller without, and sooner there. What is built for speed would be 1 to 3 % larger.
  const how = fast ? ['build'] : ['rustc', '--lib', '--crate-type', 'cdylib'];
  await run(
    cargo,
    [
      ...args[0],
      ...how,
      '--locked',
      '-p',
      'forebay-wasm',
      '--no-default-features',
      '--features',
      [...features, ...core.map((feature) => `forebay/${feature}`)].join(),
      '--profile',
      profile,
      '--target',
      TARGET,
      '--target-dir',
      folder,
      ...args[1],
    ],
    // With it cargo keeps what it links of each module under a name of its own; else each would take the place of the
    // last and be linked anew every time, which for all of them takes minutes.
    { env: { ...env, ...level, __CARGO_DEFAULT_LIB_METADATA: 'forebay-wasm' } },
  );
  return join(ROOT, `${folder}/${TARGET}/${profile}/forebay_wasm.wasm`);
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
    stamp(OUT, name, ingredients, moved(part), sizes);
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

/** Moves everything out of a folder into the one that it is in; what was moved. */
function moved(part) {
  const files = readdirSync(part, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(part.length + 1));
  for (const file of files) {
    mkdirSync(dirname(join(OUT, file)), { recursive: true });
    renameSync(join(part, file), join(OUT, file));
  }
  rmSync(part, { recursive: true });
  return files;
}

if (isMain(import.meta.url)) await main(() => buildWasm(process.argv.length > 2 ? process.argv.slice(2) : undefined));
