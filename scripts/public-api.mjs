// The lists in docs/public-api/ of what the libraries promise: written, or with --check compared. Nothing is installed.
//
//   npm run public-api [-- --check]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleCode, items, unshown } from './lib/public-api.mjs';
import { Failure, ROOT, isMain, main, read } from './lib/run.mjs';

const LIBRARIES = ['forebay', 'forebay-base', 'forebay-native'];
/** The most items that a library may promise. */
const MOST = { forebay: 400 };
/** The share of a library's items that examples name, at least. */
const SHOWN = { forebay: 0.8 };
/** The tool, and the Rust whose rustdoc it reads: another of either may write the same items in other words. */
const TOOL = '0.52.0';
const NIGHTLY = { toolchain: 'nightly-2026-05-20', version: '2026-05-19' };

/**
 * Compares or writes the lists; fails if they differ or a library promises too much. Without its tools it says what
 * installs them, and fails if it was asked for by name.
 */
export async function publicApi({ write = false, asked = false } = {}) {
  const { toolchain, missing } = tools();
  if (missing.length > 0) {
    const message = ['Not compared, for want of tools; CI does it. What installs them:', ...missing].join('\n  ');
    if (asked) throw new Failure(message);
    return console.log(message);
  }
  const faults = LIBRARIES.map((name) => compare(name, toolchain, write)).filter(Boolean);
  if (faults.length > 0) throw new Failure(faults.join('\n'));
}

/** The toolchain of that day under any of its names, and what has to be installed. */
function tools() {
  const toolchain = ['nightly', NIGHTLY.toolchain].find((name) =>
    read('rustc', [`+${name}`, '--version'])?.includes(NIGHTLY.version),
  );
  const missing = [];
  if (!toolchain) missing.push(`rustup toolchain install ${NIGHTLY.toolchain} --profile minimal`);
  if (!read('cargo', ['public-api', '--version'])?.endsWith(` ${TOOL}`))
    missing.push(`cargo install --locked cargo-public-api@${TOOL}`);
  return { toolchain, missing };
}

function compare(name, toolchain, write) {
  const args = [`+${toolchain}`, 'public-api', '--package', name, '--all-features', '-sss', '--color', 'never'];
  const list = read('cargo', args, { maxBuffer: 1 << 28 });
  if (list === null) throw new Failure(`cargo ${args.join(' ')} failed`);
  const count = items(list).length;
  const hidden = unshown(list, examples());
  console.log(`${name}: ${count} public items, ${count - hidden.length} of them named by examples`);
  if (count > (MOST[name] ?? Infinity)) return `${name} promises ${count} items, more than ${MOST[name]}`;
  if (count - hidden.length < count * (SHOWN[name] ?? 0))
    return `too few items of ${name} are named by an example; these are not:\n  ${hidden.join('\n  ')}`;
  const file = `docs/public-api/${name}.txt`;
  if (write) {
    mkdirSync(join(ROOT, 'docs/public-api'), { recursive: true });
    writeFileSync(join(ROOT, file), `${list}\n`);
  } else if (readFileSync(join(ROOT, file), 'utf8') !== `${list}\n`) {
    return `${file} is not what ${name} promises; if that is meant: npm run public-api, and look at the difference`;
  }
}

/** All code of examples that runs: in the documentation and in the cookbook. */
function examples() {
  const files =
    read('git', [
      'ls-files',
      'src/*.rs',
      'base/src/*.rs',
      'native/src/*.rs',
      'examples/*.rs',
      'native/examples/*.rs',
    ]) ?? '';
  const code = (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return /(^|\/)examples\//.test(file) ? text : exampleCode(text);
  };
  return files.split('\n').filter(Boolean).map(code).join('\n');
}

if (isMain(import.meta.url)) await main(() => publicApi({ write: !process.argv.includes('--check'), asked: true }));
