// Headed, timed steps that stop at the first failure and end in one plain line.
import { Failure, seconds } from './run.mjs';

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
      this.#count(e.output ?? '', 1);
      console.error(`\n${e instanceof Failure ? e.message : e.stack}\n=== ${title}: FAILED`);
      this.finish();
      process.exit(1);
    }
    const time = performance.now() - started;
    this.#times.push([title, time]);
    console.log(`=== ${title}: fine, ${seconds(time)}`);
  }

  /** The times, and the closing line. */
  finish() {
    console.log('');
    for (const [title, time] of this.#times) console.log(`${seconds(time).padStart(12)}  ${title}`);
    console.log(`\n${this.#passed} passed, ${this.#failed} failed`);
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
