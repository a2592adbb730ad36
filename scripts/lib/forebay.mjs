// The command, built from this checkout.
import { join } from 'node:path';
import { ROOT, run } from './run.mjs';

export const FOREBAY = join(ROOT, 'target/release/forebay');

/** Builds the command in release; where nothing changed, in a moment. */
export function buildForebay() {
  return run('cargo', ['build', '--release', '--locked', '-p', 'forebay-native'], { env: { CARGO_TARGET_DIR: join(ROOT, 'target') } });
}
