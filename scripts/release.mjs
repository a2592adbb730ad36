// What a release is made of, into dist/release. The release workflow runs the parts one after the other.
//
//   npm run release -- binaries [TARGET]    the command's programs for this machine, or for TARGET, in an archive
//   npm run release -- package              the npm packages, `forebay` and `@forebay/viewer`
//   npm run release -- wheel [ARGUMENTS]    the Python package for this machine; maturin takes the arguments
//   npm run release -- sdist                the Python package's sources
//   npm run release -- sbom                 what everything is made of, as CycloneDX; needs cargo-cyclonedx
//   npm run release -- checksums            SHA256SUMS of all of it
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';

const OUT = join(ROOT, 'dist/release');
const PROGRAMS = ['forebay', 'tar_to_tbl'];
const PAPERS = ['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'CHANGELOG.md'];

/** The workspaces that are published, each after those that it needs. */
const PACKAGES = ['www/lib', 'www/viewer'];

const PARTS = { binaries, package: npmPackages, wheel, sdist, sbom, checksums };

async function binaries(target = read('rustc', ['--print', 'host-tuple'])) {
  await run('cargo', [
    'build',
    '--locked',
    '--release',
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
    copyFileSync(join(ROOT, 'target', target, 'release', program + ending), join(folder, program + ending));
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
  const { packages } = JSON.parse(
    read('cargo', ['metadata', '--locked', '--no-deps', '--format-version', '1'], { maxBuffer: 1 << 28 }),
  );
  for (const { name, manifest_path: manifest, publish } of packages) {
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
    const [part, ...rest] = process.argv.slice(2);
    if (!PARTS[part]) throw new Failure(`say what to make: ${Object.keys(PARTS).join(', ')}`);
    version();
    mkdirSync(OUT, { recursive: true });
    await PARTS[part](...rest);
  });
}
