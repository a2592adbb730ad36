// How the tests are compiled on a machine where nobody has compiled them yet: in one go, and with room for what that makes.
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { TARGET } from './forebay.mjs';
import { Failure, ROOT } from './run.mjs';

/**
 * What cargo is to do: without the parts that it keeps in order to compile a changed crate in seconds, and without lines for debuggers.
 * Together they take a fifth of a first compilation and more than half of its 8 GB. Whoever has worked here has the parts, and
 * goes on with them, for one kind does not do for the other.
 */
export function compileOnce() {
  if (existsSync(join(TARGET, 'debug/incremental'))) return;
  process.env.CARGO_INCREMENTAL ??= '0';
  process.env.CARGO_PROFILE_DEV_DEBUG ??= 'false';
}

/** Fails if the disk has less than a first run writes: without it a linker ends by a signal that says nothing. */
export function ensureSpace({ folder = 'debug', bytes = 12e9 } = {}) {
  if (existsSync(join(TARGET, folder))) return;
  const { bavail, bsize } = statfsSync(ROOT);
  const free = bavail * bsize;
  if (free < bytes)
    throw new Failure(`a first run writes ${gigabytes(bytes)} into target, and ${gigabytes(free)} are free`);
}

const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(1)} GB`;
