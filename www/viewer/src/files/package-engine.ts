/** The package as the viewer's engine, fetched when it is first needed. */
import type { Engine } from "./engine.ts";

type Package = typeof import("forebay");
let loaded: Promise<Package> | undefined;

/** The package; a later call tries again where it could not be fetched. */
function load(): Promise<Package> {
  loaded ??= import("forebay").catch((e: unknown) => {
    loaded = undefined;
    throw e;
  });
  return loaded;
}

/** What a drop holds is gone when it was handled: it is taken out of it at once. */
function held(data: DataTransfer): DataTransfer {
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry());
  return { items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })) } as unknown as DataTransfer;
}

export const packageEngine: Engine = {
  open: async (...given) => (await load()).open(...given),
  check: async (...given) => (await load()).check(...given),
  convert: (async (...given: Parameters<Engine["convert"]>) => (await load()).convert(...given)) as Engine["convert"],
  droppedFiles: async (data) => {
    const files = held(data);
    return (await load()).droppedFiles(files);
  },
  writeThumbs: async (...given) => (await load()).writeThumbs(...given),
  diff: async (...given) => (await load()).diff(...given),
  labels: {
    read: async (...given) => (await load()).readLabels(...given),
    match: async (...given) => (await load()).matchLabels(...given),
    project: async (...given) => (await load()).readProject(...given),
    of: async (...given) => (await load()).labelsOf(...given),
    write: async (...given) => (await load()).writeLabels(...given),
    export: async (...given) => (await load()).exportLabels(...given),
  },
};
