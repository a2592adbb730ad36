// wasm-bindgen's command, of exactly the version that Cargo.lock names for the crate.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, read, run } from './run.mjs';
import { CACHE } from './wasm.mjs';

/** The path of the command; built once where it is not here, which takes some minutes. */
export async function wasmBindgen() {
  const version = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(readFileSync(join(ROOT, 'Cargo.lock'), 'utf8'))[1];
  if (read('wasm-bindgen', ['--version'])?.endsWith(` ${version}`)) return 'wasm-bindgen';
  const root = join(CACHE, `wasm-bindgen-${version}`);
  const command = join(root, 'bin/wasm-bindgen');
  if (!existsSync(command)) {
    console.log(`building wasm-bindgen ${version}, once; some minutes`);
    await run('cargo', ['install', '--locked', 'wasm-bindgen-cli', '--version', version, '--root', root]);
  }
  return command;
}
