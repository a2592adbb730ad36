// The Rust that builds the project, and the C compiler that its C libraries want.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, read, run } from './run.mjs';
import { aptInstall } from './apt.mjs';

const RUSTUP = 'rustup installs it: https://rustup.rs';

/** The oldest compiler that the workspace accepts, as Cargo.toml says. */
export function oldestRust() {
  return /rust-version = "([\d.]+)"/.exec(readFileSync(join(ROOT, 'Cargo.toml'), 'utf8'))[1];
}

/** Makes sure of cargo and of a C compiler, or says exactly what to install. */
export async function ensureRust() {
  const version = read('cargo', ['--version']);
  if (!version) throw new Failure(`cargo is not here, and Forebay needs Rust ${oldestRust()} or later. ${RUSTUP}`);
  const found = /\d+\.\d+/.exec(version)[0];
  if (found.localeCompare(oldestRust(), 'en', { numeric: true }) < 0) {
    throw new Failure(
      `Forebay needs Rust ${oldestRust()} or later, and this is ${version}. ${RUSTUP}, or: rustup update stable`,
    );
  }
  if (!read('cc', ['--version'])) {
    await aptInstall(['gcc', 'libc6-dev'], 'a C compiler, for the C libraries of Zstandard and LZ4');
  }
  console.log(`${version}; ${read('cc', ['--version'])?.split('\n')[0] ?? 'no C compiler'}`);
}

/** Makes sure of rustfmt and clippy. */
export async function ensureLinters() {
  for (const [name, component] of [
    ['fmt', 'rustfmt'],
    ['clippy', 'clippy'],
  ]) {
    if (read('cargo', [name, '--version'])) continue;
    if (!read('rustup', ['--version']))
      throw new Failure(`cargo ${name} is not here. ${RUSTUP}, with it: rustup component add ${component}`);
    await run('rustup', ['component', 'add', component]);
  }
}
