/** The service worker's side: which page has a dataset, and its answer as a response. */
import { PREFIX, type Asked, type Head, type Piece, type Pull, type Taken, type ToPage } from "./protocol.js";

/** Milliseconds in which a page says whether it has a dataset; one that is busy takes a while. */
const PATIENCE = 5000;
/** Milliseconds after which is looked whether a page that is waited for is still there. */
const LOOK = 2000;
/** Owners that are remembered. */
const MOST = 1000;

/** What of a service worker this needs. */
export interface Scope {
  readonly registration: { readonly scope: string };
  readonly clients: {
    get(id: string): Promise<Client | undefined>;
    matchAll(options: { includeUncontrolled: true; type: "all" }): Promise<readonly Client[]>;
  };
}

interface Client {
  readonly id: string;
  postMessage(message: ToPage, transfer: Transferable[]): void;
}

/** Where a sample lies: the name of its dataset, and what stands behind it. */
export function placeOf(address: string, scope: string): { id: string; path: string; search: string } | null {
  const base = scope + PREFIX;
  if (!address.startsWith(base)) return null;
  const url = new URL(address);
  const rest = url.pathname.slice(new URL(base).pathname.length);
  const slash = rest.indexOf("/");
  return slash < 1 ? null : { id: rest.slice(0, slash), path: rest.slice(slash + 1), search: url.search };
}

const refused = (status: number, reason: string): Response =>
  new Response(`${reason}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });

/** A port's messages, one after the other. */
class Inbox {
  readonly #came: unknown[] = [];
  #wake: () => void = () => {};

  constructor(readonly port: MessagePort) {
    port.onmessage = ({ data }) => {
      this.#came.push(data);
      this.#wake();
    };
  }

  /** The next; `undefined` once `gone` says, every so often, that nothing will come. */
  async next<T>(every: number, gone: () => Promise<boolean> | boolean): Promise<T | undefined> {
    while (this.#came.length === 0) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, every);
      });
      clearTimeout(timer);
      if (this.#came.length === 0 && (await gone())) return undefined;
    }
    return this.#came.shift() as T;
  }
}

/** Asks pages; what it remembers is gone whenever the browser ends it, and found out again. */
export class Responder {
  /** Which page has a dataset, by the page that asks. */
  readonly #owners = new Map<string, string>();

  constructor(readonly scope: Scope) {}

  async respond(
    place: { id: string; path: string; search: string },
    request: Request,
    asking: string,
  ): Promise<Response> {
    const asked: Asked = {
      path: place.path,
      search: place.search,
      method: request.method,
      range: request.headers.get("range"),
      ifRange: request.headers.get("if-range"),
      ifNoneMatch: request.headers.get("if-none-match"),
    };
    const key = `${asking} ${place.id}`;
    for (let tries = 0; tries < 2; tries++) {
      const owner = await this.#owner(key, place.id, asking);
      if (!owner)
        return refused(
          404,
          `no page of this site has samples under the name ${place.id}: registerSamples(dataset, { id })`,
        );
      const response = await this.#ask(owner, place.id, asked, request.signal);
      if (response) return response;
      // It has them no more, or is gone.
      this.#owners.delete(key);
    }
    return refused(504, `the page that has the samples ${place.id} does not answer`);
  }

  /** Forgets from whom a page had its samples. */
  forget(asking: string): void {
    for (const key of this.#owners.keys()) if (key.startsWith(`${asking} `)) this.#owners.delete(key);
  }

  async #owner(key: string, id: string, asking: string): Promise<Client | null> {
    const known = this.#owners.get(key);
    const still = known === undefined ? undefined : await this.scope.clients.get(known);
    if (still) return still;
    const owner = await this.#find(id, asking);
    if (this.#owners.size >= MOST) this.#owners.clear();
    if (owner) this.#owners.set(key, owner.id);
    return owner;
  }

  /** Asks all pages at once. The one that wants the sample is the best, if it has it itself. */
  async #find(id: string, asking: string): Promise<Client | null> {
    const clients = await this.scope.clients.matchAll({ includeUncontrolled: true, type: "all" });
    const has = (client: Client) =>
      new Promise<boolean>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        const end = (found: boolean) => {
          clearTimeout(timer);
          port1.close();
          resolve(found);
        };
        const timer = setTimeout(() => end(false), PATIENCE);
        port1.onmessage = ({ data }) => end(data === true);
        client.postMessage({ forebay: "who", id }, [port2]);
      });
    const answers = clients.map((client) => has(client).then((found) => (found ? client : null)));
    const own = clients.findIndex((client) => client.id === asking);
    if (own >= 0 && (await answers[own])) return clients[own]!;
    return Promise.any(
      answers.map((one) => one.then((client) => client ?? Promise.reject(new Error("not here")))),
    ).catch(() => null);
  }

  /** The page's answer; `null` where it has nothing under this name, or says nothing. */
  async #ask(client: Client, id: string, asked: Asked, signal: AbortSignal): Promise<Response | null> {
    const { port1, port2 } = new MessageChannel();
    const inbox = new Inbox(port1);
    const say = (what: Pull) => port1.postMessage(what);
    const stop = () => end("stop");
    // A port that is left open lives as long as its page, on both sides.
    const end = (what?: Pull) => {
      if (what) say(what);
      port1.close();
      signal.removeEventListener("abort", stop);
    };
    client.postMessage({ forebay: "get", id, asked }, [port2]);
    const taken = await inbox.next<Taken>(PATIENCE, () => true);
    if (!taken?.taken) {
      end();
      return null;
    }
    signal.addEventListener("abort", stop, { once: true });
    const gone = async () => signal.aborted || (await this.scope.clients.get(client.id)) === undefined;
    const head = await inbox.next<Head | Piece>(LOOK, gone);
    if (!head || "piece" in head || head.body !== "pieces") end();
    if (!head) return refused(502, `the page that has the samples ${id} was closed`);
    if ("piece" in head) return refused(500, head.failed ?? "the page failed");
    const headers = head.headers.map(([name, value]): [string, string] => [name, value]);
    if (head.body !== "pieces") return new Response(head.body, { status: head.status, headers });
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(to) {
          say("pull");
          const next = await inbox.next<Piece>(LOOK, gone);
          if (next?.piece) return to.enqueue(next.piece);
          end();
          if (!next || next.failed !== undefined) to.error(new Error(next?.failed ?? "the page was closed"));
          else to.close();
        },
        cancel: () => end("stop"),
      },
      { highWaterMark: 1 },
    );
    return new Response(body, { status: head.status, headers });
  }
}
