// What the loaders are measured on: the same pictures as a tar, tar shards, files, a TBL, and raw pixels.
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';

/** Files under `folder`, made once. `count` pictures of about 500 x 375, `large` of 3000 x 2000. */
export async function makeLoaderSet({ forebay, sample }, folder, count, large) {
  const at = (name) => join(folder, name);
  const set = {
    tar: at(`set-${count}.tar`),
    tbl: at(`set-${count}.tbl`),
    raw: at(`raw-${count}.tbl`),
    rawPeer: at(`raw-peer-${count}.tbl`),
    shards: at(`shards-${count}`),
    files: at(`files-${count}`),
    largeTar: at(`large-${large}.tar`),
    largeTbl: at(`large-${large}.tbl`),
    count,
    large,
  };
  const make = async (path, command, args) => {
    if (existsSync(path)) return;
    try {
      await run(command, args.map(String), { quiet: true });
    } catch (e) {
      rmSync(path, { recursive: true, force: true });
      throw e;
    }
  };
  mkdirSync(folder, { recursive: true });
  console.log(`making what is measured in ${folder}, where it is not there yet`);
  await make(set.tar, sample, ['--bench', '--count', count, set.tar]);
  await make(set.largeTar, sample, ['--size', '3000x2000', '--format', 'jpg', '--count', large, set.largeTar]);
  await make(set.tbl, forebay, ['convert', '--quiet', set.tar, set.tbl]);
  await make(set.largeTbl, forebay, ['convert', '--quiet', set.largeTar, set.largeTbl]);
  // The same pixels for each raw loader in the layout that is its own.
  await make(set.raw, forebay, ['convert', '--quiet', set.tar, set.raw, '--decode', 224]);
  await make(set.rawPeer, forebay, ['convert', '--quiet', set.tar, set.rawPeer, '--decode', 224, '--layout', 'turboloader']);
  // As many shards as let two workers share them evenly.
  await make(set.shards, forebay, ['split', '--quiet', set.tar, '--shards', 8, '-o', set.shards]);
  await make(set.files, forebay, ['extract', '--quiet', set.tar, '--all', '--to', set.files]);
  const mean = (path, n) => `${(statSync(path).size / n / 1000).toFixed(0)} kB`;
  set.about =
    `${count} JPEG files of about 500 x 375 and ${mean(set.tar, count)} each, drawn by \`forebay-sample --bench\`; ` +
    `${large} of 3000 x 2000 and ${mean(set.largeTar, large)}`;
  return set;
}
