// What action.yml and .pre-commit-hooks.yaml run, with the command on the PATH as they find it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { TESTED_FOREBAY } from '../lib/forebay.mjs';
import { ROOT } from '../lib/run.mjs';

const PATH = `${dirname(TESTED_FOREBAY)}${delimiter}${process.env.PATH}`;
const folder = mkdtempSync(join(tmpdir(), 'forebay-annotate-'));
const sound = join(folder, 'sound.tbl');
copyFileSync(join(ROOT, 'tests/corpus/tbl/jpeg20_lz4.tbl'), sound);
const damaged = join(folder, 'a,b:c.tbl');
const bytes = readFileSync(sound);
bytes[3000] ^= 1;
writeFileSync(damaged, bytes);

function annotate(files, options = '') {
  const env = { ...process.env, PATH, FILES: files.join('\n'), OPTIONS: options };
  return spawnSync(process.execPath, [join(ROOT, 'scripts/annotate.mjs')], { env, cwd: folder, encoding: 'utf8' });
}

test('the action passes sound files', () => {
  const { status, stdout } = annotate([sound], '--decode');
  assert.equal(stdout, `${sound}: sound\n`);
  assert.equal(status, 0);
});

test('the action annotates each fault with its file, code and place, and fails', () => {
  const { status, stdout } = annotate([sound, 'a,b:c.tbl']);
  assert.match(
    stdout,
    /^::error file=a%2Cb%3Ac\.tbl,title=tbl\.payload_crc::CRC-16 is .* \(section payload, sample 1, byte \d+\)$/m,
  );
  assert.equal(status, 1);
});

test('the action says that a file is missing, and that none was named', () => {
  const missing = annotate(['missing.tbl']);
  assert.match(missing.stdout, /^::error file=missing\.tbl,title=io::cannot open/m);
  assert.equal(missing.status, 2);
  assert.equal(annotate([]).status, 2);
});

test('the hook runs a command that fails for a damaged file', () => {
  const hook = readFileSync(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8');
  const [program, ...args] = /^ {2}entry: (.+)$/m.exec(hook)[1].split(' ');
  const run = (...files) => spawnSync(program, [...args, ...files], { env: { ...process.env, PATH } }).status;
  assert.deepEqual([run(sound), run(sound, damaged)], [0, 1]);
});
