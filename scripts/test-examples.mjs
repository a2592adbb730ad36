// npm run test:examples [-- burn candle tch]: the programs of examples/ that train with other people's frameworks, run to their end.
//
// They are crates of their own and not a part of npm test: building them from nothing takes minutes. Each learns from a small
// set that forebay-sample draws, and fails if it learns nothing. They share one folder for what is built,
// target/examples. tch is made for one version of libtorch, that of a Python which has this torch: FOREBAY_TORCH names it, or it is
// the python3 here, or that of the benchmarks. Without one it is passed over, and says so.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { TESTED_FOREBAY, TESTED_SAMPLE, buildForTests } from './lib/forebay.mjs';
import { Failure, ROOT, isMain, main, read, run, seconds } from './lib/run.mjs';

const TARGET = join(ROOT, 'target/examples');
const DATA = join(TARGET, 'data');
/** Of which the tch of examples/tch is. */
const TORCH = '2.13';
const EXAMPLES = { burn, candle, tch };

export async function testExamples(names) {
  for (const name of names) {
    if (!EXAMPLES[name]) throw new Failure(`${name}: there are ${Object.keys(EXAMPLES).join(', ')}`);
  }
  if (!existsSync(TESTED_FOREBAY) || !existsSync(TESTED_SAMPLE)) await buildForTests();
  const data = await makeData();
  for (const name of names) {
    const begun = Date.now();
    const ran = await EXAMPLES[name](data);
    console.log(`${name}: ${ran === false ? 'passed over' : 'learnt'}, ${seconds(Date.now() - begun)}`);
  }
}

/** Small pictures with their labels, as a file, as labels alone and as a warehouse. */
async function makeData() {
  rmSync(DATA, { recursive: true, force: true });
  mkdirSync(DATA, { recursive: true });
  const at = (name) => join(DATA, name);
  const [tar, tbl, labels, warehouse] = ['set.tar', 'set.tbl', 'labels.json', 'warehouse'].map(at);
  const boxes = ['--boxes', 'json.boxes:xywh'];
  const forebay = (...args) => run(TESTED_FOREBAY, args, { quiet: true });
  await run(TESTED_SAMPLE, ['--count', '300', '--size', '160x120', '--format', 'jpg', tar], { quiet: true });
  await forebay('convert', '--quiet', tar, tbl);
  await forebay('labels', 'convert', '--quiet', tbl, labels, '--to', 'coco', ...boxes);
  const made = await forebay(
    'warehouse',
    'build',
    '--quiet',
    '--json',
    tbl,
    '-o',
    warehouse,
    '--size',
    '64x64',
    ...boxes,
  );
  return { tbl, labels, manifest: JSON.parse(made.trim().split('\n').at(-1)).manifest };
}

/** A crate's program. Of its profile for development all is optimized a little: compiled soon, and fast enough for so few pictures. */
function program(crate, args, env = {}) {
  const manifest = join(ROOT, 'examples', crate, 'Cargo.toml');
  return run('cargo', ['run', '--quiet', '--manifest-path', manifest, ...args], {
    env: { CARGO_TARGET_DIR: TARGET, ...env },
  });
}

async function burn({ tbl, labels, manifest }) {
  const detector = (...args) => program('burn', ['--bin', 'detector', '--', ...args]);
  await program('burn', ['--bin', 'forebay-example-burn', '--', tbl, '3']);
  await program('burn', ['--bin', 'views', '--', tbl, '5']);
  await detector('--tensor-warehouse', manifest, '6');
  await detector('--live', tbl, '--labels', labels, '6');
}

async function candle({ tbl }) {
  await program('candle', ['--', tbl, '4']);
}

async function tch({ tbl }) {
  // Asked without importing it, which takes seconds.
  const ask =
    'import importlib.metadata as m, importlib.util as u; print(m.version("torch"), u.find_spec("torch").origin)';
  const pythons = [process.env.FOREBAY_TORCH, 'python3', join(homedir(), '.cache/forebay/loader-peers/bin/python')];
  const torches = pythons.filter(Boolean).map((python) => read(python, ['-c', ask]) ?? '');
  const torch = torches.find((one) => one.startsWith(`${TORCH}.`));
  if (!torch) {
    console.log(
      `No Python here has torch ${TORCH}, with whose libtorch tch is built: not an older one, and not a newer one, which lacks
functions that tch calls. This makes one, of 530 MB and its libraries for CUDA, and runs the example with it:

  python3 -m venv ~/.cache/forebay/torch-${TORCH}
  ~/.cache/forebay/torch-${TORCH}/bin/pip install 'torch==${TORCH}.*'
  FOREBAY_TORCH=~/.cache/forebay/torch-${TORCH}/bin/python npm run test:examples -- tch
`,
    );
    return false;
  }
  const folder = dirname(torch.slice(torch.indexOf(' ') + 1));
  const LD_LIBRARY_PATH = [join(folder, 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  await program('tch', ['--', tbl, '4'], { LIBTORCH: folder, LD_LIBRARY_PATH });
  return true;
}

if (isMain(import.meta.url)) {
  const names = process.argv.slice(2);
  await main(() => testExamples(names.length ? names : Object.keys(EXAMPLES)));
}
