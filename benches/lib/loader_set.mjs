// What the loaders are measured on: the same pictures as a tar, tar shards, files, a TBL, and raw pixels.
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';
import { repeat } from './set.mjs';

/** Large pictures that are drawn. */
const DRAWN = 64;

/**
 * Files under `folder`, made once: `count` pictures of about 500 x 375, `large` of 3000 x 2000, `small` of 64 x 64, and a
 * file of `many` samples with nothing in them.
 */
export async function makeLoaderSet({ forebay, sample, loader }, folder, { count, large, small, many }) {
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
    smallTar: at(`small-${small}.tar`),
    smallTbl: at(`small-${small}.tbl`),
    many: at(`many-${many}.tbl`),
    count,
    large,
  };
  // Under another name until it is whole, so that what was interrupted is made again.
  const make = async (path, command, args) => {
    if (existsSync(path)) return;
    const part = at(`part-${basename(path)}`);
    rmSync(part, { recursive: true, force: true });
    await run(
      command,
      args.map((arg) => (arg === path ? part : String(arg))),
      { quiet: true },
    );
    renameSync(part, path);
  };
  mkdirSync(folder, { recursive: true });
  console.log(`making what is measured in ${folder}, where it is not there yet`);
  await make(set.tar, sample, ['--bench', '--count', count, set.tar]);
  // Drawing one takes seconds, so that more than some are the same ones again.
  const drawn = Math.min(large, DRAWN);
  const some = at(`large-${drawn}.tar`);
  await make(some, sample, ['--size', '3000x2000', '--format', 'jpg', '--count', drawn, some]);
  if (!existsSync(set.largeTar)) repeat(some, set.largeTar, Math.ceil(large / drawn));
  await make(set.smallTar, sample, ['--size', '64x64', '--format', 'jpg', '--count', small, set.smallTar]);
  await make(set.tbl, forebay, ['convert', '--quiet', set.tar, set.tbl]);
  await make(set.largeTbl, forebay, ['convert', '--quiet', set.largeTar, set.largeTbl]);
  await make(set.smallTbl, forebay, ['convert', '--quiet', set.smallTar, set.smallTbl]);
  // The same pixels for each raw loader in the layout that is its own.
  await make(set.raw, forebay, ['convert', '--quiet', set.tar, set.raw, '--decode', 224]);
  await make(set.rawPeer, forebay, [
    'convert',
    '--quiet',
    set.tar,
    set.rawPeer,
    '--decode',
    224,
    '--layout',
    'turboloader',
  ]);
  // As many shards as let two workers share them evenly.
  await make(set.shards, forebay, ['split', '--quiet', set.tar, '--shards', 8, '-o', set.shards]);
  await make(set.files, forebay, ['extract', '--quiet', set.tar, '--all', '--to', set.files]);
  if (!existsSync(set.many)) await run(loader, ['many', set.many, String(many)], { quiet: true });
  const mean = (path, n) => `${(statSync(path).size / n / 1000).toFixed(0)} kB`;
  set.about =
    `${count} JPEG files of about 500 x 375 and ${mean(set.tar, count)} each, drawn by \`forebay-sample --bench\`; ` +
    `${large} of 3000 x 2000 and ${mean(set.largeTar, large)}; ${small} of 64 x 64 and ${mean(set.smallTar, small)}`;
  return set;
}
