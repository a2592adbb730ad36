// Decoded pictures that are kept, and what plan --simulate says, beside what forebay bench measures.
//
//   node benches/decoded.mjs train.tbl [--rounds 3] [--image 224] [--forebay target/release/forebay]
//
// In every round, one after another: two epochs without a cache, with one in memory and with one in a file, of pictures resized
// whole and of random crops; and what is predicted for one and two workers, and what these then do. Medians are compared.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, ROOT, main } from '../scripts/lib/run.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    image: { type: 'string', default: '224' },
    forebay: { type: 'string', default: join(ROOT, 'target/release/forebay') },
  },
});

const run = (...args) => JSON.parse(execFileSync(options.forebay, [...args, '--json'], { encoding: 'utf8' }));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const rate = (epoch) => epoch.images / epoch.seconds;

await main(() => {
  const [file] = positionals;
  if (!file) throw new Failure('give a file of pictures, such as one that forebay-sample --bench makes');
  const folder = mkdtempSync(join(tmpdir(), 'forebay-decoded-'));
  const rows = new Map();
  const add = (name, number) => rows.set(name, [...(rows.get(name) ?? []), number]);
  const bench = (workers, ...more) =>
    run(
      'bench',
      file,
      '--image',
      options.image,
      '--workers',
      String(workers),
      '--shuffle',
      '1',
      '--decode-alone',
      '0',
      ...more,
    );
  try {
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [how, augment] of [
        ['whole', []],
        ['crops', ['--augment']],
      ]) {
        const kept = join(folder, `${how}-${round}`);
        for (const [where, cache] of [
          ['none', []],
          ['memory', ['--decoded-cache', '16G']],
          ['file', ['--decoded-cache', `16G=${kept}`]],
        ]) {
          const { epochs } = bench(2, '--epochs', '2', ...augment, ...cache);
          add(`${how}, ${where}: first epoch`, rate(epochs[0]));
          add(`${how}, ${where}: second epoch`, rate(epochs[1]));
          add(`${how}, ${where}: second by first`, rate(epochs[1]) / rate(epochs[0]));
        }
        rmSync(kept, { force: true });
      }
      const about = run('plan', file, '--simulate', '--image', options.image, '--workers', '1,2', '--shuffle', '1');
      for (const { workers, images_per_second } of about.predicted) {
        // The first epoch has the start of the loader in it.
        const real = rate(bench(workers, '--epochs', '2').epochs[1]);
        add(`${workers} workers: predicted`, images_per_second);
        add(`${workers} workers: measured`, real);
        add(`${workers} workers: predicted by measured`, images_per_second / real);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const [name, numbers] of rows) {
    const number = median(numbers);
    console.log(`${name.padEnd(36)}${number.toFixed(number < 100 ? 2 : 0).padStart(9)}`);
  }
});
