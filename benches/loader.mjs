// npm run bench:loader: the loader against the other loaders, the bare decoder and memcpy.
//
//   npm run bench:loader -- [--rounds 3] [--quick] [--dry]
//
// Installs what it is measured against (turboloader; torch, torchvision, webdataset, Pillow) into virtual environments in
// the user's cache. Everything is measured in the same run, one after another in turns, in processes of their own on the
// same cores, and medians are compared. The tensors of all are compared too. Writes docs/benchmarks-loader.md and .svg and
// benches/results/loader.json, with --dry or --quick none of them; --quick measures less, to see that all works.
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, json } from './lib/build.mjs';
import { peerPython, trainingPython } from './lib/peer.mjs';
import { READY, chart, page } from './lib/loader_report.mjs';
import { makeLoaderSet } from './lib/loader_set.mjs';
import { machine } from './lib/report.mjs';
import { meanDifference, withFiles } from './lib/tensors.mjs';
import { Failure, ROOT, main, read, seconds } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
  },
});
const FOLDER = join(ROOT, 'target/bench');
const PEERS = join(ROOT, 'benches/loader_peers.py');
const rounds = options.quick ? 1 : Number(options.rounds);
// Four batches of large pictures: of one alone nothing but its beginning and its end would be measured.
const [count, large, small, many] = options.quick ? [256, 8, 512, 20_000] : [2000, 256, 4000, 1_281_167];

await main(async () => {
  if (!read('python3', ['--version'])) throw new Failure('python3 runs the other loaders; it is not here');
  mkdirSync(FOLDER, { recursive: true });
  const tools = await build('loader');
  const set = await makeLoaderSet(tools, FOLDER, { count, large, small, many });
  const pythons = { turboloader: peerPython(), training: trainingPython() };
  for (const [name, python] of Object.entries(pythons)) {
    if (!python) console.log(`\nThe packages of ${name} cannot be installed here: their rows stay empty.`);
  }
  const pinned = read('taskset', ['--version']) !== null;
  if (!pinned) console.log('\ntaskset is not here: the number of cores is only that of the workers.');
  const begun = Date.now();
  const differences = await compare(tools, set, pythons);
  const results = await measure(tools, set, pythons, pinned);
  const about = {
    ...machine(),
    set: set.about,
    rounds,
    pinned,
    took: seconds(Date.now() - begun),
    load: loadavg().map((n) => Number(n.toFixed(1))),
  };
  const text = page(about, results, differences);
  console.log(`\n${text}`);
  if (options.dry || options.quick) return;
  writeFileSync(join(ROOT, 'docs/benchmarks-loader.md'), text);
  writeFileSync(join(ROOT, 'docs/benchmarks-loader.svg'), chart(results));
  mkdirSync(join(ROOT, 'benches/results'), { recursive: true });
  // Paths below the checkout: where that stands is nobody's business.
  writeFileSync(
    join(ROOT, 'benches/results/loader.json'),
    `${JSON.stringify({ about, differences, results }, null, 1)}\n`.replaceAll(join(ROOT, '/'), ''),
  );
});

/** Every configuration once a round, each round beginning with another. Another loader that fails leaves its row empty. */
async function measure(tools, set, pythons, pinned) {
  const { jobs, peers } = configurations(tools, set, pythons, pinned);
  const names = Object.keys(jobs);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const turn = (round * 5) % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      const result = await jobs[name]().catch((e) => {
        if (!peers.has(name)) throw e;
        console.log(`round ${round + 1}  ${name} failed: ${e.message}`);
        return null;
      });
      if (!result) continue;
      results[name].push(result);
      const { images, seconds } = result;
      const what = images
        ? `${(images / seconds).toFixed(0).padStart(7)} images/s`
        : `${seconds.toFixed(2).padStart(7)} s       `;
      console.log(`round ${round + 1}  ${name.padEnd(34)} ${what}  load ${loadavg()[0].toFixed(1)}`);
    }
  }
  return results;
}

