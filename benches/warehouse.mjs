// npm run bench:warehouse: how fast a warehouse is built, and in how much memory.
//
//   npm run bench:warehouse -- [--rounds 3] [--quick] [--dry] [--folder FOLDER]
//
// Builds of photographs of two sizes, against the loader making the same tensors into nothing, against them made and
// forgotten without a loader, and against Pillow and NumPy in processes, which are installed into a virtual environment in
// the user's cache. All take turns on two cores, and medians are compared: of time, and of processor time, which tells
// more where other programs run. Beside the builds stands what the format and the machine leave of the loader's speed at best:
// the same processors also have to hash every picture and every image, and to hand their bytes to the system, each of which
// is measured alone in the same run. Then builds of 10,000 and of 100,000 small pictures, and the most memory that they had.
//
// Files are written into target/bench; another --folder, such as one in memory, leaves the disk out of it. Writes
// benches/results/warehouse.json unless --dry or --quick; --quick measures less, to see that all works.
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, json } from './lib/build.mjs';
import { imagingPython } from './lib/peer.mjs';
import { machine } from './lib/report.mjs';
import { Failure, ROOT, main, run, seconds } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
    folder: { type: 'string', default: join(ROOT, 'target/bench') },
  },
});
const FOLDER = options.folder;
const OUT = join(FOLDER, 'built');
const [SIDE, WORKERS] = [384, 2];
const DTYPES = ['f32', 'f16', 'u8'];
const rounds = options.quick ? 1 : Number(options.rounds);
const [photos, large, ...many] = options.quick ? [100, 8, 1000, 10_000] : [2000, 64, 10_000, 100_000];
/** By how many levels of 255 Pillow's tensors may differ on average: another decoder, and another rounding between passes. */
const ALLOWED = 0.5;

await main(async () => {
  mkdirSync(FOLDER, { recursive: true });
  const tools = await build('warehouse_speed');
  const python = imagingPython();
  if (!python) console.log('\nPillow and NumPy cannot be installed here: their rows stay empty.');
  const sets = {
    '500 x 375': await pictures(tools, `photos-${photos}`, ['--bench', '--count', photos]),
    '3000 x 2000': await pictures(tools, `large-${large}`, [
      '--size',
      '3000x2000',
      '--format',
      'jpg',
      '--count',
      large,
    ]),
  };
  const begun = Date.now();
  const results = await measure(tools, sets, python);
  const memory = await remember(tools);
  const about = {
    ...machine(),
    rounds,
    took: seconds(Date.now() - begun),
    load: loadavg().map((n) => Number(n.toFixed(1))),
  };
  console.log(`\n${page(about, sets, results, memory)}`);
  if (options.dry || options.quick) return;
  const file = join(ROOT, 'benches/results/warehouse.json');
  writeFileSync(file, `${JSON.stringify({ about, results, memory }, null, 1)}\n`);
});

/** A folder of pictures that the project draws; made once. */
async function pictures({ sample, forebay }, name, drawn) {
  const [folder, tar] = [join(FOLDER, name), join(FOLDER, `${name}.tar`)];
  if (existsSync(folder)) return folder;
  await run(sample, [...drawn.map(String), tar], { quiet: true });
  const part = join(FOLDER, `part-${name}`);
  rmSync(part, { recursive: true, force: true });
  await run(forebay, ['extract', '--quiet', tar, '--all', '--to', part], { quiet: true });
  // What lies beside the pictures is nothing to a builder, and would be looked at.
  for (const file of readdirSync(part)) if (!file.endsWith('.jpg')) rmSync(join(part, file));
  renameSync(part, folder);
  rmSync(tar);
  return folder;
}

/** Every row once a round, each round beginning with another. */
async function measure(tools, sets, python) {
  const jobs = {};
  const ours = (what, folder, dtype) => () => json(tools.warehouse_speed, [what, folder, dtype, SIDE, WORKERS, OUT]);
  for (const [name, folder] of Object.entries(sets)) {
    jobs[`loader, ${name}`] = ours('loader', folder, 'f32');
    for (const dtype of DTYPES) jobs[`live ${dtype}, ${name}`] = ours('live', folder, dtype);
    for (const dtype of DTYPES) {
      for (const what of ['made', 'hash', 'write']) jobs[`${what} ${dtype}, ${name}`] = ours(what, folder, dtype);
      jobs[`build ${dtype}, ${name}`] = ours('build', folder, dtype);
      if (!python) continue;
      const words = [`dtype=${dtype}`, `side=${SIDE}`, `workers=${WORKERS}`, 'each=32'];
      jobs[`python ${dtype}, ${name}`] = () =>
        json(python, [join(ROOT, 'benches/warehouse_peers.py'), folder, OUT, ...words]);
    }
  }
  const names = Object.keys(jobs);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const turn = (round * 5) % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      rmSync(OUT, { recursive: true, force: true });
      const result = await jobs[name]();
      if (round === 0) await compare(tools, sets, name);
      results[name].push(result);
      const { images, seconds, cpu_seconds: cpu } = result;
      const each = `${((1000 * cpu) / images).toFixed(2).padStart(7)} ms of a processor each`;
      console.log(
        `round ${round + 1}  ${name.padEnd(26)} ${(images / seconds).toFixed(0).padStart(6)} images/s ${each}`,
      );
    }
  }
  rmSync(OUT, { recursive: true, force: true });
  return results;
}

