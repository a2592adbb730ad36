// What benchmarks of pages share: a server of the built package, and of what a page asks for besides.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { Failure, ROOT } from '../../scripts/lib/run.mjs';

const DIST = join(ROOT, 'www/lib/dist');
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '': 'text/html' };
const PAGE = '<!doctype html><title>bench</title>';

/**
 * Serves the package, an empty page at `/`, and what `answers` has for a path: text, bytes, or a function that makes one of them
 * from the body of a request. Resolves to the page's address and what ends the server.
 */
export async function servePackage(answers = {}) {
  if (!existsSync(join(DIST, 'index.js'))) throw new Failure('the package is not built: npm run build:lib');
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, 'http://x').pathname;
    const known = answers[path] ?? (path === '/' ? PAGE : undefined);
    const file = join(DIST, path);
    if (known === undefined && !existsSync(file)) return response.writeHead(404).end();
    const type = TYPES[path === '/' ? '' : extname(path) || '.bin'] ?? 'application/octet-stream';
    const found = typeof known === 'function' ? known(await bodyOf(request)) : known;
    response.writeHead(200, { 'content-type': type }).end(known === undefined ? readFileSync(file) : found);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}
