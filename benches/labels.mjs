// npm run bench:labels: a COCO file counted, against serde_json into structs and Python's json.load.
//
//   npm run bench:labels -- [--rounds 5] [--boxes 10000000] [--built]
//
// All three read the same file, in processes of their own on one core, one after another in turns, each round beginning with
// another. What is compared is the processor's time and the most memory. json.load's begins once Python runs; the others'
// is all of the process. Prints a table for docs/labels.md; --built takes the build of `coco_speed` that is there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { machine } from './lib/report.mjs';
import { Failure, ROOT, main, read } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    boxes: { type: 'string', default: '10000000' },
    built: { type: 'boolean', default: false },
  },
});
const PROGRAM = join(ROOT, 'target/dist/examples/coco_speed');
const FOLDER = join(ROOT, 'target/bench');

await main(async () => {
  mkdirSync(FOLDER, { recursive: true });
  if (!options.built || !existsSync(PROGRAM)) {
    execFileSync('cargo', ['build', '--profile', 'dist', '--example', 'coco_speed'], { cwd: ROOT, stdio: 'inherit' });
  }
  const file = join(FOLDER, `coco-${options.boxes}.json`);
  if (!existsSync(file)) execFileSync(PROGRAM, ['make', file, options.boxes]);
  const pin = read('taskset', ['--version']) === null ? [] : ['taskset', '-c', '1'];
  const run = (...command) => {
    const [program, ...rest] = [...pin, ...command];
    return execFileSync(program, rest, { encoding: 'utf8', maxBuffer: 1 << 20 });
  };
  const jobs = {
    forebay: () => run(PROGRAM, 'read', file),
    'serde_json into structs': () => run(PROGRAM, 'serde', file),
    'Python json.load': () => run('python3', join(ROOT, 'benches/coco_peer.py'), file),
  };
  const names = Object.keys(jobs);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length];
      const said = jobs[name]();
      const found = /^(\d+) images, (\d+) boxes/.exec(said);
      if (found?.[2] !== options.boxes) throw new Failure(`${name} found other boxes: ${said}`);
      const result = JSON.parse(said.trim().split('\n').at(-1));
      results[name].push(result);
      console.log(
        `round ${round + 1}  ${name.padEnd(24)} processor ${result.cpu_seconds.toFixed(2)} s, wall ${result.seconds.toFixed(2)} s`,
      );
    }
  }
  const of = (name, field) => median(results[name].map((result) => result[field]));
  const about = machine();
  console.log(`
${about.date}, ${about.processor}, ${about.system}, ${about.rust}; one core; ${options.rounds} rounds; load at the end
${loadavg()[0].toFixed(1)}. ${options.boxes} boxes, ${(statSync(file).size / 1e6).toFixed(0)} MB.

| a COCO file is read by | processor seconds | x Forebay | MB/s | peak memory |
|---|---:|---:|---:|---:|`);
  for (const name of names) {
    const cpu = of(name, 'cpu_seconds');
    const cells = [
      cpu.toFixed(2),
      (cpu / of('forebay', 'cpu_seconds')).toFixed(2),
      (statSync(file).size / 1e6 / cpu).toFixed(0),
    ];
    console.log(`| ${[name, ...cells, `${(of(name, 'peak_bytes') / 2 ** 20).toFixed(0)} MiB`].join(' | ')} |`);
  }
});

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
