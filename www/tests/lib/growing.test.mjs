// A TAR has no index: it opens with its first samples, grows, and what was found is kept for the next time.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { check, convert, memorySink, open, shutdown } from 'forebay';
import { tarOf } from './helpers.mjs';

after(shutdown);
const TAR = tarOf(2400);

/** A source that takes its time, and what was read from it. */
function slow(bytes, { ms = 60, identity, broken = Infinity } = {}) {
  const reads = [];
  return {
    byteLength: bytes.byteLength,
    reads,
    ...(identity && { identity }),
    async read(start, end, { signal } = {}) {
      reads.push([start, end]);
      await sleep(ms);
      signal?.throwIfAborted();
      if (end > broken) throw Object.assign(new Error('the disk is gone'), { code: 'EIO' });
      return bytes.slice(start, end);
    },
  };
}
const facts = (ds, n) => Array.from({ length: n }, (_, i) => ({ ...ds.info(i), name: ds.nameOf(i) }));

test('the first samples are there while the headers behind them are read, and stay as they are', async () => {
  const plain = await open(TAR);
  const lengths = [];
  let ds;
  ds = await open(slow(TAR), { grow: true, onProgress: () => ds && lengths.push(ds.length) });
  assert.equal(ds.growing, true);
  assert.ok(ds.length > 0 && ds.length < plain.length, `${ds.length} of ${plain.length}`);
  const early = ds.length;
  const seen = facts(ds, early);
  assert.deepEqual(seen, facts(plain, early));
  assert.equal((await ds.blob(early - 1)).size, ds.info(early - 1).bytes);
  assert.equal((await ds.record(early - 1)).name, ds.nameOf(early - 1));
  const found = await ds.matches('bytes > 0');
  assert.ok(found.length >= early && found.length <= plain.length);
  assert.equal(
    (await ds.matches('width >= 48')).every((i) => ds.info(i).width >= 48),
    true,
  );
  await ds.whole;
  assert.equal(ds.growing, false);
  assert.deepEqual(
    lengths,
    [...lengths].sort((a, b) => a - b),
  );
  assert.ok(new Set(lengths).size >= 2, `${lengths}`);
  assert.equal(ds.length, plain.length);
  assert.deepEqual(
    facts(ds, early).map((f) => f.name),
    seen.map((f) => f.name),
  );
  assert.deepEqual(await ds.matches('width >= 48'), await plain.matches('width >= 48'));
  assert.equal(ds.metadata.members, plain.metadata.members);
  assert.equal(ds.columns().bytes.length, plain.length);
  ds.close();
  plain.close();
});

test('check and conversion wait for the rest', async () => {
  const ds = await open(slow(TAR, { ms: 20 }), { grow: true });
  const sink = memorySink();
  const summary = await convert(ds, sink, { to: 'tbl' });
  assert.equal(summary.samples, 2400);
  assert.equal((await ds.check()).samples, 2400);
  ds.close();
});

test('a conversion with a filter, or of samples that are not known yet, waits too, and hears of damage behind', async () => {
  const grown = (bytes) => open(slow(bytes, { ms: 40 }), { grow: true });
  const ds = await grown(TAR);
  assert.equal(ds.growing, true);
  assert.equal((await convert(ds, memorySink(), { to: 'tbl', where: 'cls == 1' })).samples, 800);
  const again = await grown(TAR);
  assert.ok(again.length < 2400);
  assert.equal((await convert(again, memorySink(), { to: 'tbl', indexes: [2399] })).samples, 1);
  const broken = TAR.slice();
  broken.fill(0x41, broken.length - 40_000, broken.length - 30_000);
  const damaged = await grown(broken);
  assert.equal(damaged.damage, null);
  await assert.rejects(convert(damaged, memorySink(), { to: 'tbl' }), { kind: 'damaged' });
  assert.equal(
    await Promise.race([
      convert(await grown(TAR), memorySink(), { to: 'tbl', where: 'cls == 1', signal: AbortSignal.timeout(20) }).catch(
        (e) => e.name,
      ),
      sleep(20_000),
    ]),
    'TimeoutError',
  );
});

