/** The worker: answers operations one after the other. Runs in browsers and in Node. */
import { buffersOf, failure, operations, start, type Operation } from "./kernel.js";
import { builtin, isNode } from "./node.js";

interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}

function answer(port: Port, data: { id: number; op: Operation | "start"; args: unknown[] }): void {
  const { id, op, args } = data;
  try {
    const run = op === "start" ? (start as (...args: unknown[]) => unknown) : (operations[op] as (...args: unknown[]) => unknown);
    const value = run(...args);
    port.postMessage({ id, value }, [...buffersOf(value)]);
  } catch (e) {
    port.postMessage({ id, failed: failure(e) }, []);
  }
}

if (isNode) {
  const port = builtin<typeof import("node:worker_threads")>("node:worker_threads").parentPort;
  port?.on("message", (data) => answer(port, data));
} else {
  const self = globalThis as unknown as Port & { onmessage: ((e: MessageEvent) => void) | null };
  self.onmessage = (e) => answer(self, e.data);
}
