// npm run bench:parts: what of the loader is measured by the command alone, without other loaders.
//
//   npm run bench:parts -- [simulate] [targets] [decoded] [--rounds 5] [--quick] [--dry] [--forebay PROGRAM --sample PROGRAM]
//
// simulate: what `forebay plan --simulate` tells for one and two workers, and what these then do, of small, usual and large
// pictures. targets: batches with and without. decoded: the second epoch by the first, with decoded pictures kept, in memory
// and in a file. Everything in turns; medians are compared. Keeps what it found in benches/results/loader_parts.json, and writes
// its parts of docs/benchmarks-loader.md; with --dry or --quick neither.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './lib/build.mjs';
import { KEPT, kept, parts, replaced } from './lib/parts_report.mjs';
import { machine } from './lib/report.mjs';
import { Failure, ROOT, main, run } from '../scripts/lib/run.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    forebay: { type: 'string' },
    sample: { type: 'string' },
  },
});
const FOLDER = join(ROOT, 'target/bench');
const PAGE = join(ROOT, 'docs/benchmarks-loader.md');
const ALL = { simulate, targets, decoded };
const rounds = options.quick ? 1 : Number(options.rounds);
/** Some pictures, how many there are of them, the samples of a batch, and how many are timed at least. */
const SETS = [
  ['64 x 64, enlarged', 'small', options.quick ? 512 : 4000, 64, 16_000, ['--size', '64x64', '--format', 'jpg']],
  ['500 x 375', 'set', options.quick ? 128 : 2000, 64, 256, ['--bench']],
  ['3000 x 2000', 'large', options.quick ? 8 : 64, 8, 256, ['--size', '3000x2000', '--format', 'jpg']],
];

await main(async () => {
  const wanted = positionals.length ? positionals : Object.keys(ALL);
  for (const name of wanted) if (!ALL[name]) throw new Failure(`${name}: there are ${Object.keys(ALL).join(', ')}`);
  const tools = options.forebay ? { forebay: options.forebay, sample: options.sample } : await build('loader');
  const forebay = (...args) =>
    JSON.parse(execFileSync(tools.forebay, [...args.map(String), '--json'], { encoding: 'utf8' }));
  const sets = await makeSets(tools);
  const { date, processor } = machine();
  const found = kept();
  for (const name of wanted) found[name] = { date, processor, rounds, ...ALL[name](forebay, sets) };
  console.log(parts(Object.fromEntries(wanted.map((name) => [name, found[name]]))));
  if (options.dry || options.quick) return;
  writeFileSync(KEPT, `${JSON.stringify(found, null, 1)}\n`);
  writeFileSync(PAGE, replaced(readFileSync(PAGE, 'utf8')));
});

/** The sets as files with an index, made once, under the names that bench:loader has for the same. */
async function makeSets({ forebay, sample }) {
  mkdirSync(FOLDER, { recursive: true });
  const sets = [];
  for (const [words, name, count, batch, least, how] of SETS) {
    const [tar, tbl] = ['tar', 'tbl'].map((ending) => join(FOLDER, `${name}-${count}.${ending}`));
    const make = async (path, program, args) => {
      if (existsSync(path)) return;
      // Under another name until it is whole, so that what was interrupted is made again.
      await run(program, [...args.map(String), `${path}.part`], { quiet: true });
      renameSync(`${path}.part`, path);
    };
    await make(tar, sample, [...how, '--count', count]);
    await make(tbl, forebay, ['convert', '--quiet', '--to', 'tbl', '--force', tar]);
    const labels = join(FOLDER, `${name}-${count}.json`);
    if (name === 'set') {
      // What four numbers mean is not said in the samples.
      const how = ['--quiet', '--force', '--to', 'coco', '--boxes', 'json.boxes:xywh'];
      await run(forebay, ['labels', 'convert', ...how, tbl, labels], { quiet: true });
    }
    sets.push({ words, path: tbl, labels, count, batch, least });
  }
  return sets;
}

function rate(epoch) {
  return epoch.images / epoch.seconds;
}

/** The middle of some numbers, and how far they go. */
function middle(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  return { median, least: sorted[0], most: sorted.at(-1) };
}

/** Lists by name, of which each becomes its middle. */
function lists() {
  const all = {};
  return {
    add: (name, number) => {
      all[name] ??= [];
      all[name].push(number);
    },
    middles: () => Object.fromEntries(Object.entries(all).map(([name, numbers]) => [name, middle(numbers)])),
  };
}

