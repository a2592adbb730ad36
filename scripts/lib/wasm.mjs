// A toolchain for wasm32: the Rust that is installed, if it has the target; else Debian's compiler with a standard library
// built from its source once and kept in the cache.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { aptInstall, canInstall } from './apt.mjs';
import { Failure, read, run } from './run.mjs';

export const TARGET = 'wasm32-unknown-unknown';
const DEBIAN = { cargo: '/usr/bin/cargo', rustc: '/usr/bin/rustc' };
const PACKAGES = ['rustc-web', 'cargo-web', 'rust-web-src'];

/** The folder of everything that is built once and kept. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'forebay');

const FEATURES = {
  plain: '+simd128',
  threads: '+simd128,+atomics,+bulk-memory,+mutable-globals',
};
// A shared memory is imported and has a bound; every thread finds its own part of it through these.
const THREAD_LINKS = ['--shared-memory', '--import-memory', '--max-memory=2147483648'].concat(
  ['__wasm_init_tls', '__tls_size', '__tls_align', '__tls_base'].map((name) => `--export=${name}`),
);

/**
 * How to build for wasm32, in the variant `plain` or `threads`: `{ cargo, args, env, how }`, where `args` go before and after
 * cargo's command. Fails with what to type if there is no such compiler and none can be installed.
 */
export async function wasmToolchain(variant = 'plain') {
  // FOREBAY_WASM=debian chooses Debian's compiler even if the Rust that is installed has the target.
  const own = process.env.FOREBAY_WASM === 'debian' ? null : await (variant === 'plain' ? installed() : nightly());
  const toolchain = own ?? (await debian(variant));
  const flags = [toolchain.flags ?? '', `-C target-feature=${FEATURES[variant]}`];
  if (variant === 'threads') flags.push(...THREAD_LINKS.map((link) => `-C link-arg=${link}`));
  toolchain.env.CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS = flags.join(' ').trim();
  console.log(`wasm32, ${variant}: ${toolchain.how}`);
  return toolchain;
}

async function installed() {
  const how = { cargo: 'cargo', args: [[], []], env: {}, how: 'the Rust that is installed' };
  if (hasTarget()) return how;
  if (debianReady() || !read('rustup', ['--version'])) return null;
  console.log(`asking rustup for ${TARGET}`);
  // If rustup's servers are out of reach, this says so soon.
  await run('rustup', ['target', 'add', TARGET], {
    env: { RUSTUP_MAX_RETRIES: '0' },
    quiet: true,
    timeout: 60_000,
  }).catch(() => {});
  return hasTarget() ? how : null;
}

/** Whether the compiler finds a standard library for the target, however it was installed. */
function hasTarget() {
  const folder = read('rustc', ['--print', 'target-libdir', '--target', TARGET]);
  return folder !== null && existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('libstd-'));
}

/** The threaded standard library is never a download: rustup has only its source, with nightly. */
function nightly() {
  const sysroot = read('rustup', ['run', 'nightly', 'rustc', '--print', 'sysroot']);
  if (!sysroot || !existsSync(join(sysroot, 'lib/rustlib/src/rust/library'))) return null;
  return {
    cargo: 'cargo',
    args: [['+nightly'], ['-Zbuild-std=std,panic_abort']],
    env: {},
    how: "rustup's nightly, std from its source",
  };
}

function debianReady() {
  return (
    existsSync(join(sysrootOf(DEBIAN.rustc) ?? '/nowhere', 'lib/rustlib/src/rust/library/vendor')) &&
    existsSync(DEBIAN.cargo)
  );
}

function sysrootOf(rustc) {
  return existsSync(rustc) ? read(rustc, ['--print', 'sysroot']) : null;
}

async function debian(variant) {
  if (!debianReady()) {
    const needed = variant === 'plain' ? `rustup target add ${TARGET}` : 'rustup toolchain install nightly -c rust-src';
    if (!canInstall()) throw new Failure(`This Rust has no standard library for ${TARGET}. Please run: ${needed}`);
    await aptInstall(PACKAGES, `a compiler for ${TARGET} (or: ${needed})`);
  }
  if (!debianReady())
    throw new Failure(`${PACKAGES.join(', ')} are installed, but ${DEBIAN.rustc} has no source of std`);
  const env = {
    RUSTC: DEBIAN.rustc,
    RUSTDOC: '/usr/bin/rustdoc',
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: await linker(),
  };
  const version = read(DEBIAN.rustc, ['--version']).split(' ')[1];
  const sysroot = join(CACHE, 'wasm-sysroot', `${version}-${variant}`);
  if (!existsSync(sysroot)) await buildStd(sysroot, variant, env);
  if (variant === 'threads') env.RUSTC_BOOTSTRAP = '1'; // `atomics` is not a stable feature
  return {
    cargo: DEBIAN.cargo,
    args: [[], []],
    env,
    flags: `--sysroot ${sysroot}`,
    how: `Debian's rustc ${version}, std from its source`,
  };
}

/** A linker for wasm: the one that came with some Rust, or LLVM's. */
async function linker() {
  const find = () => {
    const own = [sysrootOf(DEBIAN.rustc), read('rustc', ['--print', 'sysroot'])].map((root) =>
      join(root ?? '/nowhere', 'lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld'),
    );
    const llvm = readdirSync('/usr/bin')
      .filter((name) => /^wasm-ld-\d+$/.test(name))
      .sort()
      .map((name) => `/usr/bin/${name}`);
    return [...llvm.reverse(), ...own].find((path) => existsSync(path));
  };
  if (!find()) await aptInstall(['lld-22'], 'a linker for wasm');
  return find() ?? 'wasm-ld';
}

/** Builds std once, next to its final place, so that an interrupted build is never taken for a whole one. */
async function buildStd(sysroot, variant, env) {
  console.log(`building the standard library for ${TARGET} (${variant}), once; about a minute`);
  mkdirSync(join(sysroot, '..'), { recursive: true });
  const work = mkdtempSync(`${sysroot}.part-`);
  try {
    mkdirSync(join(work, 'src'));
    writeFileSync(join(work, 'src/lib.rs'), '');
    writeFileSync(
      join(work, 'Cargo.toml'),
      '[package]\nname = "nothing"\nedition = "2021"\n[workspace]\n[profile.release]\ncodegen-units = 1\n',
    );
    const vendor = join(sysrootOf(DEBIAN.rustc), 'lib/rustlib/src/rust/library/vendor');
    const source = ['source.crates-io.replace-with="std-vendor"', `source.std-vendor.directory="${vendor}"`];
    await run(
      DEBIAN.cargo,
      [
        ...['build', '--release', '--offline', '--target', TARGET, '-Zbuild-std=std,panic_abort'],
        ...source.flatMap((s) => ['--config', s]),
      ],
      {
        cwd: work,
        env: {
          ...env,
          RUSTC_BOOTSTRAP: '1',
          CARGO_TARGET_DIR: join(work, 'target'),
          RUSTFLAGS: `-C target-feature=${FEATURES[variant]} -C embed-bitcode=yes -C panic=abort`,
        },
      },
    );
    const built = join(work, 'target', TARGET, 'release/deps');
    const lib = join(work, 'sysroot/lib/rustlib', TARGET, 'lib');
    mkdirSync(lib, { recursive: true });
    for (const name of readdirSync(built)) {
      if (name.endsWith('.rlib') && !name.startsWith('libnothing')) cpSync(join(built, name), join(lib, name));
    }
    // Another build may have been quicker.
    if (!existsSync(sysroot)) renameSync(join(work, 'sysroot'), sysroot);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
