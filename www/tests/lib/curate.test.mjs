// Duplicates and outliers: what a page finds is what the command finds.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { open, shutdown } from 'forebay';
import { codeOf, filesOf, native, runNative, scene } from './helpers.mjs';

after(shutdown);

const fixtures = JSON.parse(readFileSync(new URL('../../../tests/fixtures/curate.json', import.meta.url), 'utf8'));

test('images that look the same are a group, the largest first', async () => {
  const warned = [];
  const warn = (warning) => warned.push(warning.name);
  process.on('warning', warn);
  const files = [0, 1, 2, 3, 4].map((kind) => [`${kind}.bmp`, scene(kind, 96, 72)]);
  files.push(['small.bmp', scene(0, 48, 36)], ['dark.bmp', scene(0, 64, 48, 0.7)], ['copy.bmp', scene(0, 64, 48, 0.7)]);
  files.push(['broken.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])], ['plain.bmp', scene(0, 8, 8, 0)]);
  const dataset = await open(filesOf(files), { name: 'a.tar' });
  const told = [];
  const found = await dataset.duplicates({ onProgress: ({ samples }) => told.push(samples) });
  assert.deepEqual(
    found.groups.map((group) => group.map(({ index, exact, width }) => [index, exact, width])),
    [
      [
        [0, false, 96],
        [6, false, 64],
        [7, false, 64],
        [5, false, 48],
      ].map(([index, , width], at) => [index, at === 0, width]),
    ],
  );
  assert.deepEqual([found.samples, found.duplicates, found.plain, found.faultCount], [10, 3, 1, 1]);
  assert.deepEqual([found.faults[0].sample, told.length, told.at(-1)], [8, 10, 10]);
  const large = await open(filesOf(Array.from({ length: 60 }, (_, k) => [`${k}.bmp`, scene(k % 5, 32, 24)])), {
    name: 'b.tar',
  });
  await large.duplicates({ signal: new AbortController().signal });
  await large.divide({ parts: { a: 0.5, b: 0.5 }, near: 6, signal: new AbortController().signal });
  large.close();
  process.off('warning', warn);
  assert.deepEqual(warned, [], 'nobody is warned of the reads that wait for one signal');
  const exact = await dataset.duplicates({ exact: true });
  assert.deepEqual(
    exact.groups.map((group) => group.map(({ index }) => index)),
    [[6, 7]],
  );
  const some = await dataset.duplicates({ where: 'name != "0.bmp"' });
  assert.deepEqual(
    some.groups.map((group) => group.map(({ index }) => index)),
    [[6, 7, 5]],
  );
  const listed = await dataset.duplicates({ indexes: [7, 6, 5, 6], where: 'index != 5' });
  assert.deepEqual(
    listed.groups.map((group) => group.map(({ index }) => index)),
    [[6, 7]],
  );
  const { parts } = await dataset.divide({ parts: { a: 0.5, b: 0.5 }, indexes: [9, 1, 4, 4, 2] });
  assert.deepEqual(parts.flatMap(({ samples }) => [...samples]).sort(), [1, 2, 4, 9]);
  assert.equal(await codeOf(dataset.duplicates({ distance: 16 })), 'usage.argument');
  assert.equal(await codeOf(dataset.duplicates({ distanze: 3 })), 'usage.argument');
  assert.equal(await codeOf(dataset.outliers({ by: ['beauty'] })), 'usage.argument');
  const stopped = new AbortController();
  stopped.abort();
  await assert.rejects(dataset.outliers({ signal: stopped.signal }), { name: 'AbortError' });
  dataset.close();
});

test('the numbers of images are those of every host', async () => {
  const payloads = fixtures.payloads.map(({ name, jpeg }) => [`${name}.jpg`, Buffer.from(jpeg, 'base64')]);
  const looks = fixtures.payloads.map(({ look }) => look);
  // Of nine alike the median is theirs.
  for (const [k, file] of payloads.entries()) {
    const dataset = await open(filesOf(Array.from({ length: 9 }, (_, i) => [`${i}${file[0]}`, file[1]])));
    const { traits } = await dataset.outliers();
    const median = (of) => Math.round(traits.find(({ trait }) => trait === of).median * 100);
    const { brightness, contrast, sharpness } = looks[k];
    assert.deepEqual(
      [median('brightness'), median('contrast'), median('sharpness')],
      [brightness, contrast, sharpness],
    );
    dataset.close();
  }
});

test('what stands out has its reasons', async () => {
  const files = Array.from({ length: 20 }, (_, i) => [`${i}.bmp`, scene(i % 5, 90 + (i % 4), 70, 0.9 + (i % 5) / 20)]);
  files.push(['night.bmp', scene(2, 90, 70, 0.02)], ['strip.bmp', scene(3, 300, 4)]);
  const dataset = await open(filesOf(files));
  const { outliers, traits, samples } = await dataset.outliers();
  const reasons = (i) => outliers.find(({ index }) => index === i)?.reasons.map(({ reason }) => reason);
  assert.deepEqual([samples, traits.length], [22, 6]);
  assert.ok(reasons(20).includes('dark') && reasons(21).includes('wide'), JSON.stringify(outliers));
  const shapes = await dataset.outliers({ by: ['bytes'] });
  assert.deepEqual(
    shapes.traits.map(({ trait }) => trait),
    ['bytes'],
  );
  dataset.close();
});

test('where the file cannot be read any more, nothing of it is read behind the error', async () => {
  const bytes = new Uint8Array(
    await filesOf(Array.from({ length: 60 }, (_, k) => [`${k}.bmp`, scene(k % 5, 32 + k, 24)])).arrayBuffer(),
  );
  const pause = (ms) => new Promise((go) => setTimeout(go, ms));
  let [reads, gone] = [0, false];
  const source = {
    byteLength: bytes.length,
    name: 'a.tar',
    async read(start, end) {
      reads++;
      await pause(2);
      if (gone) {
        gone = false;
        throw new Error('the disk was taken out');
      }
      return bytes.slice(start, end);
    },
  };
  const dataset = await open(source);
  gone = true;
  let told = 0;
  await assert.rejects(dataset.duplicates({ onProgress: () => told++ }), /taken out/);
  const before = [reads, told];
  await pause(300);
  assert.deepEqual([reads, told], before);
  assert.equal(await codeOf(dataset.outliers({ by: ['constructor'] })), 'usage.argument');
  dataset.close();
});

/** Forty pictures of five scenes at two sizes, in runs of four, with classes of which one is rare. */
function divisible() {
  const files = [];
  for (let i = 0; i < 40; i++) {
    files.push([`${i}.bmp`, scene(Math.floor(i / 2) % 20, i % 2 ? 48 : 96, i % 2 ? 36 : 72)]);
    files.push([
      `${i}.json`,
      Buffer.from(JSON.stringify({ run: `r${Math.floor(i / 4)}`, kind: i % 13 === 0 ? 7 : 'usual' })),
    ]);
  }
  return filesOf(files);
}

test('parts are those that the command makes', { skip: !native() && 'the native command was not built' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forebay-divide-'));
  const path = join(folder, 'a.tar');
  writeFileSync(path, Buffer.from(await divisible().arrayBuffer()));
  const dataset = await open(path);
  const parts = { train: 0.7, val: 0.2, test: 0.1 };
  const shares = ['--train', '0.7', '--val', '0.2', '--test', '0.1'];
  for (const [how, args] of [
    [{}, []],
    [{ seed: 12345 }, ['--seed', '12345']],
    [{ by: 'json.kind', seed: 3 }, ['--by', 'json.kind', '--seed', '3']],
    [{ group: 'json.run' }, ['--group', 'json.run']],
    [{ near: 6, by: 'json.kind' }, ['--near', '6', '--by', 'json.kind']],
    [
      { where: 'name != "3.bmp"', group: 'json.run', seed: 1 },
      ['--where', 'name != "3.bmp"', '--group', 'json.run', '--seed', '1'],
    ],
  ]) {
    const list = join(folder, 'list.csv');
    const { code, out } = runNative('split', path, ...shares, ...args, '--list', list, '--force', '--json');
    assert.equal(code, 0);
    const said = JSON.parse(out);
    const found = await dataset.divide({ parts, ...how });
    const expected = readFileSync(list, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','));
    for (const { part, samples } of found.parts)
      assert.deepEqual(
        [...samples],
        expected.filter(([, , one]) => one === part).map(([i]) => Number(i)),
        `${part} by ${args}`,
      );
    assert.deepEqual(
      found.parts.map(({ classes }) => classes),
      said.parts.map(({ classes }) => classes),
    );
    assert.deepEqual([found.groups, found.faultCount], [said.groups, said.fault_count]);
  }
  assert.equal(await codeOf(dataset.divide({ parts: { a: 0.5 } })), 'usage.argument');
  assert.equal(await codeOf(dataset.divide({ parts, by: 'json.color' })), 'usage.argument');
  assert.equal(await codeOf(dataset.divide({ parts, near: 16 })), 'usage.argument');
  assert.equal(await codeOf(dataset.divide({ parts, seed: -1 })), 'usage.argument');
  assert.equal(await codeOf(dataset.divide({ parts, groups: 'x' })), 'usage.argument');
  dataset.close();
  rmSync(folder, { recursive: true });
});
