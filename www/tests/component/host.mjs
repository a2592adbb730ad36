// Pages of other people: a folder that is served under a strict policy, and a browser. Every answer is kept, with its bytes.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
};

/** The policy of a page: what README.md says that the element needs. Scripts that stand in the page are named by their sums. */
export function policyOf(html) {
  const inline = [...html.matchAll(/<script(?: type="\w+")?>(.*?)<\/script>/gs)].map(
    ([, text]) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${inline.join(' ')}`,
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self' blob:",
    "worker-src 'self'",
  ].join('; ');
}

/** The bytes that an answer to a request for ranges has, and what it says of them. */
function part(bytes, range) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (from === undefined) return [200, bytes, {}];
  const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes.length : Math.min(bytes.length, Number(to) + 1);
  return [206, bytes.subarray(start, end), { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }];
}

/** Serves `find(path)`: the place of a file, or the text of a page; pages under `policy`, if there is one. */
export async function serve(find, policy = policyOf) {
  const answers = [];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    const found = find(path);
    const place = typeof found === 'string' && !found.startsWith('<') ? found : null;
    if (!found || (place && !(existsSync(place) && statSync(place).isFile()))) return response.writeHead(404).end();
    const bytes = place ? readFileSync(place) : Buffer.from(found);
    const isPage = !place || place.endsWith('.html');
    const [status, body, more] = part(bytes, request.headers.range);
    answers.push({ path, body });
    response
      .writeHead(status, {
        'content-type': (isPage ? TYPES['.html'] : TYPES[extname(place)]) ?? 'application/octet-stream',
        'accept-ranges': 'bytes',
        ...(isPage && policy && { 'content-security-policy': policy(bytes.toString()) }),
        ...more,
      })
      .end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { answers, url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** A finder in a folder; a folder's page is its `index.html`. */
export const inFolder = (folder) => (path) => join(folder, path.endsWith('/') ? `${path}index.html` : path);
