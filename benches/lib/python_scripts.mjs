// Scripts that run under Forebay and under another package, in turns: their outputs are compared.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, run } from '../../scripts/lib/run.mjs';

const PROGRAMS = join(ROOT, 'benches/python');
const said = async (python, args, env) =>
  JSON.parse((await run(python, args, { env, quiet: true })).trim().split('\n').at(-1));
const least = (list) => Math.min(...list);

/** The script of readers and writers with one import changed: seconds of either, the least of all rounds. */
export async function sameScript({ set, env, pythons, rounds, folder, tools }) {
  const path = join(folder, 'same-script.tbl');
  await run(tools.forebay, ['convert', set.tbl, path, '--layout', 'turboloader', '--compression', 'none', '--force'], {
    quiet: true,
  });
  const seen = { turboloader: [], 'forebay.compat.turboloader': [] };
  for (let round = 0; round < rounds; round++) {
    const found = [];
    for (const [name, list] of Object.entries(seen)) {
      const one = await said(pythons.peers, [join(PROGRAMS, 'same_script.py'), name, path, folder], env);
      found.push(one.sums.join());
      list.push(one);
    }
    if (new Set(found).size !== 1) throw new Failure('the same script reads other bytes under the other package');
  }
  const [theirs, ours] = Object.values(seen);
  return ['reading', 'writing'].map((what) => ({
    what: `${what} ${ours[0].samples} samples, the same script under turboloader`,
    ours: least(ours.map((one) => one[what])),
    other: least(theirs.map((one) => one[what])),
    wanted: null,
  }));
}

/** A table into frames, through Arrow and by their own readers of Parquet: seconds, the least of all rounds. */
export async function intoFrames({ env, pythons, rounds, folder }, count) {
  const home = join(folder, `frames-${count}`);
  mkdirSync(home, { recursive: true });
  const program = join(PROGRAMS, 'arrow.py');
  if (!existsSync(join(home, 'rows.parquet'))) await said(pythons.frames, [program, 'make', home, String(count)], env);
  const rows = [];
  for (const kind of ['polars', 'pandas']) {
    const seen = { forebay: [], own: [] };
    for (let round = 0; round < rounds; round++)
      for (const whose of Object.keys(seen))
        seen[whose].push(await said(pythons.frames, [program, kind, whose, home], env));
    const answers = Object.values(seen)
      .flat()
      .map(({ shape, sum, x }) => JSON.stringify([shape, sum, x]));
    if (new Set(answers).size !== 1)
      throw new Failure(`${kind} gets another table: ${[...new Set(answers)].join(' and ')}`);
    const [ours, other] = [seen.forebay, seen.own].map((list) => least(list.map((one) => one.seconds)));
    rows.push({
      what: `${count.toLocaleString('en')} rows of TBF into ${kind}, against its read_parquet`,
      ours,
      other,
      wanted: 1.5,
    });
  }
  return rows;
}
