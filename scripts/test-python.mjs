// The Python package: built, and tested by pytest in a virtual environment of its own.
//
//   node scripts/test-python.mjs [--ray] [PYTEST ARGUMENTS]
//
// With --ray it tests forebay.ray on a cluster of two nodes, in an environment with Ray: 600 MB, which nothing else needs.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AS_TESTED } from './lib/forebay.mjs';
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';
import { digest, stamp, stamped, unstamp } from './lib/stamps.mjs';
import { Skip } from './lib/steps.mjs';

const HOME = join(ROOT, 'target/python');
const REQUIREMENTS = join(ROOT, 'python/tests/requirements.txt');
const RAY_REQUIREMENTS = join(ROOT, 'python/tests/requirements-ray.txt');
/** The oldest Python of the package: minor version of 3. */
export const OLDEST = 10;
export const NAMES = [
  'python3',
  ...[15, 14, 13, 12, 11, 10].map((minor) => `python3.${minor}`),
  'python',
  'python3.14t',
];
/** Where the system wants what cargo builds, and what Python looks for. */
const MODULE = {
  linux: ['lib_forebay.so', '_forebay.abi3.so'],
  darwin: ['lib_forebay.dylib', '_forebay.abi3.so'],
  win32: ['_forebay.dll', '_forebay.pyd'],
};

/** What cargo calls the extension module, and what Python does. */
export function moduleNames() {
  return MODULE[process.platform] ?? MODULE.linux;
}

/** A Python that is new enough, or `null`. PYTHON names another one. */
export function findPython() {
  const names = process.env.PYTHON ? [process.env.PYTHON] : NAMES;
  const ask = 'import sys, venv, ensurepip; print(*sys.version_info[:2], sys.executable)';
  for (const name of names) {
    const [major, minor, ...path] = read(name, ['-c', ask])?.split(' ') ?? [];
    if (Number(major) === 3 && Number(minor) >= OLDEST) return { version: `3.${minor}`, path: path.join(' ') };
  }
  return null;
}

/** The virtual environment with what tests or the reference need; what is installed is said before it is. */
export async function environment(python, requirements = REQUIREMENTS, kind = 'venv') {
  const name = `${kind}-${python.version}`;
  const folder = join(HOME, name);
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  const path = join(bin, process.platform === 'win32' ? 'python.exe' : 'python');
  const needed = readFileSync(requirements, 'utf8');
  const ingredients = [digest(needed), python.path, python.version];
  mkdirSync(HOME, { recursive: true });
  if (existsSync(path) && stamped(HOME, name, ingredients)) return path;
  const names = needed.split('\n').filter((line) => /^\w/.test(line));
  console.log(`Into ${folder}, and nowhere else, pip installs: ${names.join(', ')}`);
  unstamp(HOME, name);
  rmSync(folder, { recursive: true, force: true });
  await run(python.path, ['-m', 'venv', folder]);
  await run(path, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  stamp(HOME, name, ingredients, [], {});
  return path;
}

/** Builds the extension module and puts the package together, as a wheel would. The folder to import from. */
export async function stage() {
  // The very features of the workspace's tests, so that nothing is compiled twice.
  await run('cargo', ['build', ...AS_TESTED]);
  const [built, wanted] = moduleNames();
  const folder = join(HOME, 'stage');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(ROOT, 'python/forebay'), join(folder, 'forebay'), {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  });
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
  cpSync(join(target, 'debug', built), join(folder, 'forebay', wanted));
  return folder;
}

/** What the tests of addresses need: the command and the project's own store. One that can be stopped for a while, by a signal. */
export async function ownStore() {
  if (process.platform === 'win32') return {};
  await run('cargo', ['build', ...AS_TESTED, '--bin', 'forebay', '--bin', 'forebay-store']);
  const built = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'debug');
  return { FOREBAY: join(built, 'forebay'), FOREBAY_STORE: join(built, 'forebay-store') };
}

/** Resolves to how many tests passed, in the words that the steps count. */
export async function testPython(args = [], { ray = false } = {}) {
  const python = findPython();
  if (!python) {
    throw new Skip(
      `no Python 3.${OLDEST} or later with venv is here (looked for ${NAMES.join(', ')}; PYTHON names another). ` +
        'Install one, on Debian: apt-get install python3 python3-venv',
    );
  }
  console.log(`Python ${python.version}: ${python.path}`);
  const needed = ray ? RAY_REQUIREMENTS : REQUIREMENTS;
  const path = await environment(python, needed, ray ? 'ray' : 'venv').catch((e) => {
    const again = `npm run test:${ray ? 'ray' : 'python'}`;
    throw new Skip(
      `pip could not install the packages of ${needed} (${e.message}); once it can, ${again} runs these tests`,
    );
  });
  const folder = await stage();
  const env = { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', MYPYPATH: folder, ...(ray ? {} : await ownStore()) };
  if (!ray) console.log('SKIPPED: the tests of forebay.ray, which need 600 MB of Ray; npm run test:ray runs them');
  if (!ray) console.log('SKIPPED: the tests against emulators of stores; npm run test:remote installs and runs them');
  const tests = ray ? ['python/tests/test_ray.py'] : ['python/tests', '--ignore=python/tests/test_ray.py'];
  const output = await run(path, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...tests, ...args], { env });
  const count = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(output.split('\n').slice(-5).join('\n'))?.[1] ?? 0);
  if (count('passed') === 0) throw new Failure('pytest ran no test');
  return `# pass ${count('passed')}\n# fail ${count('failed')}`;
}

if (isMain(import.meta.url)) {
  const args = process.argv.slice(2);
  const rest = args.filter((arg) => arg !== '--ray');
  await main(() => testPython(rest, { ray: rest.length < args.length }));
}
