// Journals of edits: what is changed is kept, and what is saved has the bytes that the command writes.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { convert, memorySink, open, shutdown } from 'forebay';
import { bitmap, codeOf, native, runNative, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-edits-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});

const tar = join(folder, 'made.tar');
writeFileSync(tar, tarOf(12));

/** A TBL of twelve samples. */
async function made(name, options = {}) {
  const sink = memorySink();
  await convert(tar, sink, { to: 'tbl', ...options });
  writeFileSync(join(folder, name), sink.bytes());
  return join(folder, name);
}

/** A store that can be looked into, and that a later journal finds as it was left. */
function storeOf(files = new Map()) {
  return {
    files,
    read: async (name) => files.get(name) ?? null,
    async write(name, position, bytes) {
      const old = files.get(name) ?? new Uint8Array();
      files.set(name, new Uint8Array(Buffer.concat([old.subarray(0, position), bytes])));
    },
    remove: async (name) => void files.delete(name),
  };
}

const box = { class: 'boat', xmin: 1, ymin: 2, xmax: 5, ymax: 7.5 };

for (const options of [{}, { compression: 'lz4' }, { layout: 'turboloader', metadataFormat: 'msgpack' }]) {
  test(`what is saved has the command's bytes: ${JSON.stringify(options)}`, async () => {
    const file = await made('a.tbl', options);
    const dataset = await open(file);
    const edits = await dataset.edit();
    assert.equal(edits.dirty, false);
    await edits.set(1, { 'json.label': 'boat', cls: undefined, boxes: [box] });
    await edits.remove(0);
    await edits.tag(2, ['night', 'rain']);
    await edits.tag(2, [], ['rain']);
    await edits.review(3, 'accepted');
    await edits.rename(4, 'train/four.bmp');
    assert.equal(await edits.add(bitmap(9, 9, 3), { name: 'new.bmp', 'json.label': 'new' }), 12);
    await edits.move(12, 2);
    await edits.remove(5);
    await edits.undo();
    assert.deepEqual([edits.changes, edits.samples, edits.dirty, edits.canRedo], [10, 13, true, true]);
    assert.equal((await edits.record(1)).json.annotations[0].class, 'boat');
    const sink = memorySink();
    const summary = await edits.save(sink);
    assert.deepEqual([summary.samples, summary.changed, summary.removed, summary.added], [12, 4, 1, 1]);
    const { journal, blobs } = await edits.export();
    const path = join(folder, 'edits.jsonl');
    writeFileSync(path, new Uint8Array(await journal.arrayBuffer()));
    writeFileSync(`${path}.blobs`, new Uint8Array(await blobs.arrayBuffer()));
    edits.close();
    dataset.close();
    const saved = await open(new Blob([sink.bytes()]));
    const names = await Promise.all(
      Array.from({ length: saved.length }, (_, i) => saved.record(i).then((r) => r.name)),
    );
    assert.deepEqual(names.slice(0, 4), ['train/00001.bmp', 'new.bmp', 'train/00002.bmp', 'train/00003.bmp']);
    assert.deepEqual(Buffer.from(await saved.bytes(1)), bitmap(9, 9, 3));
    saved.close();
    if (!native()) return;
    const told = runNative('apply', file, path, '-o', join(folder, 'b.tbl'), '--force', '--json');
    assert.equal(told.code, 0, told.err);
    assert.ok(readFileSync(join(folder, 'b.tbl')).equals(sink.bytes()));
  });
}

test('a journal is found again, without the line that was cut off, and one has it at a time', async () => {
  const file = await made('c.tbl');
  const store = storeOf();
  const dataset = await open(file);
  const edits = await dataset.edit({ store, name: 'mine' });
  await edits.set(3, { note: 'kept' });
  assert.equal(await codeOf(dataset.edit({ store, name: 'mine' })), 'edits.locked');
  edits.close();
  store.files.set('mine', new Uint8Array(Buffer.concat([store.files.get('mine'), Buffer.from('{"n":2,"do":"rem')])));
  const again = await dataset.edit({ store, name: 'mine' });
  assert.equal((await again.record(3)).note, 'kept');
  await again.remove(1);
  assert.equal(Buffer.from(store.files.get('mine')).toString().trim().split('\n').length, 3);
  again.close();
  dataset.close();
  const other = await open(await made('d.tbl', { compression: 'lz4' }));
  assert.equal(await codeOf(other.edit({ store, name: 'mine' })), 'edits.other_file');
  other.close();
});

test('what cannot be kept is not shown', async () => {
  const store = storeOf();
  const dataset = await open(await made('e.tbl'));
  const edits = await dataset.edit({ store, name: 'mine' });
  await edits.set(1, { a: 1 });
  const { write } = store;
  store.write = async () => {
    throw new Error('no room');
  };
  await assert.rejects(edits.set(2, { a: 2 }), /no room/);
  assert.equal(edits.changes, 1);
  store.write = write;
  assert.equal((await edits.record(2)).a, undefined);
  await edits.set(2, { a: 3 });
  assert.equal(edits.changes, 2);
  assert.equal(await codeOf(edits.set(99, { a: 1 })), 'edits.line');
  assert.equal(await codeOf(edits.set(1, { id: 1 })), 'edits.line');
  await edits.discard();
  assert.equal(store.files.size, 0);
  dataset.close();
  const archive = await open(tar);
  assert.equal(await codeOf(archive.edit()), 'edits.cannot');
  archive.close();
});
