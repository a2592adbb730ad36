// One page of the site around its text.
import { posix } from 'node:path';
import { NAVIGATION, isSource, pageOf } from './pages.mjs';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/** The whole page; `has(target)` says which entries of the navigation there are. */
export function layout({ page, title, html, headings, source, has }) {
  const up = posix.relative(posix.dirname(page), '.') || '.';
  const at = (target) => `${up}/${target}`;
  const entries = NAVIGATION.map(([section, list]) => [section, list.filter(([, target]) => has(target))]).filter(
    ([, list]) => list.length,
  );
  const order = entries.flatMap(([, list]) => list).filter(([, target]) => isSource(target));
  const here = order.findIndex(([, target]) => target === source);
  const neighbor = (step, words) => {
    const entry = order[here + step];
    return entry ? `<a rel="${words}" href="${at(pageOf(entry[1]))}">${escapeHtml(entry[0])}</a>` : '<span></span>';
  };
  const item = ([name, target]) => {
    const current = target === source;
    const inside =
      current && headings.length > 1
        ? `<ul>${headings.map((h) => `<li><a href="#${h.id}">${escapeHtml(h.title)}</a></li>`).join('')}</ul>`
        : '';
    const href = at(isSource(target) ? pageOf(target) : target);
    return `<li><a href="${href}"${current ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a>${inside}</li>`;
  };
  const navigation = entries
    .map(([name, list]) => `<h2>${escapeHtml(name)}</h2><ul>${list.map(item).join('')}</ul>`)
    .join('');
  return `<!doctype html>
<html lang="en" data-root="${up}/">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page === 'index.html' ? 'Forebay' : `${title} - Forebay`)}</title>
<link rel="icon" href="${at('assets/icon.svg')}">
<link rel="stylesheet" href="${at('assets/style.css')}">
<script defer src="${at('assets/minisearch.js')}"></script>
<script defer src="${at('assets/index.js')}"></script>
<script defer src="${at('assets/search.js')}"></script>
</head>
<body>
<a class="skip" href="#text">To the text</a>
<header>
<a class="home" href="${at('index.html')}"><img src="${at('assets/icon.svg')}" alt="" width="24" height="24">Forebay</a>
<div class="search" role="search">
<input type="search" placeholder="Search" aria-label="Search the documentation" aria-controls="found" autocomplete="off">
<ol id="found" aria-live="polite" hidden></ol>
</div>
</header>
<div class="columns">
<details class="menu" open><summary>Contents</summary><nav aria-label="Contents">${navigation}</nav></details>
<main id="text">
${html}
<footer>${neighbor(-1, 'prev')}${neighbor(1, 'next')}</footer>
</main>
</div>
</body>
</html>
`;
}

/** Text inside of HTML. */
export function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
}
