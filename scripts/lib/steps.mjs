// Headed, timed steps that stop at the first failure and end in one plain line.
import { Failure, endCommands, keeping, seconds } from './run.mjs';

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
  #times = [];

  /**
   * One step. The body may return the output of `cargo test` or `node --test`: then its tests are counted, else the step counts
   * as one check.
   */
  async step(title, body) {
    console.log(`\n=== ${title}`);
    const started = performance.now();
    try {
      this.#count((await body()) ?? '');
    } catch (e) {
      this.#stop(title, e);
    }
    const time = performance.now() - started;
    this.#times.push([title, time]);
    console.log(`=== ${title}: fine, ${seconds(time)}`);
  }

  /**
   * Lanes of steps beside each other, so that one computes while another waits: each lane is a list of `[title, body, after]`, one
   * after another; `after` is the title of a step of another lane that has to be done before, if there is one. What a step prints is
   * shown whole, when it ends; the first that fails ends all of them.
   */
  async beside(...lanes) {
    const done = new Map(lanes.flat().map(([title]) => [title, deferred()]));
    await Promise.all(
      lanes.map(async (steps) => {
        for (const [title, body, after] of steps) {
          if (after !== undefined) await done.get(after).promise;
          await this.#kept(title, body);
          done.get(title).resolve();
        }
      }),
    );
  }

  /** The times, and the closing line. */
  finish() {
    console.log('');
    for (const [title, time] of this.#times) console.log(`${seconds(time).padStart(12)}  ${title}`);
    console.log(`\n${this.#passed} passed, ${this.#failed} failed`);
  }

  async #kept(title, body) {
    console.log(`\n=== ${title}: begun; what it says is shown when it ends`);
    const started = performance.now();
    const lines = [];
    const show = () => console.log(`\n=== ${title}\n${lines.join('').trimEnd()}`);
    let output;
    try {
      output = (await keeping(lines, body)) ?? '';
    } catch (e) {
      show();
      this.#stop(title, e);
    }
    show();
    this.#count(output);
    const time = performance.now() - started;
    this.#times.push([title, time]);
    console.log(`=== ${title}: fine, ${seconds(time)}`);
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
    ];
    const sum = (i) => results.reduce((n, r) => n + Number(r[i]), 0);
    this.#failed += Math.max(sum(2), atLeast);
    this.#passed += results.length ? sum(1) : atLeast ? 0 : 1;
  }
}
