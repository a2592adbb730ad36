// npm start: from a fresh clone to a dataset that was converted, checked and opened in the viewer, in minutes: a quick build.
// With `npm start -- --no-serve` it ends before the viewer is served, with `--no-open` no browser is opened.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildSite } from './build-site.mjs';
import { QUICK_FOREBAY, QUICK_SAMPLE, buildQuickForebay } from './lib/forebay.mjs';
import { ensureSpace } from './lib/fresh.mjs';
import { alone } from './lib/lock.mjs';
import { Progress } from './lib/progress.mjs';
import { ROOT, main, patiently, run, seconds } from './lib/run.mjs';
import { ensureRust } from './lib/rust.mjs';
import { serveFolders } from './lib/serve-folder.mjs';
import { ensureSample } from './sample.mjs';

/** A small dataset that is here before anything is built. */
const FIRST = 'tbl/jpeg20_lz4.tbl';
const serves = !process.argv.includes('--no-serve');
const opens = serves && !process.argv.includes('--no-open');
const started = performance.now();
const since = () => seconds(performance.now() - started);

/** The viewer over the first dataset, while the command is still compiling. */
async function showEarly() {
  const { server, url } = await serveFolders({ '': join(ROOT, 'dist/site'), data: join(ROOT, 'tests/corpus') });
  const page = `${url}#file=data/${FIRST}`;
  console.log(
    `\nThe viewer is here after ${since()}: ${page}\nThe command is still compiling; the sample dataset follows.\n`,
  );
  if (opens) openInBrowser(page);
  return server;
}

function openInBrowser(page) {
  const [command, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, page], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

await main(async () => {
  await ensureRust();
  ensureSpace({ folder: 'quick', bytes: 6e9 });
  let early;
  await alone('npm start', async () => {
    const progress = new Progress();
    const wasFresh = existsSync(QUICK_FOREBAY);
    // The site comes first; the command takes the machine while a module is bound and bundled.
    let compiled;
    const command = new Promise((go) => {
      compiled = go;
    }).then(() => progress.lane('command', () => patiently(buildQuickForebay)));
    command.catch(() => {});
    await progress.lane('viewer', () => buildSite({ quick: true, lean: true, compiled }));
    compiled();
    if (serves && !wasFresh) early = await showEarly();
    await command;
    progress.end();
    await ensureSample(QUICK_SAMPLE);
  });
  const cwd = join(ROOT, 'dist/sample');
  const forebay = (...args) => run(QUICK_FOREBAY, args, { cwd });
  await forebay('convert', 'sample.tar', 'sample.tbl', '--force');
  await forebay('check', 'sample.tbl');
  await forebay('inspect', 'sample.tbl');
  console.log(`
Everything is here after ${since()}. The command is target/quick/forebay, a quick build: npm run build makes the fast one.
These work now, from dist/sample:

  forebay head sample.tbl -n 5
  forebay stats sample.tbl
  forebay head sample.tbl -n 5 --where 'json.label == "boat" && width >= 500'
  forebay extract sample.tbl -i 17 -o 17.jpg
  forebay --help

README.md says more; npm test runs all tests.`);
  if (!serves) return;
  console.log('\nThe viewer; Ctrl-C ends it');
  // Ctrl-C reaches the command too, which then ends as it should; this waits for it.
  process.on('SIGINT', () => undefined);
  await forebay('serve', 'sample.tbl', ...(opens ? ['--open'] : []));
  early?.close();
});
