// Two versions of a dataset: what differs is what the command says.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { convert, diff, memorySink, openSamples, shutdown } from 'forebay';
import { bitmap, codeOf, member, native, runNative } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-diff-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});

/** Files of that many samples; `change` may give others, or none. */
function archive(n, change = () => ({})) {
  const parts = [];
  for (let i = 0; i < n; i++) {
    const usual = { name: `s${i}`, picture: bitmap(24, 20, i), json: { label: i % 3, boxes: [[1, 2, 3, i]] } };
    const changed = change(i);
    if (changed === null) continue;
    const { name, picture, json } = { ...usual, ...changed };
    parts.push(member(`${name}.bmp`, picture), member(`${name}.json`, Buffer.from(JSON.stringify(json))));
  }
  return new Uint8Array(Buffer.concat([...parts, Buffer.alloc(1024)]));
}
async function written(name, tar, to) {
  const path = join(folder, name);
  if (to === undefined) writeFileSync(path, tar);
  else {
    const sink = memorySink();
    await convert(new Blob([tar]), sink, { to: 'tbl', ...to });
    writeFileSync(path, sink.bytes());
  }
  return path;
}
/** As the command says it. */
const told = ({ same, equal, changed, onlyInA, onlyInB }) => ({
  same,
  equal,
  changed: changed.map(({ a, b, name, what }) => ({ a, b, name, what })),
  only_in_a: onlyInA,
  only_in_b: onlyInB,
});

const before = archive(300);
const now = archive(301, (i) => {
  if (i === 7 || i === 8) return null;
  if (i === 20) return { picture: bitmap(24, 20, 99) };
  if (i === 21) return { picture: bitmap(32, 20, 21) };
  if (i === 30) return { json: { label: 30 % 3, boxes: [[9, 9, 9, 9]] } };
  if (i === 31) return { json: { boxes: [[1, 2, 3, 31]], label: 31 % 3 } };
  if (i === 32) return { json: { label: 'other', boxes: [[1, 2, 3, 32]], more: null } };
  return {};
});

test('what came, went and changed is what the command says', {
  skip: !native() && 'the native command was not built',
}, async () => {
  const files = [
    [await written('a.tbl', before, {}), await written('b.tbl', now, {})],
    [await written('a.tar', before), join(folder, 'b.tbl')],
    [join(folder, 'a.tbl'), await written('b.packed.tbl', now, { compression: 'lz4' })],
    [join(folder, 'a.tbl'), join(folder, 'a.tbl')],
    [
      await written('a.turbo.tbl', before, { layout: 'turboloader' }),
      await written('b.turbo.tbl', now, { layout: 'turboloader' }),
    ],
  ];
  for (const [one, other] of files) {
    const [a, b] = [await openSamples(one), await openSamples(other)];
    const { out } = runNative('diff', one, other, '--json');
    const { a_samples: _, b_samples: __, ...expected } = JSON.parse(out);
    const progress = [];
    for (const payloads of ['bytes', 'checksums']) {
      const found = await diff(a, b, { payloads, onProgress: ({ samples }) => progress.push(samples) });
      assert.deepEqual(told(found), expected, `${one} ${other} by ${payloads}`);
    }
    assert.ok(
      progress.every((n, k) => k === 0 || n > progress[k - 1] || n <= 64),
      progress.join(),
    );
    const only = JSON.parse(runNative('diff', one, other, '--json', '--payloads').out);
    assert.deepEqual(told(await diff(a, b, { metadata: false })).changed, only.changed);
    a.close();
    b.close();
  }
});

test('fields that differ have names, and the order of fields makes no difference', async () => {
  const [a, b] = [
    await openSamples(new Blob([before]), { name: 'a.tar' }),
    await openSamples(new Blob([now]), { name: 'b.tar' }),
  ];
  const { changed, by, onlyInA, onlyInB } = await diff(a, b, { payloads: 'none' });
  assert.deepEqual(
    changed.map(({ a, what, fields }) => [a, what, fields]),
    [
      [30, ['metadata'], ['json.boxes']],
      [32, ['metadata'], ['json.label', 'json.more']],
    ],
  );
  assert.equal(by, 'name');
  assert.deepEqual([onlyInA.map(({ i }) => i), onlyInB], [[7, 8], [{ i: 298, name: 's300.bmp' }]]);
  // Names that stand twice tell nothing: then numbers do.
  const twice = await openSamples(new Blob([archive(5, (i) => ({ name: `s${i % 4}` }))]), { name: 'c.tar' });
  const numbered = await diff(a, twice);
  assert.deepEqual([numbered.by, numbered.equal, numbered.onlyInA.length], ['number', 4, 295]);
  assert.equal(await codeOf(diff(a, b, { payload: 'none' })), 'usage.argument');
  assert.equal(await codeOf(diff(a, b, { payloads: 'some' })), 'usage.argument');
  const stopped = new AbortController();
  stopped.abort();
  await assert.rejects(diff(a, b, { signal: stopped.signal }), { name: 'AbortError' });
  for (const one of [a, b, twice]) one.close();
});

test('checksums are read instead of images where both files have them', async () => {
  const large = (shade) => archive(6, (i) => ({ picture: bitmap(400, 300, i === 3 ? shade : i) }));
  const [one, other] = [await written('l.tbl', large(3), {}), await written('m.tbl', large(77), {})];
  for (const [payloads, less] of [
    ['checksums', true],
    ['bytes', false],
  ]) {
    const [a, b] = [await openSamples(one), await openSamples(other)];
    const { changed } = await diff(a, b, { payloads });
    assert.deepEqual(
      changed.map(({ a, what }) => [a, what]),
      [[3, ['payload']]],
    );
    assert.equal(a.telemetry.bytesRead < 100_000, less, `${payloads}: ${a.telemetry.bytesRead} bytes`);
    a.close();
    b.close();
  }
});

test('nothing is left behind in the workers, however it ends', async () => {
  const open = [await openSamples(before), await openSamples(now)];
  let begun = 0;
  let ended = 0;
  const watched = open.map(
    (dataset) =>
      new Proxy(dataset, {
        get(of, name) {
          if (name !== 'records') return typeof of[name] === 'function' ? of[name].bind(of) : of[name];
          return async function* (options) {
            begun++;
            try {
              yield* of.records(options);
            } finally {
              ended++;
            }
          };
        },
      }),
  );
  assert.equal((await diff(...watched)).same, false);
  assert.deepEqual([begun, ended], [2, 2]);
  const stopped = new AbortController();
  const onProgress = () => stopped.abort();
  await assert.rejects(diff(...watched, { payloads: 'none', signal: stopped.signal, onProgress }));
  assert.deepEqual([begun, ended], [4, 4]);
  for (const dataset of open) dataset.close();
});

test('integers of 64 bits are compared to the last digit', async () => {
  const of = (id) => {
    const json = Buffer.from(`{"track":${id},"list":[{"id":${id}}]}`);
    return new Uint8Array(
      Buffer.concat([member('a.bmp', bitmap(8, 8, 1)), member('a.json', json), Buffer.alloc(1024)]),
    );
  };
  const [one, same, other] = await Promise.all(
    ['9007199254740993', '9007199254740993', '9007199254740992'].map((id) => openSamples(of(id))),
  );
  assert.equal((await diff(one, same)).same, true);
  assert.deepEqual(
    (await diff(one, other)).changed.map(({ fields }) => fields),
    [['json.track', 'json.list']],
  );
  for (const dataset of [one, same, other]) dataset.close();
});
