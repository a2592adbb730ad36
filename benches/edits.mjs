// npm run bench:edits: the metadata of every sample of a large TBL changed in place, by the command and in a page.
//
//   npm run bench:edits -- [--samples 100000] [--bytes 10000000000] [--rounds 3] [--engine chromium|firefox]
//
// The TBL is as long as is asked for and takes the room of its metadata: its payloads are holes, which nobody reads here. A page has it
// in its origin-private file system. Both get the same journal, one change for each sample. Printed are the time from the first call to
// the end, the bytes written, and how many times the bytes of metadata that is: the command leaves holes where the old metadata was, and
// a page has to write zeros. The package must be built (`npm run build:lib`); FOREBAY=PATH names a build of the command, without
// which only the page is timed. Both must leave the same metadata.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crc32 } from 'node:zlib';
import { Failure, ROOT, main } from '../scripts/lib/run.mjs';
import { frontOf, payloadsAt } from './lib/guide_tbl.mjs';
import { servePackage } from './lib/page.mjs';

const { values: options } = parseArgs({
  options: {
    samples: { type: 'string', default: '100000' },
    bytes: { type: 'string', default: '10000000000' },
    rounds: { type: 'string', default: '3' },
    engine: { type: 'string', default: 'chromium' },
  },
});
const [SAMPLES, BYTES, ROUNDS] = [Number(options.samples), Number(options.bytes), Number(options.rounds)];
const FOLDER = join(ROOT, 'target/bench');
const HEADER = 64;

/** What stands before and behind the payloads of a TBL of this many bytes, and where the latter begins. */
function parts() {
  const records = Array.from({ length: SAMPLES }, (_, i) => {
    const annotations = Array.from({ length: 4 }, (_, k) => ({
      class: `class ${(i + k) % 80}`,
      xmin: i % 200,
      ymin: k,
      xmax: (i % 200) + 30,
      ymax: k + 40,
    }));
    const fields = { annotations_format: 'forebay.1', annotations_size: [640, 480], annotations };
    return JSON.stringify({ id: i, name: `${String(i).padStart(8, '0')}.jpg`, label: `class ${i % 80}`, ...fields });
  });
  const document = Buffer.from(`{"samples":[${records.join(',')}]}`);
  const start = payloadsAt(SAMPLES);
  const each = Math.floor((BYTES - start - document.length) / SAMPLES);
  const stored = each - 4;
  if (stored < 1) throw new Failure(`${SAMPLES} samples and their metadata do not fit into ${BYTES} bytes`);
  const front = frontOf({ samples: SAMPLES, stored, each, metadata: document.length });
  return { front, document, behind: start + SAMPLES * each };
}

