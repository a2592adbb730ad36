/** The worker: answers operations one after the other. Runs in browsers and in Node. */
import { failure, load, operations, serve, type Operation } from "./worker/kernel.js";
import { builtin, isNode } from "./base/node.js";
import { buffersOf } from "./worker/protocol.js";

interface Port {
  postMessage(message: unknown, transfer: (ArrayBuffer | ImageBitmap)[]): void;
}

async function answer(
  port: Port,
  data: { id: number; op: Operation | "load" | "ping"; args: unknown[] },
): Promise<void> {
  const { id, op, args } = data;
  try {
    const all: Record<string, unknown> = operations;
    const run = (op === "load" ? load : op === "ping" ? () => null : all[op]) as (...args: unknown[]) => unknown;
    const result = run(...args);
    // What is done at once is answered at once.
    const value = result instanceof Promise ? await result : result;
    port.postMessage({ id, value }, [...buffersOf(value)]);
  } catch (e) {
    port.postMessage({ id, failed: failure(e) }, []);
  }
}

if (isNode) {
  const port = builtin<typeof import("node:worker_threads")>("node:worker_threads").parentPort;
  if (port) port.on("message", (data) => void answer(port as Port, data));
} else {
  const self = globalThis as unknown as Port & { onmessage: ((e: MessageEvent) => void) | null };
  self.onmessage = (e) => (e.data.thread ? serve(e.data.thread) : void answer(self, e.data));
}
