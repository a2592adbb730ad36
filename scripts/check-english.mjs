// The words of scripts/english.json that a native speaker would not write, in the files that it names. Folders under `later`
// are still to be cleaned: once they are, their files are listed too. `npm run check-english -- FOLDER` looks at one.
//
// Of Markdown the text is looked at, without code and without what a program wrote; of other files the comments and the
// texts in quotes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

const { files: PATTERNS, words } = JSON.parse(readFileSync(join(ROOT, 'scripts/english.json'), 'utf8'));
const RULES = words.map(({ find, say, case: exact }) => [new RegExp(find, exact ? '' : 'i'), say]);
const PROSE = /\.(md|rs|mjs|js|ts|css|py)$/;
/** Pages that a program writes as a whole say so in their first lines. */
const WRITTEN = /^(Made|Written) by `npm run /m;

/** Throws a Failure that lists every fault. */
export function checkEnglish(folder) {
  const all = read('git', ['ls-files', '-z'])?.split('\0').filter(Boolean) ?? [];
  const matchers = PATTERNS.map(matcher);
  const files = all.filter((file) =>
    folder ? file.startsWith(folder) && PROSE.test(file) : matchers.some((m) => m.test(file)) && PROSE.test(file),
  );
  if (!files.length) throw new Failure('no file to look at');
  const faults = files.flatMap((file) => wordsIn(file, readFileSync(join(ROOT, file), 'utf8')));
  if (faults.length) throw new Failure(`${faults.join('\n')}\n${faults.length} words of scripts/english.json`);
  console.log(`the English of ${files.length} files was looked at`);
}

/** A line for each word of the list in a file's text. */
export function wordsIn(file, text) {
  const prose = file.endsWith('.md') ? proseOf(text) : commentsOf(text);
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
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\n]*\)/g, blank);
}

/** Of a program, the lines with comments or texts in quotes, without the code around them. */
function commentsOf(text) {
  return text
    .split('\n')
    .map((line) => /^\s*(\/\/|\/?\*)(.*)/.exec(line)?.[2] ?? [...line.matchAll(/\/\/ .*|"(?:[^"\\]|\\.)*"/g)].join(' '))
    .join('\n')
    .replace(/`[^`\n]*`/g, blank);
}

const blank = (text) => text.replace(/[^\n]/g, ' ');

/** `**` is any path, `*` a part of one. */
function matcher(pattern) {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'))}$`);
}

if (isMain(import.meta.url)) await main(() => checkEnglish(process.argv[2]));
