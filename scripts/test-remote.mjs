// Addresses against stores that others wrote: moto for S3, Azurite for Azure, gcp-storage-emulator for Google; and, as npm test
// does, against the project's own.
//
//   node scripts/test-remote.mjs [PYTEST ARGUMENTS]
//
// They are installed below target/python (150 MB by pip, 90 MB by npm) and nowhere else, and run on loopback while the tests
// do. The command, the Python package and the Rust library read the same objects.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, isMain, main, run } from './lib/run.mjs';
import { environment, findPython, ownStore, stage } from './test-python.mjs';

const REQUIREMENTS = join(ROOT, 'python/tests/requirements-stores.txt');
const AZURITE = '3.35.0';

/** Azurite, in a folder of its own. */
async function azurite() {
  const folder = join(ROOT, 'target/python', `azurite-${AZURITE}`);
  if (existsSync(join(folder, 'node_modules/azurite/dist/src/blob/main.js'))) return folder;
  mkdirSync(folder, { recursive: true });
  console.log(`Into ${folder}, and nowhere else, npm installs: azurite ${AZURITE}`);
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--loglevel', 'error'];
  await run('npm', ['install', '--prefix', folder, ...quiet, `azurite@${AZURITE}`]);
  return folder;
}

/** Resolves to how many tests passed, in the words that the steps count. */
export async function testRemote(args = []) {
  const skipped = (why) => {
    console.log(`SKIPPED: the tests against emulators of stores: ${why}. npm run test:remote runs them.`);
    return '# pass 0\n# fail 0';
  };
  const python = findPython();
  if (!python) return skipped('no Python with venv is here');
  let [path, blobs] = [null, null];
  try {
    [path, blobs] = [await environment(python, REQUIREMENTS, 'stores'), await azurite()];
  } catch (e) {
    return skipped(`they could not be installed (${e.message})`);
  }
  const folder = await stage();
  // The very features of the workspace's tests, so that nothing is compiled twice.
  const cargo = ['--locked', '--workspace', '--all-features'];
  const own = await ownStore();
  const messages = await run(
    'cargo',
    ['test', ...cargo, '--test', 'it', '--no-run', '--message-format=json', '--quiet'],
    { quiet: true },
  );
  const built = messages.split('\n').filter((line) => line.startsWith('{'));
  const test = built
    .map((line) => JSON.parse(line))
    .find((m) => m.executable && m.target.src_path === join(ROOT, 'native/tests/it/main.rs'))?.executable;
  const env = {
    ...own,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    AZURITE: blobs,
    FOREBAY_STORE_TEST: test,
  };
  const tests = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'python/tests/test_stores.py', ...args];
  const output = await run(path, tests, { env });
  const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(output.split('\n').slice(-5).join('\n'))?.[1] ?? 0);
  if (count('passed') === 0) throw new Failure('pytest ran no test');
  return `# pass ${count('passed')}\n# fail ${count('failed')}`;
}

if (isMain(import.meta.url)) await main(() => testRemote(process.argv.slice(2)));
