// npm run fuzz: every target a second each on the stable toolchain; with --minutes N, coverage-guided by cargo-fuzz.
//
//   npm run fuzz                                      # the smoke run that npm test has
//   npm run fuzz -- --minutes 30                      # all targets together take 30 minutes; needs nightly Rust
//   npm run fuzz -- --minutes 5 --only csv,jsonl      # some of them
//   npm run fuzz -- --minutes 30 --jobs 2             # two at a time
//   npm run fuzz -- --minutes 30 --keep               # minimise what was found into fuzz/kept, and write the table
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzzSmoke } from './fuzz-smoke.mjs';
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';

const VERSION = '0.13.2';
const FUZZ = join(ROOT, 'fuzz');
/** Where the fuzzer adds what it finds; not in the repository. */
const corpus = (name) => join(FUZZ, 'corpus', name);
/** Where the smallest inputs with the same coverage are; in the repository, and the smoke run begins with them. */
const kept = (name) => join(FUZZ, 'kept', name);
/** Larger inputs are found again by mutation and are not worth their place in the repository. */
const MOST_BYTES = 2048;
const MOST_OF_A_TARGET = 96 << 10;
const README = join(FUZZ, 'README.md');
const TABLE = ['<!-- runs: written by npm run fuzz -- --keep -->', '<!-- /runs -->'];

/** The names of all targets: the binaries of fuzz/Cargo.toml. */
function targets() {
  const manifest = readFileSync(join(FUZZ, 'Cargo.toml'), 'utf8');
  return [...manifest.matchAll(/\[\[bin\]\]\nname = "([^"]+)"/g)].map((found) => found[1]).sort();
}

async function ensureTools() {
  if (!read('rustup', ['run', 'nightly', 'rustc', '--version'])) {
    throw new Failure('Coverage-guided fuzzing needs nightly Rust: rustup toolchain install nightly --profile minimal');
  }
  if (read('cargo', ['fuzz', '--version'])) return;
  console.log(`installing cargo-fuzz ${VERSION}, once; a minute or two`);
  await run('cargo', ['install', 'cargo-fuzz', '--locked', '--version', VERSION]);
}

/** Builds every target with coverage and the address sanitizer, and gives where the programs are. */
async function build() {
  await run('cargo', ['+nightly', 'fuzz', 'build', '--features', 'libfuzzer', '--target-dir', 'target/fuzz-coverage'], { cwd: ROOT });
  const host = /host: (\S+)/.exec(read('rustc', ['-vV']))[1];
  return join(ROOT, 'target/fuzz-coverage', host, 'release');
}

/** One target for so many seconds: executions, coverage, and what broke it. */
async function fuzz(programs, name, seconds) {
  mkdirSync(corpus(name), { recursive: true });
  const artifacts = join(FUZZ, 'artifacts', name, '/');
  mkdirSync(artifacts, { recursive: true });
  const before = new Set(readdirSync(artifacts));
  const folders = [corpus(name), kept(name)].filter((folder) => existsSync(folder));
  const options = ['-rss_limit_mb=4096', '-timeout=30', '-print_final_stats=1', `-max_total_time=${seconds}`, `-artifact_prefix=${artifacts}`, '-verbosity=1'];
  const output = await run(join(programs, name), [...folders, ...options], { quiet: true }).catch((e) => e.output ?? '');
  const last = (pattern) => Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0);
  const found = readdirSync(artifacts).filter((file) => !before.has(file));
  const row = { name, executions: last(/stat::number_of_executed_units:\s+(\d+)/g), coverage: last(/ cov: (\d+)/g), features: last(/ ft: (\d+)/g), seconds, found };
  console.log(`${name.padEnd(14)} ${String(row.executions).padStart(11)} executions, ${row.coverage} edges${found.length ? `, BROKEN: ${found.join(' ')}` : ''}`);
  if (found.length || !row.executions) console.log(output.split('\n').slice(-60).join('\n'));
  return row;
}

