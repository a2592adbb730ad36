// npm run fuzz: every target a second each on the stable toolchain; with --minutes N, coverage-guided by cargo-fuzz.
//
//   npm run fuzz                                      # the smoke run that npm test has
//   npm run fuzz -- --minutes 30                      # all targets together take 30 minutes; needs nightly Rust
//   npm run fuzz -- --minutes 5 --only csv,jsonl      # some of them
//   npm run fuzz -- --minutes 30 --jobs 2             # two at a time
//   npm run fuzz -- --minutes 30 --keep               # minimize what was found into fuzz/kept, and write the table
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzzSmoke } from './lib/forebay.mjs';
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';

const VERSION = '0.13.2';
const FUZZ = join(ROOT, 'fuzz');
/** Where the fuzzer adds what it finds; not in the repository. */
const corpus = (name) => join(FUZZ, 'corpus', name);
/** Where the smallest inputs with the same coverage are; in the repository, and the smoke run begins with them. */
const kept = (name) => join(FUZZ, 'kept', name);
/** Larger inputs are found again by mutation and are not worth their place in the repository. */
const MOST_BYTES = 2048;
const MOST_OF_A_TARGET = 24 << 10;
const MOST_FILES = 64;
const README = join(FUZZ, 'README.md');
const TABLE = ['<!-- runs: written by npm run fuzz -- --keep -->', '<!-- /runs -->'];

/**
 * Targets of the core that reach code which is not proven memory-safe, in crates below it: they run with the address
 * sanitizer, and so do all targets of the machine's own crate. The others run without it, several times as fast.
 */
const UNPROVEN = ['codecs', 'image_decode', 'jpeg_peer'];

/** All targets by name, with the features that they need: the binaries of fuzz/Cargo.toml. */
function targets() {
  const manifest = readFileSync(join(FUZZ, 'Cargo.toml'), 'utf8');
  const found = manifest.matchAll(/\[\[bin\]\]\nname = "([^"]+)"[^[]*required-features = (\[[^\]]*\])/g);
  return new Map(
    [...found].map(([, name, features]) => [name, JSON.parse(features)]).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The build that a target is part of. */
function buildOf(name) {
  const features = targets().get(name);
  const sanitizer = features.includes('native') || UNPROVEN.includes(name) ? 'address' : 'none';
  return { sanitizer, features: features.join(',') };
}

async function ensureTools() {
  if (!read('rustup', ['run', 'nightly', 'rustc', '--version'])) {
    throw new Failure('Coverage-guided fuzzing needs nightly Rust: rustup toolchain install nightly --profile minimal');
  }
  if (read('cargo', ['fuzz', '--version'])) return;
  console.log(`installing cargo-fuzz ${VERSION}, once; a minute or two`);
  await run('cargo', ['install', 'cargo-fuzz', '--locked', '--version', VERSION]);
}

/** Builds targets with coverage, and gives where the program of each is. */
async function build(names) {
  const host = /host: (\S+)/.exec(read('rustc', ['-vV']))[1];
  const programs = new Map();
  for (const name of names) {
    const { sanitizer, features } = buildOf(name);
    const folder = `target/fuzz-${sanitizer}`;
    await run(
      'cargo',
      ['+nightly', 'fuzz', 'build', name, '--sanitizer', sanitizer, '--features', features, '--target-dir', folder],
      { cwd: ROOT },
    );
    programs.set(name, join(ROOT, folder, host, 'release', name));
  }
  return programs;
}

/** What libFuzzer is told about a target, wherever it runs. */
function optionsOf(name) {
  const dictionary = join(FUZZ, 'dictionaries', `${name}.dict`);
  return ['-rss_limit_mb=4096', '-timeout=30', ...(existsSync(dictionary) ? [`-dict=${dictionary}`] : [])];
}

/** One target for this many seconds: executions, coverage, and what broke it. */
async function fuzz(programs, name, seconds) {
  mkdirSync(corpus(name), { recursive: true });
  const artifacts = join(FUZZ, 'artifacts', name, '/');
  mkdirSync(artifacts, { recursive: true });
  const before = new Set(readdirSync(artifacts));
  const folders = [corpus(name), kept(name)].filter((folder) => existsSync(folder));
  const options = [
    ...optionsOf(name),
    '-print_final_stats=1',
    `-max_total_time=${seconds}`,
    `-artifact_prefix=${artifacts}`,
    '-verbosity=1',
  ];
  const output = await run(programs.get(name), [...folders, ...options], { quiet: true }).catch((e) => e.output ?? '');
  const last = (pattern) => Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0);
  const found = readdirSync(artifacts).filter((file) => !before.has(file));
  const row = {
    name,
    executions: last(/stat::number_of_executed_units:\s+(\d+)/g),
    coverage: last(/ cov: (\d+)/g),
    features: last(/ ft: (\d+)/g),
    seconds,
    found,
  };
  console.log(
    `${name.padEnd(14)} ${String(row.executions).padStart(11)} executions, ${row.coverage} edges${found.length ? `, BROKEN: ${found.join(' ')}` : ''}`,
  );
  if (found.length || !row.executions) console.log(output.split('\n').slice(-60).join('\n'));
  return row;
}

