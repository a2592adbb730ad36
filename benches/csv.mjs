// npm run bench:csv: CSV to Parquet against polars, duckdb and pyarrow.
//
//   npm run bench:csv -- [--rounds 7] [--mb 128] [--cores 2] [--built]
//
// Installs what it is measured against into a virtual environment in the user's cache. All convert the same file to Parquet
// with snappy, in processes of their own on the same cores, one after another in turns, each round beginning with another;
// medians are compared. The time of Forebay is that of its whole process; that of the others begins once Python has their
// package. All outputs must be the same table in every value. Prints a table for docs/benchmarks-tables.md; --built takes
// the release build that is there.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, json } from './lib/build.mjs';
import { makeCsv } from './lib/csv_set.mjs';
import { TABLES, tablesPython } from './lib/peer.mjs';
import { machine } from './lib/report.mjs';
import { Failure, ROOT, main, read } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    mb: { type: 'string', default: '128' },
    cores: { type: 'string', default: '2' },
    built: { type: 'boolean', default: false },
  },
});
const FOLDER = join(ROOT, 'target/bench');
const PEERS = join(ROOT, 'benches/csv_peers.py');
const MEASURE = join(ROOT, 'benches/measure.py');
const [rounds, mb, cores] = [options.rounds, options.mb, options.cores].map(Number);

await main(async () => {
  mkdirSync(FOLDER, { recursive: true });
  const python = tablesPython();
  if (!python) throw new Failure('polars, duckdb and pyarrow cannot be installed here');
  const built = join(ROOT, 'target/dist/forebay');
  const forebay = options.built && existsSync(built) ? built : (await build('samples')).forebay;
  const pinned = read('taskset', ['--version']) !== null;
  if (!pinned) console.log('taskset is not here: the number of cores is only that of the threads.');
  const on = (...argv) => (pinned ? json('taskset', ['-c', `0-${cores - 1}`, ...argv]) : json(argv[0], argv.slice(1)));

  const [csv, large] = [join(FOLDER, `table-${mb}.csv`), join(FOLDER, `table-${4 * mb}.csv`)];
  makeCsv(csv, mb * 1e6);
  makeCsv(large, 4 * mb * 1e6);
  const output = (name) => join(FOLDER, `csv-${name}.parquet`);
  const ours = (mode, input, threads, to = output('forebay')) =>
    on(
      'python3',
      MEASURE,
      mode,
      forebay,
      'convert',
      '--quiet',
      '--no-sync',
      '--force',
      '--workers',
      threads,
      input,
      to,
    );
  const peer = (name, input) => on(python, PEERS, name, cores, input, output(name));
  const jobs = {
    forebay: () => ours('time', csv, cores),
    'forebay, 1 thread': () => ours('time', csv, 1, output('alone')),
    polars: () => peer('polars', csv),
    duckdb: () => peer('duckdb', csv),
    pyarrow: () => peer('pyarrow', csv),
  };
  const names = Object.keys(jobs);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round * 2) % names.length];
      const result = await jobs[name]();
      results[name].push(result);
      console.log(
        `round ${round + 1}  ${name.padEnd(18)} ${result.seconds.toFixed(2)} s, processor ${result.cpu_seconds.toFixed(2)} s, load ${loadavg()[0].toFixed(1)}`,
      );
    }
  }
  const found = await json(python, [PEERS, 'same', ...['forebay', 'alone', 'polars', 'duckdb', 'pyarrow'].map(output)]);
  if (found.differ) throw new Failure(`the outputs differ: ${found.differ}`);
  const bytes = (path) => `${(statSync(path).size / 1e6).toFixed(1)} MB`;
  const peaks = {};
  for (const [name, file] of [
    ['forebay', 'forebay'],
    ['forebay, 1 thread', 'alone'],
  ]) {
    const threads = file === 'alone' ? 1 : cores;
    peaks[name] = [
      (await ours('peak', csv, threads, output(file))).peak_bytes,
      (await ours('peak', large, threads, output('large'))).peak_bytes,
    ];
  }
  for (const name of ['polars', 'duckdb', 'pyarrow']) {
    peaks[name] = [
      Math.max(...results[name].map((r) => r.peak_bytes)),
      (await on(python, PEERS, name, cores, large, output('large'))).peak_bytes,
    ];
  }
  const of = (name, field) => median(results[name].map((r) => r[field]));
  const about = machine();
  console.log(`
${about.date}, ${about.processor}, ${about.system}, ${about.rust}; ${Object.entries(TABLES)
    .map((pair) => pair.join(' '))
    .join(', ')};
${cores} cores${pinned ? ', pinned' : ''}; ${rounds} rounds; load at the end ${loadavg()[0].toFixed(1)}. ${found.rows} rows of ${found.columns} columns
(${found.types.join(', ')}), ${bytes(csv)}; the outputs are equal in every value.

| CSV to Parquet (snappy) | seconds | x Forebay | processor seconds | output | peak memory | of a file 4 x as large |
|---|---|---|---|---|---|---|`);
  for (const name of names) {
    const file = name === 'forebay, 1 thread' ? 'alone' : name;
    const ratio = of(name, 'seconds') / of('forebay', 'seconds');
    const cells = [
      of(name, 'seconds').toFixed(2),
      ratio.toFixed(2),
      of(name, 'cpu_seconds').toFixed(2),
      bytes(output(file)),
    ];
    console.log(`| ${[name, ...cells, ...peaks[name].map((n) => `${(n / 2 ** 20).toFixed(0)} MiB`)].join(' | ')} |`);
  }
});

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
