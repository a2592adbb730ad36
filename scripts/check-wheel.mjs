// Installs the wheel in target/wheels into fresh environments, one for each Python that is here, and has python/tests/installed.py
// use it there: nothing of the checkout is on the way.
//
//   node scripts/check-wheel.mjs
//
// PYTHONS lists interpreters that no name on the path leads to, separated as PATH is. NumPy comes from where pip is told to look.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';
import { NAMES, OLDEST } from './test-python.mjs';

const OUT = join(ROOT, 'target/wheels');
const PROGRAM = join(ROOT, 'python/tests/installed.py');
/** What a wheel is to have at most; more is said, and refused beyond what it has today and a little. */
const WANTED_BYTES = 12_000_000;
const MOST_BYTES = 15_000_000;
const ASK =
  'import sys, sysconfig, venv, ensurepip; ' +
  'print(*sys.version_info[:2], "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "", sys.executable, sep="|")';

/** Resolves once the wheel worked under every Python that is here; rejects where it does not under one, or there is none. */
export async function checkWheel(folder = OUT) {
  const wheels = readdirSync(folder).filter((name) => name.endsWith('.whl'));
  for (const name of wheels) {
    const { size } = statSync(join(folder, name));
    console.log(`${name}: ${(size / 1e6).toFixed(2)} MB`);
    if (size > WANTED_BYTES) console.log(`LARGE: it is to have at most ${WANTED_BYTES / 1e6} MB`);
    if (size > MOST_BYTES) throw new Failure(`${name} is larger than ${MOST_BYTES / 1e6} MB`);
  }
  const worked = [];
  for (const python of findPythons()) {
    const name = wheels.find((wheel) => fits(wheel, python));
    if (!name) {
      console.log(`SKIPPED: Python ${python.version}, which no wheel in ${folder} is for`);
      continue;
    }
    await checkOne(python, join(folder, name));
    worked.push(python.version);
  }
  if (worked.length === 0) throw new Failure(`no wheel in ${folder} fits a Python that is here`);
  console.log(`The wheel works under Python ${worked.join(', ')}`);
}

async function checkOne({ path, version }, wheel) {
  const home = mkdtempSync(join(tmpdir(), `forebay-wheel-${version}-`));
  try {
    await run(path, ['-m', 'venv', join(home, 'venv')]);
    const own = join(home, 'venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    await run(own, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', wheel]);
    await run(own, ['-I', PROGRAM, mkdtempSync(join(home, 'made-'))], { cwd: home });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Every Python that is new enough, once each. */
function findPythons() {
  const found = new Map();
  for (const name of [...(process.env.PYTHONS ?? '').split(delimiter).filter(Boolean), ...NAMES]) {
    const [major, minor, threads, path] = read(name, ['-c', ASK])?.split('|') ?? [];
    const version = `3.${minor}${threads}`;
    if (Number(major) === 3 && Number(minor) >= OLDEST && !found.has(version)) found.set(version, { version, path });
  }
  return [...found.values()];
}

/** Whether a wheel for this machine is for this Python: one build serves all but those without a lock. */
function fits(wheel, { version }) {
  const tag = `cp${version.replace('.', '')}`;
  return wheel.includes(`-${tag}-${tag}-`) || (!version.endsWith('t') && wheel.includes('-abi3-'));
}

if (isMain(import.meta.url)) await main(() => checkWheel());
