// No import runs upward, and none in a circle. Every crate's modules stand on floors; a module imports only from floors below
// its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { circles, climbs, reexports, rustImports, scriptImports } from './lib/imports.mjs';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

/** The floors of each crate, from the ground up. */
const CRATES = {
  'src': [
    'error formats',
    'limits step check random foreign',
    'cursor codec',
    'msgpack model order',
  ],
};

/** Folders of TypeScript in which no file may reach itself. */
const SCRIPTS = ['www/lib/src', 'www/viewer/src'];

const listed = (folder) => read('git', ['ls-files', '-z', folder])?.split('\0').filter(Boolean) ?? [];
const text = (file) => readFileSync(join(ROOT, file), 'utf8');

function crateFaults(folder, floors) {
  const root = reexports(text(`${folder}/lib.rs`));
  const imports = new Map();
  for (const file of listed(folder)) {
    const name = file.slice(folder.length + 1).split('/')[0].replace(/\.rs$/, '');
    if (!file.endsWith('.rs') || ['lib', 'main', 'bin'].includes(name)) continue;
    if (!imports.has(name)) imports.set(name, []);
    // A name that is no module is one that the root hands on.
    for (const found of rustImports(text(file))) imports.get(name).push({ to: root.get(found) ?? found, file });
  }
  return climbs(floors, imports);
}

function scriptFaults(folder) {
  const graph = new Map();
  for (const file of listed(folder)) if (file.endsWith('.ts')) graph.set(file, scriptImports(file, text(file)));
  return circles(graph).map((circle) => `${folder}: a circle of imports: ${circle.replaceAll(`${folder}/`, '')}`);
}

/** Throws a Failure that lists every fault. */
export async function checkImports() {
  const faults = Object.entries(CRATES).flatMap(([folder, floors]) => crateFaults(folder, floors));
  faults.push(...SCRIPTS.flatMap(scriptFaults));
  if (faults.length) throw new Failure(faults.join('\n'));
  console.log(`the modules of ${Object.keys(CRATES).length} crates stand above what they import, and no script imports itself`);
}

if (isMain(import.meta.url)) await main(checkImports);
