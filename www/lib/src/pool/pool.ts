import * as argument from "../base/arguments.js";
import { ForebayError, fromThrown, hostError } from "../model/errors.js";
import type { Operation, operations } from "../worker/kernel.js";
import { builtin, isNode } from "../base/node.js";
import { NAMES, known } from "../base/option-names.js";
import { THREADS } from "../base/build.js";
import { forgetModules, moduleFor, moduleOf } from "./module-files.js";
import type { Failed } from "../worker/protocol.js";
import type { ModuleName, RuntimeOptions } from "../model/index.js";

type Operations = typeof operations;

/** Something that runs operations: a worker, or this thread. */
export interface Client {
  /** True after a trap: its handles are gone. */
  readonly dead: boolean;
  /** Whether it can read files itself, and wait for them. */
  readonly reads: boolean;
  /** Pieces of work under way. */
  jobs: number;
  /** Whether somebody waits for an answer. */
  readonly waiting: boolean;
  /** The modules that it has, or is about to have. */
  readonly modules: Map<ModuleName, Promise<void>>;
  /** Makes a module ready; the threaded one with this many threads. */
  load(name: ModuleName, module: WebAssembly.Module, threads: number): Promise<void>;
  call<K extends Operation>(
    op: K,
    args: Parameters<Operations[K]>,
    transfer?: Transferable[],
  ): Promise<Awaited<ReturnType<Operations[K]>>>;
  /** Ends it at once; calls in flight reject. */
  end(): void;
}

/** A worker that does not answer its first message within this time is given up. */
const START_TIMEOUT = 20_000;

/** A file from this size on is worth the start of threads. */
const WORTH_THREADS = 32 << 20;

/** A file from this size on is worth the start of a worker that does nothing else with it than to read or to write it. */
const WORTH_WORKER = 64 << 20;

/** Workers and threads that may be asked for. */
const MOST = 256;

let options: RuntimeOptions = {};
let clients: Promise<Client>[] = [];
let turn = 0;
/** No worker could be started, so the work is done on the caller's thread. */
let workerless = false;

/**
 * Says where the parts of the package are and how many workers may run. Takes effect for workers that start
 * afterwards: call it before the first `open`.
 */
export function configure(choice: RuntimeOptions): void {
  known(argument.options(choice, "the configuration"), NAMES.runtime, "configure");
  for (const what of ["workers", "threads"] as const)
    if (choice[what] !== undefined) argument.whole(choice[what], what, 0, MOST);
  options = { ...options, ...choice };
  // It may be somewhere else now.
  workerless = false;
  forgetModules();
}

/** Ends all workers. Datasets that are open start new ones when they are asked something. */
export async function shutdown(): Promise<void> {
  // Places in the list that were never taken are holes.
  const all = clients.filter(Boolean);
  clients = [];
  for (const client of await Promise.allSettled(all)) if (client.status === "fulfilled") client.value.end();
}

/** How many workers there may be. */
export function workerCount(): number {
  if (workerless) return 0;
  if (options.workers !== undefined) return options.workers;
  if (!isNode && typeof Worker === "undefined") return 0;
  const cores = isNode
    ? builtin<typeof import("node:os")>("node:os").availableParallelism()
    : (navigator.hardwareConcurrency ?? 2);
  // The page itself is mostly waiting, so that two processors can do with two.
  return Math.max(1, Math.min(4, cores, Math.ceil(cores / 2) + 1));
}

/** A worker of this page that knows threads, in a page that was told not to share its memory with others. */
const isolated = !isNode && globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";
/** Threads could not be started. */
let threadless = false;

/** How many threads the threaded module may have; 0 if it cannot be used. */
export function threadCount(): number {
  if (!THREADS || !isolated || threadless || workerCount() === 0) return 0;
  return options.threads ?? 0;
}

/** Does without threads from now on. */
export function giveUpThreads(): void {
  threadless = true;
}

/** The module for work on a whole file of this size. */
export function bulkModule(byteLength: number): "samples" | "threads" {
  return threadCount() > 0 && byteLength >= WORTH_THREADS ? "threads" : "samples";
}

/** The client that has the threads: there is one pool of them. */
export function threadedClient(): Promise<Client> {
  return clientAt(0);
}

/** The next client in turn. */
export function client(): Promise<Client> {
  return clientAt(turn++ % Math.max(1, workerCount()));
}