/** The smallest set of inputs with the same coverage, as far as it is small. */
async function minimise(programs, name) {
  const merged = join(FUZZ, 'corpus', `.${name}-merged`);
  rmSync(merged, { recursive: true, force: true });
  mkdirSync(merged, { recursive: true });
  const folders = [kept(name), corpus(name)].filter((folder) => existsSync(folder));
  await run(join(programs, name), ['-merge=1', `-max_len=${MOST_BYTES}`, '-rss_limit_mb=4096', '-timeout=30', merged, ...folders], { quiet: true });
  const sized = readdirSync(merged).map((file) => ({ file, bytes: statSync(join(merged, file)).size })).sort((a, b) => a.bytes - b.bytes || (a.file < b.file ? -1 : 1));
  rmSync(kept(name), { recursive: true, force: true });
  mkdirSync(kept(name), { recursive: true });
  let sum = 0;
  for (const { file, bytes } of sized) {
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
  const old = new Map([...rest.matchAll(/^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \| (.*) \|$/gm)].map(([, name, executions, , found]) => [name, { executions: Number(executions.replaceAll(',', '')), found }]));
  const number = (n) => n.toLocaleString('en-US');
  const merged = new Map(rows.map((row) => [row.name, row]));
  const lines = targets().filter((name) => merged.has(name) || old.has(name)).map((name) => {
    const row = merged.get(name);
    const executions = (row?.executions ?? 0) + (old.get(name)?.executions ?? 0);
    const open = row?.found.length ? `open: ${row.found.join(', ')}` : (old.get(name)?.found ?? 'nothing');
    return { executions, line: `| \`${name}\` | ${number(executions)} | ${number(row?.coverage ?? 0)} | ${open} |` };
  });
  const sum = lines.reduce((n, { executions }) => n + executions, 0);
  const table = ['| target | executions | edges covered | what was found |', '|---|---|---|---|', ...lines.map(({ line }) => line), '', `Together: ${number(sum)} executions.`];
  writeFileSync(README, `${before}${TABLE[0]}\n${table.join('\n')}\n${TABLE[1]}${after}`);
}

async function guided({ minutes, only, jobs, keep }) {
  await ensureTools();
  const names = only ? only.split(',') : targets();
  const unknown = names.filter((name) => !targets().includes(name));
  if (unknown.length) throw new Failure(`There is no target ${unknown.join(', ')}; there are ${targets().join(', ')}`);
  const programs = await build();
  await run('cargo', ['run', '--manifest-path', 'fuzz/Cargo.toml', '--target-dir', 'target/fuzz', '--example', 'seeds', '--', 'fuzz/corpus'], { quiet: true });
  const seconds = Math.max(1, Math.round((minutes * 60 * jobs) / names.length));
  console.log(`${names.length} targets, ${seconds} s each, ${jobs} at a time`);
  const rows = [];
  const left = [...names];
  await Promise.all(Array.from({ length: jobs }, async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const row = await fuzz(programs, name, seconds);
      if (keep && !row.found.length) await minimise(programs, name);
      rows.push(row);
    }
  }));
  if (keep) writeTable(rows);
  const broken = rows.filter((row) => row.found.length || !row.executions);
  console.log(`\n${rows.reduce((n, row) => n + row.executions, 0).toLocaleString('en-US')} executions, ${broken.length} targets broken`);
  if (broken.length) throw new Failure(`broken: ${broken.map((row) => row.name).join(', ')}; the inputs are in fuzz/artifacts`);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { minutes: { type: 'string' }, only: { type: 'string' }, jobs: { type: 'string', default: '1' }, keep: { type: 'boolean', default: false } } });
    if (values.minutes === undefined) {
      await fuzzSmoke();
      return;
    }
    const [minutes, jobs] = [Number(values.minutes), Number(values.jobs)];
    if (!(minutes > 0) || !(jobs >= 1)) throw new Failure('--minutes and --jobs take numbers above zero');
    await guided({ minutes, jobs, only: values.only, keep: values.keep });
  });
}
