// The site `dist/site`: the viewer with the package behind it. Built again only where something changed.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildWasm } from './build-wasm.mjs';
import { buildLib } from './build-lib.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ROOT, isMain, main, read, run } from './lib/run.mjs';

const SITE = join(ROOT, 'dist/site');
/** What the site is made of. */
const SOURCES = ['src', 'wasm', 'www/lib', 'www/viewer', 'scripts', 'Cargo.toml', 'Cargo.lock', 'package-lock.json'];

/** Builds the site; the package and its WebAssembly first. */
export async function buildSite() {
  if (isFresh()) return console.log('dist/site is up to date');
  await ensurePackages();
  await buildWasm();
  await buildLib();
  await run('npm', ['run', '--workspace', '@forebay/viewer', 'build']);
}

/** The viewer over made-up datasets, for its tests alone. */
export async function buildFakeSite() {
  await ensurePackages();
  await run('npx', ['--no-install', 'vite', 'build', '--config', 'www/viewer/vite.config.ts'], {
    env: { VIEWER_FAKE: '1' },
  });
  return join(ROOT, 'target/viewer-fake');
}

/** Whether the site is newer than everything it is made of. */
function isFresh() {
  const page = join(SITE, 'index.html');
  const files = read('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...SOURCES])
    ?.split('\0')
    .filter(Boolean);
  if (!existsSync(page) || !files) return false;
  const built = statSync(page).mtimeMs;
  return files.every((file) => existsSync(join(ROOT, file)) && statSync(join(ROOT, file)).mtimeMs <= built);
}

if (isMain(import.meta.url)) await main(buildSite);
