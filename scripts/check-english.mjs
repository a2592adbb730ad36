// Spellings and terms of scripts/english.json, in the files that it names except those that begin as `except` says. Style is
// reviewed by people: CONTRIBUTING.md has the list. `npm run check-english -- FOLDER` looks at one folder.
//
// Of Markdown the text is looked at, without code and without what a program wrote; of programs the comments and texts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

const { files: PATTERNS, except, words } = JSON.parse(readFileSync(join(ROOT, 'scripts/english.json'), 'utf8'));
const RULES = words.map(({ find, say, case: exact }) => [new RegExp(find, exact ? '' : 'i'), say]);
/** Code in a sentence. */
const CODE = /`[^`\n]*`/g;
const PROSE = /\.(md|rs|mjs|js|ts|css|py)$/;
/** Pages that a program writes as a whole say so in their first lines. */
const WRITTEN = /^(Made|Written) by `npm run /m;

/** Throws a Failure that lists every fault. */
export function checkEnglish(folder) {
  const all = read('git', ['ls-files', '-z'])?.split('\0').filter(Boolean) ?? [];
  const matchers = PATTERNS.map(matcher);
  const wanted = (file) => (folder ? file.startsWith(folder) : matchers.some((m) => m.test(file)));
  const files = all.filter(
    (file) => PROSE.test(file) && wanted(file) && !except.some((beside) => file.startsWith(beside)),
  );
  if (!files.length) throw new Failure('no file to look at');
  const faults = files.flatMap((file) => wordsIn(file, readFileSync(join(ROOT, file), 'utf8')));
  if (faults.length) throw new Failure(`${faults.join('\n')}\n${faults.length} words of scripts/english.json`);
  console.log(`the English of ${files.length} files was looked at`);
}

/** A line for each word of the list in a file's text. */
export function wordsIn(file, text) {
  const prose = file.endsWith('.md') ? proseOf(text) : wordsOf(file, text);
  return prose.split('\n').flatMap((line, i) =>
    RULES.flatMap(([rule, say]) => {
      const found = rule.exec(line)?.[0];
      return found ? [`${file}:${i + 1}: "${found.trim()}": ${say}`] : [];
    }),
  );
}

/** Markdown with everything blanked that is not text; lines stay where they are. */
function proseOf(text) {
  if (WRITTEN.test(text.split('\n').slice(0, 6).join('\n'))) return '';
  return text
    .replace(/<!-- (?:.+: )?made by [\s\S]*?<!-- end of [\s\S]*?-->/g, blank)
    .replace(/^```[\s\S]*?^```$/gm, blank)
    .replace(CODE, blank)
    .replace(/\]\([^)\n]*\)/g, blank);
}

/**
 * Of a program the comments, and of its code the texts in quotes. Of scripts and the page all of the code: what a user
 * reads stands between tags and backticks there.
 */
function wordsOf(file, text) {
  const quoted = (line) => [...line.matchAll(/\/\/ .*|"(?:[^"\\]|\\.)*"/g)].join(' ').replace(CODE, blank);
  const read = /\.(rs|py)$/.test(file) ? quoted : (line) => line;
  const comment = (line) => /^\s*(?:\/\/|\/?\*|#)(.*)/.exec(line)?.[1].replace(CODE, blank);
  return text
    .split('\n')
    .map((line) => comment(line) ?? read(line))
    .join('\n');
}

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** `**` is any path, `*` a part of one. */
function matcher(pattern) {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'))}$`);
}

if (isMain(import.meta.url)) await main(() => checkEnglish(process.argv[2]));
