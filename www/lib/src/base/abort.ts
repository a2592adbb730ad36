/** Rejects as soon as the signal fires, whatever the promise does. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => {});
      return stop();
    }
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** One signal of several. */
export function anySignal(...signals: (AbortSignal | undefined)[]): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stops = signals.flatMap((signal) => {
    if (!signal) return [];
    const stop = () => controller.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    return [() => signal.removeEventListener("abort", stop)];
  });
  return { signal: controller.signal, release: () => stops.forEach((stop) => void stop()) };
}

/** Waits; an abort ends the wait. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return abortable(new Promise((resolve) => setTimeout(resolve, ms)), signal);
}
