// docs/dependencies.md names every package that the workspace stands on. Its table is made of what the Cargo.toml files
// say each is for, of the tree below it and of its source.
//
//   npm run check:dependencies [-- --write]
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

const PAGE = join(ROOT, 'docs/dependencies.md');
const [BEGIN, END] = ['<!-- begin: npm run check:dependencies -- --write -->\n', '<!-- end -->\n'];
/** The tree is that of one system, or it would hold other systems' bindings. */
const SYSTEM = 'x86_64-unknown-linux-gnu';
/** Where the word opens something; comments and attributes such as `forbid(unsafe_code)` do not count. */
const UNSAFE = /\bunsafe\s*(\{|fn\b|impl\b|trait\b|extern\b)/g;

/** Throws a Failure unless the page has a row for every direct dependency and none for anything else. */
export function checkDependencies() {
  const page = readFileSync(PAGE, 'utf8');
  const named = new Set([...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name));
  const used = new Set(
    packagesHere()
      .flatMap(direct)
      .map(({ name }) => name),
  );
  const made = new Set([...between(page).matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name));
  const faults = [...used]
    .filter((name) => !named.has(name))
    .map((name) => `docs/dependencies.md does not name ${name}`);
  faults.push(
    ...[...made].filter((name) => !used.has(name)).map((name) => `docs/dependencies.md: nothing uses ${name}`),
  );
  if (faults.length) throw new Failure(`${faults.join('\n')}\nnpm run check:dependencies -- --write`);
  console.log(`${used.size} dependencies, each in docs/dependencies.md`);
}

/** Makes the table anew. */
function write() {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(between(page), () => table()),
  );
}

function between(page) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Failure('docs/dependencies.md has no place for its table');
  return page.slice(begin + BEGIN.length, end);
}

function table() {
  const tree = metadata('--all-features', '--filter-platform', SYSTEM);
  const nodes = new Map(tree.resolve.nodes.map((node) => [node.id, node]));
  const packages = new Map(tree.packages.map((one) => [one.id, one]));
  const rows = new Map();
  for (const member of tree.packages.filter(({ source }) => source === null)) {
    const why = reasons(member);
    for (const { name } of direct(member)) {
      const row = rows.get(name) ?? { used: [], why: undefined, ...below(name, member, nodes, packages) };
      row.used.push(member.name);
      row.why ??= why[name];
      rows.set(name, row);
    }
  }
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { used, why, crates, unsafe }]) => {
      if (!why) throw new Failure(`${name}: no Cargo.toml of ${used.join(', ')} says what it is for`);
      return `| \`${name}\` | ${used.join(', ')} | ${why.replaceAll('|', '\\|')} | ${crates} | ${unsafe} |\n`;
    });
  return `\n| package | of | for | crates below it | \`unsafe\` |\n|---|---|---|---:|---:|\n${lines.join('')}\n`;
}

/** How many crates are compiled for a dependency of `member` besides itself, and how often its source says `unsafe`. */
function below(name, member, nodes, packages) {
  const first = nodes.get(member.id).deps.find(({ pkg }) => packages.get(pkg).name === name)?.pkg;
  // Only other systems have it.
  if (!first) return { crates: '-', unsafe: '-' };
  const seen = new Set([first]);
  for (const id of seen) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps)
      if (kinds.some(({ kind }) => kind !== 'dev')) seen.add(pkg);
  }
  const folder = join(dirname(packages.get(first).manifest_path), 'src');
  const sources = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.rs'));
  const count = (file) =>
    readFileSync(join(folder, file), 'utf8')
      .replace(/^\s*\/\/.*$/gm, '')
      .match(UNSAFE)?.length ?? 0;
  return { crates: seen.size - 1, unsafe: sources.reduce((sum, file) => sum + count(file), 0) };
}

/** What a Cargo.toml says behind each of its dependencies. */
function reasons(member) {
  const lines = readFileSync(member.manifest_path, 'utf8').split('\n');
  const why = {};
  lines.forEach((line, i) => {
    const [, name, said] = /^([\w-]+) = (?:"|\{).*?# (.*)$/.exec(line) ?? [];
    if (name) why[name] ??= said;
    // A table of its own: the reason stands behind its version.
    const own = /^\[(?:target\..*\.)?dependencies\.([\w-]+)\]$/.exec(line);
    if (own) why[own[1]] ??= /# (.*)$/.exec(lines[i + 1])?.[1];
  });
  return why;
}

/** Dependencies from outside, without those of tests. */
function direct({ dependencies }) {
  return dependencies.filter(({ kind, path }) => kind !== 'dev' && !path);
}

function packagesHere() {
  return metadata('--no-deps').packages.map((one) => ({ ...one, manifest_path: relative(ROOT, one.manifest_path) }));
}

function metadata(...args) {
  const told = read('cargo', ['metadata', '--locked', '--format-version', '1', ...args], { maxBuffer: 1 << 28 });
  if (told === null) throw new Failure('cargo metadata fails; is Cargo.lock as Cargo.toml wants it?');
  return JSON.parse(told);
}

if (isMain(import.meta.url)) await main(() => (process.argv.includes('--write') ? write() : checkDependencies()));
