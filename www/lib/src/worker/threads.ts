/**
 * The threads of the threaded module: workers of the worker that runs it, from the same script. The module's bindings
 * import this in place of the helper that comes with them, which is a script of its own that pages would have to host.
 */

/** What a thread needs to begin. */
export interface ThreadStart {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Where it waits for its work. */
  readonly receiver: number;
}

/** The module's side of a pool of threads. */
interface PoolBuilder {
  numThreads(): number;
  receiver(): number;
  build(): void;
}

/** A thread that has not begun within this time never will. */
const START_TIMEOUT = 10_000;

/** They end with the worker that started them, and are kept so that nobody takes them for garbage. */
export const threads: Worker[] = [];

function begin(start: ThreadStart): Promise<Worker> {
  const worker = new Worker(globalThis.location.href, { type: "module", name: "forebay thread" });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("a thread did not begin")), START_TIMEOUT);
    worker.onmessage = () => {
      clearTimeout(timer);
      resolve(worker);
    };
    worker.onerror = (e) => {
      e.preventDefault();
      clearTimeout(timer);
      reject(new Error(e.message || "a thread cannot be started"));
    };
    worker.postMessage({ thread: start });
  });
}

/** Starts the pool; called by the bindings. */
export async function startWorkers(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  pool: PoolBuilder,
): Promise<void> {
  const start: ThreadStart = { module, memory, receiver: pool.receiver() };
  threads.push(...(await Promise.all(Array.from({ length: pool.numThreads() }, () => begin(start)))));
  pool.build();
}
