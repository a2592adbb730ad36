// npm run dev: the viewer in Vite's server. A change in www/viewer shows at once; one in the package or in Rust builds the quick
// module again, and the page reloads.
import { watch } from 'node:fs';
import { join } from 'node:path';
import { buildLib, rebuildLib } from './build-lib.mjs';
import { ROOT, main, run, seconds } from './lib/run.mjs';
import { ensureRust } from './lib/rust.mjs';

const WATCHED = ['annotations/src', 'base/src', 'src', 'columns/src', 'wasm/src', 'www/lib/src'];
/** Editors write a file in several steps. */
const SETTLED = 200;

function rebuildOnChange() {
  let timer;
  let busy = false;
  let changed = false;
  const rebuild = async () => {
    if (busy) return;
    busy = true;
    while (changed) {
      changed = false;
      const started = performance.now();
      await rebuildLib().then(
        () => console.log(`rebuilt in ${seconds(performance.now() - started)}`),
        (e) => console.error(e.message),
      );
    }
    busy = false;
  };
  for (const folder of WATCHED)
    watch(join(ROOT, folder), { recursive: true }, () => {
      changed = true;
      clearTimeout(timer);
      timer = setTimeout(rebuild, SETTLED);
    });
}

await main(async () => {
  await ensureRust();
  await buildLib({ quick: true });
  rebuildOnChange();
  await run('npx', ['--no-install', 'vite', '--config', 'www/viewer/vite.config.ts'], { env: { FOREBAY_QUICK: '1' } });
});
