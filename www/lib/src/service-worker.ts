/**
 * The service worker `forebay-sw.js`: addresses of samples, which the pages of the site answer. A site with a service worker of its
 * own loads it there with `importScripts`. Requests for anything else are left alone.
 */
import type { Hello } from "./serving/protocol.js";
import { Responder, placeOf, type Scope } from "./serving/respond.js";

/** What the types of pages do not know. */
interface Event {
  waitUntil(promise: Promise<unknown>): void;
}
interface FetchEvent extends Event {
  readonly request: Request;
  readonly clientId: string;
  readonly resultingClientId: string;
  respondWith(response: Promise<Response>): void;
}
interface MessageFrom extends Event {
  readonly data: unknown;
  readonly source: { readonly id?: string } | null;
  readonly ports: readonly MessagePort[];
}
interface Worker extends Scope {
  readonly clients: Scope["clients"] & { claim(): Promise<void> };
  addEventListener(type: "fetch", heard: (event: FetchEvent) => void): void;
  addEventListener(type: "message", heard: (event: MessageFrom) => void): void;
}

const worker = globalThis as unknown as Worker;
const responder = new Responder(worker);

worker.addEventListener("fetch", (event) => {
  const place = placeOf(event.request.url, worker.registration.scope);
  if (place) event.respondWith(responder.respond(place, event.request, event.clientId));
});
worker.addEventListener("message", (event) => {
  const said = event.data as Partial<Hello> | null;
  const [port] = event.ports;
  if (said?.forebay !== "hello" || !port) return;
  // It has samples now that it may have had from another page before.
  if (event.source?.id !== undefined) responder.forget(event.source.id);
  // A page that was there before the worker, or that was loaded past it, is served too.
  event.waitUntil(worker.clients.claim().then(() => port.postMessage(true)));
});
