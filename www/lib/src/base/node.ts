/** What Node has and browsers do not. */
interface NodeProcess {
  versions?: { node?: string };
  getBuiltinModule?(name: string): unknown;
}

const nodeProcess = (globalThis as { process?: NodeProcess }).process;

/** Whether this is Node: what a bundler for browsers sees of it is this check alone. */
export const isNode = nodeProcess?.versions?.node !== undefined && typeof nodeProcess.getBuiltinModule === "function";

/** A module of Node's own, without an import that a bundler would follow. */
export function builtin<T>(name: string): T {
  return nodeProcess!.getBuiltinModule!(name) as T;
}
