// npm test: stops at the first failure. First cheap checks, then lanes beside each other: the machine's tests, and those of
// pages. With `npm test -- --all` everything there is; CONTRIBUTING.md says what runs where.
import { checkDocs } from './check-docs.mjs';
import { checkEnglish } from './check-english.mjs';
import { checkHygiene } from './check-hygiene.mjs';
import { checkImports } from './check-imports.mjs';
import { buildLib } from './build-lib.mjs';
import { buildSite } from './build-site.mjs';
import { buildWasm } from './build-wasm.mjs';
import { conformance, recording } from './conformance.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { compileOnce, ensureSpace } from './lib/fresh.mjs';
import { IN_RUST_ALONE, TESTED, TESTED_EVERY_DAY, buildForTests } from './lib/forebay.mjs';
import { publicApi } from './public-api.mjs';
import { alone } from './lib/lock.mjs';
import { runTests } from './lib/nextest.mjs';
import { patiently, run } from './lib/run.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ensureLinters, ensureRust } from './lib/rust.mjs';
import { Skip, Steps } from './lib/steps.mjs';
import { testFirefox, testViewer } from './test-viewer.mjs';
import { TARGET, wasmToolchain } from './lib/wasm.mjs';
import { testLib } from './test-lib.mjs';
import { testPython } from './test-python.mjs';

const all = process.argv.includes('--all');
// Tests that try many random cases try all of them.
if (all) process.env.FOREBAY_ALL = '1';
const cargo = (...args) => run('cargo', args);
const node = (tests, env) => run(process.execPath, ['--test', '--test-reporter=tap', ...tests], { env });
const steps = new Steps();
let chromium;

/** Chromium's path; the step is skipped where there is none. */
function needsChromium() {
  if (chromium instanceof Error) throw new Skip(chromium.message);
  return chromium;
}

const BUILD = 'The npm package, the site, and the command with it';
const RUST = 'Tests: the whole workspace, every feature';

const machine = [
  [
    'Lints',
    async () => {
      await run('npx', ['--no-install', 'biome', 'lint', '--error-on-warnings']);
      const clippy = (...what) => cargo('clippy', ...what, '--all-targets', '--', '-D', 'warnings');
      await clippy('--locked', '--workspace', '--all-features');
      if (all) await clippy(...IN_RUST_ALONE);
    },
  ],
  // The command has the site in it: nobody builds it anew while tests run it. What they do with the files of other programs is the
  // table at the end.
  [
    RUST,
    () => (all ? runTests(TESTED, { env: recording() }) : runTests(TESTED_EVERY_DAY, { profile: 'every-day' })),
    BUILD,
  ],
  ['The Python package', () => testPython()],
  ['What the documentation shows', () => checkDocs()],
  ...(all
    ? [
        [
          'Tests: examples in the documentation of Rust',
          () => cargo('test', '--locked', '--workspace', '--all-features', '--doc'),
        ],
        ['Tests: the core without its C libraries, with its fuzz targets', () => runTests(IN_RUST_ALONE)],
        [
          'The core for WebAssembly',
          async () => {
            const { cargo, env } = await wasmToolchain();
            // Of the same compiler, macros are those of the machine's own build.
            const apart = cargo === 'cargo' ? [] : ['--target-dir', 'target/wasm'];
            await run(cargo, ['check', '--locked', '-p', 'forebay', '--target', TARGET, ...apart], { env });
          },
        ],
        [
          'Documentation of Rust',
          () =>
            run('cargo', ['doc', '--locked', '--workspace', '--all-features', '--no-deps', '--lib'], {
              env: { RUSTDOCFLAGS: '-D warnings' },
            }),
        ],
        ['What is promised', publicApi],
      ]
    : []),
].map(([title, body, after]) => [title, () => patiently(body), after]);
const pages = [
  [
    BUILD,
    async () => {
      await buildLib({ quick: true, types: true });
      await run('npx', ['--no-install', 'tsc', '-p', 'www/viewer', '--noEmit']);
      await buildSite({ quick: true });
      await buildForTests();
    },
  ],
  ['The viewer and the site in Chromium', () => testViewer({ chromium: needsChromium(), everyDay: !all })],
  [
    'The pages of the documentation in Chromium',
    () => node(['scripts/tests/docs.test.mjs'], { CHROMIUM: needsChromium() }),
  ],
  ['The action for GitHub and the hook for pre-commit', () => node(['scripts/tests/annotate.test.mjs'])],
  ...(all
    ? [
        ['The core of pages and package in Firefox', testFirefox],
        // Last, for it puts the published modules in the place of the quick one.
        [
          'The npm package as it is published: types, tests in Node and Chromium',
          () => testLib({ chromium: needsChromium(), quick: false }),
        ],
      ]
    : [
        [
          'The npm package: types, tests in Node and Chromium',
          () => testLib({ chromium: needsChromium(), everyDay: true }),
        ],
        ['The reader as it is published, in its budget', () => buildWasm({ names: ['forebay'] })],
      ]),
];

await alone('npm test', async () => {
  compileOnce();
  await steps.step('Tools', async () => {
    ensureSpace();
    await ensureRust();
    await ensureLinters();
    await ensurePackages();
    // Whatever has to be installed is said and done here, and nothing is installed later.
    chromium = await ensureChromium().catch((e) => e);
    for (const variant of all ? ['plain', 'threads'] : ['plain']) await wasmToolchain(variant);
  });
  await steps.step('Formatting', async () => {
    await cargo('fmt', '--all', '--check');
    for (const apart of ['fuzz', 'tools/bindgen'])
      await cargo('fmt', '--manifest-path', `${apart}/Cargo.toml`, '--check');
    await run('npx', ['--no-install', 'biome', 'format']);
  });
  await steps.step('Hygiene: file sizes, links, forbidden words', checkHygiene);
  await steps.step('English', () => checkEnglish());
  await steps.step('Imports go down', checkImports);
  const scripts = ['causes', 'stamps', 'english', 'conformance', 'imports', 'public-api', 'page', 'steps'];
  await steps.step('The scripts', () => node(scripts.map((name) => `scripts/tests/${name}.test.mjs`)));
  // A browser waits while a compiler computes, and the end of a link is the work of one core: together they keep two busy.
  await steps.beside(machine, pages);
  if (all) await steps.step('Files of other programs', conformance);
  steps.finish();
});
