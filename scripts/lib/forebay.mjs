// The command, built from this checkout: as its users have it, and as its tests do.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './run.mjs';

export const FOREBAY = join(ROOT, 'target/release/forebay');

/**
 * The workspace with the very features of its tests. An example is among what is built, the one that the tensors of the npm package
 * are compared with: without any, what only tests and examples need would have no part in the features of what all stand on, and
 * `forebay-native` and everything above it would be compiled again. All libraries are, for one of them has a crate from below the
 * macros in it: without it macros, and whatever uses them, would be others.
 */
export const AS_TESTED = ['--locked', '--workspace', '--all-features', '--lib', '--example', 'tensor'];

/** The tests in Rust, but those of documentation. `--lib` and `--bins` would also make programs of what has no tests. */
export const TESTED = ['--locked', '--workspace', '--all-features', '--tests'];
/** The same without what compiles programs that must not compile, which takes minutes. */
export const TESTED_EVERY_DAY = [...TESTED, '--exclude', 'forebay-derive-tests'];

/** The core with all that it has in Rust alone, as pages and small builds have it: without libraries in C. */
export const IN_RUST_ALONE = ['--locked', '-p', 'forebay', '--features', 'curate,decode,transform'];

/** Every fuzz target over mutated seeds, for about a second. */
export const fuzzSmoke = () =>
  run('cargo', ['test', ...IN_RUST_ALONE, '--test', 'memory', '--', 'fuzz::', '--nocapture']);

/** Where cargo builds what tests run. */
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
/** A program as tests run it. */
const tested = (name) => join(TARGET, 'debug', name);
/** The command that `buildForTests` builds. */
export const TESTED_FOREBAY = tested('forebay');
/** What draws the sample dataset, from there. */
export const TESTED_SAMPLE = tested('forebay-sample');
/** The same as `npm start` builds them. */
export const [QUICK_FOREBAY, QUICK_SAMPLE] = ['forebay', 'forebay-sample'].map((name) => join(TARGET, 'quick', name));

// The build watches dist/site, and all of dist where there is no dist/site: then each new sample would rebuild it.
const settle = () => mkdirSync(join(ROOT, 'dist/site'), { recursive: true });

/** Builds the command in release; if nothing changed, in a moment. */
export function buildForebay() {
  settle();
  return run('cargo', ['build', '--release', '--locked', '-p', 'forebay-cli'], {
    env: { CARGO_TARGET_DIR: join(ROOT, 'target') },
  });
}

/** Builds the command and what draws the sample quickly: without tables of Parquet and Arrow, and without stores. */
export function buildQuickForebay() {
  const what = [
    '-p',
    'forebay-cli',
    '-p',
    'forebay-sample',
    '--no-default-features',
    '--features',
    'forebay-cli/viewer',
  ];
  settle();
  return run('cargo', [
    'build',
    '--locked',
    '--profile',
    'quick',
    ...what,
    '--bin',
    'forebay',
    '--bin',
    'forebay-sample',
  ]);
}

/**
 * Builds every program with the profile and the very features of the workspace's tests, so that little is compiled: a
 * release build of all that they stand on would take a machine without one ten minutes.
 */
export function buildForTests() {
  settle();
  return run('cargo', ['build', ...AS_TESTED, '--bins']);
}
