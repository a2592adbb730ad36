// The viewer's page in one file, as a wheel of the Python package holds it; python/forebay/_page.py takes it apart.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/**
 * Brotli of a line of JSON with the names and lengths of all files of a folder and then their bytes, with `more` files by their
 * names. Those of a kind lie beside each other, as modules made of one library are much alike.
 */
export function packPage(folder, more = {}) {
  const names = readdirSync(folder, { recursive: true }).map((name) => name.replaceAll('\\', '/'));
  const files = names.filter((name) => statSync(join(folder, name)).isFile()).map((name) => [name, join(folder, name)]);
  const all = [...files, ...Object.entries(more)]
    .map(([name, path]) => ({ name, bytes: readFileSync(path) }))
    .sort((a, b) => compare(extname(a.name), extname(b.name)) || compare(a.name, b.name));
  const list = JSON.stringify(all.map(({ name, bytes }) => [name, bytes.length]));
  const plain = Buffer.concat([Buffer.from(`${list}\n`), ...all.map(({ bytes }) => bytes)]);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    // As much as all of it, so that every file is seen from every other.
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  };
  return { files: all.length, plain: plain.length, packed: brotliCompressSync(plain, { params }) };
}

function compare(a, b) {
  return a < b ? -1 : Number(a > b);
}
