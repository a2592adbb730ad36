import { builtin, isNode } from "./node.js";

/** Hears of the end. Any number of reads wait for one signal, of which Node would warn from the eleventh on. */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (isNode) builtin<typeof import("node:events")>("node:events").setMaxListeners(0, signal);
  signal.addEventListener("abort", stop, { once: true });
  return () => signal.removeEventListener("abort", stop);
}

/** Rejects as soon as the signal fires, whatever the promise does. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => {});
      return stop();
    }
    promise.then(resolve, reject).finally(onAbort(signal, stop));
  });
}

/** One signal of several. */
export function anySignal(...signals: (AbortSignal | undefined)[]): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stops = signals.flatMap((signal) => {
    if (!signal) return [];
    const stop = () => controller.abort(signal.reason);
    if (signal.aborted) stop();
    return [onAbort(signal, stop)];
  });
  return { signal: controller.signal, release: () => stops.forEach((stop) => void stop()) };
}

/** Waits; an abort ends the wait. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return abortable(new Promise((resolve) => setTimeout(resolve, ms)), signal);
}
