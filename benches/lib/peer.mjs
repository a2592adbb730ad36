// The real package, in a virtual environment of its own that the tests use too.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { read } from '../../scripts/lib/run.mjs';

export const PEER_VERSION = '2.39.0';

/** A Python that can import the package, or null. */
export function peerPython() {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, `forebay/turboloader-${PEER_VERSION}`);
  const python = join(folder, 'bin/python');
  const works = () => read(python, ['-c', 'import turboloader; print(turboloader.__version__)']) === PEER_VERSION;
  if (works()) return python;
  console.log(`installing turboloader ${PEER_VERSION} into ${folder}`);
  read('python3', ['-m', 'venv', folder]);
  read(python, ['-m', 'pip', 'install', '--quiet', `turboloader==${PEER_VERSION}`]);
  return works() ? python : null;
}
