// npm run bench:remote: reading from a store that answers after 50 ms, by a link of 1 Gb/s.
//
//   npm run bench:remote -- [--only ROW,ROW] [--rounds 3] [--quick] [--built] [--dry]
//   FOREBAY_REMOTE_PEERS=PYTHON npm run bench:remote   by a Python that has the other loaders already
//   npm run bench:remote -- --only others,unlimited    the other loaders alone, by the link and with its latency alone: some
//                                                      five minutes with what is built and installed
//
// The store is a process of the project's own on loopback (tools/src/store), which serves files and counts what it is asked;
// it shares the machine's cores with what is measured. Other loaders of Python read the same bytes, each in its own format,
// from the same store. Writes docs/benchmarks-remote.md and benches/results/remote.json; with --only the other rows stay as
// they were, with the day and the machine of their own, with --dry or --quick nothing is written. --built takes the release builds that are there.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, json } from './lib/build.mjs';
import { remotePython } from './lib/peer.mjs';
import { page } from './lib/remote_report.mjs';
import { machine } from './lib/report.mjs';
import { Failure, ROOT, main, run, seconds } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    dry: { type: 'boolean', default: false },
  },
});
const FOLDER = join(ROOT, 'target/bench/remote');
const RESULTS = join(ROOT, 'benches/results/remote.json');
const PEERS = join(ROOT, 'benches/python/remote_peers.py');
const rounds = options.quick ? 1 : Number(options.rounds);
/** Samples of 100 kB; those that other loaders read; pictures; and samples of 78 kB that make 100 GB. */
const SET = options.quick
  ? { noise: 1024, peers: 512, pictures: 128, huge: 20_000 }
  : { noise: 8192, peers: 4096, pictures: 1000, huge: 1_281_167 };
const LATENCY = 0.05;
const BITS = 1e9;
/** What a store far away is like. */
const FAR = { latency_ms: LATENCY * 1000, bits: BITS };
const OTHERS = ['streaming', 'litdata', 'webdataset'];

