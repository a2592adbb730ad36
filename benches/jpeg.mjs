// Our JPEG decoder against the C library libjpeg-turbo, picture by picture in turns, one thread each; pixels are compared.
//
//   node benches/jpeg.mjs FOLDER [ROUNDS]
//
// Needs a C compiler and libturbojpeg0-dev. Each picture's best of all rounds counts: what other work takes is left out.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, rounds = '7'] = process.argv.slice(2);
if (!folder) {
  console.error('usage: node benches/jpeg.mjs FOLDER [ROUNDS]');
  process.exit(2);
}
const root = resolve(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'forebay-jpeg-'));

/** One decoder: a program that answers every path with nanoseconds and a checksum. */
class Side {
  constructor(program) {
    this.child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async decode(path) {
    this.child.stdin.write(`${path}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`${path} was not decoded`);
    const [nanoseconds, sum] = value.split(' ');
    return { nanoseconds: Number(nanoseconds), sum };
  }
}

/** What a picture is put under: its coding, and about how large it is. */
function kind(bytes) {
  let at = 2;
  while (at + 9 < bytes.length) {
    const marker = bytes[at + 1];
    if (marker >= 0xc0 && marker <= 0xc2) {
      const pixels = bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7);
      return `${marker === 0xc2 ? 'progressive' : 'baseline'}, ${pixels > 2e6 ? 'over' : 'up to'} 2 million pixels`;
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return 'other';
}

try {
  const turbo = join(work, 'turbo');
  execFileSync('cc', ['-O2', '-o', turbo, join(root, 'benches/lib/turbo.c'), '-lturbojpeg'], { stdio: 'inherit' });
  const built = ['build', '--profile', 'dist', '--features', 'decode', '--example', 'turns', '--message-format=json'];
  const messages = execFileSync('cargo', built, {
    cwd: root,
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const all = messages
    .toString()
    .split('\n')
    .filter((line) => line.includes('"executable":"'))
    .map((line) => JSON.parse(line));
  const ours = all.find((message) => message.target?.name === 'turns').executable;
  const sides = [new Side(ours), new Side(turbo)];
  const paths = readdirSync(folder)
    .filter((name) => /\.jpe?g$/.test(name))
    .sort()
    .map((name) => resolve(folder, name));
  const kinds = new Map();
  for (const path of paths) {
    const best = [Infinity, Infinity];
    const sums = [];
    for (let round = 0; round < Number(rounds); round++) {
      for (const turn of [0, 1]) {
        const which = (round + turn) % 2;
        const { nanoseconds, sum } = await sides[which].decode(path);
        best[which] = Math.min(best[which], nanoseconds);
        sums[which] = sum;
      }
    }
    const name = kind(readFileSync(path));
    const seen = kinds.get(name) ?? { count: 0, same: 0, ours: 0, turbo: 0 };
    seen.count += 1;
    seen.same += sums[0] === sums[1] ? 1 : 0;
    seen.ours += best[0] / 1e6;
    seen.turbo += best[1] / 1e6;
    kinds.set(name, seen);
  }
  console.log('| images | | same pixels | ours, ms | libjpeg-turbo, ms | speed |\n|---|---|---|---|---|---|');
  for (const [name, { count, same, ours: own, turbo: its }] of kinds) {
    const mean = (sum) => (sum / count).toFixed(2);
    console.log(`| ${name} | ${count} | ${same} | ${mean(own)} | ${mean(its)} | ${(its / own).toFixed(2)} |`);
  }
  for (const side of sides) side.child.stdin.end();
} finally {
  rmSync(work, { recursive: true, force: true });
}
