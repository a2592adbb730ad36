// The sample dataset, dist/sample/sample.tar: drawn if it is missing or if its maker changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, isMain, main, run } from './lib/run.mjs';

export const SAMPLE = join(ROOT, 'dist/sample/sample.tar');

/** Makes sure of the sample dataset, which `program` draws, if it was built; resolves to its path. */
export async function ensureSample(program) {
  const stamp = `${SAMPLE}.maker`;
  const maker = fingerprint(join(ROOT, 'sample'));
  if (existsSync(SAMPLE) && existsSync(stamp) && readFileSync(stamp, 'utf8') === maker) {
    console.log(`${relative(ROOT, SAMPLE)} is here (${(statSync(SAMPLE).size / 1e6).toFixed(1)} MB)`);
    return SAMPLE;
  }
  mkdirSync(join(SAMPLE, '..'), { recursive: true });
  const built = ['run', '--release', '--locked', '--quiet', '-p', 'forebay-sample', '--bin', 'forebay-sample', '--'];
  await run(program ?? 'cargo', [...(program ? [] : built), relative(ROOT, SAMPLE)]);
  writeFileSync(stamp, maker);
  return SAMPLE;
}

/** One hash over every file of a folder. */
function fingerprint(folder) {
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    hash.update(entry.name).update(entry.isDirectory() ? fingerprint(path) : readFileSync(path));
  }
  return hash.digest('hex');
}

if (isMain(import.meta.url)) await main(() => ensureSample());
