// npm run test:kills [-- COUNT]: processes that write files and objects are killed COUNT times (1,000), at chance moments.
//
// Each time there must be nothing under the final name, or all of it. So often are also killed pairs of processes that fill one
// cache, which must keep no wrong byte; and the last part goes on with other faults beside kills, over every command. npm test
// does the same 24 to 60 times.
import { Failure, isMain, main, run } from './lib/run.mjs';

const WORKSPACE = ['test', '--locked', '--workspace', '--all-features'];

export async function testKills(count) {
  if (!Number.isInteger(count) || count < 1) throw new Failure('how often is a number above 0');
  const env = { FOREBAY_KILLS: String(count), FOREBAY_FAULTS: String(count) };
  const quiet = ['--', '--nocapture', '--test-threads', '1'];
  await run('cargo', [...WORKSPACE, '--test', 'it', 'writing::kills::a_killed_process', ...quiet], { env });
  await run('cargo', [...WORKSPACE, '--test', 'it', 'faults::caching::killed_at_any_moment', ...quiet], { env });
  await run('cargo', [...WORKSPACE, '--test', 'it', 'faults::folders', ...quiet], { env });
  await run('cargo', [...WORKSPACE, '--test', 'it', 'faults::random', ...quiet], { env });
}

if (isMain(import.meta.url)) await main(() => testKills(Number(process.argv[2] ?? 1000)));
