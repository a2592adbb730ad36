// npm run bench:scale: what an epoch from an object store costs 1 to 10,000 workers, simulated.
//
//   npm run bench:scale                 makes the tables and pictures of docs/scale.md anew: the same bytes on every run
//   npm run bench:scale -- --built      takes the release build of `forebay-scale` that is there
//   npm run bench:scale -- --only cache only that table
//   npm run bench:scale -- --check      fails if the page has other tables
//   npm run bench:scale -- --real       also runs real loaders over a server on loopback, and writes that table
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { barChart } from './lib/chart.mjs';
import { lineChart } from './lib/lines.mjs';
import { machine } from './lib/report.mjs';
import { Failure, ROOT, main } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    built: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
    only: { type: 'string' },
    program: { type: 'string', default: 'target/dist/forebay-scale' },
  },
});
const start = promisify(execFile);
const PROGRAM = join(ROOT, options.program);
const PAGE = join(ROOT, 'docs/scale.md');

/** 1 PB of samples of 100 kB in shards of 4 GB; training takes 50 ms for a batch of 64. */
const PETABYTE = { bytes: 1e15, shards: 250_000, prefixes: 4096, 'step-seconds': 0.05 };
/** The same for each worker, and small enough to be read as a whole before a cache is looked at. */
const TEN_TB = { bytes: 1e13, shards: 8_000, prefixes: 4096, 'step-seconds': 0.05, workers: 1000 };
/** What is simulated of each. */
const SAMPLE = { 'simulate-workers': 8, 'simulate-steps': 480, 'warm-steps': 80 };

const WAYS = {
  'full shuffle': { order: 'full' },
  'blocks 64x16': { order: 'blocks' },
  'as stored': { order: 'stored' },
  'own shards, full shuffle': { order: 'full', 'own-shards': true },
  'own shards, blocks 64x16': { order: 'blocks', 'own-shards': true },
};
const [FULL, BLOCKS, , , OWN] = Object.keys(WAYS);

/** Writes a file, or says that it has other contents. */
function write(file, contents) {
  const path = join(ROOT, file);
  if (!options.check) return writeFileSync(path, contents);
  if (!existsSync(path) || readFileSync(path, 'utf8') !== contents)
    throw new Failure(`${file} is not what npm run bench:scale makes`);
}

function replaced(page, name, table) {
  const [begin, end] = [`<!-- begin: bench:scale ${name} -->\n`, '<!-- end -->\n'];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Failure(`docs/scale.md has no place for ${name}`);
  return page.slice(0, from + begin.length) + table + page.slice(to);
}

/** Simulates, two at a time. `cases`: [{ ...what is in a row, args }]; gives them with what came of each. */
async function simulate(cases) {
  const results = new Array(cases.length);
  let next = 0;
  const work = async () => {
    while (next < cases.length) {
      const i = next++;
      const { args } = cases[i];
      const words = Object.entries(args).flatMap(([name, value]) => {
        if (name === 'set') return value.flatMap((one) => ['--set', one]);
        return value === true ? [`--${name}`] : [`--${name}`, String(value)];
      });
      const { stdout } = await start(PROGRAM, [...words, '--json']);
      results[i] = { ...cases[i], ...JSON.parse(stdout) };
    }
  };
  await Promise.all([work(), work()]);
  return results;
}