function bench(forebay, set, workers, ...more) {
  const how = ['--workers', workers, '--batch', set.batch, '--shuffle', 1, '--decode-alone', 0];
  return forebay('bench', set.path, ...how, ...more);
}

function simulate(forebay, sets) {
  const rows = [];
  // The first number is wanted of these; with more workers than cores it is only looked at.
  const WORKERS = [
    [1, 10],
    [2, 10],
    [4, 0],
  ];
  for (const set of sets) {
    // Large pictures come around several times, and small ones too, so that a run takes long enough to be timed: an epoch
    // of small ones is over in a quarter of a second.
    const epochs = 1 + Math.ceil(set.least / set.count);
    const found = WORKERS.map(lists);
    bench(forebay, set, 2);
    for (let round = 0; round < rounds; round++) {
      const numbers = WORKERS.map(([workers]) => workers).join(',');
      const about = ['--batch', set.batch, '--shuffle', 1, '--tail', 'uneven', '--workers', numbers];
      const samples = Math.min(512, 4 * set.count);
      const told = forebay('plan', set.path, '--simulate', '--samples', samples, ...about).predicted;
      for (const [k, [workers]] of WORKERS.entries()) {
        // The first epoch has the start of the loader in it.
        const made = bench(forebay, set, workers, '--epochs', epochs).epochs.slice(1);
        const sum = (key) => made.reduce((all, epoch) => all + epoch[key], 0);
        const real = sum('images') / sum('seconds');
        const predicted = told[k].images_per_second;
        found[k].add('predicted', predicted);
        found[k].add('real', real);
        found[k].add('ratio', predicted / real);
        console.log(`${set.words}, ${workers} workers: ${predicted.toFixed(0)} told, ${real.toFixed(0)} made`);
      }
    }
    for (const [k, [workers, wanted]] of WORKERS.entries()) {
      rows.push({ set: set.words, workers, wanted, ...found[k].middles() });
    }
  }
  return { rows };
}

function targets(forebay, sets) {
  const set = sets[1];
  const boxes = `boxes=boxes/16:${set.labels}`;
  const KINDS = [
    ['a class', ['--target', 'class=class:cls']],
    ['boxes, 16 places', ['--target', boxes]],
    [
      'a class, a caption, boxes',
      ['class=class:cls', 'caption=text:json.caption', boxes].flatMap((one) => ['--target', one]),
    ],
  ];
  const found = KINDS.map(lists);
  bench(forebay, set, 2);
  for (let round = 0; round < rounds; round++) {
    for (const [k, [what, more]] of KINDS.entries()) {
      const made = (args) => rate(bench(forebay, set, 2, '--epochs', 2, ...args).epochs[1]);
      // Each of them first in every other round: a machine may become slower while it is at it.
      const [a, b] = round % 2 ? [made([]), made(more)] : [made(more), made([])];
      const [plain, given] = round % 2 ? [a, b] : [b, a];
      found[k].add('plain', plain);
      found[k].add('given', given);
      found[k].add('ratio', given / plain);
      console.log(`${what}: ${plain.toFixed(0)} without, ${given.toFixed(0)} with`);
    }
  }
  return { wanted: 3, rows: KINDS.map(([what], k) => ({ what, ...found[k].middles() })) };
}

function decoded(forebay, sets) {
  const set = sets[1];
  const folder = mkdtempSync(join(tmpdir(), 'forebay-decoded-'));
  const KINDS = [
    ['nothing', 0, () => []],
    ['in memory', 3, () => ['--decoded-cache', '16G']],
    ['in a file', 3, (round) => ['--decoded-cache', `16G=${join(folder, `kept-${round}`)}`]],
    ['in memory, of random crops', 0, () => ['--augment', '--decoded-cache', '16G']],
  ];
  const found = KINDS.map(lists);
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [k, [what, , more]] of KINDS.entries()) {
        const { epochs } = bench(forebay, set, 2, '--epochs', 2, ...more(round));
        const [first, second] = epochs.map(rate);
        rmSync(join(folder, `kept-${round}`), { force: true });
        found[k].add('first', first);
        found[k].add('second', second);
        found[k].add('ratio', second / first);
        console.log(`${what}: ${first.toFixed(0)}, then ${second.toFixed(0)}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { rows: KINDS.map(([what, wanted], k) => ({ what, wanted, ...found[k].middles() })) };
}