/** What is measured, by name. */
function configurations({ forebay, loader }, set, pythons, pinned) {
  const [jobs, peers] = [{}, new Set()];
  const on = (cores, command, args) =>
    pinned ? json('taskset', ['-c', cores === 1 ? '0' : '0,1', command, ...args]) : json(command, args);
  const ours = (name, cores, file, ...more) => {
    const alone = more.includes('--decode-alone') ? [] : ['--decode-alone', 0];
    jobs[name] = () => on(cores, forebay, ['bench', file, '--json', '--batch', 64, '--image', 224, ...alone, ...more]);
  };
  const peer = (name, cores, python, kind, path, ...more) => {
    if (!python) return;
    peers.add(name);
    jobs[name] = () => on(cores, python, [PEERS, kind, path, `workers=${cores}`, ...more]);
  };
  const labels = ['--labels', 'cls'];
  // With the bare decoder, on the same core and the same pictures.
  ours('forebay, resize, 1 core', 1, set.tbl, '--workers', 1, '--decode-alone', set.count, ...labels);
  ours('forebay, resize, 2 cores', 2, set.tbl, '--workers', 2, ...labels);
  for (const cores of [1, 2]) {
    const how = ['--workers', cores, '--augment', '--shuffle', 42, ...labels];
    ours(`forebay, augment, ${cores} core${cores > 1 ? 's' : ''}`, cores, set.tbl, ...how);
  }
  ours('forebay, small, 2 cores', 2, set.smallTbl, '--workers', 2, '--decode-alone', small);
  ours('forebay, large, 2 cores', 2, set.largeTbl, '--workers', 2, '--decode-alone', 8);
  ours('forebay, tar, 2 cores', 2, set.tar, '--workers', 2, '--labels', 'cls');
  ours('memory, 8 workers', 2, set.tbl, '--workers', 8, '--where', `index < ${10 * 64}`);
  for (const cores of [1, 2]) {
    const many = cores > 1 ? 's' : '';
    peer(`turboloader, resize, ${cores} core${many}`, cores, pythons.turboloader, 'turboloader', set.tar);
    peer(`turboloader, augment, ${cores} core${many}`, cores, pythons.turboloader, 'turboloader', set.tar, 'aug=1');
    // Mapped: where nothing is decoded, a copy is part of what is measured.
    const raw = ['--workers', cores, '--shuffle', 42, '--epochs', 5, '--io', 'map'];
    ours(`raw, ${cores} core${many}`, cores, set.raw, ...raw);
    ours(`raw, unverified, ${cores} core${many}`, cores, set.raw, ...raw, '--no-verify');
    peer(
      `turboloader, raw, ${cores} core${many}`,
      cores,
      pythons.turboloader,
      'turboloader-raw',
      set.rawPeer,
      'epochs=5',
    );
  }
  peer('turboloader, antialiased, 2 cores', 2, pythons.turboloader, 'turboloader', set.tar, 'antialias=1');
  peer('turboloader, large, 2 cores', 2, pythons.turboloader, 'turboloader', set.largeTar);
  peer('turboloader, small, 2 cores', 2, pythons.turboloader, 'turboloader', set.smallTar);
  peer('webdataset, resize, 2 cores', 2, pythons.training, 'webdataset', set.shards);
  peer('torch, resize, 2 cores', 2, pythons.training, 'torch', set.files);
  peer('torch, augment, 2 cores', 2, pythons.training, 'torch', set.files, 'aug=1');
  jobs['memcpy, 1 core'] = () => on(1, loader, ['copy', 5 * set.count]);
  for (const kind of READY) jobs[`ready, ${kind}`] = () => on(2, loader, ['build', set.many, kind]);
  return { jobs, peers };
}

/** The first batch of every loader, in stored order, against ours: mean differences in levels, with what is allowed. */
async function compare({ loader }, set, pythons) {
  const [ours, theirs] = ['ours.f32', 'theirs.f32'].map((name) => join(FOLDER, name));
  const pairs = [
    ['Pillow and torchvision (antialiased)', pythons.training, ['torch', set.files], set.tbl, 'bilinear', 0.5],
    ['webdataset with Pillow (antialiased)', pythons.training, ['webdataset', set.shards], set.tbl, 'bilinear', 0.5],
    [
      'turboloader, antialias=True',
      pythons.turboloader,
      ['turboloader', set.tar, 'antialias=1'],
      set.tbl,
      'bilinear',
      2,
    ],
    [
      'turboloader as it comes (not antialiased), against our bilinear-plain',
      pythons.turboloader,
      ['turboloader', set.tar],
      set.tbl,
      'bilinear-plain',
      4,
    ],
    ['turboloader, raw pixels', pythons.turboloader, ['turboloader-raw', set.rawPeer], set.raw, 'bilinear', 0.001],
  ];
  const found = [];
  await withFiles([ours, theirs], async () => {
    for (const [what, python, args, file, filter, allowed] of pairs) {
      if (!python) continue;
      await json(loader, ['dump', file, ours, filter]);
      try {
        await json(python, [PEERS, ...args, `dump=${theirs}`]);
      } catch (e) {
        console.log(`not compared with ${what}: ${e.message}`);
        continue;
      }
      const difference = meanDifference(ours, theirs);
      console.log(`compared ${what}: ${difference.toFixed(3)} levels apart on average, ${allowed} allowed`);
      if (!(difference <= allowed))
        throw new Failure(`${what} makes other tensors: ${difference} levels apart, not ${allowed}`);
      found.push({ what, difference, allowed });
    }
  });
  return found;
}
