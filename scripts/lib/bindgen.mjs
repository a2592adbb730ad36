// What binds a module for pages: tools/bindgen, which stands on the library of wasm-bindgen's own command.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, run } from './run.mjs';
import { digest } from './stamps.mjs';
import { CACHE } from './wasm.mjs';

const SOURCE = join(ROOT, 'tools/bindgen');

/** The path of the command and what it was made of; built once where it is not here, in a minute. */
export async function ensureBindgen() {
  const sources = ['Cargo.toml', 'Cargo.lock', 'src/main.rs'].map((name) => readFileSync(join(SOURCE, name), 'utf8'));
  sameVersions(sources[1]);
  const made = digest(sources.join('\n'));
  const root = join(CACHE, `bindgen-${made.slice(0, 16)}`);
  const command = join(root, 'bin/forebay-bindgen');
  if (!existsSync(command)) {
    console.log('building what binds modules for pages, once; a minute');
    // Outside of target/, which is the workspace's; nothing of it is wanted again.
    const target = join(root, 'target');
    await run('cargo', ['install', '--locked', '--path', SOURCE, '--root', root, '--target-dir', target]);
    rmSync(target, { recursive: true, force: true });
  }
  return { command, made };
}

/** What is in a module is read only by a library of the same version as the crate that wrote it. */
function sameVersions(lock) {
  const [ours, its] = [
    versionIn(readFileSync(join(ROOT, 'Cargo.lock'), 'utf8'), 'wasm-bindgen'),
    versionIn(lock, 'wasm-bindgen-cli-support'),
  ];
  if (ours !== its) {
    throw new Failure(
      `Cargo.lock has wasm-bindgen ${ours}, and tools/bindgen/Cargo.lock wasm-bindgen-cli-support ${its}: they have to ` +
        `be the same. Set both versions in tools/bindgen/Cargo.toml to ${ours}, then: cargo update --manifest-path tools/bindgen/Cargo.toml`,
    );
  }
}

function versionIn(lock, name) {
  return new RegExp(`name = "${name}"\nversion = "([^"]+)"`).exec(lock)[1];
}
