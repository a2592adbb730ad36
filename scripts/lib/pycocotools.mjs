// pycocotools, in an environment of its own under target/python: what reads the COCO files that are written here.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { environment, findPython } from '../test-python.mjs';
import { ROOT } from './run.mjs';

const TESTS = join(ROOT, 'www/tests/lib');

/** A Python that has pycocotools; `null` where there is no Python. It fails if pip cannot install it. */
export async function ensurePycocotools() {
  const python = findPython();
  return python && environment(python, join(TESTS, 'requirements.txt'), 'coco');
}

/** What pycocotools finds in a file: counts, and with `--all` every annotation. */
export function readCoco(python, path, ...args) {
  const said = execFileSync(python, [join(TESTS, 'read_coco.py'), path, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return JSON.parse(said);
}