/** The smallest set of inputs with the same coverage, as far as it is small. */
async function minimize(programs, name) {
  const merged = join(FUZZ, 'corpus', `.${name}-merged`);
  rmSync(merged, { recursive: true, force: true });
  mkdirSync(merged, { recursive: true });
  const folders = [kept(name), corpus(name)].filter((folder) => existsSync(folder));
  await run(
    programs.get(name),
    ['-merge=1', '-use_counters=0', `-max_len=${MOST_BYTES}`, ...optionsOf(name), merged, ...folders],
    { quiet: true },
  );
  const sized = readdirSync(merged)
    .map((file) => ({ file, bytes: statSync(join(merged, file)).size }))
    .sort((a, b) => a.bytes - b.bytes || (a.file < b.file ? -1 : 1));
  rmSync(kept(name), { recursive: true, force: true });
  mkdirSync(kept(name), { recursive: true });
  // Some of every size: the smallest alone never get past the first checks.
  const step = Math.max(1, sized.length / MOST_FILES);
  let sum = 0;
  for (let i = 0; i < sized.length; i += step) {
    const { file, bytes } = sized[Math.floor(i)];
    if (bytes > MOST_BYTES || (sum += bytes) > MOST_OF_A_TARGET) break;
    cpSync(join(merged, file), join(kept(name), file));
  }
  rmSync(merged, { recursive: true, force: true });
}

function writeTable(rows) {
  const text = readFileSync(README, 'utf8');
  const [before, rest] = text.split(TABLE[0]);
  const after = rest?.split(TABLE[1])[1];
  if (after === undefined) throw new Failure(`fuzz/README.md has no place for the table: ${TABLE.join(' ')}`);
  const cells = /^\| `(\w+)` \| [\w ]+ \| ([\d,]+) \| ([\d,]+) \| (.*) \|$/gm;
  const count = (text) => Number(text.replaceAll(',', ''));
  const old = new Map(
    [...rest.matchAll(cells)].map(([, name, executions, coverage, found]) => [
      name,
      { executions: count(executions), coverage: count(coverage), found },
    ]),
  );
  const number = (n) => n.toLocaleString('en-US');
  const merged = new Map(rows.map((row) => [row.name, row]));
  const lines = [...targets().keys()]
    .filter((name) => merged.has(name) || old.has(name))
    .map((name) => {
      const [row, before] = [merged.get(name), old.get(name)];
      const executions = (row?.executions ?? 0) + (before?.executions ?? 0);
      const open = row?.found.length ? `open: ${row.found.join(', ')}` : (before?.found ?? 'nothing');
      return {
        executions,
        line: `| \`${name}\` | ${buildOf(name).sanitizer} | ${number(executions)} | ${number(row?.coverage || before?.coverage || 0)} | ${open} |`,
      };
    });
  const sum = lines.reduce((n, { executions }) => n + executions, 0);
  const table = [
    '| target | sanitizer | executions | edges covered | what was found |',
    '|---|---|---|---|---|',
    ...lines.map(({ line }) => line),
    '',
    `Together: ${number(sum)} executions.`,
  ];
  writeFileSync(README, `${before}${TABLE[0]}\n${table.join('\n')}\n${TABLE[1]}${after}`);
}

async function guided({ minutes, only, jobs, keep }) {
  await ensureTools();
  const all = targets();
  // A target that needs a C library of the system is run where it is named.
  const names = only ? only.split(',') : [...all.keys()].filter((name) => !all.get(name).includes('libjpeg'));
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length)
    throw new Failure(`There is no target ${unknown.join(', ')}; there are ${[...all.keys()].join(', ')}`);
  const programs = await build(names);
  await run(
    'cargo',
    [
      'run',
      '--manifest-path',
      'fuzz/Cargo.toml',
      '--target-dir',
      'target/fuzz',
      '--example',
      'seeds',
      '--',
      'fuzz/corpus',
    ],
    { quiet: true },
  );
  if (names.some((name) => all.get(name).includes('native'))) {
    const env = { FOREBAY_FUZZ_SEEDS: join(FUZZ, 'corpus') };
    await run('cargo', ['test', '--workspace', '--all-features', '--test', 'fuzz', 'seeds'], {
      quiet: true,
      cwd: ROOT,
      env,
    });
  }
  const seconds = Math.max(1, Math.round((minutes * 60 * jobs) / names.length));
  console.log(`${names.length} targets, ${seconds} s each, ${jobs} at a time`);
  const rows = [];
  const left = [...names];
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const row = await fuzz(programs, name, seconds);
        if (keep && !row.found.length) await minimize(programs, name);
        rows.push(row);
      }
    }),
  );
  if (keep) writeTable(rows);
  const broken = rows.filter((row) => row.found.length || !row.executions);
  console.log(
    `\n${rows.reduce((n, row) => n + row.executions, 0).toLocaleString('en-US')} executions, ${broken.length} targets broken`,
  );
  if (broken.length)
    throw new Failure(`broken: ${broken.map((row) => row.name).join(', ')}; the inputs are in fuzz/artifacts`);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        only: { type: 'string' },
        jobs: { type: 'string', default: '1' },
        keep: { type: 'boolean', default: false },
      },
    });
    if (values.minutes === undefined) {
      await fuzzSmoke();
      return;
    }
    const [minutes, jobs] = [Number(values.minutes), Number(values.jobs)];
    if (!(minutes > 0) || !(jobs >= 1)) throw new Failure('--minutes and --jobs take numbers above zero');
    await guided({ minutes, jobs, only: values.only, keep: values.keep });
  });
}
