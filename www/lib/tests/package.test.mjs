// The package as it is published: packed, installed, and what its package.json promises.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT, tarOf } from './helpers.mjs';

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
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: lib, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  assert.ok(packed.unpackedSize < 5_000_000, `${packed.unpackedSize} bytes`);
  const names = packed.files.map((file) => file.path);
  for (const name of ['dist/index.js', 'dist/index.d.ts', 'dist/types.d.ts', 'dist/worker.js', 'dist/forebay.wasm', 'dist/convert.wasm', 'dist/tables.wasm', 'dist/tensor.wasm', 'dist/pictures.wasm', 'README.md']) assert.ok(names.includes(name), name);
  assert.ok(!names.some((name) => name.startsWith('src') || name.startsWith('tests')));
  const target = join(folder, 'node_modules/forebay');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', target, '--strip-components=1']);
  writeFileSync(join(folder, 'a.tar'), tarOf(5));
  writeFileSync(join(folder, 'app.mjs'), "import { open } from 'forebay'; const ds = await open('a.tar'); console.log(ds.length, (await ds.matches('cls == 1')).join());");
  assert.equal(execFileSync(process.execPath, ['app.mjs'], { cwd: folder, encoding: 'utf8', timeout: 60_000 }).trim(), '5 1,4');
});
