import { hostError } from "../model/errors.js";
import { COLUMNS } from "../base/build.js";
import { urls } from "./module-urls.js";
import type { Operation } from "../worker/kernel.js";
import { builtin, isNode } from "../base/node.js";
import type { ModuleName, RuntimeOptions } from "../model/index.js";

/** The module that an operation needs which begins something new; what has begun is in a module already. */
export function moduleFor(operation: Operation, args: readonly unknown[]): ModuleName | null {
  switch (operation) {
    case "opener":
      return args[4] as ModuleName;
    case "parseFilter":
      return "forebay";
    case "tableOpener":
    case "tableCheck":
      return args[4] as ModuleName;
    case "textConvert":
      return args[5] as ModuleName;
    case "textCheck":
      return "tables";
    case "labelReader":
    case "labelsDetect":
    case "labelsMatch":
    case "labelsOf":
    case "labelsOfDocument":
    case "readProject":
      return "labels";
    case "warehouseManifest":
    case "warehouseDrift":
      return "samples";
    case "look":
    case "duplicateGroups":
    case "findOutliers":
    case "divideUnits":
    case "tensor":
      return "pixels";
    default:
      return null;
  }
}

/** By address: a quick build has one file for all of them. */
const compiled = new Map<string, Promise<WebAssembly.Module>>();

/** Forgets what was compiled, since it may come from somewhere else now. */
export function forgetModules(): void {
  compiled.clear();
}

/** A compiled module, fetched once however many workers share it. */
export function moduleOf(name: ModuleName, options: RuntimeOptions): Promise<WebAssembly.Module> {
  const given = name === "forebay" ? (options.wasmModule ?? options.wasmModules?.forebay) : options.wasmModules?.[name];
  if (given) return Promise.resolve(given);
  if (name === "columns" && !COLUMNS) {
    const message = "this lean build of npm start has no Parquet and Arrow; npm run build makes one that has them";
    return Promise.reject(hostError("runtime.load", message));
  }
  const url = urlOf(name, options);
  let one = compiled.get(url.href);
  if (!one) {
    one = load(url);
    compiled.set(url.href, one);
    // A later call tries again.
    one.catch(() => compiled.delete(url.href));
  }
  return one;
}

function urlOf(name: ModuleName, { wasmUrl, wasmUrls }: RuntimeOptions): URL {
  const page = globalThis.location?.href;
  const own = wasmUrls?.[name] ?? (name === "forebay" ? wasmUrl : undefined);
  if (own !== undefined) return new URL(own, page);
  // If one was moved, the others lie beside it.
  if (wasmUrl !== undefined) return new URL(urls[name]().pathname.replace(/^.*\//, ""), new URL(wasmUrl, page));
  return urls[name]();
}

/**
 * The file of the installed package, if a bundler for servers gave it an address that only browsers can use, such as
 * "/_next/static/media/forebay.0a1b2c3d.wasm".
 */
function installed(url: URL): string {
  const name = /([a-z]+)[^/]*\.wasm$/.exec(String(url))?.[1];
  if (name === undefined || !(name in urls)) throw new Error("its address does not lead to a file");
  const { createRequire } = builtin<typeof import("node:module")>("node:module");
  const { cwd } = (globalThis as unknown as { process: { cwd(): string } }).process;
  try {
    return createRequire(`${cwd()}/`).resolve(`forebay/${name}.wasm`);
  } catch (e) {
    throw new Error(
      'a bundler took the package apart; tell it to leave "forebay" outside (Next.js: serverExternalPackages: ["forebay"])',
      { cause: e },
    );
  }
}

async function load(url: URL): Promise<WebAssembly.Module> {
  try {
    if (isNode && url.protocol !== "http:" && url.protocol !== "https:") {
      const path = url.protocol === "file:" ? url : installed(url);
      return await WebAssembly.compile(
        new Uint8Array(await builtin<typeof import("node:fs/promises")>("node:fs/promises").readFile(path)),
      );
    }
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    // Servers that do not know the type of .wasm are common.
    if (response.headers.get("content-type")?.startsWith("application/wasm"))
      return await WebAssembly.compileStreaming(response);
    return await compile(await response.arrayBuffer());
  } catch (e) {
    const where = "say where the package's files are: configure({ wasmUrl, workerUrl })";
    throw hostError(
      "runtime.load",
      `the WebAssembly file ${url} cannot be loaded: ${(e as Error).message}; ${where}`,
      {},
      e,
    );
  }
}

/** What a server sent in place of a module is told by what it is: many send their page for whatever they do not have. */
async function compile(bytes: ArrayBuffer): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (e) {
    if (new TextDecoder().decode(bytes.slice(0, 512)).trimStart().startsWith("<"))
      throw new Error("the server sent a web page for it");
    throw e;
  }
}
