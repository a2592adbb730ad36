// npm run bench:export: the boxes of a TBL's metadata written as COCO by the npm package, and read by pycocotools.
//
//   npm run bench:export -- [--samples 100000] [--boxes 7] [--rounds 5] [--before] [--browser] [--pycocotools]
//
// In Node, or with --browser in a page of Chromium (CHROMIUM). The package must be built (npm run build:lib). Every sample is a
// picture of a few bytes with its boxes in its record. Prints the median of `exportLabels`, the first, which has the module to
// load, and the best; in Node also the processor's time. With --before also the labels of the dataset as objects and the file
// written from them. FOREBAY=PATH names a build of the command, which then exports the same file. Whoever else wrote it must have
// written the same bytes. With --pycocotools an environment is made for it under target/python, and it must count the same.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensurePycocotools, readCoco } from '../scripts/lib/pycocotools.mjs';
import { Failure, ROOT, main } from '../scripts/lib/run.mjs';
import { launch } from '../www/tests/browser.mjs';
import { frontOf } from './lib/guide_tbl.mjs';
import { servePackage } from './lib/page.mjs';

const { values: options } = parseArgs({
  options: {
    samples: { type: 'string', default: '100000' },
    boxes: { type: 'string', default: '7' },
    rounds: { type: 'string', default: '5' },
    before: { type: 'boolean', default: false },
    browser: { type: 'boolean', default: false },
    pycocotools: { type: 'boolean', default: false },
  },
});
const [SAMPLES, BOXES] = [Number(options.samples), Number(options.boxes)];
const FOLDER = join(ROOT, 'target/bench');
const CLASSES = Array.from({ length: 80 }, (_, k) => ({ id: k, name: `class ${k}` }));

/** A TBL of samples whose boxes are in the metadata, as `forebay convert --labels` writes them. */
function dataset() {
  const stored = 8;
  const body = Buffer.alloc(SAMPLES * (stored + 4));
  const records = Array.from({ length: SAMPLES }, (_, i) => {
    const annotations = Array.from({ length: BOXES }, (_, k) => ({
      class: `class ${(i + k) % CLASSES.length}`,
      xmin: (i % 200) + k,
      ymin: (i % 97) + 2 * k,
      xmax: (i % 200) + k + 30,
      ymax: (i % 97) + 2 * k + 40 + (i % 50),
    }));
    const fields = { annotations_format: 'forebay.1', annotations_size: [640, 480], annotations };
    return JSON.stringify({ id: i, name: `${String(i).padStart(8, '0')}.jpg`, ...fields });
  });
  const document = Buffer.from(`{"categories":${JSON.stringify(CLASSES)},"samples":[${records.join(',')}]}`);
  const front = frontOf({ samples: SAMPLES, stored, each: stored + 4, metadata: document.length });
  return new Blob([front, body, document]);
}

/** Times both ways on a dataset; the file that was exported. Also what a page runs: it uses nothing of this file. */
async function timed(forebay, input, rounds, before) {
  const { exportLabels, labelsOf, memorySink, openSamples, writeLabels } = forebay;
  const times = { exported: [], processor: [], read: [], written: [] };
  // A page has none.
  const processor = () => (globalThis.process?.cpuUsage?.().user ?? 0) / 1000;
  let [sink, same] = [null, true];
  for (let round = 0; round < rounds; round++) {
    // A module is loaded, and a worker begins, with the first of them.
    const samples = await openSamples(input, { name: 'made.tbl' });
    const [begun, used] = [performance.now(), processor()];
    sink = memorySink();
    await exportLabels(samples, 'coco', sink);
    times.exported.push(performance.now() - begun);
    times.processor.push(processor() - used);
    if (before) {
      const from = performance.now();
      const labels = await labelsOf(samples);
      const between = performance.now();
      const other = memorySink();
      await writeLabels(labels, 'coco', other);
      times.read.push(between - from);
      times.written.push(performance.now() - between);
      const [a, b] = [sink.bytes(), other.bytes()];
      same &&= a.length === b.length && a.every((byte, k) => byte === b[k]);
    }
    samples.close();
  }
  await forebay.shutdown();
  return { times, same, bytes: sink.bytes() };
}

/** The same in a page of Chromium; the file comes back to this server. */
async function inBrowser(input, rounds, before) {
  const made = Buffer.from(await input.arrayBuffer());
  let exported = Buffer.alloc(0);
  const server = await servePackage({
    '/made.tbl': made,
    '/exported': (bytes) => {
      exported = bytes;
      return '';
    },
  });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    const found = await page.evaluate(
      async ([timed, rounds, before]) => {
        const forebay = await import('/index.js');
        const input = await (await fetch('/made.tbl')).blob();
        const { bytes, ...rest } = await new Function(`return ${timed}`)()(forebay, input, rounds, before);
        await fetch('/exported', { method: 'POST', body: bytes });
        return rest;
      },
      [String(timed), rounds, before],
    );
    return { ...found, bytes: exported };
  } finally {
    await browser.close();
    server.close();
  }
}

await main(async () => {
  const input = dataset();
  const rounds = Number(options.rounds);
  const { times, same, bytes } = options.browser
    ? await inBrowser(input, rounds, options.before)
    : await timed(await import('../www/lib/dist/index.js'), input, rounds, options.before);
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, 'exported.json');
  writeFileSync(path, bytes);
  const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
  const of = (all) => seconds([...all].sort((a, b) => a - b)[all.length >> 1]);
  const { exported, processor } = times;
  console.log(`${SAMPLES} images, ${SAMPLES * BOXES} boxes, ${(bytes.length / 1e6).toFixed(1)} MB of COCO`);
  console.log(
    `exported in ${of(exported)}, the first in ${seconds(exported[0])}, the best in ${seconds(Math.min(...exported))}; ` +
      `${rounds} times, in ${options.browser ? 'Chromium' : `Node, ${of(processor)} of the processor`}`,
  );
  if (options.before) {
    if (!same) throw new Failure('the two ways wrote other bytes');
    console.log(`as objects: read ${of(times.read)}, written ${of(times.written)}; the same bytes`);
  }
  if (process.env.FOREBAY) {
    const [made, other] = [join(FOLDER, 'made.tbl'), join(FOLDER, 'command.json')];
    writeFileSync(made, Buffer.from(await input.arrayBuffer()));
    const how = ['labels', 'convert', made, other, '--to', 'coco', '--force'];
    const begun = performance.now();
    execFileSync(process.env.FOREBAY, how, { stdio: ['ignore', 'ignore', 'inherit'] });
    const took = seconds(performance.now() - begun);
    if (!readFileSync(other).equals(Buffer.from(bytes))) throw new Failure('the command wrote other bytes');
    console.log(`the command, from disk to disk: ${took}; the same bytes`);
  }
  if (options.pycocotools) {
    const python = await ensurePycocotools();
    if (!python) throw new Failure('no Python with venv is here');
    const { pictures, boxes, classes } = readCoco(python, path);
    if (pictures !== SAMPLES || boxes !== SAMPLES * BOXES || classes !== CLASSES.length)
      throw new Failure(`pycocotools found ${pictures} images, ${boxes} boxes and ${classes} classes`);
    console.log(`pycocotools: ${pictures} images, ${boxes} boxes, ${classes} classes`);
  }
});
