// A small static server on this machine, for pages that are looked at before the command is built.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

/** Serves folders by the first part of their address, `''` for all others; `{ server, url }`. Ranges are answered. */
export async function serveFolders(folders, port = 0) {
  const server = createServer((request, response) => {
    try {
      const { pathname } = new URL(request.url, 'http://x');
      const path = normalize(decodeURIComponent(pathname)).replace(/\/$/, '/index.html');
      const [, first, ...rest] = path.split('/');
      const file = first in folders && rest.length > 0 ? join(folders[first], ...rest) : join(folders[''], path);
      send(request, response, file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve, reject) => server.on('error', reject).listen(port, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/` };
}

function send(request, response, file) {
  const { size, mtimeMs } = statSync(file);
  const headers = {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'accept-ranges': 'bytes',
    etag: `"${size}-${mtimeMs}"`,
  };
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = range ? Number(range[1]) : 0;
  const end = range?.[2] ? Math.min(Number(range[2]), size - 1) : size - 1;
  if (range && start >= size) return response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
  if (range) headers['content-range'] = `bytes ${start}-${end}/${size}`;
  response.writeHead(range ? 206 : 200, { ...headers, 'content-length': end - start + 1 });
  if (request.method === 'HEAD' || size === 0) return response.end();
  createReadStream(file, { start, end })
    .on('error', () => response.destroy())
    .pipe(response);
}
