// Imports: what is read from the text of sources, and that an import that goes up or in a circle is seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circles, climbs, reexports, rustGraph, rustImports, scriptImports } from '../lib/imports.mjs';

test('paths from the root of a crate are found, nested ones too, and none of tests and comments', () => {
  const text = `//! See crate::docs.
use crate::{
    error::{Error, codes::{A, B}},
    step::Step,
    Limits,
};
fn f() { crate::table::make() } // crate::remark
#[cfg(test)]
mod tests { use crate::helper; }`;
  assert.deepEqual(rustImports(text), ['error', 'step', 'Limits', 'table']);
  assert.deepEqual(
    [...reexports('pub use limits::Limits;\npub use step::{Step, Turn};')],
    [
      ['Limits', 'limits'],
      ['Step', 'step'],
      ['Turn', 'step'],
    ],
  );
});

test('files of Rust that import each other are a circle, whatever the paths are called by', () => {
  const found = (files) => circles(rustGraph(new Map(Object.entries(files))));
  assert.deepEqual(found({ 'a.rs': 'use super::b::B;', 'b.rs': 'use crate::{c::C};', 'c.rs': 'use super::b::D;' }), [
    'b.rs <-> c.rs',
  ]);
  // A name that a module hands on is of the file that it comes from.
  const root = 'mod a;\nmod b;\npub use a::A;\npub(crate) use b::{B as Better, C};\npub use other::Theirs;';
  assert.deepEqual(
    found({ 'x/mod.rs': root, 'x/a.rs': 'use super::Better;', 'x/b.rs': 'use super::{Theirs, y::Y};' }),
    [],
  );
  assert.deepEqual(
    found({ 'x/mod.rs': root, 'x/a.rs': 'use super::Better;', 'x/b.rs': 'fn f() { super::A::new() }' }),
    ['x/a.rs <-> x/b.rs'],
  );
  // A module that uses its file, which uses what stands in the module.
  assert.deepEqual(found({ 'x/mod.rs': 'mod a;\nuse a::A;\nstruct S;', 'x/a.rs': 'use super::S;' }), [
    'x/a.rs <-> x/mod.rs',
  ]);
  // What only a test uses, and who may see something, is no import.
  const quiet = 'pub(in crate::b) struct B;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}';
  assert.deepEqual(found({ 'a.rs': quiet, 'b.rs': 'use super::a::A; // use super::b' }), []);
});

test('imports of TypeScript are found by their files, types too', () => {
  const text = `import { a } from "./a.js";
import type { B } from '../b/c.js';
export * from "./d.js"; // from "./e.js" was here
const lazy = () => import("./f.js");
import "node:fs";`;
  assert.deepEqual(scriptImports('x/y/z.ts', text).slice(0, 3), ['x/y/a.ts', 'x/b/c.ts', 'x/y/d.ts']);
  assert.ok(scriptImports('x/y/z.ts', text).includes('x/y/f.ts'));
});

test('an import that goes up or sideways is a fault, and so is a module without a floor', () => {
  const floors = ['low other', 'high'];
  const imports = (entries) => new Map(Object.entries({ low: [], other: [], high: [], ...entries }));
  const to = (name) => [{ to: name, file: 'f.rs' }];
  assert.deepEqual(climbs(floors, imports({ high: to('low'), low: to('low') })), []);
  assert.match(climbs(floors, imports({ low: to('high') }))[0], /low imports high/);
  assert.match(climbs(floors, imports({ low: to('other') }))[0], /low imports other/);
  assert.match(climbs(floors, imports({ fresh: [] }))[0], /fresh is on no floor/);
  assert.match(climbs(['low other', 'high', 'gone'], imports({}))[0], /no module gone/);
  assert.match(climbs(floors, imports({ low: to('helper') }))[0], /helper is not a module/);
});

test('circles are found however long, and none where there is none', () => {
  const graph = (entries) => new Map(Object.entries(entries));
  assert.deepEqual(circles(graph({ a: ['b'], b: ['c'], c: [] })), []);
  assert.deepEqual(circles(graph({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] })), ['a <-> b <-> c']);
  assert.deepEqual(circles(graph({ a: ['a'] })), ['a']);
});
