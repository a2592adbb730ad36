// Headed, timed steps that stop at the first failure, say what they are at, and end in one plain line.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, ROOT, endCommands, keeping, seconds } from './run.mjs';

/** How long each step took the last time. */
const TIMES = join(ROOT, 'target/step-times.json');
/** Milliseconds between two lines that say what is going on. */
const SELDOM = 30_000;

/** Thrown by a step that cannot run here: why, and what to type so that it can. */
export class Skip extends Failure {}

function deferred() {
  let resolve;
  const promise = new Promise((go) => {
    resolve = go;
  });
  return { promise, resolve };
}

export class Steps {
  #passed = 0;
  #failed = 0;
  #skipped = [];
  #times = [];
  #running = new Map();
  #waiting = new Set();
  #before = timesBefore();

  /**
   * One step. The body may return the output of `cargo test`, nextest or `node --test`: then its tests are counted, else the step
   * counts as one check.
   */
  async step(title, body) {
    console.log(`\n=== ${title}`);
    await this.#timed(title, body);
  }

  /**
   * Lanes of steps beside each other, so that one computes while another waits: each lane is a list of `[title, body, after]`, one
   * after another; `after` is the title of a step of another lane that has to be done before, if there is one. What a step prints is
   * shown whole, when it ends; the first that fails ends all of them.
   */
  async beside(...lanes) {
    const done = new Map(lanes.flat().map(([title]) => [title, deferred()]));
    this.#waiting = new Set(done.keys());
    const timer = setInterval(() => this.#say(), SELDOM);
    await Promise.all(
      lanes.map(async (steps) => {
        for (const [title, body, after] of steps) {
          if (after !== undefined) await done.get(after).promise;
          await this.#kept(title, body);
          done.get(title).resolve();
        }
      }),
    );
    clearInterval(timer);
  }

  /** The times, what was skipped, and the closing line. */
  finish() {
    console.log('');
    for (const [title, time] of this.#times) console.log(`${seconds(time).padStart(12)}  ${title}`);
    for (const [title, why] of this.#skipped) console.log(`     SKIPPED  ${title}: ${why}`);
    mkdirSync(join(ROOT, 'target'), { recursive: true });
    writeFileSync(TIMES, JSON.stringify({ ...this.#before, ...Object.fromEntries(this.#times) }));
    const skipped = this.#skipped.length > 0 ? `, ${this.#skipped.length} skipped` : '';
    console.log(`\n${this.#passed} passed, ${this.#failed} failed${skipped}`);
  }

  async #kept(title, body) {
    const last = this.#before[title];
    console.log(`\n=== ${title}: begun${last ? `; ${seconds(last)} the last time` : ''}`);
    this.#waiting.delete(title);
    const lines = [];
    await this.#timed(
      title,
      () => keeping(lines, body),
      () => console.log(`\n=== ${title}\n${lines.join('').trimEnd()}`),
    );
  }

  async #timed(title, body, show = () => {}) {
    const started = performance.now();
    this.#running.set(title, started);
    let output;
    try {
      output = (await body()) ?? '';
    } catch (e) {
      show();
      if (!(e instanceof Skip)) return this.#stop(title, e);
      this.#skipped.push([title, e.message]);
      return console.log(`=== ${title}: SKIPPED: ${e.message}`);
    } finally {
      this.#running.delete(title);
    }
    show();
    this.#count(output);
    const time = performance.now() - started;
    this.#times.push([title, time]);
    console.log(`=== ${title}: fine, ${seconds(time)}`);
  }

  /** What is running, for how long, how long that took the last time, and what is left. */
  #say() {
    const now = performance.now();
    const running = [...this.#running].map(([title, started]) => {
      const last = this.#before[title];
      return `${title} (${seconds(now - started)}${last ? ` of ${seconds(last)}` : ''})`;
    });
    console.log(`... ${running.join('; ')}; ${this.#waiting.size} steps left`);
  }

  #stop(title, e) {
    this.#count(e.output ?? '', 1);
    console.error(`\n${e instanceof Failure ? e.message : e.stack}\n=== ${title}: FAILED`);
    this.finish();
    endCommands();
    process.exit(1);
  }

  #count(output, atLeast = 0) {
    const results = [
      ...output.matchAll(/^test result: .*? (\d+) passed; (\d+) failed/gm),
      ...output.matchAll(/^# pass (\d+)\n# fail (\d+)/gm),
      ...nextest(output),
    ];
    const sum = (i) => results.reduce((n, r) => n + Number(r[i] ?? 0), 0);
    this.#failed += Math.max(sum(2), atLeast);
    this.#passed += results.length ? sum(1) : atLeast ? 0 : 1;
  }
}

/** The summaries of nextest, in the form of a match. */
function nextest(output) {
  const plain = output.replaceAll(/\x1b\[[\d;]*m/g, '');
  return [...plain.matchAll(/^ *Summary .*?(\d+) passed(?: \([^)]*\))?(?:, (\d+) failed)?/gm)];
}

function timesBefore() {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'));
  } catch {
    return {};
  }
}
