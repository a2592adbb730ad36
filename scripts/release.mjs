// What a release is made of, into dist/release. The release workflow runs the parts one after the other.
//
//   npm run release                         a dry run: the crates in their order and the npm packages, as they would be published
//   npm run release -- binaries [TARGET]    the command's programs for this machine, or for TARGET, in an archive; needs dist/site
//   npm run release -- package              the npm packages, `forebay` and `@forebay/viewer`
//   npm run release -- wheel [ARGUMENTS]    the Python package for this machine; maturin takes the arguments
//   npm run release -- sdist                the Python package's sources
//   npm run release -- sbom                 what everything is made of, as CycloneDX; needs cargo-cyclonedx
//   npm run release -- checksums            SHA256SUMS of all of it
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';

const OUT = join(ROOT, 'dist/release');
const PROGRAMS = ['forebay', 'tar_to_tbl'];
const PAPERS = ['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'CHANGELOG.md'];

/** The workspaces that are published, each after those that it needs. */
const PACKAGES = ['www/lib', 'www/viewer'];

const PARTS = { dry, binaries, package: npmPackages, wheel, sdist, sbom, checksums };

/** Lists what would be published, and uploads nothing. */
function dry() {
  for (const name of crates()) {
    const files = read('cargo', ['package', '--list', '--allow-dirty', '-p', name]);
    if (files === null) throw new Failure(`cargo package --list -p ${name} fails`);
    console.log(`crate ${name} ${version()}: ${files.trim().split('\n').length} files`);
  }
  for (const workspace of PACKAGES) {
    const [{ filename, entryCount, size }] = JSON.parse(
      read('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--workspace', workspace]),
    );
    console.log(`npm ${filename}: ${entryCount} files, ${(size / 1e6).toFixed(1)} MB`);
  }
  console.log('cargo publish --locked --workspace --dry-run also compiles the crates as they would be published');
}

/** The crates that are published, each after those that it needs. */
function crates() {
  const { packages } = metadata();
  const published = new Map(packages.filter(({ publish }) => publish === null).map((one) => [one.name, one]));
  const order = new Set();
  const visit = (name) => {
    for (const { name: needed, kind } of published.get(name).dependencies)
      if (kind !== 'dev' && published.has(needed)) visit(needed);
    order.add(name);
  };
  for (const name of published.keys()) visit(name);
  return order;
}

function metadata() {
  return JSON.parse(
    read('cargo', ['metadata', '--locked', '--no-deps', '--format-version', '1'], { maxBuffer: 1 << 28 }),
  );
}

async function binaries(target = read('rustc', ['--print', 'host-tuple'])) {
  if (!existsSync(join(ROOT, 'dist/site/index.html')))
    throw new Failure('dist/site is missing, and the command embeds it: npm run build:site -- --threads');
  await run('cargo', [
    'build',
    '--locked',
    '--profile',
    'dist',
    '--target',
    target,
    ...PROGRAMS.flatMap((name) => ['--bin', name]),
  ]);
  const name = `forebay-${version()}-${target}`;
  const folder = join(ROOT, 'dist', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const ending = target.includes('windows') ? '.exe' : '';
  for (const program of PROGRAMS)
    copyFileSync(join(ROOT, 'target', target, 'dist', program + ending), join(folder, program + ending));
  for (const paper of PAPERS) copyFileSync(join(ROOT, paper), join(folder, paper));
  await run('tar', ['-czf', join('dist/release', `${name}.tar.gz`), '-C', 'dist', name]);
  rmSync(folder, { recursive: true });
}

async function npmPackages() {
  const { buildLib } = await import('./build-lib.mjs');
  const { buildViewer } = await import('./build-viewer.mjs');
  await buildLib({ threads: true });
  await buildViewer();
  for (const workspace of PACKAGES)
    await run('npm', ['pack', '--workspace', workspace, '--pack-destination', 'dist/release']);
}

async function wheel(...args) {
  const { buildWheel } = await import('./build-wheel.mjs');
  keep(await buildWheel(args), '.whl');
}

async function sdist() {
  const { buildSources } = await import('./build-wheel.mjs');
  keep(await buildSources(), '.tar.gz');
}

/** What was built of this version of the Python package. */
function keep(folder, ending) {
  const names = readdirSync(folder).filter((name) => name.startsWith(`forebay-${version()}`) && name.endsWith(ending));
  for (const name of names) copyFileSync(join(folder, name), join(OUT, name));
}

async function sbom() {
  await run('cargo', [
    'cyclonedx',
    '--all-features',
    '--format',
    'json',
    '--spec-version',
    '1.5',
    '--override-filename',
    'bom',
  ]);
  for (const { name, manifest_path: manifest, publish } of metadata().packages) {
    const made = join(manifest, '../bom.json');
    // What is not published is not released.
    if (publish === null) renameSync(made, join(OUT, `${name}-${version()}.cdx.json`));
    else rmSync(made);
  }
}

async function checksums() {
  const names = readdirSync(OUT)
    .filter((name) => name !== 'SHA256SUMS')
    .sort();
  if (names.length === 0) throw new Failure('dist/release is empty: there is nothing to sum up');
  const sums = names.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(OUT, name)))
        .digest('hex')}  ${name}\n`,
  );
  writeFileSync(join(OUT, 'SHA256SUMS'), sums.join(''));
  console.log(sums.join(''));
}

/** The workspace's version: crates and npm packages have the same, and one npm package stands on that of the other. */
function version() {
  const crates = /^version = "(.+)"$/m.exec(text('Cargo.toml'))[1];
  for (const workspace of PACKAGES) {
    const { version: own, dependencies } = JSON.parse(text(`${workspace}/package.json`));
    for (const npm of [own, dependencies?.forebay ?? own])
      if (crates !== npm) throw new Failure(`Cargo.toml says version ${crates}, and ${workspace}/package.json ${npm}`);
  }
  const tag = process.env.GITHUB_REF_NAME;
  if (tag?.startsWith('v') && tag !== `v${crates}`) throw new Failure(`the tag is ${tag}, and the version ${crates}`);
  return crates;
}

function text(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const [part = 'dry', ...rest] = process.argv.slice(2);
    if (!PARTS[part]) throw new Failure(`say what to make: ${Object.keys(PARTS).join(', ')}`);
    version();
    if (part !== 'dry') mkdirSync(OUT, { recursive: true });
    await PARTS[part](...rest);
  });
}
