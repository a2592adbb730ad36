/**
 * The viewer in notebooks: a widget as anywidget wants it. Bytes of the dataset, and the parts of the package that lie beside
 * this file, come from the kernel in messages of the widget, so that it works wherever the notebook does.
 */
import type { ModuleName, Source } from "forebay";
import type { ForebayViewerElement } from "./public/element.ts";

/** What anywidget gives. */
interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: object): void;
  on(event: string, listener: (...given: never[]) => void): void;
  off(event: string, listener: (...given: never[]) => void): void;
}
interface Answer {
  readonly id: string;
  readonly error?: string;
}
type Ask = (question: object) => Promise<Uint8Array<ArrayBuffer>>;

/** Properties that the kernel and the page both change, */
const BOTH = ["filter", "selected", "view", "theme"] as const;
/** and those that only the kernel does. */
const KERNEL = ["editable", "hide"] as const;
/** All modules of the package, none forgotten. Each crosses from the kernel when it is first needed, so none costs before. */
const MODULES: Readonly<Record<ModuleName, true>> = {
  forebay: true,
  samples: true,
  labels: true,
  tables: true,
  columns: true,
  pixels: true,
  threads: true,
};

/** Asks the kernel of a widget. */
function asking(model: Model): { ask: Ask; end: () => void } {
  const open = new Map<string, { done: (bytes: Uint8Array<ArrayBuffer>) => void; failed: (e: Error) => void }>();
  let ended = false;
  const over = (): Error => new Error("the widget was closed");
  const hear = ({ id, error }: Answer, buffers: DataView<ArrayBuffer>[]): void => {
    const one = open.get(id);
    open.delete(id);
    const [bytes] = buffers;
    if (bytes && error === undefined) one?.done(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    else one?.failed(new Error(error ?? "the kernel gave no bytes"));
  };
  model.on("msg:custom", hear as never);
  return {
    ask: (question) =>
      new Promise((done, failed) => {
        if (ended) return failed(over());
        // Other pages hear the same kernel. Notebooks come over plain HTTP too, and then there is no `randomUUID`.
        const id = crypto.getRandomValues(new Uint32Array(4)).join("-");
        open.set(id, { done, failed });
        model.send({ ...question, id });
      }),
    end() {
      ended = true;
      model.off("msg:custom", hear as never);
      for (const { failed } of open.values()) failed(over());
      open.clear();
    },
  };
}

/** One element for all widgets of a page, each of which brings a copy of this file; whoever is there is asked for its parts. */
interface Shared {
  /** Those of the widgets that are on the page, the newest last. */
  readonly asks: Set<Ask>;
  ready?: Promise<void>;
}
const SHARED = Symbol.for("forebay-viewer 2");

/** Asks whoever is there; who is closed meanwhile is asked no more. */
async function asset(asks: ReadonlySet<Ask>, name: string): Promise<Uint8Array<ArrayBuffer>> {
  for (;;) {
    const ask = [...asks].at(-1);
    if (!ask) throw new Error("no widget is there any more that could be asked");
    try {
      return await ask({ kind: "asset", name });
    } catch (e) {
      if (asks.has(ask)) throw e;
    }
  }
}

async function define({ asks }: Shared): Promise<void> {
  if (customElements.get("forebay-viewer")) return;
  const [{ configure }, worker] = await Promise.all([import("forebay"), asset(asks, "worker.js")]);
  const modules: Partial<Record<ModuleName, WebAssembly.Module>> = {};
  for (const name of Object.keys(MODULES) as ModuleName[]) {
    let coming: Promise<WebAssembly.Module> | undefined;
    // Fetched when it is looked for; who looks waits for what it finds.
    const get = (): Promise<WebAssembly.Module> =>
      (coming ??= asset(asks, `${name}.wasm`)
        .then((bytes) => WebAssembly.compile(bytes))
        .catch((e: unknown) => {
          // Who looks for it later tries again.
          coming = undefined;
          throw e;
        }));
    Object.defineProperty(modules, name, { get, enumerable: true });
  }
  configure({
    workerUrl: URL.createObjectURL(new Blob([worker], { type: "text/javascript" })),
    wasmModules: modules,
    threads: 0,
  });
  await import("./index.ts");
}

const areSame = (some: readonly number[], others: readonly number[]): boolean =>
  some.length === others.length && some.every((i, k) => i === others[k]);

async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  const { ask, end: close } = asking(model);
  const all = globalThis as { [SHARED]?: Shared };
  const shared = (all[SHARED] ??= { asks: new Set() });
  shared.asks.add(ask);
  const end = (): void => {
    shared.asks.delete(ask);
    close();
  };
  const ready = (shared.ready ??= define(shared));
  try {
    await ready;
  } catch (e) {
    // The kernel was busy, or ended: the next widget tries again.
    if (shared.ready === ready) delete shared.ready;
    end();
    throw e;
  }
  const viewer: ForebayViewerElement = document.createElement("forebay-viewer");
  const given = (): void => {
    for (const name of [...BOTH, ...KERNEL]) Object.assign(viewer, { [name]: model.get(name) });
    viewer.style.height = `${model.get("height")}px`;
  };
  given();
  const source: Source = {
    byteLength: Number(model.get("_bytes")),
    name: String(model.get("_name")),
    read: (start, end) => ask({ kind: "read", start, end }),
  };
  viewer.dataProvider = source;
  const pickedIn = (): readonly number[] => (model.get("picked") as number[] | undefined) ?? [];
  const told = (): void => {
    const other = BOTH.filter((name) => model.get(name) !== viewer[name]);
    for (const name of other) model.set(name, viewer[name]);
    const { picked } = viewer;
    const same = areSame(picked, pickedIn());
    if (!same) model.set("picked", picked);
    if (other.length > 0 || !same) model.save_changes();
  };
  // Of how samples are shown, and in which colors, no event tells.
  for (const type of ["select", "filter", "click", "keyup"]) viewer.addEventListener(type, told);
  const pick = (): void => {
    if (viewer.opened && !areSame(viewer.picked, pickedIn())) viewer.picked = pickedIn();
  };
  // What is picked are samples, which are known once they are open.
  viewer.addEventListener("open", pick);
  model.on("change:picked", pick);
  const changes = [...BOTH, ...KERNEL, "height"].map((name) => `change:${name}`);
  for (const change of changes) model.on(change, given);
  el.append(viewer);
  return () => {
    for (const change of changes) model.off(change, given);
    model.off("change:picked", pick);
    viewer.remove();
    end();
  };
}

export default { render };