/** A client; a dead one is replaced. */
async function clientAt(k: number): Promise<Client> {
  let one: Promise<Client> | undefined = clients[k];
  if (
    one &&
    (await one.then(
      (c) => c.dead,
      () => true,
    ))
  )
    one = undefined;
  // Somebody else may have replaced it meanwhile.
  const now = clients[k];
  if (
    !one &&
    now &&
    !(await now.then(
      (c) => c.dead,
      () => true,
    ))
  )
    one = now;
  if (!one) clients[k] = one = begin();
  return one;
}

/**
 * A worker beside the others, to read or to write a file of about this size, for one piece of work that ends it; nothing
 * if there may be no further one, or if it is not worth it.
 */
export async function ownWorker(byteLength: number): Promise<Client | null> {
  return byteLength >= WORTH_WORKER && workerCount() > 1 ? startWorker().catch(() => null) : null;
}

/** As many other clients as there are, at most `count`. */
export async function othersThan(one: Client, count: number): Promise<Client[]> {
  const found: Client[] = [];
  for (let tries = 0; tries < workerCount() + 1 && found.length < count; tries++) {
    const next = await client();
    if (next !== one && !found.includes(next)) found.push(next);
  }
  return found;
}

async function begin(): Promise<Client> {
  if (workerCount() === 0) return inline();
  try {
    return await startWorker();
  } catch (e) {
    // A strict policy or an old browser: the work is done here instead.
    if (e instanceof ForebayError && e.code === "worker.trapped") throw e;
    workerless = true;
    return inline();
  }
}

/** Loads a module into a client, once; what lies behind an operation that another module has. */
async function ready(to: Client, name: ModuleName): Promise<void> {
  let one = to.modules.get(name);
  if (!one) {
    one = moduleOf(name, options).then((module) => to.load(name, module, threadCount()));
    to.modules.set(name, one);
    one.catch(() => to.modules.delete(name));
  }
  await one;
}

interface Answer {
  id: number;
  value?: unknown;
  failed?: Failed;
}

/** What both kinds of worker have. */
interface AnyWorker {
  post(message: unknown, transfer: Transferable[]): void;
  end(): void;
  /** Node: a worker that has nothing to do keeps no process alive. */
  hold(busy: boolean): void;
}

/** A file beside this module. */
const beside = (name: string): string => import.meta.url.replace(/[^/]*$/, name);

/** Scripts of this page's own that import one of elsewhere: one for each, however many workers come and go. */
const imports = new Map<string, string>();

/** A worker from the package's script; bundlers find the script by the very form that stands here. */
function browserWorker(): Worker {
  const script = new URL(options.workerUrl ?? beside("worker.js"), globalThis.location?.href);
  // Bundlers may leave the address of a file here.
  const isElsewhere = script.protocol.startsWith("http") && script.origin !== globalThis.location?.origin;
  if (!isElsewhere) {
    return options.workerUrl
      ? new Worker(options.workerUrl, { type: "module", name: "forebay" })
      : new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "forebay" });
  }
  // No browser starts a script of another site, such as one that hosts packages; some throw, some say so later. A script
  // of this page's own that imports it may be started; its address is needed as long as it starts threads.
  let own = imports.get(script.href);
  if (own === undefined) {
    const code = new Blob([`import ${JSON.stringify(script.href)};`], { type: "text/javascript" });
    imports.set(script.href, (own = URL.createObjectURL(code)));
  }
  return new Worker(own, { type: "module", name: "forebay" });
}

function makeWorker(onMessage: (answer: Answer) => void, onError: (message: string) => void): AnyWorker {
  if (isNode) {
    const { Worker } = builtin<typeof import("node:worker_threads")>("node:worker_threads");
    // Not in the form that bundlers look for: what they make for pages would have this script twice.
    const worker = new Worker(new URL(options.workerUrl ?? new URL(beside("worker.js"))));
    worker.on("message", onMessage);
    worker.on("error", (e: Error) => onError(e.message));
    worker.unref();
    return {
      post: (message, transfer) => worker.postMessage(message, transfer as ArrayBuffer[]),
      end: () => void worker.terminate(),
      hold: (busy) => (busy ? worker.ref() : worker.unref()),
    };
  }
  const worker = browserWorker();
  worker.onmessage = (e: MessageEvent<Answer>) => onMessage(e.data);
  worker.onerror = (e) => {
    e.preventDefault();
    onError(e.message || "the worker's script cannot be loaded");
  };
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    end: () => worker.terminate(),
    hold: () => {},
  };
}

