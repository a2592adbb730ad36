// What a compiler does not see: files too long, links to nothing, words that must not be published.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkDependencies } from './check-dependencies.mjs';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

const MOST_LINES = 800;
const SOURCE = /\.(rs|mjs|js|ts|py|cs|sh)$/;
const RULES = [
  [/\b(todo|unimplemented)!\(/, 'is unfinished', /\.rs$/],
  [/(^|["'\s(=])\/(tmp|root|home|work)\//, 'names a folder of one machine', /^(?!.*tests?\/)/],
];

/** Throws a Failure that lists every fault. */
export async function checkHygiene() {
  const faults = [];
  const files = read('git', ['ls-files', '-z'])?.split('\0').filter(Boolean);
  if (!files) throw new Failure('this is not a git checkout, so its files cannot be listed');
  for (const file of files) {
    if (!existsSync(join(ROOT, file)) || file.endsWith('.lock') || file === 'package-lock.json') continue;
    const text = readFileSync(join(ROOT, file), 'utf8');
    if (text.includes('\0')) continue;
    const lines = text.split('\n');
    if (SOURCE.test(file) && lines.length > MOST_LINES)
      faults.push(`${file}: ${lines.length} lines, at most ${MOST_LINES}`);
    if (file.endsWith('.md')) faults.push(...deadLinks(file, text));
    if (file === 'scripts/check-hygiene.mjs') continue;
    lines.forEach((line, i) => {
      for (const [pattern, what, where] of RULES) {
        // Documentation examples may leave out where bytes come from.
        if (where.test(file) && pattern.test(line) && !/^\s*\/\/[/!] #/.test(line))
          faults.push(`${file}:${i + 1}: ${what}: ${line.trim()}`);
      }
    });
  }
  if (faults.length) throw new Failure(faults.join('\n'));
  console.log(`${files.length} files looked at`);
  checkDependencies();
}

/** Links of a Markdown file to files that are not there, and to headings that are not there. */
function deadLinks(file, text) {
  const faults = [];
  const prose = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  for (const [, link] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [path, heading] = link.split('#');
    const target = path ? join(dirname(file), path) : file;
    if (!existsSync(join(ROOT, target))) faults.push(`${file}: a link to ${link}, which is not there`);
    else if (heading && target.endsWith('.md') && !headings(target).includes(heading)) {
      faults.push(`${file}: a link to ${link}, and ${target} has no such heading`);
    }
  }
  return faults;
}

function headings(file) {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

if (isMain(import.meta.url)) await main(checkHygiene);
