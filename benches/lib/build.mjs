// The programs that are measured, and what they say.
import { run } from '../../scripts/lib/run.mjs';

/** The release binaries with their places: the command, the one that draws, and a measuring program. */
export async function build(bench, features = []) {
  const cargo = [
    'build',
    '--release',
    '--locked',
    '-p',
    'forebay-native',
    '-p',
    'forebay-cli',
    '-p',
    'forebay-tools',
    '--bins',
    '--bench',
    bench,
  ];
  if (features.length) cargo.push('--features', features.join(','));
  await run('cargo', cargo);
  const messages = await run('cargo', [...cargo, '--message-format=json', '--quiet'], { quiet: true });
  const made = {};
  for (const line of messages.split('\n').filter((l) => l.startsWith('{'))) {
    const { executable, target } = JSON.parse(line);
    if (executable) made[target.name] = executable;
  }
  return { forebay: made.forebay, sample: made['forebay-sample'], store: made['forebay-store'], [bench]: made[bench] };
}

/** The last line that a program prints, which is JSON. */
export async function json(command, args) {
  const text = await run(command, args.map(String), { quiet: true });
  return JSON.parse(text.trim().split('\n').at(-1));
}
