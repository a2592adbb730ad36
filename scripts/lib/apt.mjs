// Debian packages: announced and installed where that is nobody's surprise, named where it would be.
import { existsSync } from 'node:fs';
import { Failure, read, run } from './run.mjs';

const ENV = { DEBIAN_FRONTEND: 'noninteractive' };

const wish = () => process.env.FOREBAY_INSTALL;
const isRoot = () => process.getuid?.() === 0;

/** Whether packages may be installed here: by root, or by anybody who allowed it and can use sudo. */
export function canInstall() {
  if (!existsSync('/usr/bin/apt-get') || wish() === 'no') return false;
  return isRoot() || (wish() === 'yes' && read('sudo', ['-n', 'true']) !== null);
}

/**
 * Installs packages, or fails with the words to type. `why` completes "Needed: why". Root's machine is root's to fill, and
 * it is said before it is done; for anybody else it takes FOREBAY_INSTALL=yes to use sudo. FOREBAY_INSTALL=no installs
 * nothing, whoever asks.
 */
export async function aptInstall(packages, why) {
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (!existsSync('/usr/bin/apt-get')) throw new Failure(`Needed: ${why}. On Debian: ${command}`);
  const root = isRoot();
  if (!canInstall()) {
    const typed = root ? command : `sudo sh -c '${command}'`;
    throw new Failure(`Needed: ${why}. Nothing was installed; please run: ${typed}`);
  }
  console.log(`Needed: ${why}.\nInstalling system packages (FOREBAY_INSTALL=no: only say which): ${command}`);
  const apt = (args) => run(root ? 'apt-get' : 'sudo', root ? args : ['-n', 'apt-get', ...args], { env: ENV });
  // Another apt may be at work: wait for its lock instead of failing.
  const wait = ['-o', 'DPkg::Lock::Timeout=300', '-q'];
  await apt([...wait, 'update']);
  await apt([...wait, 'install', '-y', '--no-install-recommends', ...packages]);
}
