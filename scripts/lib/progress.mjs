// One line that says what several builds are at, in the place of their output.
import { keeping, seconds } from './run.mjs';

/** Milliseconds between lines where they stay, and where each takes the place of the last. */
const [SELDOM, OFTEN] = [15_000, 500];

/** Lanes of work beside each other. What they print is shown only if one fails. */
export class Progress {
  #lanes = new Map();
  #started = performance.now();
  #timer = setInterval(() => this.#show(), process.stdout.isTTY ? OFTEN : SELDOM);

  /** Runs `body` as a lane of this name; if it fails, what it printed is shown. */
  async lane(name, body) {
    const lines = [];
    this.#lanes.set(name, lines);
    try {
      const result = await keeping(lines, body);
      this.#say(`${name}: done after ${this.#time()}`);
      return result;
    } catch (e) {
      this.end();
      console.error(lines.join('').trimEnd());
      throw e;
    } finally {
      this.#lanes.delete(name);
    }
  }

  /** No more lines. */
  end() {
    clearInterval(this.#timer);
  }

  #time() {
    return seconds(performance.now() - this.#started);
  }

  #show() {
    const states = [...this.#lanes].map(([name, lines]) => {
      const last = lines.join('').trimEnd().split('\n').pop().trim();
      return `${name}: ${last.slice(0, 50)}`;
    });
    const line = `${this.#time().padStart(10)}  ${states.join(' | ')}`;
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
    else console.log(line);
  }

  #say(line) {
    console.log(process.stdout.isTTY ? `\r\x1b[K${line}` : line);
  }
}
