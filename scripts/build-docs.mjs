// npm run docs: the documentation as a site in dist/docs: the pages of docs/, the live viewer on the sample dataset, and the
// references of the crates, of the npm package and of the Python package. With `--pages` only the pages.
//
// The pages are made here and not by a site generator: vitepress would bring more than a hundred packages for one folder of
// Markdown; markdown-it is installed anyway (typedoc), highlight.js and minisearch depend on nothing.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { buildSite } from './build-site.mjs';
import { layout } from './docs/layout.mjs';
import { deadLinks } from './docs/links.mjs';
import { render } from './docs/markdown.mjs';
import { NAVIGATION, REPOSITORY, isSource, pageOf } from './docs/pages.mjs';
import { pythonReference } from './docs/python.mjs';
import { FOREBAY, buildForebay } from './lib/forebay.mjs';
import { ensurePackages } from './lib/npm.mjs';
import { Failure, ROOT, isMain, main, run } from './lib/run.mjs';
import { ensureSample } from './sample.mjs';

const SITE = join(ROOT, 'dist/docs');

/** The whole site; resolves to its folder. */
export async function buildDocs() {
  await ensurePackages();
  rmSync(SITE, { recursive: true, force: true });
  await buildLive(join(SITE, 'live'));
  await run('cargo', ['doc', '--locked', '--workspace', '--all-features', '--no-deps', '--lib']);
  cpSync(join(ROOT, 'target/doc'), join(SITE, 'rust'), { recursive: true });
  await run('npm', ['run', 'docs:lib']);
  cpSync(join(ROOT, 'target/docs-lib'), join(SITE, 'npm'), { recursive: true });
  await pythonReference(join(SITE, 'py'));
  const pages = buildPages(SITE);
  console.log(`dist/docs: ${pages.length} pages, the viewer and the references; open dist/docs/index.html`);
  return SITE;
}

/** The viewer beside the sample dataset. */
async function buildLive(folder) {
  await buildSite();
  await buildForebay();
  const sample = await ensureSample();
  cpSync(join(ROOT, 'dist/site'), folder, { recursive: true });
  mkdirSync(join(folder, 'data'));
  await run(FOREBAY, ['convert', sample, join(folder, 'data/sample.tbl'), '--quiet']);
}

/**
 * The pages alone, into a folder that may hold the rest already; throws where a link leads nowhere. Returns their paths.
 */
export function buildPages(site) {
  const has = (target) => existsSync(isSource(target) ? join(ROOT, target) : join(site, target.split('#')[0]));
  const sources = NAVIGATION.flatMap(([, list]) => list.map(([, target]) => target)).filter(
    (target) => isSource(target) && has(target),
  );
  const listed = new Set(sources);
  const beside = new Set();
  const index = [];
  for (const source of sources) {
    const page = pageOf(source);
    const link = (path) => {
      if (listed.has(path)) return posix.relative(posix.dirname(page), pageOf(path));
      if (!/\.(png|svg)$|^docs\/schemas\//.test(path)) return REPOSITORY + path;
      beside.add(path);
      return posix.relative(posix.dirname(page), placeOf(path));
    };
    const { html, title, headings, sections } = render(
      source,
      nameOf(source),
      readFileSync(join(ROOT, source), 'utf8'),
      link,
    );
    write(join(site, page), layout({ page, title, html, headings, source, has }));
    for (const section of sections) {
      const href = section.anchor ? `${page}#${section.anchor}` : page;
      index.push({
        id: index.length,
        page: nameOf(source),
        title: section.title,
        href,
        text: section.text.replace(/\s+/g, ' ').trim(),
      });
    }
  }
  for (const file of beside) copy(join(ROOT, file), join(site, placeOf(file)));
  const assets = join(ROOT, 'scripts/docs/assets');
  for (const name of readdirSync(assets)) copy(join(assets, name), join(site, 'assets', name));
  copy(join(ROOT, 'www/viewer/public/icon.svg'), join(site, 'assets/icon.svg'));
  // Scripts, not data to be fetched, so that the search works in pages opened from a disk too.
  const umd = join(dirname(createRequire(import.meta.url).resolve('minisearch')), '../umd/index.js');
  write(join(site, 'assets/minisearch.js'), readFileSync(umd, 'utf8').replace(/^\/\/# sourceMappingURL.*$/m, ''));
  write(join(site, 'assets/index.js'), `const forebayIndex = ${JSON.stringify(index)};\n`);
  const pages = sources.map(pageOf);
  const dead = deadLinks(site, pages);
  if (dead.length) throw new Failure(dead.join('\n'));
  return pages;
}

/** What the navigation calls a page. */
function nameOf(source) {
  return NAVIGATION.flatMap(([, list]) => list).find(([, target]) => target === source)?.[0];
}

const placeOf = (path) => path.replace(/^docs\//, '');

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (isMain(import.meta.url)) {
  await main(async () => {
    if (!process.argv.includes('--pages')) return void (await buildDocs());
    console.log(`dist/docs: ${buildPages(SITE).length} pages`);
  });
}
