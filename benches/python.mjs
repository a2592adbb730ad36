// npm run bench:python: the Python loader against the Rust loader, with the same settings, in turns.
//
//   npm run bench:python -- [--rounds 5] [--file FILE.tbl]
//
// The batches of both are compared by their checksums. FILE.tbl holds pictures; without it one of 2,000 is drawn. Writes
// benches/results/python.json.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, ROOT, main, run } from '../scripts/lib/run.mjs';
import { environment, findPython, moduleNames } from '../scripts/test-python.mjs';
import { json } from './lib/build.mjs';
import { machine } from './lib/report.mjs';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, file: { type: 'string' } },
});
const FOLDER = join(ROOT, 'target/bench');
const CASES = ['pictures 1', 'pictures 2', 'payloads 1', 'payloads 2'];

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

await main(async () => {
  const python = findPython();
  if (!python) throw new Failure('no Python 3.10 or later is here');
  const path = await environment(python);
  await run('cargo', ['build', '--release', '--locked', '-p', 'forebay-python', '--lib', '--example', 'loader_rate']);
  const release = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'release');
  const stage = join(FOLDER, 'python');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  cpSync(join(ROOT, 'python/forebay'), join(stage, 'forebay'), { recursive: true });
  const [built, wanted] = moduleNames();
  cpSync(join(release, built), join(stage, 'forebay', wanted));
  const file = options.file ?? (await drawn());
  const env = { PYTHONPATH: stage };
  const script = join(ROOT, 'benches/python/loader_rate.py');
  const results = [];
  for (const name of CASES) {
    const args = [file, ...name.split(' ')];
    const rounds = { rust: [], python: [], ratio: [], us: [] };
    for (let i = 0; i < Number(options.rounds); i++) {
      const rust = await json(join(release, 'examples/loader_rate'), args);
      const said = await run(path, [script, ...args], { env, quiet: true });
      const mine = JSON.parse(said.trim().split('\n').at(-1));
      if (JSON.stringify(rust.sums) !== JSON.stringify(mine.sums)) throw new Failure(`${name}: the batches differ`);
      rounds.rust.push(rust.rate);
      rounds.python.push(mine.rate);
      rounds.ratio.push(mine.rate / rust.rate);
      rounds.us.push(mine.python_us);
    }
    const result = { case: name, rust: median(rounds.rust), python: median(rounds.python) };
    result.ratio = Number(median(rounds.ratio).toFixed(3));
    result.python_us = median(rounds.us);
    results.push(result);
    console.log(
      `${name}: ${result.rust} a second in Rust, ${result.python} in Python, ${result.ratio}; ${result.python_us} us a batch`,
    );
  }
  const about = { ...machine(), python: python.version, rounds: Number(options.rounds), load: loadavg() };
  writeFileSync(join(ROOT, 'benches/results/python.json'), `${JSON.stringify({ about, results }, null, 1)}\n`);
});

/** Pictures of about 500 x 375, drawn once. */
async function drawn() {
  const [tar, tbl] = [join(FOLDER, 'set-2000.tar'), join(FOLDER, 'set-2000.tbl')];
  if (existsSync(tbl)) return tbl;
  const cargo = ['run', '--release', '--locked', '--quiet', '-p'];
  await run('cargo', [...cargo, 'forebay-tools', '--bin', 'forebay-sample', '--', '--bench', '--count', '2000', tar]);
  await run('cargo', [...cargo, 'forebay-cli', '--bin', 'forebay', '--', 'convert', '--quiet', tar, tbl]);
  return tbl;
}
