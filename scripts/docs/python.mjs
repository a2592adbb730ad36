// The reference of the Python package, by pdoc: from the docstrings and types of the package as it is built here.
import { join } from 'node:path';
import { ROOT, run } from '../lib/run.mjs';
import { environment, findPython, stage } from '../test-python.mjs';

/** Modules that are for users. Those for PyTorch and Ray are left out, as they are imported to be described. */
const MODULES = ['forebay', 'forebay.compat.turboloader', '!forebay.torch', '!forebay.ray'];

/** Writes it into a folder; says so where there is no Python to do it. */
export async function pythonReference(folder) {
  const python = findPython();
  if (!python) return console.log('SKIPPED: the Python reference needs Python 3.10 or later with venv');
  const path = await environment(python, join(ROOT, 'scripts/docs/requirements.txt'), 'docs').catch((e) => {
    console.log(`SKIPPED: what the Python reference needs could not be installed: ${e.message}`);
    return null;
  });
  if (path === null) return;
  const env = { PYTHONPATH: await stage(), PYTHONDONTWRITEBYTECODE: '1' };
  await run(path, ['-m', 'pdoc', '--docformat', 'restructuredtext', '-o', folder, ...MODULES], { env });
}
