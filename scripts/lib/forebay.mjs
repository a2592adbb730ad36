// The command, built from this checkout.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './run.mjs';

export const FOREBAY = join(ROOT, 'target/release/forebay');

/** Builds the command in release; if nothing changed, in a moment. */
export function buildForebay() {
  // The build watches dist/site, and all of dist where there is no dist/site: then each new sample would rebuild it.
  mkdirSync(join(ROOT, 'dist/site'), { recursive: true });
  return run('cargo', ['build', '--release', '--locked', '-p', 'forebay-cli'], {
    env: { CARGO_TARGET_DIR: join(ROOT, 'target') },
  });
}