function table(head, rows) {
  const [first, ...others] = head;
  return [
    `| ${[first, ...others].join(' | ')} |`,
    `|---|${others.map(() => '---:|').join('')}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
}

function time(seconds) {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(1)} min`;
  if (seconds < 48 * 3600) return `${(seconds / 3600).toFixed(1)} h`;
  return `${(seconds / 86_400).toFixed(1)} days`;
}

function count(n) {
  for (const [unit, name] of [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ]) {
    if (n >= unit) return `${(n / unit).toPrecision(3)}${name}`;
  }
  return String(n);
}

const percent = (share) => `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;
const dollars = (cents) => `$${(cents / 100).toLocaleString('en', { maximumSignificantDigits: 3 })}`;
const wait = (seconds) => (seconds < 0.0005 ? '0' : seconds < 10 ? `${Math.round(seconds * 1000)} ms` : time(seconds));

const HEAD = ['time', 'waiting', 'p99', 'requests', 'refused', 'bytes for each wanted', 'price of requests'];
const cells = (one) => [
  one.given_up ? `${time(one.seconds)} *` : time(one.seconds),
  percent(one.waits.share),
  wait(one.waits.p99),
  count(one.requests),
  percent(one.refused / one.requests || 0),
  one.bytes_per_wanted.toFixed(2),
  dollars(one.cents.requests),
];

async function orders() {
  const cases = [1, 100, 10_000].flatMap((workers) =>
    Object.entries(WAYS).map(([way, how]) => ({ workers, way, args: { ...PETABYTE, ...SAMPLE, ...how, workers } })),
  );
  const done = await simulate(cases);
  const rows = done.map((one) => [`${one.workers.toLocaleString('en')}, ${one.way}`, ...cells(one)]);
  const bars = done.filter((one) => one.workers === 10_000);
  const group = (title, value) => ({
    title,
    bars: bars.map((one) => ({ label: one.way, value: value(one), ours: one.way === OWN })),
  });
  const picture = barChart('An epoch of 1 PB by 10,000 workers, 4,096 prefixes', 'simulated', [
    group('requests, in millions', (one) => one.requests / 1e6),
    group('terabytes that come', (one) => one.bytes / 1e12),
    group('dollars for requests', (one) => one.cents.requests / 100),
  ]);
  return { table: table(['workers and order', ...HEAD], rows), pictures: { 'docs/scale-orders.svg': picture } };
}

async function workers() {
  const counts = [1, 10, 100, 1000, 10_000];
  const lines = [
    [FULL, 1],
    [FULL, 64],
    [FULL, 4096],
    [OWN, 1],
  ];
  const cases = lines.flatMap(([way, prefixes]) =>
    counts.map((workers) => ({
      way,
      prefixes,
      workers,
      args: { ...PETABYTE, ...SAMPLE, ...WAYS[way], workers, prefixes },
    })),
  );
  const done = await simulate(cases);
  const busy = (one) => 1 - one.waits.share;
  const of = (way, prefixes) => done.filter((one) => one.way === way && one.prefixes === prefixes);
  const named = (way, prefixes) =>
    `${way === OWN ? 'own, blocks' : 'full'}, ${prefixes.toLocaleString('en')} prefix${prefixes > 1 ? 'es' : ''}`;
  const picture = lineChart(
    'Share of the time that training does not wait',
    'workers',
    lines.map(([way, prefixes]) => ({
      name: named(way, prefixes),
      points: of(way, prefixes).map((one) => [one.workers, busy(one)]),
    })),
  );
  const rows = lines.map(([way, prefixes]) => [
    `${way}, ${prefixes.toLocaleString('en')}`,
    ...of(way, prefixes).map((one) => percent(busy(one))),
  ]);
  return {
    table: table(['order, prefixes', ...counts.map((n) => n.toLocaleString('en'))], rows),
    pictures: { 'docs/scale-workers.svg': picture },
  };
}

async function prefixes() {
  const cases = [FULL, OWN].flatMap((way) =>
    [1, 16, 256, 4096].map((prefixes) => ({
      way,
      prefixes,
      args: { ...PETABYTE, ...SAMPLE, ...WAYS[way], workers: 10_000, prefixes },
    })),
  );
  const rows = (await simulate(cases)).map((one) => [
    `${one.way}, ${one.prefixes.toLocaleString('en')}`,
    ...cells(one),
  ]);
  return { table: table(['order, prefixes', ...HEAD], rows) };
}

async function cache() {
  const cases = [];
  for (const [way, gigabytes] of [
    [FULL, 0],
    [FULL, 100],
    [BLOCKS, 100],
    [OWN, 0],
    [OWN, 40],
    [OWN, 100],
  ]) {
    for (const before of gigabytes ? [0, 1] : [0]) {
      const cache = gigabytes ? { 'cache-bytes': gigabytes * 1e9, before } : {};
      cases.push({ way, gigabytes, before, args: { ...TEN_TB, ...SAMPLE, ...WAYS[way], ...cache } });
    }
  }
  const rows = (await simulate(cases)).map((one) => [
    `${one.way}, ${one.gigabytes ? `${one.gigabytes} GB, epoch ${one.before + 1}` : 'none'}`,
    ...cells(one),
    dollars(one.cents.cache),
  ]);
  return { table: table(['order, cache of a host', ...HEAD, 'price of disks'], rows) };
}

async function ahead() {
  const cases = [FULL, OWN].flatMap((way) =>
    [16, 64, 256].map((mebibytes) => ({
      way,
      mebibytes,
      args: { ...PETABYTE, ...SAMPLE, ...WAYS[way], workers: 10_000, 'read-ahead-bytes': mebibytes * 2 ** 20 },
    })),
  );
  const rows = (await simulate(cases)).map((one) => [`${one.way}, ${one.mebibytes} MiB`, ...cells(one)]);
  return { table: table(['order, read ahead', ...HEAD], rows) };
}

async function gap() {
  const cases = [BLOCKS, OWN].flatMap((way) =>
    [0, 64, 1024].map((kibibytes) => ({
      way,
      kibibytes,
      args: { ...PETABYTE, ...SAMPLE, ...WAYS[way], workers: 10_000, gap: kibibytes * 1024 },
    })),
  );
  const rows = (await simulate(cases)).map((one) => [
    `${one.way}, ${one.kibibytes} KiB${one.kibibytes === 64 ? ' (the loader)' : ''}`,
    ...cells(one),
  ]);
  return { table: table(['order, gap', ...HEAD], rows) };
}

async function faults() {
  const troubles = [
    ['as usual', {}],
    ['5 % fail, 1 % break off', { set: ['failing_share=0.05', 'reset_share=0.01'] }],
    ['2 % stragglers', { set: ['tail_share=0.02'] }],
    ['2 % stragglers, asked again after 0.3 s', { set: ['tail_share=0.02'], 'hedge-seconds': 0.3 }],
    ['2 % stragglers, 32 MiB ahead', { set: ['tail_share=0.02'], 'read-ahead-bytes': 32 * 2 ** 20 }],
    [
      'the same, asked again after 0.3 s',
      { set: ['tail_share=0.02'], 'read-ahead-bytes': 32 * 2 ** 20, 'hedge-seconds': 0.3 },
    ],
    ['100 ms to the first byte', { set: ['first_byte_seconds=0.1'] }],
    [
      'every second host at a quarter of the network',
      { set: ['slow_host_share=0.5', 'slow_host_factor=4'], 'simulate-workers': 16 },
    ],
  ];
  const cases = [FULL, OWN].flatMap((way) =>
    troubles.map(([trouble, how]) => ({
      way,
      trouble,
      args: { ...PETABYTE, ...SAMPLE, ...WAYS[way], workers: 10_000, ...how },
    })),
  );
  const rows = (await simulate(cases)).map((one) => [`${one.way}: ${one.trouble}`, ...cells(one)]);
  return { table: table(['order: trouble', ...HEAD], rows) };
}

/** Real loaders, and what the simulator says of them. */
function real() {
  const run = (...words) => {
    const text = execFileSync(`${PROGRAM}-real`, [...words, '--json'], { encoding: 'utf8', maxBuffer: 1 << 24 });
    return JSON.parse(text);
  };
  // An epoch from a full cache takes a fraction of a second: noise.
  const timed = [...run(), ...run('--cache')].filter((one) => one.epoch === 0);
  const rows = timed.map((one) => {
    const how = one.cache ? `cache, epoch ${one.epoch + 1}` : 'no cache';
    const off = one.simulated.seconds / one.real.seconds - 1;
    return [
      `${one.order}, ${one.latency_ms} ms, ${one.loaders} loader${one.loaders > 1 ? 's' : ''}, ${how}`,
      `${one.real.seconds.toFixed(2)} s`,
      `${one.simulated.seconds.toFixed(2)} s`,
      `${off < 0 ? '-' : '+'}${(Math.abs(off) * 100).toFixed(1)} %`,
      one.real.requests,
      one.simulated.requests,
      one.real.bytes,
      one.simulated.bytes,
    ];
  });
  const about = machine();
  const head = ['order', 'real', 'simulated', 'off', 'requests', 'simulated', 'bytes', 'simulated'];
  return { table: `${about.date}, ${about.processor}, ${about.system}, ${about.rust}.\n\n${table(head, rows)}` };
}

await main(async () => {
  if (!options.built || !existsSync(PROGRAM)) {
    const build = [
      'build',
      '--profile',
      'dist',
      '-p',
      'forebay-scale',
      ...(options.real ? ['--features', 'real'] : []),
    ];
    execFileSync('cargo', build, { cwd: ROOT, stdio: 'inherit' });
  }
  const all = { orders, workers, prefixes, cache, ahead, gap, faults, ...(options.real ? { real } : {}) };
  for (const [name, make] of Object.entries(all)) {
    if (options.only && options.only !== name) continue;
    const { table, pictures = {} } = await make();
    for (const [file, svg] of Object.entries(pictures)) write(file, svg);
    write('docs/scale.md', replaced(readFileSync(PAGE, 'utf8'), name, table));
    console.log(name);
  }
});