test('what was found is kept, and opens the same file with one look', async () => {
  const kept = new Map();
  const indexStore = {
    get: async (identity) => kept.get(identity),
    set: async (identity, index) => void kept.set(identity, index.slice()),
  };
  const first = await open(slow(TAR, { ms: 0, identity: 'a' }), { indexStore });
  assert.equal(first.fromStore, false);
  while (kept.size === 0) await sleep(5);
  const source = slow(TAR, { ms: 0, identity: 'a' });
  const second = await open(source, { indexStore, grow: true });
  assert.equal(second.fromStore, true);
  assert.equal(second.growing, false);
  assert.ok(source.reads.length <= 2 && source.reads.every(([a, b]) => b - a < 5000), JSON.stringify(source.reads));
  assert.deepEqual(facts(second, second.length), facts(first, first.length));
  assert.deepEqual(await second.matches('width >= 48'), await first.matches('width >= 48'));
  // Another file that says it is the same one.
  const shorter = tarOf(2399);
  const third = await open(slow(shorter, { ms: 0, identity: 'a' }), { indexStore });
  assert.deepEqual([third.fromStore, third.length], [false, 2399]);
  // A store that fails costs nothing but the scan.
  const fails = { get: () => Promise.reject(new Error('full')), set: () => Promise.reject(new Error('full')) };
  assert.equal((await open(slow(TAR, { ms: 0, identity: 'a' }), { indexStore: fails })).length, 2400);
});

test('a check reads the headers as they are now, whatever an earlier visit or the opening found', async () => {
  const kept = new Map();
  const indexStore = {
    get: async (identity) => kept.get(identity),
    set: async (identity, index) => void kept.set(identity, index.slice()),
  };
  const first = await open(slow(TAR, { ms: 0, identity: 'a' }), { indexStore });
  while (kept.size === 0) await sleep(5);
  assert.equal((await first.check()).ok, true);
  const broken = TAR.slice();
  const at = first.info(1500).offset - 512;
  broken.fill(0x78, at + 100, at + 160);
  const now = await open(slow(broken, { ms: 0, identity: 'a' }), { indexStore });
  assert.deepEqual([now.fromStore, now.length], [true, 2400]);
  let last;
  const report = await now.check({ onProgress: (p) => (last = p) });
  const afresh = await check(slow(broken, { ms: 0 }));
  assert.deepEqual(report, afresh);
  assert.deepEqual([report.ok, report.samples, report.faultCount], [false, 1500, 1]);
  assert.ok(last.bytes > at - 512 && last.totalBytes === broken.length, JSON.stringify(last));
  // What is damaged now is reported for what opened whole, too.
  const source = slow(TAR, { ms: 0 });
  const sound = await open({ byteLength: TAR.length, read: (start, end) => (source.now ?? source).read(start, end) });
  source.now = slow(broken, { ms: 0 });
  assert.equal((await sound.check()).ok, false);
});

test('closing ends the reading, and a source that fails leaves what was found', async () => {
  const source = slow(TAR);
  const ds = await open(source, { grow: true });
  const converting = convert(ds, memorySink(), { to: 'tbl' });
  converting.catch(() => {});
  ds.close();
  // Nobody aborted anything.
  await assert.rejects(ds.whole, { code: 'dataset.closed' });
  await assert.rejects(converting, { code: 'dataset.closed' });
  const reads = source.reads.length;
  await sleep(200);
  assert.equal(source.reads.length, reads);

  const broken = await open(slow(TAR, { broken: TAR.byteLength - 100_000 }), { grow: true });
  await assert.rejects(broken.whole, /disk is gone/);
  assert.equal(broken.growing, false);
  assert.ok(broken.length > 0);
  assert.equal((await broken.blob(0)).size, broken.info(0).bytes);
  const stop = new AbortController();
  const stopped = await open(slow(TAR), { grow: true, signal: stop.signal });
  stop.abort();
  await assert.rejects(stopped.whole, { name: 'AbortError' });
});
