// Runs what the documentation shows: every fenced `sh` or `console` block of README.md and docs/**.md whose commands
// begin with `forebay ` or `tar_to_tbl `, one block after another, each file in a folder of its own that holds the
// sample dataset as train.tar, train.tbl and sample.tar, and a small table, labels.csv.
//
// In a `console` block, lines that begin with `$ ` are commands and the others are output that is not compared. A
// command that must fail says so in a comment at its end: `# exit 1`. A block after <!-- not run: why --> is skipped.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FOREBAY, buildForebay } from './lib/forebay.mjs';
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';
import { ensureSample } from './sample.mjs';

const COMMAND = /^(forebay|tar_to_tbl) /;
const FENCE = /^(<!-- not run: .+ -->\n+)?^```(sh|console)\n([\s\S]*?)^```$/gm;

const LABELS = ['id,name,age', ...Array.from({ length: 60 }, (_, i) => `${i},name ${i % 7},${i + 18}`), ''].join('\n');

/** Throws a Failure that lists every command that did not do what it should. */
export async function checkDocs() {
  await buildForebay();
  const sample = await ensureSample();
  const files = read('git', ['ls-files', 'README.md', 'CONTRIBUTING.md', 'docs']).split('\n').filter((f) => f.endsWith('.md'));
  const faults = [];
  let count = 0;
  for (const file of files) {
    const commands = commandsOf(readFileSync(join(ROOT, file), 'utf8'));
    if (!commands.length) continue;
    const folder = mkdtempSync(join(tmpdir(), 'forebay-docs-'));
    try {
      for (const name of ['train.tar', 'sample.tar']) copyFileSync(sample, join(folder, name));
      writeFileSync(join(folder, 'labels.csv'), LABELS);
      await one({ text: 'forebay convert train.tar train.tbl', expect: 0 }, folder);
      for (const command of commands) {
        count += 1;
        await one(command, folder).catch((e) => faults.push(`${file}: ${command.text}\n    ${e.message}\n    ${(e.output ?? '').trim()}`));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (faults.length) throw new Failure(faults.join('\n'));
  console.log(`${count} commands of ${files.length} files did what they say`);
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

function one({ text, expect }, folder) {
  const env = { PATH: `${dirname(FOREBAY)}:${process.env.PATH}` };
  return run('sh', ['-c', text], { cwd: folder, env, expect, quiet: true, timeout: 60_000 });
}

if (isMain(import.meta.url)) await main(checkDocs);
