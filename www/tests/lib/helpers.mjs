// What the tests share: a small TAR of real images, the corpora, the native command.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Files of a folder of `tests/corpus` and the folders in it, by extension; a folder that is not there is an error. */
export function corpus(path, extension) {
  const folder = join(ROOT, 'tests/corpus', path);
  const names = readdirSync(folder, { recursive: true }).map(String);
  return names
    .filter((name) => name.endsWith(extension))
    .sort()
    .map((name) => join(folder, name));
}

const DIST = join(ROOT, 'www/lib/dist');
/** Whether the package was built as it is published, and not over the one module of a quick build. */
export const PUBLISHED = existsSync(join(DIST, 'samples.wasm'));
/** Whether it was built with threads. */
export const THREADS = existsSync(join(DIST, 'threads.wasm'));
/** The file of a module. */
export const moduleFile = (name) => join(DIST, PUBLISHED ? `${name}.wasm` : 'forebay.wasm');

/** A native program, if it was built: the build that is the youngest, since the other may be of an older source. */
export function built(name) {
  const builds = ['dist', 'release', 'debug']
    .map((profile) => join(ROOT, 'target', profile, name))
    .filter((path) => existsSync(path));
  const age = (path) => statSync(path).mtimeMs;
  return builds.sort((a, b) => age(b) - age(a))[0] ?? null;
}

/** The native command, if it was built. */
export const native = () => built('forebay');

/** Runs the native command; its exit code and what it wrote. */
export function runNative(...args) {
  try {
    return {
      code: 0,
      out: execFileSync(native(), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 }),
    };
  } catch (e) {
    return { code: e.status, out: e.stdout, err: e.stderr };
  }
}

/** A report of the command as the package gives it: the names of its fields in camelCase. */
export const reportOf = (json) =>
  JSON.parse(json.replace(/"([a-z]+(?:_[a-z]+)+)":/g, (name) => name.replace(/_([a-z])/g, (_, c) => c.toUpperCase())));

/** A gray bitmap of any size: its header is enough for every reader to know width and height. */
export function bitmap(width, height, shade) {
  const row = (width * 3 + 3) & ~3;
  const bytes = Buffer.alloc(54 + row * height, shade);
  bytes.fill(0, 0, 54);
  bytes.write('BM', 0);
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  // Larger ones have a texture, in which something can be found again, but not everything.
  if (height > 24) for (let k = 54; k < bytes.length; k++) bytes[k] = (k * k + shade * 7919) >> 9;
  return bytes;
}

/** A file as a TAR has it. */
export function member(name, content) {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0ustar\0', 156);
  header.write('00', 263);
  const sum = header.reduce((a, b) => a + b, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc(-content.length & 511)]);
}

/** A TAR of `n` bitmaps of at least this height, each with a class and a JSON file. */
export function tarOf(n, height = 24) {
  const parts = [];
  for (let i = 0; i < n; i++) {
    const key = `train/${String(i).padStart(5, '0')}`;
    parts.push(member(`${key}.bmp`, bitmap(16 + (i % 10) * 8 + (height > 24 ? 80 : 0), height, i)));
    parts.push(member(`${key}.cls`, Buffer.from(String(i % 3))));
    parts.push(member(`${key}.json`, Buffer.from(JSON.stringify({ label: `<b>${i % 3}</b>`, boxes: [[1, 2, 3, i]] }))));
  }
  return new Uint8Array(Buffer.concat([...parts, Buffer.alloc(1024)]));
}

/** A TAR of these files. */
export const filesOf = (files) => new Blob([...files.map(([name, bytes]) => member(name, bytes)), Buffer.alloc(1024)]);

/** A bitmap of one scene at any size. */
export function scene(kind, width, height, light = 1) {
  const line = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + line * height);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  for (const [at, n] of [
    [10, 54],
    [14, 40],
    [18, width],
    [22, height],
  ])
    bytes.writeUInt32LE(n, at);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [u, v] = [x / width, y / height];
      let level = 120;
      for (let j = 1; j <= 6; j++)
        level +=
          (18 - j) * Math.sin((j * 2.3 + kind * 1.1) * u + (7 - j) * 1.9 * v + j * kind) +
          (16 - j) * Math.cos((6.5 - j + kind) * u * v * 2 + j * 1.7 * v - j * 0.7 * kind);
      bytes.fill(Math.max(0, Math.min(255, level * light)), 54 + y * line + x * 3, 57 + y * line + x * 3);
    }
  return bytes;
}

/** A code, or what was thrown instead of one. */
export async function codeOf(promise) {
  return promise.then(
    () => 'nothing was thrown',
    (e) => e.code ?? String(e),
  );
}
