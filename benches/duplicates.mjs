// npm run bench:duplicates: the pictures of a dataset that are there twice, found by the npm package.
//
//   npm run bench:duplicates -- [--copies 42] [--rounds 1] [--browser] [--engine chromium|firefox]
//
// In Node, or with --browser in a page. The dataset is the sample one (`npm run sample`) this many times, 240 pictures each, as a
// TBL; so all copies of a picture must be one group. The package must be built (`npm run build:lib`). FOREBAY=PATH names a build of the
// command, which is timed too and must find the same groups.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Failure, ROOT, main } from '../scripts/lib/run.mjs';
import { SAMPLE } from '../scripts/sample.mjs';
import { servePackage } from './lib/page.mjs';

const { values: options } = parseArgs({
  options: {
    copies: { type: 'string', default: '42' },
    rounds: { type: 'string', default: '1' },
    browser: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'chromium' },
  },
});
const COPIES = Number(options.copies);
const FOLDER = join(ROOT, 'target/bench');
const BLOCK = 512;

/** The sample dataset `COPIES` times as a TAR, each copy in a folder of its own; its path. */
function dataset() {
  if (!existsSync(SAMPLE)) throw new Failure('the sample dataset is not there: npm run sample');
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `copies-${COPIES}.tar`);
  const whole = readFileSync(SAMPLE);
  const members = [];
  for (let at = 0; at + BLOCK <= whole.length && whole[at] !== 0; ) {
    const size = Number.parseInt(whole.toString('latin1', at + 124, at + 135), 8);
    const end = at + BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    members.push(whole.subarray(at, end));
    at = end;
  }
  const out = openSync(path, 'w');
  for (let copy = 0; copy < COPIES; copy++) {
    const parts = members.map((member) => {
      const header = Buffer.from(member.subarray(0, BLOCK));
      const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
      const renamed = Buffer.from(`${String(copy).padStart(4, '0')}/${name.split('/').pop()}`);
      if (renamed.length > 100) throw new Failure(`${name} is too long a name`);
      header.fill(0, 0, 100).set(renamed);
      header.fill(0x20, 148, 156);
      const sum = header.reduce((a, b) => a + b, 0);
      header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      return Buffer.concat([header, member.subarray(BLOCK)]);
    });
    for (const part of parts) writeSync(out, part);
  }
  writeSync(out, Buffer.alloc(2 * BLOCK));
  return path;
}

/** Times it; also what a page runs: it uses nothing of this file. */
async function timed(forebay, input, rounds) {
  const times = [];
  let found = null;
  for (let round = 0; round < rounds; round++) {
    // What was found once is kept with the dataset.
    const samples = await forebay.openSamples(input);
    const begun = performance.now();
    found = await samples.duplicates();
    times.push(performance.now() - begun);
    samples.close();
  }
  await forebay.shutdown();
  const groups = found.groups.map((group) => group.map(({ index }) => index));
  return { times, samples: found.samples, notPictures: found.notPictures, faults: found.faultCount, groups };
}

/** The same in a page, which gets the file as if somebody had chosen it. */
async function inBrowser(path, rounds) {
  process.env.FOREBAY_BROWSER = options.engine;
  const { launch } = await import('../www/tests/browser.mjs');
  const server = await servePackage({ '/': '<!doctype html><title>bench</title><input type="file">' });
  const browser = await launch();
  try {
    const tab = await browser.newPage();
    tab.setDefaultTimeout(600_000);
    await tab.goto(server.url);
    await tab.locator('input').setInputFiles(path);
    return await tab.evaluate(
      async ([timed, rounds]) => {
        const forebay = await import('/index.js');
        const [file] = document.querySelector('input').files;
        return new Function(`return ${timed}`)()(forebay, file, rounds);
      },
      [String(timed), rounds],
    );
  } finally {
    await browser.close();
    server.close();
  }
}

await main(async () => {
  const path = dataset();
  const rounds = Number(options.rounds);
  const found = options.browser
    ? await inBrowser(path, rounds)
    : await timed(await import('../www/lib/dist/index.js'), path, rounds);
  if (found.faults > 0) throw new Failure(`${found.faults} samples could not be looked at`);
  // The first copy of each picture leads a group in which the others are, and perhaps another picture that is like it.
  const own = found.samples / COPIES;
  const groupOf = new Map(found.groups.flatMap((group, k) => group.map((i) => [i, k])));
  for (let i = 0; COPIES > 1 && i < found.samples; i++)
    if (groupOf.get(i) === undefined || groupOf.get(i) !== groupOf.get(i % own))
      throw new Failure(`sample ${i} is not in the group of ${i % own}`);
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  const sorted = [...found.times].sort((a, b) => a - b);
  console.log(
    `${found.samples} images, ${found.groups.length} groups: ${seconds(sorted[sorted.length >> 1])}, the best of ${rounds} ` +
      `${seconds(sorted[0])}, in ${options.browser ? `a page of ${options.engine}` : 'Node'}, ${availableParallelism()} processors`,
  );
  if (process.env.FOREBAY) {
    const begun = performance.now();
    const how = ['duplicates', path, '--json'];
    const told = execFileSync(process.env.FOREBAY, how, { encoding: 'utf8', maxBuffer: 1 << 28 });
    const took = performance.now() - begun;
    const groups = JSON.parse(told).groups.map(({ samples }) => samples.map(({ i }) => i));
    if (JSON.stringify(groups) !== JSON.stringify(found.groups)) throw new Failure('the command found other groups');
    console.log(`the command: ${seconds(took)}; the same groups`);
  }
});
