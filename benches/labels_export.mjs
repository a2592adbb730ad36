// npm run bench:export: the boxes of a TBL's metadata written as COCO by the npm package, and read by pycocotools.
//
//   npm run bench:export -- [--samples 100000] [--boxes 7] [--rounds 5]
//
// In Node; a page does the same in its workers. The package must be built (npm run build:lib). Every sample is a picture of a few
// bytes with its boxes in its record. Prints the medians: the labels of the dataset, the file written from them, and both; and
// what pycocotools counts in the file where PYTHON, or python3, has it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, main } from '../scripts/lib/run.mjs';

const { values: options } = parseArgs({
  options: {
    samples: { type: 'string', default: '100000' },
    boxes: { type: 'string', default: '7' },
    rounds: { type: 'string', default: '5' },
  },
});
const [SAMPLES, BOXES] = [Number(options.samples), Number(options.boxes)];
const FOLDER = join(ROOT, 'target/bench');
const CLASSES = Array.from({ length: 80 }, (_, k) => ({ id: k, name: `class ${k}` }));

/** A TBL of samples whose boxes are in the metadata, as `forebay convert --labels` writes them. */
function dataset() {
  const header = Buffer.alloc(64);
  const stored = 8;
  const start = 64 + SAMPLES * 24;
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
  const index = Buffer.alloc(SAMPLES * 24);
  for (let i = 0; i < SAMPLES; i++) {
    const at = i * 24;
    index.writeBigUInt64LE(BigInt(start + i * (stored + 4)), at);
    index.writeUInt32LE(stored, at + 8);
    index.writeUInt32LE(stored, at + 12);
    index[at + 16] = 1;
    index.writeUInt16LE(640, at + 17);
    index.writeUInt16LE(480, at + 19);
    index.writeUInt16LE(modbus(index, at, at + 24), at + 21);
  }
  header.write('TBL\x02', 0, 'latin1');
  header.writeUInt32LE(2, 4);
  header.writeBigUInt64LE(BigInt(SAMPLES), 8);
  header.writeUInt32LE(24, 17);
  header.writeBigUInt64LE(BigInt(start + body.length), 21);
  header.writeUInt32LE(document.length, 29);
  header[33] = 1;
  return new Blob([header, index, body, document]);
}

/** CRC-16/MODBUS over an entry of the index, without the checksum's own bytes. */
function modbus(bytes, from, to) {
  let crc = 0xffff;
  for (let at = from; at < to; at++) {
    if (at === from + 21 || at === from + 22) continue;
    crc ^= bytes[at];
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}

const COUNT = `
import json, sys
from pycocotools.coco import COCO
coco = COCO(sys.argv[1])
print(json.dumps([len(coco.getImgIds()), len(coco.getAnnIds()), len(coco.getCatIds())]))
`;

await main(async () => {
  const { labelsOf, memorySink, openSamples, shutdown, writeLabels } = await import('../www/lib/dist/index.js');
  const input = dataset();
  const [read, written, both] = [[], [], []];
  let sink;
  for (let round = 0; round < Number(options.rounds); round++) {
    const samples = await openSamples(input, { name: 'made.tbl' });
    const begun = performance.now();
    const labels = await labelsOf(samples);
    const between = performance.now();
    sink = memorySink();
    await writeLabels(labels, 'coco', sink);
    const end = performance.now();
    read.push(between - begun);
    written.push(end - between);
    both.push(end - begun);
    labels.close?.();
    samples.close();
  }
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, 'exported.json');
  writeFileSync(path, sink.bytes());
  const of = (all) => `${(all.sort((a, b) => a - b)[all.length >> 1] / 1000).toFixed(2)} s`;
  console.log(`${SAMPLES} pictures, ${SAMPLES * BOXES} boxes, ${(sink.bytes().length / 1e6).toFixed(1)} MB of COCO`);
  console.log(`read ${of(read)}, written ${of(written)}, both ${of(both)}; medians of ${options.rounds}`);
  await shutdown();
  try {
    const said = execFileSync(process.env.PYTHON ?? 'python3', ['-c', COUNT, path], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    console.log(`pycocotools: pictures, boxes, classes ${said.trim().split('\n').at(-1)}`);
  } catch (e) {
    console.log(`pycocotools did not read it: ${String(e.stderr).trim().split('\n').at(-1)}`);
  }
});