await main(async () => {
  const tools = options.built ? built() : await build('remote', ['forebay-native/remote']);
  const set = await makeSet(tools);
  const store = await start(tools.store);
  try {
    const rows = measurements({ ...tools, set, store });
    const names = options.only ? options.only.split(',') : Object.keys(rows);
    const results = options.only && existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
    for (const name of names) {
      if (!rows[name]) throw new Failure(`${name} is not a row; there are ${Object.keys(rows).join(', ')}`);
      const begun = Date.now();
      const found = [];
      for (let round = 0; round < rounds; round++) {
        found.push(await rows[name](round));
        console.log(`${name}, round ${round + 1}: ${JSON.stringify(found.at(-1))}`);
      }
      const { date, processor, system, rust } = machine();
      const on = `${date}: ${processor}, ${system}, ${rust}`;
      results[name] = { found, took: seconds(Date.now() - begun), load: Number(loadavg()[0].toFixed(1)), on };
    }
    const about = { ...SET, latency: LATENCY, bits: BITS };
    const text = page(about, results);
    console.log(`\n${text}`);
    if (options.dry || options.quick) return;
    mkdirSync(join(ROOT, 'benches/results'), { recursive: true });
    writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`.replaceAll(join(ROOT, '/'), ''));
    writeFileSync(join(ROOT, 'docs/benchmarks-remote.md'), text);
  } finally {
    store.end();
  }
});

/** The programs of an earlier run. */
function built() {
  const folder = join(ROOT, 'target/dist/deps');
  const found = readdirSync(folder)
    .filter((name) => /^remote-[0-9a-f]+$/.test(name))
    .map((name) => join(folder, name));
  const [remote] = found.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (!remote) throw new Failure('there is no release build; leave --built away');
  const at = (name) => join(ROOT, 'target/dist', name);
  return { forebay: at('forebay'), sample: at('forebay-sample'), store: at('forebay-store'), remote };
}

/** What is served: made once. */
async function makeSet({ remote, forebay, sample }) {
  const bucket = join(FOLDER, 'store/bucket');
  mkdirSync(bucket, { recursive: true });
  const at = (name) => join(bucket, name);
  const set = { bucket };
  const make = async (name, make) => {
    set[name.split('-')[0]] = name;
    if (!existsSync(at(name))) await make(at(name));
  };
  await make(`noise-${SET.noise}.tbl`, (path) => json(remote, ['noise', path, SET.noise, 100_000]));
  await make(`peers-${SET.peers}.tbl`, (path) => json(remote, ['noise', path, SET.peers, 100_000]));
  await make(`huge-${SET.huge}.tbl`, (path) => json(remote, ['huge', path, SET.huge, 78_000]));
  await make(`pictures-${SET.pictures}.tbl`, async (path) => {
    const tar = join(FOLDER, 'pictures.tar');
    await run(sample, ['--bench', '--count', String(SET.pictures), tar], { quiet: true });
    await run(forebay, ['convert', '--quiet', tar, path], { quiet: true });
    rmSync(tar);
  });
  await make(`archive-${SET.peers}.tar`, (path) =>
    run(forebay, ['convert', '--quiet', at(set.peers), path], { quiet: true }),
  );
  return set;
}

/** The store as a process, and what it is told and asked. */
async function start(program) {
  const child = spawn(program, [join(FOLDER, 'store')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text).trim()));
    child.once('error', reject);
  });
  return {
    url,
    set: (link) => fetch(`${url}/_set?${new URLSearchParams(link)}`).then((answer) => answer.text()),
    counts: () => fetch(`${url}/_counts`).then((answer) => answer.json()),
    end: () => child.kill(),
  };
}

/** How each row is measured. */
function measurements({ remote, set, store }) {
  const env = {
    AWS_ENDPOINT_URL: store.url,
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_REGION: 'us-east-1',
    S3_ENDPOINT_URL: store.url,
    AWS_SHARED_CREDENTIALS_FILE: join(FOLDER, 'none'),
    AWS_CONFIG_FILE: join(FOLDER, 'none'),
  };
  Object.assign(process.env, env);
  const address = (name) => `s3://bucket/${set[name]}`;
  const epochs = async (link, ...settings) => {
    await store.set(link);
    const said = await json(remote, ['epochs', ...settings]);
    return { ...said, counts: await store.counts() };
  };
  const cache = () => {
    const folder = join(FOLDER, 'cache');
    rmSync(folder, { recursive: true, force: true });
    return `cache=${folder}`;
  };
  const faulty = { ...FAR, fail: 20, reset: 100 };
  return {
    open: async () => {
      await store.set(FAR);
      return json(remote, ['open', address('huge'), 'width >= 224 && height >= 224']);
    },
    first: async () => {
      const first = async (link) => {
        const found = {};
        for (const order of ['stored', 'blocks', 'full']) {
          const said = await epochs(link, address('noise'), `order=${order}`, 'most=64');
          found[order] = said.ready_seconds + said.epochs[0].first_seconds;
        }
        return found;
      };
      return { latency: await first({ latency_ms: FAR.latency_ms }), link: await first(FAR) };
    },
    blocks: () => epochs(FAR, address('noise'), 'order=blocks'),
    full: () => epochs({ latency_ms: FAR.latency_ms }, address('noise'), 'order=full'),
    faults: async () => {
      const both = async (order) => {
        const [plain, bad] = [
          await epochs(FAR, address('noise'), `order=${order}`, 'most=4096'),
          await epochs(faulty, address('noise'), `order=${order}`, 'most=4096'),
        ];
        return {
          same: plain.epochs[0].digest === bad.epochs[0].digest,
          plain: plain.epochs[0].seconds,
          bad: bad.epochs[0].seconds,
          requests: bad.counts.requests,
          failed: bad.counts.failed,
          reset: bad.counts.reset,
        };
      };
      return { blocks: await both('blocks'), full: await both('full') };
    },
    cached: () => epochs(FAR, address('peers'), 'order=blocks', 'epochs=2', cache()),
    decoded: async (round) => {
      await store.set({});
      const rate = async (path) => {
        const { epochs } = await json(remote, ['epochs', path, 'order=full', 'side=224']);
        return epochs[0].samples / epochs[0].seconds;
      };
      const [local, far] = [join(set.bucket, set.pictures), address('pictures')];
      // Each goes first in every other round.
      if (round % 2) return { remote: await rate(far), local: await rate(local) };
      return { local: await rate(local), remote: await rate(far) };
    },
    copy: async (round) => {
      await store.set(FAR);
      const [from, made, copied] = [address('archive'), 's3://bucket/made.tbl', 's3://bucket/copied.tar'];
      const to = { copy: copied, convert: made };
      const found = {};
      // Each goes first in every other round.
      for (const name of round % 2 ? ['convert', 'copy'] : ['copy', 'convert']) {
        found[name] = (await json(remote, [name, from, to[name]])).seconds;
      }
      return { ...found, bytes: statSync(join(set.bucket, set.archive)).size };
    },
    others: () => others(FAR),
    unlimited: () => others({ latency_ms: FAR.latency_ms }),
    ...Object.fromEntries(OTHERS.map((kind) => [kind, () => other(remotePython(), kind, FAR)])),
  };

  /** Two epochs of each loader from the store as `link` has it. */
  async function others(link) {
    const python = remotePython();
    const ours = await epochs(link, address('peers'), 'order=blocks', 'epochs=2', cache());
    const [first, second] = ours.epochs;
    const bytes = first.payload_bytes;
    const found = { forebay: { first: ours.ready_seconds + first.seconds, second: second.seconds, bytes } };
    for (const kind of python ? OTHERS : []) found[kind] = await other(python, kind, link).catch(failed(kind));
    return found;
  }

  /** Another loader that fails leaves its row empty. */
  function failed(kind) {
    return (e) => console.log(`${kind} failed: ${e.message}\n${e.output ?? ''}`);
  }

  async function other(python, kind, link) {
    if (!python) return null;
    const settings = [set.bucket, store.url, SET.peers, join(FOLDER, `cache-${kind}`)];
    await store.set({});
    await json(python, [PEERS, 'write', kind, ...settings]);
    rmSync(join(FOLDER, `cache-${kind}`), { recursive: true, force: true });
    await store.set(link);
    return json(python, [PEERS, 'read', kind, ...settings]);
  }
}
