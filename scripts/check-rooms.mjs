// Imports of TypeScript go down: a room imports what stands before it, and no two files import each other.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

/** The rooms of each house, from the ground up. Files beside them may import them all. */
const HOUSES = {
  'www/lib/src': ['model', 'base', 'source', 'worker', 'pool', 'sink', 'samples', 'tables', 'api'],
  'www/viewer/src': ['ui', 'files', 'samples', 'tables', 'dialogs', 'shell'],
};
const IMPORT = /^(?:import|export|\} from)\b[^;]*?["'](\.{1,2}\/[^"']+)["'];/gm;

/** Throws a Failure that lists every import that goes up or in a circle. */
export async function checkRooms() {
  const faults = [];
  for (const [house, rooms] of Object.entries(HOUSES)) {
    const level = (file) => {
      const [room, ...rest] = file.slice(house.length + 1).split('/');
      return rest.length === 0 ? rooms.length : rooms.indexOf(room);
    };
    const files = read('git', ['ls-files', '--cached', '--others', '--exclude-standard', house]).split('\n');
    const imports = new Map();
    for (const file of files.filter((name) => name.endsWith('.ts') && existsSync(join(ROOT, name)))) {
      if (level(file) < 0) faults.push(`${file}: its room is not in the list of scripts/check-rooms.mjs`);
      const text = readFileSync(join(ROOT, file), 'utf8');
      const targets = [...text.matchAll(IMPORT)].map(([, path]) => join(dirname(file), path).replace(/\.js$/, '.ts'));
      const inside = targets.filter((target) => target.startsWith(`${house}/`));
      imports.set(file, inside);
      for (const target of inside) if (level(target) > level(file)) faults.push(`${file}: imports ${target}, upward`);
    }
    for (const circle of circlesOf(imports)) faults.push(`a circle: ${circle.join(' -> ')}`);
  }
  if (faults.length) throw new Failure(faults.join('\n'));
  console.log(`${Object.values(HOUSES).flat().length} rooms, every import downward`);
}

/** Files that import each other, each circle from where it was entered. */
function circlesOf(imports) {
  const circles = [];
  const done = new Set();
  const walk = (file, path) => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file)) return;
    for (const next of imports.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) walk(file, []);
  return circles;
}

if (isMain(import.meta.url)) await main(checkRooms);