/** What was thrown to those who only had work in a worker that failed at something else. */
const collateral = new WeakSet<object>();

/** Whether it says nothing about the work that it ended: that can be done again in another worker. */
export function isCollateral(e: unknown): boolean {
  return e instanceof ForebayError && (collateral.has(e) || isCollateral(e.cause));
}

async function startWorker(): Promise<Client> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(e: unknown): void }>();
  let dead = false;
  let last = 0;
  const die = (e: ForebayError) => {
    if (dead) return;
    dead = true;
    worker.end();
    for (const { reject } of waiting.values()) reject(e);
    waiting.clear();
  };
  const ended = (): ForebayError => {
    const e = hostError("worker.trapped", "the worker failed at something else meanwhile");
    collateral.add(e);
    return e;
  };
  const worker = makeWorker(
    ({ id, value, failed }) => {
      const call = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) worker.hold(false);
      if (!failed) return call?.resolve(value);
      if (failed.trap === undefined) return call?.reject(failed.thrown);
      call?.reject(failed.thrown ?? hostError("worker.trapped", `the module failed: ${failed.trap}`));
      die(ended());
    },
    (message) => die(hostError("runtime.load", message)),
  );
  const post = (op: string, args: unknown[], transfer: Transferable[]): Promise<unknown> => {
    if (dead) return Promise.reject(ended());
    return new Promise((resolve, reject) => {
      const id = ++last;
      // What cannot be handed over throws, and nobody waits for an answer.
      worker.post({ id, op, args }, transfer);
      waiting.set(id, { resolve, reject });
      worker.hold(true);
    });
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(hostError("runtime.load", "the worker did not start")), START_TIMEOUT);
  });
  try {
    await Promise.race([post("ping", [], []), late]);
  } catch (e) {
    die(hostError("runtime.load", "the worker did not start"));
    throw e;
  } finally {
    clearTimeout(timer);
  }
  return {
    reads: !isNode,
    jobs: 0,
    modules: new Map(),
    load: (name, module, threads) => post("load", [name, module, threads], []) as Promise<never>,
    get dead() {
      return dead;
    },
    get waiting() {
      return waiting.size > 0;
    },
    call: (op, args, transfer = []) => post(op, args, transfer) as Promise<never>,
    end: () => die(hostError("worker.trapped", "the worker was ended")),
  };
}

/** The caller's own thread. After a trap there is no other module to take its place. */
async function inline(): Promise<Client> {
  const kernel = await import("../worker/kernel.js").catch((e: unknown) => {
    const why =
      "ServiceWorkerGlobalScope" in globalThis
        ? "a service worker may neither start workers nor load modules later: open files in a page, or in a worker of one"
        : `the package's own modules cannot be loaded: ${(e as Error).message}`;
    throw hostError("runtime.load", why, {}, e);
  });
  let trapped: ForebayError | undefined;
  return {
    reads: false,
    jobs: 0,
    modules: new Map(),
    dead: false,
    waiting: false,
    async load(name, module, threads) {
      await kernel.load(name, module, threads);
    },
    async call(op, args) {
      if (trapped) throw trapped;
      // What waits for its turn, such as an abort, comes first.
      await new Promise((resolve) => setTimeout(resolve, 0));
      try {
        return await (kernel.operations[op] as (...args: unknown[]) => never)(...args);
      } catch (e) {
        const failed = kernel.failure(e);
        if (failed.trap === undefined) throw failed.thrown;
        trapped = hostError("worker.trapped", `the module failed: ${failed.trap}; load the page again`);
        throw failed.thrown ?? trapped;
      }
    },
    end: () => {},
  };
}

/** Runs an operation; what the module threw becomes an error that names `file`. */
export async function call<K extends Operation>(
  to: Client,
  file: string | undefined,
  op: K,
  args: Parameters<Operations[K]>,
  transfer?: Transferable[],
): Promise<Awaited<ReturnType<Operations[K]>>> {
  try {
    const name = moduleFor(op, args);
    if (name) {
      // It has work, even if it does not know it yet: it is not idle.
      to.jobs++;
      await ready(to, name).finally(() => to.jobs--);
    }
    return await to.call(op, args, transfer);
  } catch (e) {
    throw fromThrown(e, file);
  }
}