/** Whether what was built is what was made, to the bit, and what Python wrote is about that. */
async function compare(tools, sets, name) {
  const [, what, dtype, set] = /^(\w+) (\w+), (.*)$/.exec(name) ?? [];
  const words = [sets[set], dtype, SIDE, WORKERS];
  if (what === 'build') {
    const { differ } = await json(tools.warehouse_speed, ['same', ...words, OUT]);
    if (differ) throw new Failure(`${differ} images of ${name} are not what is made of the same images`);
  }
  if (what !== 'python' || dtype !== 'u8') return;
  const theirs = readFileSync(join(OUT, '00000.npy'));
  const own = join(FOLDER, 'built-own');
  rmSync(own, { recursive: true, force: true });
  await json(tools.warehouse_speed, ['build', ...words, own]);
  await json(tools.warehouse_speed, ['dump', ...words, own]);
  const ours = readFileSync(join(own, 'images'));
  rmSync(own, { recursive: true, force: true });
  // Behind the header, whose length is in it.
  const values = theirs.subarray(10 + theirs.readUInt16LE(8));
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.abs(values[i] - ours[i]);
  const difference = sum / values.length;
  console.log(`compared ${name}: ${difference.toFixed(3)} levels apart on average, ${ALLOWED} allowed`);
  if (!(difference <= ALLOWED)) throw new Failure(`${name} makes other tensors: ${difference} levels apart`);
}

/** The most memory that builds of few and of many small pictures had, of a folder and of a TAR. */
async function remember({ sample, warehouse_speed: speed, forebay }) {
  const rows = [];
  const base = await pictures({ sample, forebay }, 'small-2000', [
    '--size',
    '64x64',
    '--format',
    'jpg',
    '--count',
    2000,
  ]);
  for (const count of many) {
    const tar = join(FOLDER, `small-${count}.tar`);
    if (!existsSync(tar))
      await run(sample, ['--size', '64x64', '--format', 'jpg', '--count', String(count), tar], { quiet: true });
    for (const [source, path] of [
      ['folder', linked(base, count)],
      ['TAR', tar],
    ]) {
      rmSync(OUT, { recursive: true, force: true });
      const { peak_bytes: bytes, images } = await json(speed, ['build', path, 'u8', 32, WORKERS, OUT]);
      rmSync(OUT, { recursive: true, force: true });
      console.log(`${images} frames of a ${source}: at most ${(bytes / 2 ** 20).toFixed(1)} MiB`);
      rows.push({ source, images, bytes });
    }
  }
  return rows;
}

/** A folder of that many files, which are the same ones over and over. */
function linked(base, count) {
  const folder = join(FOLDER, `links-${count}`);
  if (existsSync(folder)) return folder;
  const part = join(FOLDER, 'part-links');
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part);
  const files = readdirSync(base);
  for (let i = 0; i < count; i++) {
    linkSync(join(base, files[i % files.length]), join(part, `${String(i).padStart(6, '0')}.jpg`));
  }
  renameSync(part, folder);
  return folder;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** What came of it, as tables. */
function page(about, sets, results, memory) {
  const rate = (name, of) => median(results[name].map((r) => r.images / r[of]));
  const ratio = (name, other, of) => (results[other] ? (rate(name, of) / rate(other, of)).toFixed(2) : '');
  const each = (name) => median(results[name].map((r) => r.cpu_seconds / r.images));
  // As if workers shared all that is to be done, nothing else were, and nobody waited.
  const limit = (dtype, set) => {
    const [live, made, hash, write] = ['live', 'made', 'hash', 'write'].map((what) => each(`${what} ${dtype}, ${set}`));
    return live / (made + hash + write);
  };
  const rows = [];
  const costs = [];
  for (const set of Object.keys(sets)) {
    for (const dtype of DTYPES) {
      const whole = ['live', 'made', 'hash', 'write', 'build'].map((what) => each(`${what} ${dtype}, ${set}`));
      costs.push(`| ${set} | ${dtype} | ${whole.map((s) => (1000 * s).toFixed(2)).join(' | ')} |`);
      const [name, others] = [
        `build ${dtype}, ${set}`,
        [`loader, ${set}`, `live ${dtype}, ${set}`, `made ${dtype}, ${set}`, `python ${dtype}, ${set}`],
      ];
      const cells = others.map((other) => `${ratio(name, other, 'seconds')} (${ratio(name, other, 'cpu_seconds')})`);
      const [most, share] = [limit(dtype, set), rate(name, 'seconds') / rate(`live ${dtype}, ${set}`, 'seconds')];
      cells.push(most.toFixed(2), (share / most).toFixed(2));
      rows.push(`| ${set} | ${dtype} | ${rate(name, 'seconds').toFixed(0)} | ${cells.join(' | ')} |`);
    }
  }
  const held = memory.map(
    ({ source, images, bytes }) => `| ${source} | ${images} | ${(bytes / 2 ** 20).toFixed(1)} MiB |`,
  );
  return `${about.processor}, ${about.system}; load average at the end ${about.load.join(', ')}; medians of ${about.rounds}.
Ratios of speed; in brackets, of processor time for an image.

| images | type | images/s | against the loader's own letterbox | against the loader, same tensors | against the same, forgotten | against Pillow and NumPy | at most of the loader | share of that |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

Milliseconds of a processor for an image:

| images | type | by the loader | made and forgotten | SHA-256 alone | writing alone | built |
|---|---|---|---|---|---|---|
${costs.join('\n')}

| source | frames | most memory |
|---|---|---|
${held.join('\n')}
`;
}
