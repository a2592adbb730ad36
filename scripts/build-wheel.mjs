// npm run build:wheel: a wheel of the Python package with the viewer's page in it, in target/wheels. Without this, pip
// builds one that has no viewer.
//
//   node scripts/build-wheel.mjs [--check] [MATURIN ARGUMENTS]
//
// With --check it is installed into fresh environments afterwards, and used there: scripts/check-wheel.mjs.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSite } from './build-site.mjs';
import { buildWidget } from './build-viewer.mjs';
import { checkWheel } from './check-wheel.mjs';
import { packPage } from './lib/page.mjs';
import { Failure, ROOT, isMain, main, run } from './lib/run.mjs';
import { environment, findPython } from './test-python.mjs';

/** Not a part of the sources: git ignores it. */
const VIEWER = join(ROOT, 'python/forebay/_viewer.br');

const OUT = join(ROOT, 'target/wheels');

async function maturin(command, args) {
  const python = findPython();
  if (!python) throw new Failure('a wheel needs Python 3.10 or later with venv');
  const kind = args.includes('--zig') ? 'wheel-zig' : 'wheel';
  const path = await environment(python, join(ROOT, `scripts/${kind}-requirements.txt`), kind);
  await run(path, ['-m', 'maturin', command, '--manifest-path', 'python/Cargo.toml', '--out', OUT, ...args]);
  return OUT;
}

/** Resolves to the folder of the sources, which pip builds where no wheel fits; they have no viewer. */
export function buildSources() {
  return maturin('sdist', []);
}

/** Resolves to the folder of the wheel. */
export async function buildWheel(args = []) {
  await buildSite();
  await buildWidget();
  const page = packPage(join(ROOT, 'dist/site'), { 'widget.js': join(ROOT, 'dist/widget/widget.js') });
  console.log(`the viewer: ${page.files} files, ${mb(page.plain)} MB, packed ${mb(page.packed.length)} MB`);
  writeFileSync(VIEWER, page.packed);
  try {
    return await maturin('build', ['--locked', '--profile', 'wheel', '--compression-level', '9', ...args]);
  } finally {
    rmSync(VIEWER, { force: true });
  }
}

function mb(bytes) {
  return (bytes / 1e6).toFixed(2);
}

if (isMain(import.meta.url))
  await main(async () => {
    const args = process.argv.slice(2);
    const folder = await buildWheel(args.filter((arg) => arg !== '--check'));
    console.log(folder);
    if (args.includes('--check')) await checkWheel(folder);
  });
