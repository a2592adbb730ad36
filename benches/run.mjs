// npm run bench: converting, reading and opening TBL files against `cp`, memcpy and the real `turboloader` package.
//
//   npm run bench -- [--rounds 5] [--samples 2000] [--dry]
//
// Everything is measured in the same run, one after another in turns, and medians are compared. Outputs are held to
// the same SHA-256 of every payload. Writes docs/benchmarks.md and benches/results/tbl.json, with --dry neither.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, json } from './lib/build.mjs';
import { makeSet } from './lib/set.mjs';
import { peerPython } from './lib/peer.mjs';
import { conversions, machine, page } from './lib/report.mjs';
import { Failure, ROOT, main, read, run } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    samples: { type: 'string', default: '2000' },
    dry: { type: 'boolean', default: false },
  },
});
const FOLDER = join(ROOT, 'target/bench');
const MEASURE = join(ROOT, 'benches/measure.py');
const PEER = join(ROOT, 'benches/peer.py');
const MANY = 1_281_167;

await main(async () => {
  mkdirSync(FOLDER, { recursive: true });
  if (!read('python3', ['--version']))
    throw new Failure('python3 measures the memory of processes and runs the peer; it is not here');
  const tools = await build('samples');
  const set = await makeSet(tools.sample, FOLDER, Number(options.samples));
  const python = await peerPython();
  if (!python) console.log('\nThe package turboloader cannot be installed here: its rows stay empty.');
  const results = await measure(tools, set, python);
  const about = {
    ...machine(),
    set: set.about,
    rounds: Number(options.rounds),
    load: loadavg().map((n) => Number(n.toFixed(1))),
  };
  const text = page(about, results);
  console.log(`\n${text}`);
  if (options.dry) return;
  writeFileSync(join(ROOT, 'docs/benchmarks.md'), text);
  mkdirSync(join(ROOT, 'benches/results'), { recursive: true });
  writeFileSync(join(ROOT, 'benches/results/tbl.json'), `${JSON.stringify({ about, results }, null, 1)}\n`);
});

/** Every configuration once a round, each round beginning with another. */
async function measure({ forebay, samples }, set, python) {
  const at = (name) => join(FOLDER, name);
  const many = at('many.tbl');
  await json(samples, ['many', many, MANY]);
  const jobs = {};
  for (const { name, argv, output, tar, mode } of conversions(set)) {
    jobs[name] = () => measured(mode, argv(forebay, at(output), tar), at(output));
  }
  if (python) {
    for (const compression of ['none', 'lz4']) {
      const output = at(`peer-${compression}.tbl`);
      jobs[`peer ${compression}`] = () =>
        fresh(output, () => json(python, [PEER, 'convert', set.small, output, compression]));
    }
    jobs['peer read'] = () => json(python, [PEER, 'read', at('peer-none.tbl')]);
  }
  // The files of these come from the conversions above.
  jobs['read guide'] = () => json(samples, ['read', at('none.tbl')]);
  jobs['read turboloader'] = () => json(samples, ['read', at('turboloader.tbl')]);
  jobs.open = () => json(samples, ['open', many]);

  const results = Object.fromEntries(Object.keys(jobs).map((name) => [name, []]));
  const names = Object.keys(jobs);
  for (let round = 0; round < Number(options.rounds); round++) {
    // The first round in order, so that files that are read exist; then from another place each time.
    const turn = (round * 3) % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      const result = await jobs[name]();
      results[name].push(result);
      const { seconds = result.verified_seconds ?? result.opened_seconds } = result;
      console.log(
        `round ${round + 1}  ${name.padEnd(24)} ${(seconds * 1000).toFixed(1).padStart(9)} ms  load ${loadavg()[0].toFixed(1)}`,
      );
    }
    if (round === 0) await equal(forebay, python, at);
  }
  rmSync(many);
  return results;
}

/** A command from outside, its output new each time and the disk's queue empty. */
function measured(mode, argv, output) {
  return fresh(output, async () => ({
    ...(await json('python3', [MEASURE, mode, ...argv])),
    output_bytes: statSync(output).size,
  }));
}

async function fresh(output, body) {
  rmSync(output, { force: true });
  read('sync', []);
  return body();
}

/** Every payload of every output, by SHA-256: ours by the command, the peer's files and our turboloader file by the peer. */
async function equal(forebay, python, at) {
  const ours = async (name) => {
    const text = await run(forebay, ['head', '-n', String(2 ** 31), '--json', '--hash', at(name)], { quiet: true });
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).sha256);
  };
  const theirs = async (name) => (await json(python, [PEER, 'hash', at(name)])).sha256;
  const expected = await ours('none.tbl');
  const same = (name, found) => {
    if (found.length !== expected.length || found.some((sha, i) => sha !== expected[i]))
      throw new Failure(`${name} holds other payloads`);
    console.log(`equal    ${name}: ${found.length} payloads by SHA-256`);
  };
  for (const name of ['lz4.tbl', 'turboloader.tbl']) same(name, await ours(name));
  if (!python) return;
  same('turboloader.tbl, read by the peer', await theirs('turboloader.tbl'));
  for (const name of ['peer-none.tbl', 'peer-lz4.tbl']) {
    same(`${name}, read by the peer`, await theirs(name));
    same(name, await ours(name));
  }
}
