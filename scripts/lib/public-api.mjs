// What `cargo public-api` lists, counted.

const ITEM =
  /^pub (?:(?:const|unsafe|async) )*(?:fn|struct|enum|union|trait|type|const|static|macro!?|use|proc macro) (.+)/;
const withoutGenerics = (text) => {
  let depth = 0;
  return [...text.replaceAll('->', '  ')]
    .filter((c) => {
      if (c === '<') depth++;
      if (c === '>') return depth-- === 0;
      return depth === 0;
    })
    .join('');
};

/**
 * The items of a list: types, traits, functions, methods, constants and macros, each once. Neither modules, fields
 * and variants nor what implements a trait for a type is one, and what has two names is one under the longer.
 */
export function items(list) {
  const found = new Set();
  let implementer = null;
  for (const line of list.split('\n').map((line) => line.replace(/^(#\[[^\]]*\] )+/, ''))) {
    if (/^(unsafe )?impl\b/.test(line)) {
      implementer = /.* for &*(?:'\w+ )?(?:mut )?([\w:]+)/.exec(withoutGenerics(line))?.[1] ?? null;
      continue;
    }
    const path = /^&*[\w:]+/.exec(withoutGenerics(ITEM.exec(line)?.[1] ?? '').trim())?.[0].replace(/:+$/, '');
    if (!path || (implementer && path.startsWith(`${implementer}::`))) continue;
    if (/^pub (struct|enum|union|trait) /.test(line)) implementer = null;
    // An implementation for a type of another crate.
    if (found.size > 0 && path.split('::')[0] !== [...found][0].split('::')[0]) continue;
    found.add(path);
  }
  // What stands in the root is there by its second name, if a module has it too.
  const name = (path) => /::([A-Z].*)/.exec(path)?.[1];
  const inModules = new Set([...found].filter((path) => /^\w+::[a-z]/.test(path)).map(name));
  return [...found].filter((path) => /^\w+::[a-z]/.test(path) || !inModules.has(name(path)));
}

/** The code of examples: in the documentation of Rust files, and all of the files that are examples themselves. */
export function exampleCode(text) {
  const lines = [];
  let open = false;
  for (const line of text.split('\n')) {
    const doc = /^\s*\/\/[/!] ?(.*)/.exec(line)?.[1];
    if (doc === undefined) open = false;
    else if (doc.startsWith('```')) open = !open && /^```(rust|no_run|should_panic|,)*$/.test(doc);
    else if (open) lines.push(doc);
  }
  return lines.join('\n');
}

/** Those items of a list that no example names. */
export function unshown(list, code) {
  const words = new Set(code.match(/\w+/g));
  return items(list).filter((path) => !words.has(path.split('::').at(-1)));
}
