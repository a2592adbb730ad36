// The check of English finds what it lists, where it stands, and leaves code alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsIn } from '../check-english.mjs';

const found = (file, text) => wordsIn(file, text).map((line) => line.replace(/^[^:]*:/, ''));

test('words of the list are found with their lines', () => {
  assert.deepEqual(found('a.md', 'Fine.\n\nThe colour is normalised.\nThis is at hand.'), [
    '3: "colour": color',
    '3: "normalised": the spelling with z',
    '4: "at hand": in memory, available, installed',
  ]);
});

test('code, addresses and what a program wrote are not text', () => {
  const text =
    'A `colour`, [a link](colour.md).\n```sh\ncolour\n```\n<!-- codes: made by a test -->\ncolour\n<!-- end of codes -->\n';
  assert.deepEqual(found('a.md', text), []);
  assert.deepEqual(found('a.md', '# Numbers\n\nMade by `npm run bench`.\n\ncolour'), []);
});

test('of a program comments and texts are looked at', () => {
  const program = 'let colour = 1; // the colour\n/// This is at hand.\nerror("this is at hand");\n';
  assert.deepEqual(found('a.rs', program), [
    '1: "colour": color',
    '2: "at hand": in memory, available, installed',
    '3: "at hand": in memory, available, installed',
  ]);
});

test('of scripts and of the page all of the text is looked at, with quotes or without', () => {
  assert.deepEqual(found('a.ts', 'html`<p>That is at hand</p>`;\n// a `colour`\nsay(`it is at hand`);'), [
    '1: "at hand": in memory, available, installed',
    '3: "at hand": in memory, available, installed',
  ]);
  assert.deepEqual(found('a.ts', '<dialog aria-labelledby="title">'), []);
});
