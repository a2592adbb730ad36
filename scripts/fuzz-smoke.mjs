// Every fuzz target over mutated seeds for about a second each, on the stable toolchain. For longer runs:
// FOREBAY_FUZZ_MS=60000 npm run fuzz, or cargo-fuzz as fuzz/README.md says.
import { isMain, main, run } from './lib/run.mjs';

/** Runs the smoke test of the core's targets and resolves to its output. Those of the machine's own crate are in its tests. */
export function fuzzSmoke() {
  return run('cargo', [
    'test',
    '--manifest-path',
    'fuzz/Cargo.toml',
    '--target-dir',
    'target/fuzz',
    '--',
    '--nocapture',
  ]);
}

if (isMain(import.meta.url)) await main(fuzzSmoke);
