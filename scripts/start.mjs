// npm start: from a fresh clone to a dataset that was converted, checked and opened in the viewer.
// With `npm start -- --no-serve` it ends before the viewer is served.
import { join } from 'node:path';
import { buildSite } from './build-site.mjs';
import { FOREBAY, buildForebay } from './lib/forebay.mjs';
import { ROOT, main, run, seconds } from './lib/run.mjs';
import { ensureRust } from './lib/rust.mjs';
import { ensureSample } from './sample.mjs';

async function timed(title, body) {
  console.log(`\n--- ${title}`);
  const started = performance.now();
  const result = await body();
  console.log(`    ${seconds(performance.now() - started)}`);
  return result;
}

await main(async () => {
  await timed('Tools', ensureRust);
  await timed('Building the viewer: WebAssembly, the npm package, the site', buildSite);
  await timed('Building the command forebay (the first time takes some minutes)', buildForebay);
  await timed('The sample dataset: 240 labeled pictures, drawn by code', ensureSample);
  const cwd = join(ROOT, 'dist/sample');
  const forebay = (...args) => run(FOREBAY, args, { cwd });
  await timed('Converting TAR to TBL', () => forebay('convert', 'sample.tar', 'sample.tbl', '--force'));
  await timed('Checking every sample', () => forebay('check', 'sample.tbl'));
  await timed('Looking inside', () => forebay('inspect', 'sample.tbl'));
  console.log(`
The command is target/release/forebay; these work now, from dist/sample:

  forebay head sample.tbl -n 5
  forebay stats sample.tbl
  forebay head sample.tbl -n 5 --where 'json.label == "boat" && width >= 500'
  forebay extract sample.tbl -i 17 -o 17.jpg
  forebay --help

README.md says more; npm test runs all tests.`);
  if (process.argv.includes('--no-serve')) return;
  console.log('\n--- The viewer; Ctrl-C ends it');
  // Ctrl-C reaches the server too, which then ends as it should; this waits for it.
  process.on('SIGINT', () => undefined);
  await forebay('serve', 'sample.tbl', '--open');
});
