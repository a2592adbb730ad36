// The package as it is published: packed, installed, and what its package.json promises.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lintPackage } from '../publint.mjs';
import { PUBLISHED, ROOT, THREADS, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
after(() => rmSync(folder, { recursive: true }));
const lib = join(ROOT, 'www/lib');
const about = JSON.parse(readFileSync(join(lib, 'package.json'), 'utf8'));

test('it has no dependencies, and types come first in every export', () => {
  assert.equal(about.dependencies, undefined);
  for (const conditions of Object.values(about.exports)) {
    if (typeof conditions === 'object') assert.equal(Object.keys(conditions)[0], 'types');
  }
});

test('packed and unpacked it is small, whole, and works in another folder', () => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: lib,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  assert.ok(!PUBLISHED || packed.unpackedSize < 13_700_000, `${packed.unpackedSize} bytes`);
  const names = packed.files.map((file) => file.path);
  for (const name of [
    'dist/index.js',
    'dist/index.d.ts',
    'dist/model/index.d.ts',
    'dist/worker.js',
    'dist/forebay-sw.js',
    'dist/forebay.wasm',
    ...(PUBLISHED ? ['samples', 'labels', 'tables', 'columns', 'pixels'].map((name) => `dist/${name}.wasm`) : []),
    'README.md',
  ])
    assert.ok(names.includes(name), name);
  assert.ok(!names.some((name) => name.startsWith('src') || name.startsWith('tests')));
  // What pages load as it is has no bundler to make it small.
  const { size } = packed.files.find((file) => file.path === 'dist/worker.js');
  assert.ok(size < 163_000, `the worker has ${size} bytes`);
  const target = join(folder, 'node_modules/forebay');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', target, '--strip-components=1']);
  writeFileSync(join(folder, 'a.tar'), tarOf(5));
  writeFileSync(
    join(folder, 'app.mjs'),
    "import { open } from 'forebay'; const ds = await open('a.tar'); console.log(ds.length, (await ds.matches('cls == 1')).join());",
  );
  assert.equal(
    execFileSync(process.execPath, ['app.mjs'], { cwd: folder, encoding: 'utf8', timeout: 180_000 }).trim(),
    '5 1,4',
  );
});

test('its command says what a file is, checks it and converts it, with the exit codes of the other', () => {
  const forebay = (...words) => {
    const command = join(folder, 'node_modules/forebay', about.bin.forebay);
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    return [status, stdout + stderr];
  };
  assert.deepEqual(forebay('convert', 'a.tar', 'a.tbl'), [0, 'a.tbl: 5 samples\n']);
  assert.match(forebay('inspect', 'a.tbl')[1], /^a\.tbl\n {2}format +tbl\n {2}size +\d+ bytes\n {2}samples +5\n/);
  assert.deepEqual(forebay('check', 'a.tar', 'a.tbl'), [
    0,
    'a.tar: sound, 5 samples or rows\na.tbl: sound, 5 samples or rows\n',
  ]);
  writeFileSync(join(folder, 'cut.tbl'), readFileSync(join(folder, 'a.tbl')).subarray(0, 100));
  const [status, words] = forebay('check', 'cut.tbl');
  assert.equal(status, 1);
  assert.match(words, /^cut\.tbl: DAMAGED, 1 fault, .*\n {2}index, byte \d+: .* \[tbl\.index_truncated\]\n$/);
  assert.match(forebay('convert', 'a.tar', 'a.tbl').join(), /^2,error: a\.tbl: this file exists; remove it first/);
  assert.match(forebay('inspect', 'no.tbl').join(), /^2,error: no\.tbl: /);
  assert.deepEqual([forebay('--help')[0], forebay('train')[0]], [0, 2]);
});

test('publint finds nothing in it', { skip: THREADS ? false : 'only the published package is whole' }, async () => {
  assert.deepEqual(await lintPackage(join(folder, 'node_modules/forebay')), []);
});

