// The site `dist/site`: the viewer with the package in it. Built again only if something changed.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildLib } from './build-lib.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { ROOT, isMain, main, read, run } from './lib/run.mjs';

const SITE = join(ROOT, 'dist/site');
/** Says which build `dist/site` is: outside of it, for the command has everything in it. */
const KIND = join(ROOT, 'dist/site.kind');
/** What the site is made of. */
const SOURCES = [
  'annotations',
  'base',
  'src',
  'wasm',
  'www/lib',
  'www/viewer',
  'scripts',
  'Cargo.toml',
  'Cargo.lock',
  'package-lock.json',
];
const VITE = ['--no-install', 'vite', 'build', '--config', 'www/viewer/vite.config.ts'];

/**
 * Builds the site and everything below it: as published, or with `quick` over the quick module, `lean` or whole. `compiled` is
 * called as soon as cargo is free.
 */
export async function buildSite({ quick = false, lean = false, threads = false, compiled } = {}) {
  const kind = lean ? 'lean' : quick ? 'quick' : threads ? 'threads' : 'published';
  if (isFresh(kind)) return console.log(`dist/site (${kind}) is up to date`);
  await buildLib({ quick, lean, threads, compiled });
  await run('npx', VITE, { env: { FOREBAY_QUICK: quick ? '1' : '' } });
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(KIND, kind);
}

/** The viewer over made-up datasets, for its tests alone. */
export async function buildFakeSite() {
  await ensurePackages();
  await run('npx', VITE, { env: { VIEWER_FAKE: '1' } });
  return join(ROOT, 'target/viewer-fake');
}

/** Whether the site is of this kind and newer than everything it is made of. */
function isFresh(kind) {
  const page = join(SITE, 'index.html');
  const files = read('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...SOURCES])
    ?.split('\0')
    .filter(Boolean);
  if (!existsSync(page) || !existsSync(KIND) || !files || readFileSync(KIND, 'utf8') !== kind) return false;
  const built = statSync(page).mtimeMs;
  return files.every((file) => existsSync(join(ROOT, file)) && statSync(join(ROOT, file)).mtimeMs <= built);
}

if (isMain(import.meta.url)) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, threads: { type: 'boolean' } } });
  await main(() => buildSite(values));
}
