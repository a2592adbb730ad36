// Debian packages: installed where that is allowed, named where it is not.
import { existsSync } from 'node:fs';
import { Failure, read, run } from './run.mjs';

const ENV = { DEBIAN_FRONTEND: 'noninteractive' };

/** Installs packages, or fails with the words to type. `why` completes "... is needed: why". */
export async function aptInstall(packages, why) {
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (!existsSync('/usr/bin/apt-get')) {
    throw new Failure(`Needed: ${why}. On Debian: ${command}`);
  }
  const root = process.getuid?.() === 0;
  if (!root && read('sudo', ['-n', 'true']) === null) {
    throw new Failure(`Needed: ${why}. Only root may install packages here, so please run: sudo sh -c '${command}'`);
  }
  const apt = (args) => run(root ? 'apt-get' : 'sudo', root ? args : ['-n', 'apt-get', ...args], { env: ENV });
  console.log(`installing ${packages.join(', ')}: ${why}`);
  // Another apt may be at work: wait for its lock instead of failing.
  const wait = ['-o', 'DPkg::Lock::Timeout=300', '-q'];
  await apt([...wait, 'update']);
  await apt([...wait, 'install', '-y', '--no-install-recommends', ...packages]);
}
