// What counts as an item of a crate's public surface.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleCode, items, unshown } from '../lib/public-api.mjs';

test('an item is a type, a trait, a function, a method, a constant or a macro, once', () => {
  const list = `pub mod a
pub use a::<<forebay::*>>
pub mod a::step
#[non_exhaustive] pub enum a::step::Step<T>
pub a::step::Step::Done(T)
impl<T> a::step::Step<T>
pub fn a::step::Step<T>::map<U>(self, impl core::ops::function::FnOnce(T) -> U) -> a::step::Step<U>
impl<T: core::cmp::PartialEq> core::convert::From<T> for a::step::Step<T>
pub fn a::step::Step<T>::from(T) -> Self
impl a::step::Field for alloc::vec::Vec<u8>
pub fn alloc::vec::Vec<u8>::width() -> usize
impl<R: a::step::Field> a::step::Field for &R
pub fn &R::width() -> usize
pub struct a::step::Pieces
pub a::step::Pieces::len: u64
impl a::step::Pieces
pub const a::step::Pieces::MOST: u64
pub const fn a::step::Pieces::len(&self) -> u64
pub trait a::step::Field
pub type a::step::Field::Output
pub fn a::step::Field::width() -> usize
pub fn a::step::drive(a::step::Pieces) -> u64
pub macro a::fields!
pub struct a::Pieces
pub a::Pieces::len: u64
impl a::step::Pieces
pub const fn a::step::Pieces::len(&self) -> u64`;
  assert.deepEqual(items(list).sort(), [
    'a::fields',
    'a::step::Field',
    'a::step::Field::Output',
    'a::step::Field::width',
    'a::step::Pieces',
    'a::step::Pieces::MOST',
    'a::step::Pieces::len',
    'a::step::Step',
    'a::step::Step::map',
    'a::step::drive',
  ]);
});

test('an item is shown if code of an example names it', () => {
  const text = `/// Says \`unseen\`.
///
/// \`\`\`
/// let a = a::made()?;
/// \`\`\`
/// \`\`\`text
/// unseen
/// \`\`\`
pub fn unseen() {}`;
  assert.equal(exampleCode(text), 'let a = a::made()?;');
  const list = 'pub mod a\npub fn a::b::made()\npub fn a::b::unseen()';
  assert.deepEqual(unshown(list, exampleCode(text)), ['a::b::unseen']);
});
