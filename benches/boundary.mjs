// npm run bench:boundary: what crosses between Rust and JavaScript, as docs/dependencies.md reports it: reports and
// options as JSON text against objects of serde-wasm-bindgen, and bytes of a Blob read by JavaScript against web-sys.
//
// Every pair gives the same answers, and its rounds take turns; the best of each is told, and the modules' sizes.
import { deepStrictEqual } from 'node:assert';
import { Blob } from 'node:buffer';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { ROOT, main, run, seconds } from '../scripts/lib/run.mjs';
import { wasmBindgen } from '../scripts/lib/wasm-bindgen.mjs';
import { TARGET, wasmToolchain } from '../scripts/lib/wasm.mjs';

const OUT = join(ROOT, 'target/boundary');
const ROUNDS = 15;
const PIECE = 64 << 10;
const ENABLED = ['simd', 'bulk-memory', 'bulk-memory-opt', 'mutable-globals', 'nontrapping-float-to-int', 'sign-ext']
  .concat(['reference-types', 'multivalue'])
  .map((feature) => `--enable-${feature}`);

await main(async () => {
  const { cargo, args, env } = await wasmToolchain('plain');
  const modules = {};
  for (const features of ['', 'text', 'objects', 'text,objects', 'blob']) {
    modules[features || 'nothing'] = await build(features, cargo, args, env);
  }
  const { text, objects, blob } = modules;
  for (const faults of [0, 5, 1000]) {
    const [a, b] = [new text.Kept(faults), new objects.Kept(faults)];
    deepStrictEqual(b.object(), JSON.parse(a.text()));
    await compare(`a report with ${faults} faults`, { text: () => JSON.parse(a.text()), objects: () => b.object() });
  }
  const options = { to: 'tbf', level: 9, columns: ['image', 'label', 'width', 'height'], verify: true };
  deepStrictEqual(objects.takeObject(options), text.takeText(JSON.stringify(options)));
  await compare('options', {
    text: () => text.takeText(JSON.stringify(options)),
    objects: () => objects.takeObject(options),
  });
  const file = new Blob([new Uint8Array(64 << 20).fill(7)]);
  const read = {
    JavaScript: async (at) => blob.push(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer())),
    'web-sys': (at) => blob.readBlob(file, at, at + PIECE),
  };
  deepStrictEqual(await read['web-sys'](0), await read.JavaScript(0));
  await compare('64 KiB of a Blob', read);
});

/** Builds a module, tells its size and the time that it took, and loads it. */
async function build(features, cargo, args, env) {
  const name = features.replace(',', '-') || 'nothing';
  const target = join(OUT, 'build', name);
  const started = performance.now();
  const manifest = ['--manifest-path', 'benches/boundary/Cargo.toml', '--target', TARGET, '--target-dir', target];
  await run(cargo, [...args[0], 'build', '--release', '--features', features, ...manifest, ...args[1]], {
    env,
    quiet: true,
  });
  const time = performance.now() - started;
  const raw = join(target, TARGET, 'release/forebay_bench_boundary.wasm');
  const folder = join(OUT, name);
  mkdirSync(folder, { recursive: true });
  await run(await wasmBindgen(), ['--target', 'web', '--out-dir', folder, '--out-name', name, raw], { quiet: true });
  const small = join(folder, `${name}.wasm`);
  const optimize = ['--no-install', 'wasm-opt', '-Oz', ...ENABLED, join(folder, `${name}_bg.wasm`), '-o', small];
  await run('npx', optimize, { quiet: true });
  const bytes = readFileSync(small);
  const glue = readFileSync(join(folder, `${name}.js`));
  const sizes = `${bytes.length} bytes, ${brotliCompressSync(bytes).length} as brotli, and ${glue.length} of JavaScript`;
  console.log(`module with ${features || 'nothing'}: ${sizes}; built in ${seconds(time)}`);
  const bound = await import(pathToFileURL(join(folder, `${name}.js`)));
  bound.initSync({ module: bytes });
  return bound;
}

/** Calls per second of each way: the best round of many that take turns. */
async function compare(what, ways) {
  const best = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, call] of Object.entries(ways)) best[name] = Math.max(best[name] ?? 0, await rate(call));
  }
  console.log(
    `${what}: ${Object.entries(best)
      .map(([name, n]) => `${name} ${Math.round(n)} calls/s`)
      .join(', ')}`,
  );
}

async function rate(call) {
  const end = performance.now() + 60;
  let [calls, now] = [0, 0];
  const started = performance.now();
  do {
    for (let i = 0; i < 20; i++) {
      const answer = call((calls * PIECE) % (64 << 20));
      if (answer instanceof Promise) await answer;
      calls += 1;
    }
    now = performance.now();
  } while (now < end);
  return (calls * 1000) / (now - started);
}
