// Links of built pages to files that are not there, and to anchors that are not there.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A line for each dead link of `pages`, which are files below `site`. Other sites are not asked. */
export function deadLinks(site, pages) {
  const dead = [];
  const ids = new Map();
  const idsOf = (file) => {
    if (!ids.has(file))
      ids.set(file, new Set([...readFileSync(file, 'utf8').matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)));
    return ids.get(file);
  };
  for (const page of pages) {
    const file = join(site, page);
    for (const [, href] of readFileSync(file, 'utf8').matchAll(/<[^>]*\s(?:href|src)="([^"]+)"/g)) {
      if (/^(https?|mailto|data):/.test(href)) continue;
      const [path, fragment] = href.replaceAll('&amp;', '&').split('#');
      const target = path ? join(dirname(file), decodeURIComponent(path)) : file;
      // A fragment with `=` is a state of the viewer.
      if (!target.startsWith(site) || !existsSync(target) || statSync(target).isDirectory()) {
        dead.push(`${page}: ${href}: there is no ${relative(site, target)}`);
      } else if (fragment && !fragment.includes('=') && !idsOf(target).has(fragment)) {
        dead.push(`${page}: ${href}: ${relative(site, target)} has no such anchor`);
      }
    }
  }
  return dead;
}
