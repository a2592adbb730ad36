// npm run bench:python: the Python loader against the Rust loader with the same settings, in turns, and what Python costs.
//
//   npm run bench:python -- [--peers] [--rounds 5] [--quick] [--dry] [--only PATTERN] [--through COMMAND]
//
// The batches of both are compared by their checksums. With --peers other loaders of Python run too, each as its users use
// it, in processes of their own on the same cores, one after another in turns; their tensors are compared with ours. They
// are installed into the user's cache. Writes benches/results/python.json and, with --peers, docs/benchmarks-python.md; with
// --dry or --quick neither. --quick measures less, to see that all works. --only takes those of the other loaders whose names
// match, and writes nothing; --through starts what is measured by a command, such as one that keeps the machine quiet.
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, ROOT, main, run, seconds } from '../scripts/lib/run.mjs';
import { environment, findPython, moduleNames } from '../scripts/test-python.mjs';
import { buildTools, json } from './lib/build.mjs';
import { makeLoaderSet } from './lib/loader_set.mjs';
import { formatPythons, framesPython, pythonPeers } from './lib/peer.mjs';
import { comparePeers, makeStored, measurePeers } from './lib/python_peers.mjs';
import { page } from './lib/python_report.mjs';
import { intoFrames, sameScript } from './lib/python_scripts.mjs';
import { machine } from './lib/report.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    peers: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    through: { type: 'string' },
  },
});
const FOLDER = join(ROOT, 'target/bench');
const PROGRAMS = join(ROOT, 'benches/python');
const rounds = options.quick ? 1 : Number(options.rounds);
const [count, large, small, many] = options.quick ? [256, 8, 512, 20_000] : [2000, 64, 4000, 1_281_167];
const TINY = 20_000;
const through = options.through ? [options.through] : [];
const CASES = ['images 1', 'images 2', 'payloads 1', 'payloads 2', 'tiny 1'];

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

await main(async () => {
  const begun = Date.now();
  const python = findPython();
  if (!python) throw new Failure('no Python 3.10 or later is here');
  const path = await environment(python);
  const tools = await buildTools();
  // What a wheel has, and the Rust loader in the same way.
  await run('cargo', [
    'build',
    '--profile',
    'wheel',
    '--locked',
    '-p',
    'forebay-python',
    '--lib',
    '--example',
    'loader_rate',
  ]);
  const release = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'wheel');
  const set = await makeLoaderSet(tools, FOLDER, { count, large, small, many });
  const env = { PYTHONPATH: staged(release) };
  const ours = (program, ...args) => said(path, [join(PROGRAMS, program), ...args], env);
  // A folder of classes, of which there is one, so that its order is that of the names.
  set.folder = join(FOLDER, `folder-${count}`);
  mkdirSync(set.folder, { recursive: true });
  if (!existsSync(join(set.folder, 'all'))) symlinkSync(set.files, join(set.folder, 'all'), 'dir');
  set.tiny = join(FOLDER, 'tiny-20000.tbl');
  if (!existsSync(set.tiny))
    await run(path, [join(PROGRAMS, 'loader_rate.py'), set.tiny, 'make', String(TINY)], { env });

  const results = [];
  for (const name of CASES) results.push(await besideRust(name, release, set, ours));
  const peers = options.peers ? pythonPeers() : null;
  if (options.peers && !peers) console.log('\nThe other loaders cannot be installed here: their rows stay empty.');
  const first = [];
  for (let i = 0; i < rounds; i++) {
    const args = [join(PROGRAMS, 'first_batch.py'), set.tbl, ...(peers ? ['torch'] : [])];
    first.push(await said(peers ?? path, args, env));
  }
  const memory = await ours('memory.py', set.tbl, set.many);
  const costs = {
    first_ms: median(first.map((one) => one.ms)),
    import_ms: median(first.map((one) => one.import_ms)),
    torch_imported: peers !== null,
    ...memory,
  };
  console.log(
    `first batch after import: ${costs.first_ms} ms, of which importing ${costs.import_ms}` +
      `\n8 workers, ${memory.samples} samples: ${memory.peak_mib} MiB`,
  );
  const frames = options.peers ? framesPython() : null;
  const pythons = { peers, frames, own: path, formats: peers ? formatPythons() : {} };
  const only = new RegExp(options.only);
  const where = { set, pythons, env, rounds, folder: FOLDER, tools, through, only };
  if (peers) await makeStored(where, count);
  const differences = peers ? await comparePeers(where) : [];
  const against = peers ? await measurePeers(where) : {};
  const scripts = peers ? await sameScript(where) : [];
  if (frames) scripts.push(...(await intoFrames(where, options.quick ? 100_000 : 1_000_000)));
  const about = {
    ...machine(),
    python: python.version,
    set: set.about,
    rounds,
    took: seconds(Date.now() - begun),
    load: loadavg().map((n) => Number(n.toFixed(1))),
  };
  const text = page({ about, results, costs, differences, against, scripts });
  console.log(`\n${text}`);
  if (options.quick || options.dry || options.only) return;
  const everything = { about, results, costs, differences, against, scripts };
  mkdirSync(join(ROOT, 'benches/results'), { recursive: true });
  writeFileSync(join(ROOT, 'benches/results/python.json'), `${JSON.stringify(everything, null, 1)}\n`);
  if (peers) writeFileSync(join(ROOT, 'docs/benchmarks-python.md'), text);
});

/** The package as a wheel would have it. The folder to import from. */
function staged(release) {
  const stage = join(FOLDER, 'python');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  cpSync(join(ROOT, 'python/forebay'), join(stage, 'forebay'), { recursive: true });
  const [built, wanted] = moduleNames();
  cpSync(join(release, built), join(stage, 'forebay', wanted));
  return stage;
}

/** The last line that a program prints, which is JSON. */
async function said(python, args, env) {
  const text = await run(python, args, { env, quiet: true });
  return JSON.parse(text.trim().split('\n').at(-1));
}

/** Both loaders with the same settings, in turns. */
async function besideRust(name, release, set, ours) {
  const [kind, workers] = name.split(' ');
  const args = [kind === 'tiny' ? set.tiny : set.tbl, kind, workers];
  const seen = { rust: [], python: [], ratio: [], us: [] };
  for (let i = 0; i < rounds; i++) {
    const rust = await json(join(release, 'examples/loader_rate'), args);
    const mine = await ours('loader_rate.py', ...args);
    if (JSON.stringify(rust.sums) !== JSON.stringify(mine.sums)) throw new Failure(`${name}: the batches differ`);
    seen.rust.push(rust.rate);
    seen.python.push(mine.rate);
    seen.ratio.push(mine.rate / rust.rate);
    seen.us.push(mine.python_us);
  }
  const result = { case: name, rust: median(seen.rust), python: median(seen.python) };
  result.ratio = Number(median(seen.ratio).toFixed(3));
  result.python_us = median(seen.us);
  console.log(
    `${name}: ${result.rust} a second in Rust, ${result.python} in Python, ${result.ratio}; ${result.python_us} us a batch`,
  );
  return result;
}
