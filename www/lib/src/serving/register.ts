import * as argument from "../base/arguments.js";
import { NAMES, known } from "../base/option-names.js";
import { hostError } from "../model/errors.js";
import type { Dataset, RegisterOptions, RegisteredSamples } from "../model/index.js";
import { searchOf } from "./addresses.js";
import { answer, type Answer, type Pieces, type Served } from "./answer.js";
import {
  PREFIX,
  type Asked,
  type Head,
  type Hello,
  type Piece,
  type Pull,
  type Taken,
  type ToPage,
} from "./protocol.js";

/** Milliseconds in which a service worker answers that is there at all. */
const PATIENCE = 10_000;
/** Bytes of a piece. */
const PIECE = 1 << 20;

/** A dataset that is served, and the tag that tells it from others. */
interface Entry {
  readonly served: Served;
  readonly tag: string;
}

const entries = new Map<string, Entry>();
let listening = false;

const unavailable = (why: string) => hostError("serving.unavailable", `samples cannot have addresses here: ${why}`);

/**
 * Gives the samples of a dataset addresses, which any `<img>`, `<video>` or `fetch` of the site can use: `ds/ID/17.jpg` below the
 * scope of the service worker `forebay-sw.js`, with ranges; `ds/ID/17/thumb?size=160`; `ds/ID/17/tensor?size=224,224`; `ds/ID/17.json`.
 * This page answers them, for as long as it is open.
 *
 * ```js
 * navigator.serviceWorker.register("/forebay-sw.js"); // a copy of forebay/service-worker
 * const samples = await registerSamples(dataset, { id: "train" });
 * video.src = samples.url(17);
 * ```
 *
 * Rejects with `code` "serving.unavailable" where there are no service workers, and says why.
 */
export async function registerSamples(dataset: Dataset, options: RegisterOptions): Promise<RegisteredSamples> {
  known(argument.options(options, "how samples are registered"), NAMES.register, "registerSamples");
  const { id, script } = options;
  if (!/^[\w.-]{1,100}$/.test(argument.text(id, "the name of the dataset")) || /^\.+$/.test(id))
    throw hostError(
      "usage.argument",
      `a dataset's name in addresses is of letters, digits, dots and dashes, not ${JSON.stringify(id)}`,
    );
  const container = containerOf();
  const entry = { served: dataset as Served, tag: await tagOf(dataset) };
  if (entries.has(id))
    throw hostError("usage.argument", `this page has samples under the name ${id} already: close those first`);
  entries.set(id, entry);
  try {
    listen(container);
    const base = `${await connect(container, script)}${PREFIX}${id}/`;
    const at = (i: number) => {
      argument.inRange(i, dataset.length, "samples", dataset.name);
      return `${base}${i}`;
    };
    const close = () => {
      if (entries.get(id) === entry) entries.delete(id);
    };
    return {
      id,
      url: (i) => `${at(i)}.${dataset.info(i).extension}`,
      recordUrl: (i) => `${at(i)}.json`,
      thumbnailUrl: (i, options = {}) => {
        known(argument.options(options, "which thumbnail"), NAMES.thumbnailUrl, "thumbnailUrl");
        const { size, box } = options;
        return `${at(i)}/thumb${searchOf({ size, box })}`;
      },
      tensorUrl(i, options) {
        known(argument.options(options, "which tensor"), NAMES.tensorUrl, "tensorUrl");
        argument.list(options.size, "a tensor's size");
        return `${at(i)}/tensor${searchOf(options)}`;
      },
      close,
      [Symbol.dispose]: close,
    };
  } catch (e) {
    entries.delete(id);
    throw e;
  }
}

/** A name for what is in the file: the same tomorrow where the source knows that. */
async function tagOf(dataset: Dataset): Promise<string> {
  const { source } = dataset as { source?: { identity?: string } };
  const identity = source?.identity ?? crypto.randomUUID();
  const said = new TextEncoder().encode(`${identity} ${dataset.byteLength}`);
  return Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", said)).slice(0, 8), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

function containerOf(): ServiceWorkerContainer {
  const container = globalThis.navigator?.serviceWorker;
  if (container) return container;
  if (typeof document === "undefined") throw unavailable("only pages are served by service workers");
  throw unavailable(
    globalThis.isSecureContext
      ? "this browser has no service workers, or none in private windows"
      : "service workers need an address with https:, or localhost",
  );
}

/** Has the worker serve this page; its scope. */
async function connect(container: ServiceWorkerContainer, script: string | URL | undefined): Promise<string> {
  const registration = await (script === undefined ? container.getRegistration() : container.register(script)).catch(
    (e: Error) => {
      throw unavailable(`the service worker cannot be registered: ${e.message}`);
    },
  );
  if (!registration)
    throw unavailable(
      'no service worker is registered for this page: navigator.serviceWorker.register("/forebay-sw.js")',
    );
  const worker = await timely(container.ready, "the service worker does not start").then(({ active }) => active!);
  const { port1, port2 } = new MessageChannel();
  const heard = new Promise((resolve) => (port1.onmessage = resolve));
  worker.postMessage({ forebay: "hello" } satisfies Hello, [port2]);
  await timely(
    heard,
    "the service worker of this page knows no samples: it has to be, or to import, forebay-sw.js",
  ).finally(() => port1.close());
  if (!container.controller) {
    const controlled = new Promise((resolve) =>
      container.addEventListener("controllerchange", resolve, { once: true }),
    );
    await timely(controlled, "the service worker does not take over this page");
  }
  return registration.scope;
}

/** Waits, but not for ever. */
async function timely<T>(promise: Promise<T>, otherwise: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(otherwise)), PATIENCE);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function listen(container: ServiceWorkerContainer): void {
  if (listening) return;
  listening = true;
  container.addEventListener("message", ({ data, ports: [port] }: MessageEvent<ToPage>) => {
    if (!port || typeof data !== "object" || data === null) return;
    if (data.forebay === "who") port.postMessage(entries.has(data.id));
    else if (data.forebay === "get") void serve(port, entries.get(data.id), data.asked);
  });
  container.startMessages();
}

async function serve(port: MessagePort, entry: Entry | undefined, asked: Asked): Promise<void> {
  port.postMessage({ taken: entry !== undefined } satisfies Taken);
  if (!entry) return;
  const stopped = new AbortController();
  let pulled: () => void = () => {};
  let pulls = 0;
  port.onmessage = ({ data }: MessageEvent<Pull>) => {
    if (data === "stop") stopped.abort();
    else pulls++;
    pulled();
  };
  try {
    const { status, headers, body } = await answer(entry.served, entry.tag, asked, stopped.signal);
    const pieces = isPieces(body);
    port.postMessage({ status, headers, body: pieces ? "pieces" : (body as Blob | null) } satisfies Head);
    if (!pieces) return;
    for (let at = body.start; ; ) {
      while (pulls === 0 && !stopped.signal.aborted) await new Promise<void>((resolve) => (pulled = resolve));
      if (stopped.signal.aborted) return;
      pulls--;
      const end = Math.min(body.end, at + PIECE);
      const piece = end > at ? ((await body.read(at, end)).slice() as Uint8Array<ArrayBuffer>) : null;
      port.postMessage({ piece } satisfies Piece, piece ? [piece.buffer] : []);
      if (!piece) return;
      at = end;
    }
  } catch (e) {
    // Nobody waits for it, or it failed in the middle.
    port.postMessage({ piece: null, failed: (e as Error).message } satisfies Piece);
  }
}

const isPieces = (body: Answer["body"]): body is Pieces => body !== null && "read" in body;
