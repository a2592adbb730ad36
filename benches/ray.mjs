// npm run bench:ray [-- SAMPLES SHARDS]: shards made on a cluster of one node and of two, and with one that is killed.
//
// The nodes are processes of this machine that may use one CPU each (ray.cluster_utils.Cluster), so it needs two idle cores. Ray
// is installed below target/python, as npm run test:ray does: 600 MB. What it says stands in docs/python/ray.md.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { json } from './lib/build.mjs';
import { Failure, ROOT, main } from '../scripts/lib/run.mjs';
import { environment, findPython, stage } from '../scripts/test-python.mjs';

const [samples = '400', shards = '24'] = process.argv.slice(2);
const FOLDER = join(ROOT, 'target/bench/ray');
const SCRIPTS = join(ROOT, 'benches/python');

await main(async () => {
  const python = findPython();
  if (!python) throw new Failure('no Python with venv is here');
  const path = await environment(python, join(ROOT, 'python/tests/requirements-ray.txt'), 'ray');
  const staged = await stage();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  Object.assign(process.env, { PYTHONPATH: `${staged}:${SCRIPTS}`, PYTHONDONTWRITEBYTECODE: '1' });
  const found = await json(path, [join(SCRIPTS, 'ray_nodes.py'), FOLDER, samples, shards]);
  const seconds = (n) => `${n.toFixed(1)} s`;
  console.log(`${found.shards} shards of ${(found.bytes / 1e6).toFixed(0)} MB, a task of one thread each:`);
  console.log(`  one node of one CPU   ${seconds(found.one)}`);
  console.log(`  two nodes of one CPU  ${seconds(found.two)}: ${(found.one / found.two).toFixed(2)} x`);
  console.log(
    `  one of two is killed after ${found.killed_after} shards: ${seconds(found.lost)}, ${found.twice.length} shards begun twice`,
  );
  if (!found.same) throw new Failure('the shards differ');
  if (found.twice.length > 1 || found.most > 2)
    throw new Failure('more than the shard of the node that was killed was made again');
});
