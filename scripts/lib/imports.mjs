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

/** The first names of all paths that begin with `crate::`. What a test imports does not count, nor what a comment says. */
export function rustImports(text) {
  const code = text.replace(/#\[cfg\(test\)\]\s*(pub(\([^)]*\))? )?mod \w+ \{[\s\S]*$/, '').replace(/\/\/.*$/gm, '');
  const names = new Set();
  for (const found of code.matchAll(/\bcrate::(\{|\w+)/g)) {
    const parts = found[1] === '{' ? listed(code, found.index + found[0].length) : [found[1]];
    for (const part of parts) names.add(/^\w+/.exec(part)?.[0] ?? part);
  }
  return [...names];
}

/** For each name that a crate's root hands on with `pub use`, the module that it comes from. */
export function reexports(root) {
  const from = new Map();
  for (const [, path, list] of root
    .replace(/\/\/.*$/gm, '')
    .matchAll(/\buse (?:crate::|self::)?(\w+)::(\{[^}]*\}|\w+)/g)) {
    for (const name of list.replace(/[{}]/g, '').split(',')) from.set(name.trim(), path);
  }
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
