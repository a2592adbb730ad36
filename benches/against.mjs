// npm run bench:against: two builds of the command on the same work, in turns.
//
//   npm run bench:against -- OLD [NEW] [--rounds 7]
//
// OLD and NEW are `forebay` binaries; without NEW the checkout's own is built. A ratio is the old median over the new:
// above 1 the new one is faster. What both write is compared byte for byte.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, ROOT, main, run } from '../scripts/lib/run.mjs';
import { build, json } from './lib/build.mjs';
import { makeCsv } from './lib/csv_set.mjs';
import { makeLoaderSet } from './lib/loader_set.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '7' } },
});
const FOLDER = join(ROOT, 'target/bench');

await main(async () => {
  const [old, given] = positionals;
  if (!old) throw new Failure('npm run bench:against -- OLD [NEW]: name the older binary');
  mkdirSync(FOLDER, { recursive: true });
  const tools = await build('loader');
  const set = await makeLoaderSet(tools, FOLDER, { count: 2000, large: 64, small: 4000, many: 20_000 });
  const csv = join(FOLDER, 'table-128.csv');
  makeCsv(csv, 128e6);
  const builds = { old, new: given ?? tools.forebay };
  const jobs = work(set, csv);
  console.log(`load ${loadavg()[0].toFixed(1)}, medians of ${options.rounds} rounds\n`);
  console.log('| work | old | new | old / new | outputs |\n|---|---|---|---|---|');
  for (const [name, job] of Object.entries(jobs)) {
    const times = { old: [], new: [] };
    const digests = new Set();
    for (let round = 0; round <= Number(options.rounds); round++) {
      for (const which of round % 2 ? ['old', 'new'] : ['new', 'old']) {
        const took = await job.run(builds[which]);
        // The first round fills the page cache.
        if (round > 0) times[which].push(took);
        if (job.output) digests.add(createHash('sha256').update(readFileSync(job.output)).digest('hex'));
      }
    }
    const [before, after] = [median(times.old), median(times.new)];
    const same = job.output ? (digests.size === 1 ? 'equal' : 'differ') : '';
    console.log(`| ${name} | ${ms(before)} | ${ms(after)} | ${(before / after).toFixed(2)} | ${same} |`);
    if (job.output) rmSync(job.output);
  }
});

/** What is done, by name. */
function work(set, csv) {
  const output = (name) => join(FOLDER, `against-${name}`);
  const timed = (args) => async (forebay) => {
    const begun = performance.now();
    await run(forebay, args, { quiet: true });
    return performance.now() - begun;
  };
  const converted = (input, name) => ({
    run: timed(['convert', input, output(name), '--force', '--quiet']),
    output: output(name),
  });
  const batches = (file, ...more) => ({
    run: async (forebay) => {
      const args = ['bench', file, '--json', '--batch', 64, '--image', 224, '--decode-alone', 0, '--workers', 2];
      return (await json(forebay, [...args, ...more])).seconds * 1000;
    },
  });
  return {
    'TAR to TBL': converted(set.tar, 'set.tbl'),
    'check of a TBL': { run: timed(['check', set.tbl, '--quiet']) },
    'CSV to TBF': converted(csv, 'table.tbf'),
    'loader, resized': batches(set.tbl),
    'loader, crops': batches(set.tbl, '--augment', '--shuffle', 1),
    'loader, random reads of raw pixels': batches(set.raw, '--shuffle', 42, '--epochs', 4),
  };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function ms(value) {
  return `${value.toFixed(0)} ms`;
}
