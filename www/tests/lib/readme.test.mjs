// The examples of the README are programs: each runs in a process of its own, with what it takes for granted.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, test } from 'node:test';
import { ROOT, bitmap, member, native, runNative, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(() => rmSync(folder, { recursive: true }));
const readme = readFileSync(join(ROOT, 'www/lib/README.md'), 'utf8');
const examples = [...readme.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
const index = pathToFileURL(join(ROOT, 'www/lib/dist/index.js'));

const WAREHOUSE = join(ROOT, 'tests/corpus/twh/expected/case_letterbox_64');
const EARLIER = join(ROOT, 'tests/corpus/twh/expected/case_force_48');
// A picture of one pixel.
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const LABELS = join(ROOT, 'tests/corpus/labels/exports/handwritten_coco/annotations/instances.json');

/** What an example finds around it: a file, a text, an image, a folder, a signal, somewhere to save. */
function around(path, labels, parquet) {
  return `import { readFileSync, readdirSync } from 'node:fs';
import { openSamples as openOthers } from '${index.href}';
const input = { files: readdirSync('${WAREHOUSE}').map((name) => new File([readFileSync('${WAREHOUSE}/' + name)], name)) };
const earlier = '${EARLIER}';
${labels ? `const dataset = await openOthers('${WAREHOUSE}');` : ''}
const sink = { write: async () => {} };
const context = { putImageData() {} };
globalThis.ImageData = class {};
const showDirectoryPicker = async () => ({ put: async () => {} });
const parquetFile = ${parquet ? `new Blob([readFileSync(${JSON.stringify(parquet)})])` : 'null'};
const file = new Blob([readFileSync(${JSON.stringify(path)})]);
const csvFile = new File(['id,age\\n' + Array.from({ length: 100 }, (_, i) => i + ',' + (i % 90)).join('\\n') + '\\nbad'], 'people.csv');
const listFile = [
  { path: 'metadata.jsonl', input: new Blob(['{"file_name":"a.png","label":"boat"}']) },
  { path: 'a.png', input: new Blob([Buffer.from('${PIXEL}', 'base64')]) },
];
const image = {};
const { signal } = new AbortController();
const onProgress = () => {};
let written = 0;
const showSaveFilePicker = async () => ({ write: async (position, bytes) => void (written += bytes.length) });
`;
}

/** A TAR of pictures and labels. */
const withoutBoxes = (n) =>
  Buffer.concat([
    ...Array.from({ length: n }, (_, i) => [
      member(`${i}.bmp`, bitmap(20, 20, i)),
      member(`${i}.json`, Buffer.from('{"label":"dock"}')),
    ]).flat(),
    Buffer.alloc(1024),
  ]);

test('there are examples for samples, tables and configuration', () => {
  assert.ok(examples.length >= 3);
});

for (const [k, example] of examples.entries()) {
  const pictures = example.includes('parquetFile');
  const table = example.includes('openTable') || pictures;
  test(`example ${k + 1} runs`, { skip: table && !native() && 'the native command was not built' }, () => {
    let path = example.includes('readLabels') ? LABELS : join(folder, 'a.tar');
    // Of boxes in the metadata, four numbers without names could mean several things, and nobody could add one.
    const plain = example.includes('edits.boxes');
    if (path !== LABELS) writeFileSync(path, plain ? withoutBoxes(30) : tarOf(30, 300));
    if (pictures) {
      const lines = join(folder, 'pictures.jsonl');
      writeFileSync(lines, JSON.stringify({ image: { bytes: PIXEL, path: 'a.png' }, label: 1 }));
      assert.equal(runNative('convert', lines, join(folder, 'pictures.parquet'), '--types', 'image=json').code, 0);
    } else if (table) {
      const csv = join(folder, 'people.csv');
      writeFileSync(
        csv,
        ['city,age', ...Array.from({ length: 3000 }, (_, i) => `${['Bergen', 'Oslo'][i % 2]},${i % 90}`)].join('\n'),
      );
      path = join(folder, 'people.tbf');
      assert.equal(runNative('convert', csv, path).code, 0);
    }
    const program = join(folder, `example-${k}.mjs`);
    writeFileSync(
      program,
      around(path, path === LABELS, pictures && join(folder, 'pictures.parquet')) +
        example.replaceAll('"forebay"', JSON.stringify(index.href)),
    );
    execFileSync(process.execPath, [program], { cwd: folder, stdio: 'pipe', timeout: 180_000 });
  });
}
