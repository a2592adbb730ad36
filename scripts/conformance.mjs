// The table of conformance: for each folder of `tests/corpus` who wrote its files, how many the tests of this run read as their
// twins say, refused or wrote again, and how many files of ours those programs read. The tests append a line for each to
// `target/conformance/records.jsonl` once they have compared what they found (`tests/common/conformance.rs`).
//
// A file of the corpus that no test recorded is a failure, and so is one in a folder that `tests/corpus/peers.json` does not name.
// There `items` is what counts as a file where one is a folder with a description; `beside` are folders that nobody's program
// wrote; `not_read` are files that nothing here reads, and what they are, which the table says.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

const CORPUS = 'tests/corpus/';
const RECORDS = join(ROOT, 'target/conformance/records.jsonl');
/** What stands beside the files of other programs: descriptions, indexes, and what those programs did with them. */
const BESIDE =
  /(^|\/)(README\.md|INDEX\.json|pick\.json|peers\.json|[^/]*\.src\.json|[^/]*\.txt|what_the_peer_does\.json)$/;
const HEADS = ['written by', 'format', 'files', 'read', 'refused', 'written', 'read back by'];

/** Forgets an earlier run's records; what tests need in their environment to write new ones. */
export function recording() {
  rmSync(RECORDS, { force: true });
  mkdirSync(dirname(RECORDS), { recursive: true });
  return { FOREBAY_CONFORMANCE: RECORDS };
}

/** Prints the table; throws a Failure that lists every file that no test recorded. */
export function conformance() {
  if (!existsSync(RECORDS)) throw new Failure('no test recorded anything: run the tests with npm test first');
  const files = read('git', ['ls-files', '-z', CORPUS])
    .split('\0')
    .filter(Boolean)
    .map((file) => file.slice(CORPUS.length));
  const records = readFileSync(RECORDS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const peers = JSON.parse(readFileSync(join(ROOT, CORPUS, 'peers.json'), 'utf8'));
  const { rows, faults, left } = summedUp(peers, files, records);
  console.log([tableOf([HEADS, ...rows]), ...left].join('\n'));
  if (faults.length) throw new Failure(faults.join('\n'));
}

/** The rows of the table, and what is wrong: `files` are paths inside the corpus. */
export function summedUp(peers, files, records) {
  const folderOf = (file) =>
    peers.filter(({ folder }) => file.startsWith(`${folder}/`)).sort((a, b) => b.folder.length - a.folder.length)[0];
  const counts = (file) => {
    const { folder, items, beside } = folderOf(file) ?? {};
    if (items) return new RegExp(items).test(file.slice(folder.length + 1));
    return !beside && !file.startsWith('make/') && !BESIDE.test(file) && !isTwin(file, files);
  };
  const theirs = files.filter(counts);
  const faults = [];
  const known = new Set(theirs);
  const did = (what) => new Set(records.filter((r) => r.did === what && known.has(r.file)).map((r) => r.file));
  const [wasRead, refused, written] = ['read', 'refused', 'written'].map(did);
  for (const file of theirs) {
    if (!folderOf(file)) faults.push(`${CORPUS}${file}: tests/corpus/peers.json does not say who wrote it`);
    else if (!wasRead.has(file) && !refused.has(file) && !notRead(folderOf(file), file))
      faults.push(`${CORPUS}${file}: no test read or refused it`);
  }
  const rows = peers.flatMap((peer) => {
    const mine = theirs.filter((file) => folderOf(file) === peer);
    if (!mine.length) return [];
    const count = (set) => mine.filter((file) => set.has(file)).length || '-';
    const answers = (peer.asks ?? []).map((program) => {
      const mine = records.filter((r) => r.did === 'read back' && r.folder === peer.folder && r.program === program);
      return `${program}: ${new Set(mine.map(({ file }) => file)).size || 'not here'}`;
    });
    const found = [wasRead, refused, written].map(count);
    return [[peer.program, peer.format, mine.length, ...found, answers.join(', ') || '-'].map(String)];
  });
  const left = theirs.filter((file) => folderOf(file) && notRead(folderOf(file), file));
  return { rows, faults, left: left.map((file) => `not read: ${CORPUS}${file} (${notRead(folderOf(file), file)})`) };
}

/** What a file is that nothing here reads; `undefined` for the others. */
function notRead({ folder, not_read = {} }, file) {
  return not_read[file.slice(folder.length + 1)];
}

/** Whether a file says what another one of the same name holds. */
function isTwin(file, files) {
  if (!file.endsWith('.json')) return false;
  const stem = `${dirname(file)}/${basename(file, '.json')}`;
  return files.some((other) => other !== file && other.startsWith(`${stem}.`) && !other.endsWith('.json'));
}

/** Rows under their heads, each column as wide as it must be. */
function tableOf(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

if (isMain(import.meta.url)) await main(conformance);
