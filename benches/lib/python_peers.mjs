// Other loaders of Python: each measured in turns, and its tensors compared with ours.
import { existsSync, readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Failure, ROOT, read, run } from '../../scripts/lib/run.mjs';
import { meanDifference, withFiles } from './tensors.mjs';

const PROGRAM = join(ROOT, 'benches/python/peers.py');

/** What is measured: name, kind, which of the set's files, and more. All on two cores, with two workers. */
const JOBS = [
  ['forebay, resize', 'forebay', 'tbl'],
  ['forebay, augment', 'forebay', 'tbl', 'aug=1'],
  ['turboloader, resize', 'turboloader', 'tar'],
  ['turboloader, augment', 'turboloader', 'tar', 'aug=1'],
  ['torchvision v2 with Pillow, resize', 'torch-pillow', 'files'],
  ['torchvision v2 with Pillow, augment', 'torch-pillow', 'files', 'aug=1'],
  ['torchvision v2 with its decoder, resize', 'torch-turbo', 'files'],
  ['torchvision v2 with its decoder, augment', 'torch-turbo', 'files', 'aug=1'],
  ['webdataset, resize', 'webdataset', 'shards'],
  ['MosaicML streaming, resize', 'streaming', 'streaming'],
  ['LitData, resize', 'litdata', 'litdata'],
  ['DALI on the CPU, resize', 'dali', 'files'],
  ['DALI on the CPU, augment', 'dali', 'files', 'aug=1'],
  ['FFCV, augment', 'ffcv', 'ffcv', 'aug=1'],
  ["forebay.torch.Dataset in torch's DataLoader", 'map-style', 'tbl'],
  ["ImageFolder in torch's DataLoader", 'image-folder', 'folder'],
  ['our decoder alone', 'bare-forebay', 'tbl'],
  ["torchvision's decoder alone", 'bare-turbo', 'files'],
  ['Pillow alone', 'bare-pillow', 'files'],
  ['a mapped warehouse', 'warehouse', 'warehouse', 'epochs=20'],
  ['safetensors', 'safetensors', 'stored', 'epochs=20'],
  ['numpy.memmap', 'memmap', 'stored', 'epochs=20'],
];

/** The first batch of each in stored order against ours: mean differences in levels, with what is allowed. */
const PAIRS = [
  ['turboloader, antialias=True', 'turboloader', 'tar', 2, 'antialias=1'],
  ['torchvision v2 with Pillow', 'torch-pillow', 'files', 0.5],
  // Its decoder is libjpeg-turbo and its resizing is of tensors: rounded otherwise.
  ['torchvision v2 with its decoder', 'torch-turbo', 'files', 1],
  ['webdataset with Pillow', 'webdataset', 'shards', 0.5],
  ['MosaicML streaming with Pillow', 'streaming', 'streaming', 0.5],
  ["LitData with torchvision's decoder", 'litdata', 'litdata', 1],
  // Its resizing is its own.
  ['DALI on the CPU', 'dali', 'files', 2],
  ['forebay.torch.Dataset', 'map-style', 'tbl', 0.001],
  ['ImageFolder', 'image-folder', 'folder', 0.5],
];
/** The same of what holds the tensors of a warehouse, whose sizes and numbers are its own. */
const STORED = [
  ['safetensors, with a warehouse', 'safetensors', 'stored', 0],
  ['numpy.memmap, with a warehouse', 'memmap', 'stored', 0],
];

