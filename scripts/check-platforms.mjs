// What this machine can show of other ones. Nothing is installed: what is missing is named with what installs it.
//
//   npm run check:platforms [-- features oldest targets qemu miri]
import { Failure, ROOT, isMain, main, read, run } from './lib/run.mjs';
import { oldestRust } from './lib/rust.mjs';

const LIBRARIES = ['forebay', 'forebay-native'];
/** Systems whose libraries are checked by the compiler, not linked: no SDK and no C compiler of theirs is needed. */
const TARGETS = ['x86_64-pc-windows-gnu', 'aarch64-apple-darwin'];
/** Machines that qemu stands in for: one of the other common kind, and one whose numbers stand the other way around. */
const MACHINES = [
  { target: 'aarch64-unknown-linux-gnu', gnu: 'aarch64-linux-gnu', debian: 'arm64', qemu: 'qemu-aarch64' },
  { target: 's390x-unknown-linux-gnu', gnu: 's390x-linux-gnu', debian: 's390x', qemu: 'qemu-s390x' },
];
/** What the core's tests are built with there: our own code. The crates behind the rest have tests of their own. */
const OWN_CODE = 'unzstd,derive,jpeg,augment';
/** What miri runs of the core: where bytes become numbers and where limits are kept. Long arithmetic is left out. */
const MIRI = ['cursor', 'limits', 'random', 'table::buffer', 'codec::checksum', 'msgpack', 'step'];

const PARTS = {
  features: checkFeatures,
  oldest: checkOldest,
  targets: checkTargets,
  qemu: testUnderQemu,
  miri: testUnderMiri,
};

/** Runs the named parts, or all; then fails with what is missing, if anything is. */
export async function checkPlatforms(names = Object.keys(PARTS)) {
  const missing = [];
  for (const name of names) {
    if (!PARTS[name]) throw new Failure(`${name} is not a part; there are ${Object.keys(PARTS).join(', ')}`);
    missing.push(...(await PARTS[name]()));
  }
  if (missing.length > 0)
    throw new Failure(`Not checked here, for want of tools:\n${missing.map((line) => `  ${line}`).join('\n')}`);
}

/** That every library compiles with none of its features, and with each of them alone. */
export async function checkFeatures() {
  const { packages } = JSON.parse(
    read('cargo', ['metadata', '--locked', '--no-deps', '--format-version', '1'], { maxBuffer: 1 << 28 }),
  );
  for (const { name, features } of packages.filter(({ name }) => LIBRARIES.includes(name))) {
    const check = (...args) =>
      run('cargo', ['check', '--locked', '-p', name, '--lib', '--no-default-features', ...args]);
    await check();
    for (const feature of Object.keys(features).filter((feature) => feature !== 'default'))
      await check('--features', feature);
  }
  return [];
}

/** That everything compiles with the oldest Rust that Cargo.toml accepts; what is missing for it. */
async function checkOldest() {
  const version = oldestRust();
  const here = read('cargo', ['--version'])?.includes(` ${version}.`);
  if (!here && !read('cargo', [`+${version}`, '--version'])) {
    return [`everything with Rust ${version}: rustup toolchain install ${version} --profile minimal`];
  }
  await run('cargo', [...(here ? [] : [`+${version}`]), 'check', '--locked', '--workspace', '--all-features']);
  return [];
}

/** That the libraries compile for other systems; what is missing for it. */
export async function checkTargets() {
  const installed = read('rustup', ['target', 'list', '--installed'])?.split('\n') ?? [];
  const missing = [];
  for (const target of TARGETS) {
    if (!installed.includes(target)) {
      missing.push(`the libraries for ${target}: rustup target add ${target}`);
      continue;
    }
    // Nothing is linked, so nobody asks what the C compiler made: `true` makes nothing, and succeeds.
    const name = target.replaceAll('-', '_');
    const env = { [`CC_${name}`]: 'true', [`CXX_${name}`]: 'true', [`AR_${name}`]: 'true', SDKROOT: '/' };
    const packages = LIBRARIES.flatMap((library) => ['-p', library]);
    await run('cargo', ['check', '--locked', ...packages, '--lib', '--all-features', '--target', target], { env });
  }
  return missing;
}

/** The core's tests of its parts on emulated machines; what is missing for it. */
async function testUnderQemu() {
  const installed = read('rustup', ['target', 'list', '--installed'])?.split('\n') ?? [];
  const missing = [];
  for (const { target, gnu, debian, qemu } of MACHINES) {
    const lacks = [];
    if (!installed.includes(target)) lacks.push(`rustup target add ${target}`);
    if (!read(`${gnu}-gcc`, ['--version']))
      lacks.push(`on Debian: apt-get install gcc-${gnu} libc6-dev-${debian}-cross`);
    if (!read(qemu, ['--version'])) lacks.push('on Debian: apt-get install qemu-user');
    if (lacks.length > 0) {
      missing.push(`the core on ${target}: ${lacks.join('; ')}`);
      continue;
    }
    const name = target.toUpperCase().replaceAll('-', '_');
    const env = {
      [`CARGO_TARGET_${name}_LINKER`]: `${gnu}-gcc`,
      [`CARGO_TARGET_${name}_RUNNER`]: `${qemu} -L /usr/${gnu}`,
    };
    const tests = ['test', '--locked', '-p', 'forebay', '--lib', '--no-default-features', '--features', OWN_CODE];
    await run('cargo', [...tests, '--target', target], { env });
  }
  return missing;
}

/** Some of the core's tests under miri; what is missing for it. */
async function testUnderMiri() {
  if (!read('cargo', ['+nightly', 'miri', '--version'])) {
    return ['the core under miri: rustup toolchain install nightly --component miri --component rust-src'];
  }
  await run(
    'cargo',
    ['+nightly', 'miri', 'test', '--locked', '-p', 'forebay', '--lib', '--no-default-features', '--', ...MIRI],
    {
      env: { CARGO_TARGET_DIR: `${ROOT}target/miri`, MIRIFLAGS: '-Zmiri-disable-isolation' },
    },
  );
  return [];
}

if (isMain(import.meta.url))
  await main(() => checkPlatforms(process.argv.length > 2 ? process.argv.slice(2) : undefined));
