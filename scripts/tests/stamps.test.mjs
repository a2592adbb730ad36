// Stamps: only what is whole and made of the same is taken for made.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { stamp, stamped, unstamp } from '../lib/stamps.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forebay-stamps-'));
  for (const name of ['a.js', 'a.wasm']) writeFileSync(join(folder, name), name);
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a stamp holds for the same ingredients and files, and for nothing else', () => {
  const made = { raw: 'abc', flags: ['-O3'] };
  assert.equal(stamped(folder, 'a', made), null);
  stamp(folder, 'a', made, ['a.js', 'a.wasm'], { bytes: 6 });
  assert.deepEqual(stamped(folder, 'a', made), { bytes: 6 });
  assert.equal(stamped(folder, 'b', made), null);
  assert.equal(stamped(folder, 'a', { ...made, flags: ['-O2'] }), null);
  assert.deepEqual(readdirSync(folder).sort(), ['a.js', 'a.stamp.json', 'a.wasm']);
});

test('a file that changed or is gone needs to be made again', () => {
  for (const spoil of [() => writeFileSync(join(folder, 'a.wasm'), 'a.was'), () => rmSync(join(folder, 'a.js'))]) {
    stamp(folder, 'a', 1, ['a.js', 'a.wasm'], {});
    assert.deepEqual(stamped(folder, 'a', 1), {});
    spoil();
    assert.equal(stamped(folder, 'a', 1), null);
    writeFileSync(join(folder, 'a.js'), 'a.js');
  }
});

test('what ended before the stamp was written again counts for nothing', () => {
  stamp(folder, 'a', 1, ['a.js'], {});
  unstamp(folder, 'a');
  assert.equal(stamped(folder, 'a', 1), null);
  unstamp(folder, 'a');
  for (const cut of ['', '{"key":']) {
    writeFileSync(join(folder, 'a.stamp.json'), cut);
    assert.equal(stamped(folder, 'a', 1), null);
  }
});
