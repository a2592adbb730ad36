// The viewer's page in one file: what python/forebay/_page.py takes apart.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { packPage } from '../lib/page.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-page-'));
after(() => rmSync(folder, { recursive: true }));

test('every file is in it once, under its name, and kinds lie beside each other', () => {
  const files = {
    'index.html': '<p>é</p>',
    'assets/b.wasm': 'module b',
    'assets/a.js': '',
    'assets/a.wasm': 'module a',
  };
  mkdirSync(join(folder, 'site/assets'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'site', name), text);
  writeFileSync(join(folder, 'one.js'), 'widget');
  const page = packPage(join(folder, 'site'), { 'widget.js': join(folder, 'one.js') });
  const plain = brotliDecompressSync(page.packed);
  assert.deepEqual([page.files, page.plain], [5, plain.length]);
  let begin = plain.indexOf('\n') + 1;
  const found = JSON.parse(plain.subarray(0, begin).toString()).map(([name, length]) => {
    begin += length;
    return [name, plain.subarray(begin - length, begin).toString()];
  });
  assert.equal(begin, plain.length);
  assert.deepEqual(Object.fromEntries(found), { ...files, 'widget.js': 'widget' });
  const kinds = found.map(([name]) => name.split('.').at(-1));
  assert.deepEqual(kinds, ['html', 'js', 'js', 'wasm', 'wasm']);
});

test('the same files give the same bytes', () => {
  const pack = () => packPage(join(folder, 'site')).packed;
  assert.ok(pack().equals(pack()));
});
