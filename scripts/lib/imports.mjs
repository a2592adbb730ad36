// Which module imports which, read from the text of the sources: enough to see an import that runs upward or in a circle.
import { posix } from 'node:path';

/** The parts of `{a, b::{c, d}}` behind its first brace, and where it ends. */
function listed(text, from) {
  const parts = [];
  let depth = 1;
  let start = from;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '{') depth++;
    if (text[i] === '}') depth--;
    if (depth === 0 || (depth === 1 && text[i] === ',')) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
    if (depth === 0) return parts.filter(Boolean);
  }
  return parts;
}

const rustCode = (text) =>
  text.replace(/#\[cfg\(test\)\]\s*(pub(\([^)]*\))? )?mod \w+ \{[\s\S]*$/, '').replace(/\/\/.*$/gm, '');

/** The first names of all paths that begin with `crate::`. What a test imports does not count, nor what a comment says. */
export function rustImports(text) {
  const code = rustCode(text);
  const names = new Set();
  for (const found of code.matchAll(/\bcrate::(\{|\w+)/g)) {
    const parts = found[1] === '{' ? listed(code, found.index + found[0].length) : [found[1]];
    for (const part of parts) names.add(/^\w+/.exec(part)?.[0] ?? part);
  }
  return [...names];
}

/** The paths of `a::{b, c::d as e}`, each with the name that it has here. */
function branches(tree, before = []) {
  const open = tree.indexOf('{');
  const words = (text) =>
    text
      .split('::')
      .map((word) => word.trim())
      .filter(Boolean);
  if (open < 0) {
    const [path, as] = tree.split(/\s+as\s+/);
    const whole = [...before, ...words(path)].filter((word, i) => i === 0 || word !== 'self');
    return [{ path: whole, name: as?.trim() ?? whole.at(-1) }];
  }
  const prefix = [...before, ...words(tree.slice(0, open))];
  return listed(tree, open + 1).flatMap((part) => branches(part, prefix));
}

/**
 * Which file of a crate uses which, from the texts of its files by their paths below the root. A name that a module hands on is of
 * the file that it comes from, or of none if that is another crate; a module that only declares and hands on others uses none of them.
 */
export function rustGraph(texts) {
  const key = (path) => path.join('::');
  const modules = new Map();
  for (const [file, text] of texts) {
    const path = file.replace(/\.rs$/, '').split('/');
    if (['mod', 'lib', 'main'].includes(path.at(-1))) path.pop();
    const code = rustCode(text);
    const uses = [];
    const body = code
      .replace(/\(in [\w:]+\)/g, '')
      .replace(/(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);/g, (_, handed, tree) => {
        uses.push(...branches(tree).map((one) => ({ ...one, handed: Boolean(handed) })));
        return '';
      });
    for (const [found] of body.matchAll(/\b(?:crate|super|self)(?:::\w+)+/g))
      uses.push({ path: found.split('::'), name: '', handed: false });
    modules.set(key(path), { file, path, uses });
  }
  /** The path from the root, of a path that is written in a module. */
  const absolute = (from, [first, ...rest]) => {
    if (first === 'crate') return rest;
    if (first === 'self') return [...from, ...rest];
    if (first === 'super') return absolute(from.slice(0, -1), rest[0] === 'super' ? rest : ['self', ...rest]);
    return modules.has(key([...from, first])) ? [...from, first, ...rest] : null;
  };
  const origin = (path, seen = new Set()) => {
    if (path === null || seen.has(key(path))) return null;
    seen.add(key(path));
    for (let n = path.length; n >= 0; n--) {
      const found = modules.get(key(path.slice(0, n)));
      if (!found) continue;
      const handed = found.uses.find((one) => one.handed && one.name === path[n]);
      if (!handed) return found.file;
      const to = absolute(found.path, handed.path);
      return to === null ? '' : (origin([...to, ...path.slice(n + 1)], seen) ?? found.file);
    }
    return null;
  };
  const graph = new Map();
  for (const { file, path, uses } of modules.values()) {
    const found = uses.filter(({ handed }) => !handed).map((one) => origin(absolute(path, one.path)));
    graph.set(
      file,
      [...new Set(found)].filter((to) => to && to !== file),
    );
  }
  return graph;
}

/** For each name that a crate's root hands on with `pub use`, the module that it comes from. */
export function reexports(root) {
  const from = new Map();
  for (const [, path, list] of root
    .replace(/\/\/.*$/gm, '')
    .matchAll(/\buse (?:crate::|self::)?(\w+)::(\{[^}]*\}|\w+)/g)) {
    for (const name of list.replace(/[{}]/g, '').split(',')) from.set(name.trim(), path);
  }
  for (const [, crate, name] of root.matchAll(/\buse (\w+) as (\w+);/g)) from.set(name, crate);
  return from;
}

/** The files that a TypeScript file imports by a relative path, types included. */
export function scriptImports(file, text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/ .*$/gm, '');
  const found = code.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g);
  return [...found].map(([, path]) => posix.join(posix.dirname(file), path).replace(/\.js$/, '.ts'));
}

/** The circles of a graph (name to names), each as the sorted names that reach one another. */
export function circles(graph) {
  const reach = new Map();
  for (const from of graph.keys()) {
    const seen = new Set();
    const waiting = [...(graph.get(from) ?? [])];
    while (waiting.length) {
      const next = waiting.pop();
      if (!graph.has(next) || seen.has(next)) continue;
      seen.add(next);
      waiting.push(...graph.get(next));
    }
    reach.set(from, seen);
  }
  const found = new Set();
  for (const [name, seen] of reach) {
    if (seen.has(name))
      found.add(
        [...seen]
          .filter((other) => reach.get(other).has(name))
          .sort()
          .join(' <-> '),
      );
  }
  return [...found].sort();
}

/**
 * The faults of one crate. `floors` are from the ground up, each the names of its modules; `imports` are of each module the
 * names that it imports, with the file.
 */
export function climbs(floors, imports) {
  const level = new Map(floors.flatMap((names, i) => names.split(' ').map((name) => [name, i])));
  const faults = [];
  for (const name of imports.keys()) if (!level.has(name)) faults.push(`the module ${name} is on no floor`);
  for (const name of level.keys())
    if (!imports.has(name)) faults.push(`there is no module ${name}, but a floor for it`);
  for (const [name, found] of imports) {
    for (const { to, file } of found) {
      if (to === name || level.get(to) < level.get(name)) continue;
      faults.push(
        level.has(to) ? `${file}: ${name} imports ${to}, which is not below it` : `${file}: ${to} is not a module`,
      );
    }
  }
  return faults;
}
