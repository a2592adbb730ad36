// The pictures that are measured on: drawn by the project, so the same everywhere.
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';

const BLOCK = 512;

/** A tar of `count` pictures, and one four times as large; made once. */
export async function makeSet(sample, folder, count) {
  const small = await makeSmall(sample, folder, count);
  const large = join(folder, `set-${count}-x4.tar`);
  if (!existsSync(large)) repeat(small, large, 4);
  const bytes = statSync(small).size;
  return {
    small,
    large,
    count,
    about: `${count} JPEG files with labels, ${(bytes / count / 1000).toFixed(0)} kB each, drawn by \`forebay-sample --bench\`: a tar of ${(bytes / 1e6).toFixed(0)} MB, and one of four times as many`,
  };
}

/** A tar of `count` pictures; made once. */
export async function makeSmall(sample, folder, count) {
  const small = join(folder, `set-${count}.tar`);
  if (!existsSync(small)) await run(sample, ['--bench', '--count', String(count), small]);
  return small;
}

/** The members of an archive several times over, closed once. */
export function repeat(from, to, times) {
  const file = readFileSync(from);
  let end = file.length;
  while (end >= BLOCK && file.subarray(end - BLOCK, end).every((byte) => byte === 0)) end -= BLOCK;
  const out = openSync(to, 'w');
  for (let i = 0; i < times; i++) {
    for (let at = 0; at < end; ) at += writeSync(out, file, at, end - at);
  }
  writeSync(out, Buffer.alloc(2 * BLOCK));
  closeSync(out);
}
