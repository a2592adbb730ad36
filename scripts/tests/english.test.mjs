// The check of English finds what it lists, where it stands, and leaves code alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsIn } from '../check-english.mjs';

const found = (file, text) => wordsIn(file, text).map((line) => line.replace(/^[^:]*:/, ''));

test('words of the list are found with their lines', () => {
  assert.deepEqual(found('a.md', 'Fine.\n\nThe colour is normalised.\nThis is no table.'), [
    '3: "colour": color',
    '3: "normalised": the spelling with z',
    '4: "is no": is not a',
  ]);
});

test('a condition is if, a place is where', () => {
  assert.equal(found('a.md', 'Text is read only where it is asked for.').length, 1);
  assert.equal(found('a.md', 'Where there are none, it is 0.').length, 1);
  assert.deepEqual(
    found('a.md', 'The text is cut where rows end. It says where it is. If there is no index, it is longer.'),
    [],
  );
});

test('code, addresses and what a program wrote are not text', () => {
  const text =
    'A `colour`, [a link](colour.md).\n```sh\ncolour\n```\n<!-- codes: made by a test -->\ncolour\n<!-- end of codes -->\n';
  assert.deepEqual(found('a.md', text), []);
  assert.deepEqual(found('a.md', '# Numbers\n\nMade by `npm run bench`.\n\ncolour'), []);
});

test('of a program comments and texts are looked at', () => {
  const program = 'let colour = 1; // the colour\n/// This is no table.\nerror("this is no table");\n';
  assert.deepEqual(found('a.rs', program), ['1: "colour": color', '2: "is no": is not a', '3: "is no": is not a']);
});

test('of scripts and of the page all of the text is looked at, with quotes or without', () => {
  assert.deepEqual(found('a.ts', 'html`<p>That is no file</p>`;\n// a `colour`\nsay(`is no ${file}`);'), [
    '1: "is no": is not a',
    '3: "is no": is not a',
  ]);
  assert.deepEqual(found('a.ts', '<dialog aria-labelledby="title">'), []);
});