/** A program of somebody who lets nothing pass, and what must not compile. */
const STRICT = `import { ForebayError, capabilities, check, configure, convert, droppedFiles, fileSink, isWarehouse, memorySink, open, openSamples, openTable, openWarehouse, readLabels, writeLabels, type Dataset, type IndexStore, type Json, type ReadLabels, type Sink, type Source, type TableBatch, type Tensor, type Warehouse } from "forebay";
export async function label(file: File, signal: AbortSignal): Promise<number> {
  using ds: Dataset = await openSamples(file, { signal, onProgress: (p) => console.log(p.bytes / p.totalBytes) });
  const record: Json = await ds.record(0);
  if (record !== null && typeof record === "object" && !Array.isArray(record)) console.log(record["label"]);
  for await (const sample of ds.samples({ where: "cls == 3", signal })) console.log((await sample.bytes()).length, sample.info.width);
  const tensor: Tensor = await ds.tensor(0, { size: [224, 224], normalize: "imagenet" });
  const any = await open(file);
  if (any.kind === "table") for await (const row of any.rows()) console.log(row["id"], tensor.shape[2]);
  else console.log(any.info(0).width);
  const sink: Sink = memorySink();
  console.log((await convert(ds, sink, { to: "tbl", compression: "lz4", onProgress: (p) => console.log(p.bytes) })).samples);
  console.log((await convert(file, await fileSink("a.csv"), { to: "csv", columns: ["a"] })).rows);
  const own: Source = { byteLength: 5, read: async (start: number, end: number) => new Uint8Array(end - start) };
  const indexStore: IndexStore = { get: async () => null, set: async () => {} };
  await open(own, { indexStore });
  const batch: TableBatch = await (await openTable(new URL("https://a.example/b.tbf"))).columns(0, 1);
  console.log(batch.column("age")?.values?.length, capabilities().threads);
  configure({ workers: 2, wasmUrl: "/x.wasm" });
  await check(file).catch((e: unknown) => e instanceof ForebayError && e.kind === "damaged" && console.log(e.code));
  const warehouse: Warehouse = await openWarehouse(await droppedFiles(new DataTransfer()), { signal });
  const stored: Float32Array | Uint16Array | Uint8Array = (await warehouse.tensor(0, { dtype: "stored" })).data;
  console.log(stored.length, warehouse.manifest.classes?.[0], isWarehouse(ds) && ds.manifest.version);
  console.log(new ImageData((await warehouse.picture(0)).data, 64).width, (await ds.boxes(0))?.[0]?.box[2]);
  const labels: ReadLabels = await readLabels([file], { vocBase: 1, pictures: [{ path: "a.jpg", input: file }] });
  labels.pictures[0]?.annotations.push({ box: [1, 2, 3, 4], class: 0 });
  console.log((await writeLabels(labels, "coco", sink)).losses[0]?.count);
  // @ts-expect-error labels are not written in this format
  await writeLabels(labels, "kitti", sink);
  // @ts-expect-error a number is not an input
  await open(5);
  // @ts-expect-error there is no such format to write
  await convert(file, sink, { to: "orc" });
  // @ts-expect-error a tensor needs a size
  await ds.tensor(0, { dtype: "f32" });
  return ds.length;
}
`;

test('its types hold in the strictest programs, with an old library of types, and resolved in any way', async () => {
  const { default: ts } = await import('typescript');
  const program = join(folder, 'strict.ts');
  writeFileSync(program, STRICT);
  const usual = {
    noEmit: true,
    strict: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    types: [],
  };
  const { ES2020, ES2022 } = ts.ScriptTarget;
  const { ESNext, NodeNext } = ts.ModuleKind;
  for (const [target, lib, module, moduleResolution] of [
    [ES2022, 'es2022', ESNext, ts.ModuleResolutionKind.Bundler],
    [ES2022, 'es2022', NodeNext, ts.ModuleResolutionKind.NodeNext],
    [ES2020, 'es2020', ESNext, ts.ModuleResolutionKind.Bundler],
  ]) {
    const options = {
      ...usual,
      target,
      lib: [`lib.${lib}.d.ts`, 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module,
      moduleResolution,
    };
    const found = ts.getPreEmitDiagnostics(ts.createProgram([program], options));
    assert.deepEqual(
      found.map((d) => `${d.file?.fileName}: ${ts.flattenDiagnosticMessageText(d.messageText, ' ')}`),
      [],
      lib,
    );
  }
});
