// Runs what the documentation shows: every fenced `sh` or `console` block of README.md and docs/**.md whose commands
// begin with `forebay ` or `tar_to_tbl `, one block after another, each file in a folder of its own that holds the
// sample dataset as train.tar, train.tbl and sample.tar, a small table, labels.csv, and labels of two of its
// pictures, instances.json.
//
// In a `console` block, lines that begin with `$ ` are commands and the others are output that is not compared. A
// command that must fail says so in a comment at its end: `# exit 1`. A block after <!-- not run: why --> is skipped.
//
// Blocks of `js` are programs for Node, run in the same folder, after its commands, with the package as it is built here. (Those
// of the package's own README are run by its tests, the Rust by cargo.)
//
// Of the commands inside of sentences only those that ask for help are run, `forebay COMMAND --help` for every command:
// the others name files that are not there.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSite } from './build-site.mjs';
import { TESTED_FOREBAY, TESTED_SAMPLE, buildForTests } from './lib/forebay.mjs';
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';
import { ensureSample } from './sample.mjs';

const COMMAND = /^(forebay|tar_to_tbl) /;
const HELP = /`(forebay [^`\n]*--help)`/g;
const FENCE = /^(<!-- not run: .+ -->\n+)?^```(sh|console)\n([\s\S]*?)^```$/gm;
const PROGRAM = /^```js\n([\s\S]*?)^```$/gm;
const PACKAGE = join(ROOT, 'www/lib/dist/index.js');

const LABELS = ['id,name,age', ...Array.from({ length: 60 }, (_, i) => `${i},name ${i % 7},${i + 18}`), ''].join('\n');

const INSTANCES = {
  images: [
    { id: 1, file_name: '000000.jpg', width: 320, height: 240 },
    { id: 2, file_name: '000001.jpg', width: 128, height: 96 },
  ],
  annotations: [
    { id: 1, image_id: 1, category_id: 18, bbox: [10, 20, 50, 160], area: 8000, iscrowd: 0 },
    { id: 2, image_id: 2, category_id: 3, bbox: [50, 66, 40, 40], area: 1600, iscrowd: 0 },
  ],
  categories: [
    { id: 18, name: 'dog' },
    { id: 3, name: 'car' },
  ],
};

/** Throws a Failure that lists every command that did not do what it should. */
export async function checkDocs() {
  await buildForTests();
  await buildSite({ quick: true });
  const sample = await ensureSample(TESTED_SAMPLE);
  const files = read('git', ['ls-files', 'README.md', 'CONTRIBUTING.md', 'docs'])
    .split('\n')
    .filter((f) => f.endsWith('.md'));
  const faults = [];
  let count = 0;
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const commands = [...commandsOf(text), ...helpOf(text)];
    const programs = [...text.matchAll(PROGRAM)].map(([, code]) => code);
    if (!commands.length && !programs.length) continue;
    const folder = mkdtempSync(join(tmpdir(), 'forebay-docs-'));
    try {
      for (const name of ['train.tar', 'sample.tar']) copyFileSync(sample, join(folder, name));
      writeFileSync(join(folder, 'labels.csv'), LABELS);
      writeFileSync(join(folder, 'instances.json'), JSON.stringify(INSTANCES));
      await one({ text: 'forebay convert train.tar train.tbl', expect: 0 }, folder);
      for (const command of commands) {
        count += 1;
        await one(command, folder).catch((e) =>
          faults.push(`${file}: ${command.text}\n    ${e.message}\n    ${(e.output ?? '').trim()}`),
        );
      }
      for (const program of programs) {
        count += 1;
        await runProgram(program, folder).catch((e) =>
          faults.push(`${file}: a program\n    ${e.message}\n    ${(e.output ?? '').trim()}`),
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (faults.length) throw new Failure(faults.join('\n'));
  console.log(`${count} commands and programs of ${files.length} files did what they say`);
}

function commandsOf(markdown) {
  const commands = [];
  for (const [, skip, kind, body] of markdown.matchAll(FENCE)) {
    if (skip) continue;
    for (const line of body.replace(/\\\n\s*/g, '').split('\n')) {
      const text = kind === 'console' ? (line.startsWith('$ ') ? line.slice(2) : '') : line;
      if (COMMAND.test(text)) commands.push({ text, expect: Number(/# exit (\d+)/.exec(text)?.[1] ?? 0) });
    }
  }
  return commands;
}

/** What the text says can be asked for help. */
function helpOf(markdown) {
  return [...markdown.matchAll(HELP)]
    .flatMap(([, text]) =>
      text.includes('COMMAND') ? namesOfCommands().map((name) => text.replace('COMMAND', name)) : [text],
    )
    .map((text) => ({ text, expect: 0 }));
}

/** Every command, as the help of all of them lists them. */
function namesOfCommands() {
  const list = read(TESTED_FOREBAY, ['--help'])?.match(/^Commands:\n((?: +.*\n)+)/m)?.[1] ?? '';
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name).filter((name) => name !== 'help');
  if (names.length < 2) throw new Failure('forebay --help lists no commands');
  return names;
}

function runProgram(code, folder) {
  const path = join(folder, 'program.mjs');
  writeFileSync(path, code.replace("'forebay'", JSON.stringify(pathToFileURL(PACKAGE).href)));
  // The quick module decodes slowly, and other tests keep the machine busy.
  return run(process.execPath, [path], { cwd: folder, quiet: true, timeout: 300_000 });
}

function one({ text, expect }, folder) {
  const env = { PATH: `${dirname(TESTED_FOREBAY)}:${process.env.PATH}` };
  return run('sh', ['-c', text], { cwd: folder, env, expect, quiet: true, timeout: 300_000 });
}

if (isMain(import.meta.url)) await main(checkDocs);
