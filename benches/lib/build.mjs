// The programs that are measured, and what they say.
import { run } from '../../scripts/lib/run.mjs';

/** The binaries as they are published with their places: the command, the one that draws, and a measuring program. */
export async function build(bench, features = []) {
  const cargo = [
    'build',
    '--profile',
    'dist',
    '--locked',
    '-p',
    'forebay-native',
    '-p',
    'forebay-cli',
    '-p',
    'forebay-sample',
    '-p',
    'forebay-tools',
    '--bins',
    '--bench',
    bench,
  ];
  if (features.length) cargo.push('--features', features.join(','));
  await run('cargo', cargo);
  const made = executables(await run('cargo', [...cargo, '--message-format=json', '--quiet'], { quiet: true }));
  return { forebay: made.forebay, sample: made.sample, store: made.store, [bench]: made[bench] };
}

/** Programs by their names, of what cargo tells in JSON. */
function executables(messages) {
  const made = {};
  for (const line of messages.split('\n').filter((l) => l.startsWith('{'))) {
    const { executable, target } = JSON.parse(line);
    if (executable) made[target.name] = executable;
  }
  return { ...made, sample: made['forebay-sample'], store: made['forebay-store'] };
}

/**
 * The programs that make what is measured, and are not measured themselves: as the tests have them, so that most of it is there.
 */
export async function buildTools() {
  const cargo = ['build', '--locked', '--workspace', '--all-features', '--bins', '--bench', 'loader'];
  await run('cargo', cargo);
  return executables(await run('cargo', [...cargo, '--message-format=json', '--quiet'], { quiet: true }));
}

/** The last line that a program prints, which is JSON. */
export async function json(command, args) {
  const text = await run(command, args.map(String), { quiet: true });
  return JSON.parse(text.trim().split('\n').at(-1));
}