/** A journal with this first line that changes every sample. */
function journalOf(first) {
  const lines = [first.trimEnd()];
  for (let i = 0; i < SAMPLES; i++) {
    const said = `{"n":${i + 1},"do":"set","sample":${i},"fields":{"label":"class ${(i + 1) % 80}","checked":true}`;
    lines.push(`${said},"crc":"${crc32(said).toString(16).padStart(8, '0')}"}`);
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** The file of this machine, with holes. */
function write(path, { front, document, behind }) {
  rmSync(path, { force: true });
  const out = openSync(path, 'w');
  ftruncateSync(out, behind + document.length);
  writeSync(out, front, 0, front.length, 0);
  writeSync(out, document, 0, document.length, behind);
  closeSync(out);
}

/** What is there behind the payloads, and the header. */
function digestOf(path, behind) {
  const { size } = statSync(path);
  const bytes = Buffer.alloc(HEADER + size - behind);
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, HEADER, 0);
  readSync(file, bytes, HEADER, size - behind, behind);
  closeSync(file);
  return createHash('sha256').update(bytes).digest('hex');
}

/** What a page does; it uses nothing of this file. */
async function inPage({ behind, end, rounds }) {
  const forebay = await import('/index.js');
  const get = async (path) => (await fetch(path)).blob();
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle('large.tbl', { create: true });
  const found = [];
  let sha = '';
  for (let round = 0; round < rounds; round++) {
    const stream = await handle.createWritable();
    await stream.truncate(end);
    await stream.write({ type: 'write', position: 0, data: await get('/front') });
    await stream.write({ type: 'write', position: behind, data: await get('/document') });
    await stream.close();
    const dataset = await forebay.open(handle);
    const files = new Map();
    const store = {
      read: async (name) => files.get(name) ?? null,
      write: async (name, _, bytes) => void files.set(name, bytes),
      remove: async (name) => void files.delete(name),
    };
    const empty = await dataset.edit({ store, name: 'journal' });
    const first = await (await empty.export()).journal.text();
    empty.close();
    files.set(
      'journal',
      new Uint8Array(await (await fetch('/journal', { method: 'POST', body: first })).arrayBuffer()),
    );
    const edits = await dataset.edit({ store, name: 'journal' });
    const begun = performance.now();
    const { changed, writtenBytes } = await edits.save(handle, { inPlace: true });
    const took = performance.now() - begun;
    dataset.close();
    found.push({ changed, took, written: writtenBytes });
    const file = await handle.getFile();
    const bytes = await new Blob([file.slice(0, 64), file.slice(behind)]).arrayBuffer();
    sha = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
  }
  await forebay.shutdown();
  await root.removeEntry('large.tbl');
  return { found, sha };
}

/** Runs it in a browser with a profile: private windows hold such files in memory. */
async function inBrowser(made) {
  process.env.FOREBAY_BROWSER = options.engine;
  const { launchWithProfile } = await import('../www/tests/browser.mjs');
  let journal = Buffer.alloc(0);
  const server = await servePackage({
    '/front': made.front,
    '/document': made.document,
    '/journal': (first) => (journal = journalOf(first.toString())),
  });
  const profile = mkdtempSync(join(tmpdir(), 'forebay-edits-'));
  const context = await launchWithProfile(profile);
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(600_000);
    await page.goto(server.url);
    const how = { behind: made.behind, end: made.behind + made.document.length, rounds: ROUNDS };
    return { ...(await page.evaluate(inPage, how)), journal };
  } finally {
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const middle = (all) => [...all].sort((a, b) => a - b)[all.length >> 1];

function tell(who, all, metadata) {
  const [took, written] = [middle(all.map((one) => one.took)), middle(all.map((one) => one.written))];
  console.log(
    `${who}: ${(took / 1000).toFixed(2)} s, ${(written / 1e6).toFixed(1)} MB written, ${(written / metadata).toFixed(2)} x the metadata`,
  );
}

await main(async () => {
  const made = parts();
  const metadata = made.document.length;
  console.log(
    `${SAMPLES} samples, ${(BYTES / 1e9).toFixed(1)} GB, ${(metadata / 1e6).toFixed(1)} MB of metadata, ${ROUNDS} rounds, medians`,
  );
  const { found, sha, journal } = await inBrowser(made);
  if (found.some(({ changed }) => changed !== SAMPLES)) throw new Failure('not every sample was changed');
  tell(`a page of ${options.engine}`, found, metadata);
  if (!process.env.FOREBAY) return;
  mkdirSync(FOLDER, { recursive: true });
  const [path, lines] = [join(FOLDER, 'large.tbl'), join(FOLDER, 'edits.jsonl')];
  writeFileSync(lines, journal);
  const all = [];
  for (let round = 0; round < ROUNDS; round++) {
    write(path, made);
    const begun = performance.now();
    const told = execFileSync(process.env.FOREBAY, ['apply', path, lines, '--in-place', '--json'], {
      encoding: 'utf8',
    });
    all.push({ took: performance.now() - begun, written: JSON.parse(told).written_bytes });
  }
  tell('the command', all, metadata);
  const same = digestOf(path, made.behind) === sha;
  rmSync(path);
  if (!same) throw new Failure('the command left other bytes than the page');
  console.log('the same bytes');
});
