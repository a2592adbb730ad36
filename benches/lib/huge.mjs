// Files that are larger than the disk: an index, some real pictures, and holes.
import { closeSync, ftruncateSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { crc32 } from 'node:zlib';

const ENTRY = 24;

/** The JPEG files of a TAR that are not longer than 64 kB. */
export function picturesOf(tar) {
  const bytes = readFileSync(tar);
  const found = [];
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const name = bytes.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = parseInt(bytes.toString('latin1', at + 124, at + 136), 8);
    if (name.endsWith('.jpg') && size < 64_000) found.push(bytes.subarray(at + 512, at + 512 + size));
    at += 512 + ((size + 511) & ~511);
  }
  return found;
}

/**
 * A TBL of the turboloader layout with as many samples; the first 240 and the last 240 are pictures, those between lie
 * in holes and have `hole` bytes each.
 */
export function hugeTbl(path, samples, pictures, hole) {
  const EDGE = 240;
  const start = 64 + samples * ENTRY;
  const sizeOf = (i) => (i < EDGE || i >= samples - EDGE ? pictures[i % pictures.length].length : hole);
  const head = Buffer.alloc(64);
  head.write('TBL\x02', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeBigUInt64LE(BigInt(samples), 8);
  head.writeUInt32LE(start, 16);
  head.writeUInt32LE(crc32(head), 44);
  const fd = openSync(path, 'w');
  writeSync(fd, head, 0, 64, 0);
  const chunk = Buffer.alloc(ENTRY * 65_536);
  let offset = start;
  for (let first = 0; first < samples; first += 65_536) {
    const end = Math.min(samples, first + 65_536);
    for (let i = first; i < end; i++) {
      const at = (i - first) * ENTRY;
      const size = sizeOf(i);
      chunk.writeUInt32LE(offset % 2 ** 32, at);
      chunk.writeUInt32LE(Math.floor(offset / 2 ** 32), at + 4);
      chunk.writeUInt32LE(size, at + 8);
      chunk.writeUInt32LE(size, at + 12);
      chunk.writeUInt16LE(300 + (i % 400), at + 16);
      chunk.writeUInt16LE(375, at + 18);
      chunk[at + 20] = 1;
      if (i < EDGE || i >= samples - EDGE) writeSync(fd, pictures[i % pictures.length], 0, size, offset);
      offset += size;
    }
    writeSync(fd, chunk, 0, (end - first) * ENTRY, 64 + first * ENTRY);
  }
  ftruncateSync(fd, offset);
  closeSync(fd);
  return { path, samples, bytes: offset, index: start, sizeOf };
}

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Serves the site, the made-up one below fake/, and files by range below data/, and counts the latter. */
export async function countingServer({ site, fake, data }) {
  const counts = { requests: 0, bytes: 0 };
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/\/$/, '/index.html');
    if (path.startsWith('/data/')) return ranged(join(data, path.slice(6)), request, response, counts);
    const file = path.startsWith('/fake/') ? join(fake, path.slice(6)) : join(site, path);
    readFile(file).then(
      (bytes) =>
        response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    get requests() {
      return counts.requests;
    },
    get bytes() {
      return counts.bytes;
    },
    reset: () => Object.assign(counts, { requests: 0, bytes: 0 }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function ranged(path, request, response, counts) {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const total = statSync(path).size;
  if (from === undefined) return response.writeHead(416).end();
  const [start, end] = [Number(from), Math.min(total, Number(to) + 1)];
  const body = Buffer.alloc(end - start);
  const fd = openSync(path, 'r');
  readSync(fd, body, 0, body.length, start);
  closeSync(fd);
  counts.requests++;
  counts.bytes += body.length;
  response
    .writeHead(206, {
      'content-range': `bytes ${start}-${end - 1}/${total}`,
      'content-length': body.length,
      etag: '"1"',
    })
    .end(body);
}
