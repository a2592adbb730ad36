// The table of conformance counts what tests recorded, and a file that none did is a fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summedUp } from '../conformance.mjs';

const peers = [
  { folder: 'tar', program: 'GNU tar', format: 'TAR', asks: ['GNU tar', 'tarfile'] },
  { folder: 'tar/damaged', program: 'a script', format: 'TAR, damaged' },
];
const files = ['README.md', 'make/a.py', 'tar/a.tar', 'tar/a.json', 'tar/a.src.json', 'tar/b.tar', 'tar/damaged/c.tar'];
const read = (file) => ({ did: 'read', file });

test('files are counted once, in the innermost folder that is named, and twins are none', () => {
  const records = [
    ...['tar/a.tar', 'tar/a.tar', 'tar/b.tar', 'tar/gone.tar'].map(read),
    { did: 'written', file: 'tar/a.tar' },
    { did: 'refused', file: 'tar/damaged/c.tar' },
    { did: 'read back', folder: 'tar', program: 'GNU tar', file: 'long names' },
  ];
  const { rows, faults } = summedUp(peers, files, records);
  assert.deepEqual(faults, []);
  assert.deepEqual(rows, [
    ['GNU tar', 'TAR', '2', '2', '-', '1', 'GNU tar: 1, tarfile: not here'],
    ['a script', 'TAR, damaged', '1', '-', '1', '-', '-'],
  ]);
});

test('a file that no test recorded is a fault, and so is one whose writer nobody names', () => {
  const records = [read('tar/a.tar'), { did: 'written', file: 'tar/b.tar' }, read('tar/damaged/c.tar')];
  assert.deepEqual(summedUp(peers, [...files, 'tbl/d.tbl', 'd.json'], records).faults, [
    'tests/corpus/tar/b.tar: no test read or refused it',
    'tests/corpus/tbl/d.tbl: tests/corpus/peers.json does not say who wrote it',
    'tests/corpus/d.json: tests/corpus/peers.json does not say who wrote it',
  ]);
});

test('folders may count as one file each, or as none, and those that nothing records are named', () => {
  const corpus = [
    'sets/a/manifest.json',
    'sets/a/b.bin',
    'sets/c/manifest.json',
    'drawn/d.png',
    'new/e.txt',
    'new/f.bin',
  ];
  const kinds = [
    { folder: 'sets', program: 'a builder', format: 'sets', items: '/manifest\\.json$' },
    { folder: 'drawn', beside: true },
    { folder: 'new', program: 'others', format: 'new', not_read: { 'f.bin': 'of another kind' } },
  ];
  const { rows, faults, left } = summedUp(kinds, corpus, [read('sets/a/manifest.json')]);
  assert.deepEqual(faults, ['tests/corpus/sets/c/manifest.json: no test read or refused it']);
  assert.deepEqual(rows, [
    ['a builder', 'sets', '2', '1', '-', '-', '-'],
    ['others', 'new', '1', '-', '-', '-', '-'],
  ]);
  assert.deepEqual(left, ['not read: tests/corpus/new/f.bin (of another kind)']);
});
