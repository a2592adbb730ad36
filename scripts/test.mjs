// npm test: everything that must hold, cheapest first; stops at the first failure.
import { checkDocs } from './check-docs.mjs';
import { checkEnglish } from './check-english.mjs';
import { checkHygiene } from './check-hygiene.mjs';
import { checkImports } from './check-imports.mjs';
import { conformance, recording } from './conformance.mjs';
import { fuzzSmoke } from './fuzz-smoke.mjs';
import { ensureBindgen } from './lib/bindgen.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { publicApi } from './public-api.mjs';
import { run } from './lib/run.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ensureLinters, ensureRust } from './lib/rust.mjs';
import { Steps } from './lib/steps.mjs';
import { testFirefox, testViewer } from './test-viewer.mjs';
import { TARGET, wasmToolchain } from './lib/wasm.mjs';
import { testLib } from './test-lib.mjs';
import { testPython } from './test-python.mjs';

const cargo = (...args) => run('cargo', args);
const steps = new Steps();

await steps.step('Tools', async () => {
  await ensureRust();
  await ensureLinters();
  await ensurePackages();
  // Whatever has to be installed is said and done here, and nothing is installed later.
  await ensureChromium();
  for (const variant of ['plain', 'threads']) await wasmToolchain(variant);
  await ensureBindgen();
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
  ]),
);
await steps.step('Lints', async () => {
  await run('npx', ['--no-install', 'biome', 'lint', '--error-on-warnings']);
  await cargo('clippy', '--locked', '--workspace', '--all-targets', '--all-features', '--', '-D', 'warnings');
  await cargo('clippy', '--locked', '-p', 'forebay', '--all-targets', '--', '-D', 'warnings');
});
await steps.step('Tests: the whole workspace, every feature', () =>
  // What they do with the files of other programs is the table at the end.
  run('cargo', ['test', '--locked', '--workspace', '--all-features'], { env: recording() }),
);
await steps.step('The Python package', () => testPython());
await steps.step('Tests: the core without its C libraries', () => cargo('test', '--locked', '-p', 'forebay'));
await steps.step('Documentation', () =>
  run('cargo', ['doc', '--locked', '--workspace', '--all-features', '--no-deps', '--lib'], {
    env: { RUSTDOCFLAGS: '-D warnings' },
  }).then(() => ''),
);
await steps.step('What is promised', publicApi);
await steps.step('The core for WebAssembly', async () => {
  const { cargo, env } = await wasmToolchain('plain');
  // That it also becomes code is shown by the modules of the npm package.
  await run(cargo, ['check', '--locked', '-p', 'forebay', '--target', TARGET, '--target-dir', 'target/wasm'], { env });
});
await steps.step('The npm package: WebAssembly, types, tests in Node and Chromium', () => testLib());
await steps.step('The viewer and the site in Chromium', () => testViewer());
await steps.step('The core of pages and package in Firefox, if it is there', testFirefox);
await steps.step('The pages of the documentation in Chromium', async () => {
  const CHROMIUM = await ensureChromium();
  return run(process.execPath, ['--test', '--test-reporter=tap', 'scripts/tests/docs.test.mjs'], { env: { CHROMIUM } });
});
await steps.step('Fuzz targets, a second each', fuzzSmoke);
await steps.step('What the documentation shows', checkDocs);
await steps.step('Files of other programs', conformance);
steps.finish();
