// npm run build: everything as it is published. With `-- --threads` also the threaded module.
import { buildLib } from './build-lib.mjs';
import { buildSite } from './build-site.mjs';
import { buildViewer, buildWidget } from './build-viewer.mjs';
import { buildForebay } from './lib/forebay.mjs';
import { main } from './lib/run.mjs';
import { ensureRust } from './lib/rust.mjs';

await main(async () => {
  const threads = process.argv.includes('--threads');
  console.log('Everything as it is published; the first time this takes about 20 minutes on two cores.');
  await ensureRust();
  await buildLib({ threads });
  await buildSite({ threads });
  await buildViewer();
  await buildWidget();
  await buildForebay();
});
