// npm test: everything that must hold; stops at the first failure. First what is cheap, then lanes beside each other: what
// runs on the machine, and what runs in pages.
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
import { FUZZ, buildForTests, fuzzSmoke } from './lib/forebay.mjs';
import { publicApi } from './public-api.mjs';
import { patiently, run } from './lib/run.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ensureLinters, ensureRust } from './lib/rust.mjs';
import { Steps } from './lib/steps.mjs';
import { testFirefox, testViewer } from './test-viewer.mjs';
import { TARGET, wasmToolchain } from './lib/wasm.mjs';
import { testLib } from './test-lib.mjs';
import { testPython } from './test-python.mjs';

const cargo = (...args) => run('cargo', args);
const steps = new Steps();

compileOnce();
await steps.step('Tools', async () => {
  ensureSpace();
  await ensureRust();
  await ensureLinters();
  await ensurePackages();
  // Whatever has to be installed is said and done here, and nothing is installed later.
  await ensureChromium();
  for (const variant of ['plain', 'threads']) await wasmToolchain(variant);
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
await steps.step('What the scripts stand on', () =>
  run(process.execPath, [
    '--test',
    '--test-reporter=tap',
    'scripts/tests/stamps.test.mjs',
    'scripts/tests/english.test.mjs',
    'scripts/tests/conformance.test.mjs',
    'scripts/tests/imports.test.mjs',
    'scripts/tests/public-api.test.mjs',
    'scripts/tests/page.test.mjs',
    'scripts/tests/steps.test.mjs',
  ]),
);
const SITE = 'The npm package, the site, and the command with it';
// What a browser or the modules wait for goes first: these fill what is left of the machine.
const machine = [
  [
    'Lints',
    async () => {
      const clippy = (...what) => cargo('clippy', '--locked', ...what, '--', '-D', 'warnings');
      await run('npx', ['--no-install', 'biome', 'lint', '--error-on-warnings']);
      await clippy('--workspace', '--all-targets', '--all-features');
      await clippy('-p', 'forebay', '--all-targets');
      await clippy(...FUZZ);
    },
  ],
  [
    'The core for WebAssembly',
    async () => {
      const { cargo, env } = await wasmToolchain('plain');
      // Of the same compiler, macros are those of the machine's own build.
      const apart = cargo === 'cargo' ? [] : ['--target-dir', 'target/wasm'];
      // That it also becomes code is shown by the modules of the npm package.
      await run(cargo, ['check', '--locked', '-p', 'forebay', '--target', TARGET, ...apart], { env });
    },
  ],
  [
    'Documentation',
    async () => {
      await run('cargo', ['doc', '--locked', '--workspace', '--all-features', '--no-deps', '--lib'], {
        env: { RUSTDOCFLAGS: '-D warnings' },
      });
    },
  ],
  ['What is promised', publicApi],
  [
    'Tests: the whole workspace, every feature',
    // What they do with the files of other programs is the table at the end.
    () => run('cargo', ['test', '--locked', '--workspace', '--all-features'], { env: recording() }),
    // The command has the site in it: nobody builds it anew while tests run it.
    SITE,
  ],
  // To compile it takes all that is free; the tests before it wait for most of their time, beside the browsers.
  ['Tests: the core without its C libraries', () => cargo('test', '--locked', '-p', 'forebay')],
  ['Fuzz targets, a second each', fuzzSmoke],
].map(([title, body, after]) => [title, () => patiently(body), after]);
const pages = [
  [
    SITE,
    async () => {
      await buildWasm();
      await buildLib();
      await buildSite();
      await buildForTests();
    },
  ],
  ['The viewer and the site in Chromium', () => testViewer()],
  ['The npm package: types, tests in Node and Chromium', () => testLib()],
  ['The core of pages and package in Firefox, if it is there', testFirefox],
  [
    'The pages of the documentation in Chromium',
    async () => {
      const CHROMIUM = await ensureChromium();
      const tests = ['--test', '--test-reporter=tap', 'scripts/tests/docs.test.mjs'];
      return run(process.execPath, tests, { env: { CHROMIUM } });
    },
  ],
  // No browser, but what this lane made; the other is at the workspace's tests for longer.
  ['The Python package', () => testPython()],
  ['What the documentation shows', checkDocs],
];
// A browser waits while a compiler computes, and the end of a link is the work of one core: together they keep two busy.
await steps.beside(machine, pages);
await steps.step('Files of other programs', conformance);
steps.finish();