const ask = ({ env, through }, python, args, cores) => {
  const pinned = cores && read('taskset', ['--version']) !== null;
  const all = [...(cores ? through : []), ...(pinned ? ['taskset', '-c', '0,1'] : []), python, ...args];
  // Among what libraries say, before and after.
  return run(all[0], all.slice(1), { env, quiet: true }).then((text) =>
    JSON.parse(text.split('\n').findLast((line) => /^\{"/.test(line))),
  );
};

/** The Python that has what a job of this kind needs; an error where it could not be installed. */
function pythonOf({ pythons }, kind) {
  if (!(kind in pythons.formats)) return pythons.peers;
  if (!pythons.formats[kind]) throw new Failure(`${kind} could not be installed`);
  return pythons.formats[kind];
}

/** Every job once a round, each round beginning with another. One that fails leaves its row empty. */
export async function measurePeers(where) {
  const jobs = JOBS.filter(([name]) => where.only.test(name));
  const results = Object.fromEntries(jobs.map(([name]) => [name, []]));
  for (let round = 0; round < where.rounds; round++) {
    const turn = (round * 5) % Math.max(jobs.length, 1);
    for (const [name, kind, file, ...more] of [...jobs.slice(turn), ...jobs.slice(0, turn)]) {
      const args = [PROGRAM, kind, where.set[file], 'workers=2', ...more];
      const measured = async () => ask(where, pythonOf(where, kind), args, true);
      const result = await measured().catch((e) => {
        console.log(`round ${round + 1}  ${name} failed: ${e.message}\n${e.output ?? ''}`);
        if (['forebay', 'map-style', 'warehouse', 'bare-forebay'].includes(kind)) throw e;
        return null;
      });
      if (!result) continue;
      results[name].push(result);
      const rate = (result.images / result.seconds).toFixed(0).padStart(7);
      console.log(`round ${round + 1}  ${name.padEnd(44)} ${rate} images/s  load ${loadavg()[0].toFixed(1)}`);
    }
  }
  return results;
}

/** A warehouse of the set, and its tensors as the others keep them. */
export async function makeStored({ set, env, pythons, folder, tools }, count) {
  const home = join(folder, `warehouse-${count}`);
  set.stored = join(folder, `stored-${count}`);
  if (!existsSync(home)) {
    const how = ['--size', '224x224', '--resize', 'force', '--dtype', 'u8', '--boxes', 'none'];
    await run(tools.forebay, ['warehouse', 'build', set.tar, '-o', home, ...how], { quiet: true });
  }
  const [version] = readdirSync(home).filter((name) => existsSync(join(home, name, 'manifest.json')));
  set.warehouse = join(home, version, 'manifest.json');
  if (!existsSync(join(set.stored, 'images.safetensors')))
    await run(pythons.peers, [PROGRAM, 'store', set.warehouse, `to=${set.stored}`], { env, quiet: true });
  for (const kind of ['streaming', 'litdata', 'ffcv']) {
    set[kind] = join(folder, `${kind}-${count}`);
    const args = [PROGRAM, 'store', set.files, `as=${kind}`, `to=${set[kind]}`];
    if (pythons.formats[kind] && !existsSync(set[kind])) await run(pythons.formats[kind], args, { env, quiet: true });
  }
}

/** Throws if another loader makes other tensors. */
export async function comparePeers(where) {
  const [ours, theirs] = ['ours.f32', 'theirs.f32'].map((name) => join(where.folder, name));
  const found = [];
  await withFiles([ours, theirs], async () => {
    const whose = { forebay: PAIRS, warehouse: STORED };
    const all = Object.entries(whose).flatMap(([own, pairs]) => pairs.map((pair) => [own, ...pair]));
    for (const [own, what, kind, file, allowed, ...more] of all) {
      await ask(where, where.pythons.peers, [
        PROGRAM,
        own,
        own === 'forebay' ? where.set.tbl : where.set.warehouse,
        `dump=${ours}`,
      ]);
      try {
        await ask(where, pythonOf(where, kind), [PROGRAM, kind, where.set[file], `dump=${theirs}`, ...more]);
      } catch (e) {
        console.log(`not compared with ${what}: ${e.message}\n${e.output ?? ''}`);
        continue;
      }
      const difference = meanDifference(ours, theirs);
      console.log(`compared ${what}: ${difference.toFixed(3)} levels apart on average, ${allowed} allowed`);
      if (!(difference <= allowed)) throw new Failure(`${what} makes other tensors: ${difference} levels apart`);
      found.push({ what, difference, allowed });
    }
  });
  return found;
}
