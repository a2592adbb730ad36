// The order as docs/formats/order.md says it, in JavaScript, against the numbers that Rust and Python are held to.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Permutation, Sampling, key, mix, quanta, together } from '../../../tests/fixtures/order.mjs';
import { ROOT } from './helpers.mjs';

const fixture = (name) => JSON.parse(readFileSync(join(ROOT, 'tests/fixtures', name), 'utf8'));
const order = fixture('order.json');
const PLAIN = { classes: null, weights: [], mix: null, draws: null, repeats: 1 };

test('random numbers and permutations are those of the other languages', () => {
  for (const [z, out] of order.mix) assert.equal(String(mix(BigInt(z))), out);
  for (const row of order.key) assert.equal(String(key(row.seed, row.words)), row.key);
  for (const { n, key: k, at } of order.permutations) {
    const permutation = new Permutation(BigInt(n), BigInt(k));
    assert.deepEqual(
      at.map((_, i) => Number(permutation.at(BigInt(i)))),
      at,
    );
  }
});

test('epochs and mixes are those of the other languages', () => {
  for (const row of order.epochs)
    assert.deepEqual(new Sampling({ ...PLAIN, ...row, samples: [row.samples] }).steps(), row.steps);
  for (const row of order.mixes) {
    const sizes = row.sources.map((source) => source.selection?.length ?? source.samples);
    const sampling = new Sampling({ ...PLAIN, ...row, samples: sizes, world: 1, batch: 1, tail: 'drop' });
    const begins = sizes.map((_, i) => sizes.slice(0, i).reduce((a, b) => a + b, 0));
    const item = (number) => {
      const source = begins.findLastIndex((begin) => begin <= number);
      const place = number - begins[source];
      return [source, row.sources[source].selection?.[place] ?? place];
    };
    assert.deepEqual(
      sampling.steps().map(([[number]]) => item(number)),
      row.items,
    );
  }
});

test('samples by weight, by class, by number and repeated are those of the other languages', () => {
  const { samplings } = fixture('sampling.json');
  assert.ok(samplings.length > 20);
  for (const row of samplings) {
    const sampling = new Sampling(row);
    assert.deepEqual(sampling.steps(), row.steps, JSON.stringify(row));
    if (row.sampling || row.draws !== null || row.repeats > 1)
      assert.equal(String(key(row.seed, [11, row.epoch, 1])), row.key_of_position_1);
  }
  assert.deepEqual(quanta([0.75, 0.25, 0]), [3n, 1n, 0n]);
});

test('samples come together as in the other languages', () => {
  const { together: rows } = fixture('together.json');
  assert.ok(rows.length > 5);
  for (const row of rows) {
    const sampling = new Sampling(row);
    for (const { position, pieces } of row.positions) assert.deepEqual(together(row, sampling, position), pieces);
  }
});
