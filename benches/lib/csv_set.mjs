// A CSV that is the same on every machine: numbers, texts of few and of many values, some in quotes, dates and moments.
import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

const FIRST =
  'Alex Benedikt Clara Diana Elena Finn Guillermo Hugo Ioannis Josephine Karim Leonardo Magdalena Oluwaseun'.split(' ');
const LAST =
  'Andersson Bernstein Castellano Dimitriou Eriksen Fitzgerald Grigoryan Hernandez Ibrahim Johansson Kowalski'.split(
    ' ',
  );
const CITIES = [
  'Amsterdam',
  'Athens',
  'Auckland',
  'Bangkok',
  'Barcelona',
  'Beijing',
  'Bogota',
  'Cairo',
  'Oslo',
  '"Washington, D.C."',
];
const WORDS = 'the quick brown fox jumps over a lazy dog while nobody looks at it and rain falls on every roof'.split(
  ' ',
);

/** Writes a CSV of about this many bytes, unless it is there. */
export function makeCsv(path, bytes) {
  if (existsSync(path) && Math.abs(statSync(path).size - bytes) < bytes / 20) return;
  let state = 0x9e3779b9;
  const below = (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
  const of = (list) => list[below(list.length)];
  const file = openSync(`${path}.part`, 'w');
  let written = writeSync(file, 'id,name,age,salary,score,active,city,day,at,note\n');
  for (let id = 1; written < bytes; ) {
    const rows = [];
    for (let i = 0; i < 1000; i++, id++) {
      const at = new Date(1.7e12 + id * 3000 + below(3) * 1000).toISOString().slice(0, 19);
      const note = `${Array.from({ length: 1 + below(5) }, () => of(WORDS)).join(' ')} ${below(1_000_000)}`;
      const age = below(50) ? 18 + below(72) : '';
      // Never whole, so that every program takes the column for what it is.
      const salary = `${20_000 + below(130_000)}.${10 + below(90)}`;
      rows.push(
        `${id},${of(FIRST)} ${of(LAST)},${age},${salary},${(below(2 ** 31) + 0.5) / 2 ** 31},${below(10) < 7},${of(CITIES)},${at.slice(0, 10)},${at},${note}\n`,
      );
    }
    written += writeSync(file, rows.join(''));
  }
  closeSync(file);
  renameSync(`${path}.part`, path);
}
