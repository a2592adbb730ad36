// Running commands: with their output shown, or read.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { spawn, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { cause } from './causes.mjs';

/** The folder of the checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Whether the module with this URL is the script that was started. */
export function isMain(url) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url);
}

/** A failure with a message for people: no stack is shown. */
export class Failure extends Error {}

/** What holds for code that runs inside of `keeping` and `patiently`: where what it prints goes, and whether it lets others go first. */
const around = new AsyncLocalStorage();
/** The commands that are running. */
const running = new Set();
/** How much later than others patient commands have their turn. */
const LATER = 10;

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = (text, ...rest) => around.getStore()?.lines?.push(`${text}`) > 0 || write(text, ...rest);
}

/** Runs `body` and everything that it begins; what they print, the commands too, becomes lines of `lines` and is not shown. */
export const keeping = (lines, body) => around.run({ ...around.getStore(), lines }, body);

/** Runs `body`, whose commands let others go first where both want to compute: as `nice` counts it. */
export const patiently = (body, later = LATER) => around.run({ ...around.getStore(), later }, body);

/** Ends every command that is running, for nothing that they would say is wanted any more. */
export function endCommands() {
  for (const child of running) child.kill();
}

/**
 * Runs a command with its output shown and resolves to what it wrote to stdout and stderr, in order.
 * Rejects with a Failure where it does not exit with `expect`.
 */
export function run(command, args, { env = {}, cwd = ROOT, quiet = false, expect = 0, timeout } = {}) {
  if (!quiet) console.log(`$ ${[command, ...args].map(shown).join(' ')}`);
  return new Promise((resolve, reject) => {
    // No stdin: nothing may wait for an answer.
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
    });
    running.add(child);
    // Whatever it begins is like it.
    const { later } = around.getStore() ?? {};
    if (later && child.pid) setPriority(child.pid, Math.max(later, getPriority()));
    let output = '';
    const take = (stream, to) =>
      stream.setEncoding('utf8').on(
        'data',
        AsyncResource.bind((text) => {
          output += text;
          if (!quiet) to.write(text);
        }),
      );
    take(child.stdout, process.stdout);
    take(child.stderr, process.stderr);
    child.on('error', (e) => reject(new Failure(`${command} cannot be run: ${e.message}`)));
    child.on('close', (code, signal) => {
      running.delete(child);
      if (code === expect) return resolve(output);
      const end = `${command} ended with ${signal ?? `exit code ${code}`}, not ${expect}`;
      const failure = new Failure(cause([command, ...args], output) ?? end);
      reject(Object.assign(failure, { output }));
    });
  });
}

/** What a command writes to stdout, trimmed; `null` where it fails or does not exist. */
export function read(command, args, options = {}) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...options,
  });
  return status === 0 ? stdout.trim() : null;
}

/** A time for people. */
export function seconds(ms) {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Runs `main`; a Failure ends with its message and exit code 1. */
export async function main(body) {
  try {
    await body();
  } catch (e) {
    console.error(`\n${e instanceof Failure ? e.message : e.stack}`);
    process.exitCode = 1;
  }
}

function shown(word) {
  return /^[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
