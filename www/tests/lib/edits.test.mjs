// Journals of edits: what is changed is kept, and what is saved has the bytes that the command writes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { convert, memorySink, open, shutdown } from 'forebay';
import { ROOT, bitmap, codeOf, filesOf, member, native, runNative, tarOf } from './helpers.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-edits-'));
after(async () => {
  rmSync(folder, { recursive: true });
  await shutdown();
});

const FIXTURES = join(ROOT, 'tests/fixtures/edits');
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
      if (position > old.length) throw new Error(`${name} ends before ${position}`);
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

test('a journal has the same bytes on every host', async () => {
  const told = JSON.parse(readFileSync(join(FIXTURES, 'edits.json'), 'utf8'));
  const journal = readFileSync(join(FIXTURES, 'edits.jsonl'));
  const blobs = readFileSync(join(FIXTURES, 'edits.jsonl.blobs'));
  const dataset = await open(join(FIXTURES, 'of.tbl'));
  const store = storeOf(
    new Map([
      ['edits.jsonl', journal],
      ['edits.jsonl.blobs', blobs],
    ]),
  );
  const edits = await dataset.edit({ store, name: 'edits.jsonl' });
  assert.equal(edits.changes, 10);
  for (const to of ['tbl', 'tar']) {
    const sink = memorySink();
    await edits.save(sink, { to });
    assert.equal(createHash('sha256').update(sink.bytes()).digest('hex'), told[to], to);
  }
  edits.close();
  dataset.close();
});

test('boxes come as they are set, with the changes; those of an unknown convention are refused and can be replaced', async () => {
  const coco = (i) => ({ label: 'x', annotations: [{ bbox: [1, 2, 3, 4 + i], category_id: 1 }] });
  const parts = [0, 1, 2].flatMap((i) => [
    member(`${i}.bmp`, bitmap(20, 20, i)),
    member(`${i}.json`, Buffer.from(JSON.stringify(i < 2 ? coco(i) : { label: 'y' }))),
  ]);
  const dataset = await open(new Blob([...parts, Buffer.alloc(1024)]), { name: 'a.tar' });
  const edits = await dataset.edit();
  assert.equal(await codeOf(edits.boxes(1)), 'label.format');
  assert.equal(await edits.boxes(2), null);
  const given = [{ ...box, score: 0.5, segmentation: [[1, 1, 5, 1, 5, 5]] }, box];
  await edits.set(1, { boxes: given });
  assert.deepEqual(await edits.boxes(1), given);
  await edits.set(2, { boxes: [] });
  assert.deepEqual(await edits.boxes(2), []);
  const added = await edits.add(bitmap(9, 9, 3), { name: 'new.bmp', boxes: [box] });
  assert.deepEqual(await edits.boxes(added), [box]);
  assert.equal(await edits.boxes(await edits.add(bitmap(9, 9, 3), { name: 'bare.bmp' })), null);
  await edits.undo();
  for (const i of [99, -1]) assert.equal(await codeOf(edits.boxes(i)), 'usage.out_of_range');
  edits.close();
  dataset.close();
});

/** Changes of every kind. */
async function change(edits) {
  await edits.set(1, { 'json.label': 'boat', cls: undefined, boxes: [box] });
  await edits.remove(0);
  await edits.tag(2, ['night']);
  await edits.review(3, 'accepted');
  await edits.rename(4, 'train/four.bmp');
  await edits.add(bitmap(9, 9, 3), { name: 'new.bmp', 'json.label': 'new', boxes: [] });
  await edits.add(new Uint8Array(), { name: 'empty.bin' });
  await edits.move(12, 2);
  await edits.document({ note: 'of all' });
}

for (const [from, to] of [
  ['tar', 'tbl'],
  ['tar', 'tar'],
  ['tbl', 'tar'],
]) {
  test(`a journal over a ${from} is saved as a ${to} with the command's bytes`, async () => {
    const file = from === 'tar' ? tar : await made('r.tbl', { compression: 'lz4' });
    const dataset = await open(file);
    const edits = await dataset.edit();
    await change(edits);
    const sink = memorySink();
    const heard = [];
    const summary = await edits.save(sink, { to, onProgress: (p) => heard.push(p.samples) });
    const { length } = sink.bytes();
    assert.deepEqual(summary, {
      ...{ samples: 13, changed: 4, removed: 1, added: 2 },
      ...{ outputBytes: length, writtenBytes: length },
    });
    assert.equal(heard.at(-1), 13);
    if (to === from) {
      const again = memorySink();
      // What is saved by default is a TBL.
      await edits.save(again);
      assert.equal(Buffer.from(again.bytes()).toString('latin1', 0, 3), 'TBL');
    }
    const { journal, blobs } = await edits.export();
    const path = join(folder, 'rewritten.jsonl');
    writeFileSync(path, new Uint8Array(await journal.arrayBuffer()));
    writeFileSync(`${path}.blobs`, new Uint8Array(await blobs.arrayBuffer()));
    assert.equal(await codeOf(edits.save(memorySink(), { to: 'zip' })), 'usage.argument');
    assert.equal(await codeOf(edits.save(memorySink(), { compression: 'lz4' })), 'usage.argument');
    assert.equal(await codeOf(edits.save(memorySink(), { inPlace: true })), 'usage.argument');
    edits.close();
    dataset.close();
    const saved = await open(new Blob([sink.bytes()]), { name: `saved.${to}` });
    const records = await Promise.all([0, 1, 12].map((i) => saved.record(i)));
    assert.deepEqual(
      records.map(({ name }) => name),
      ['train/00001.bmp', 'new.bmp', 'empty.bin'],
    );
    assert.deepEqual(Buffer.from(await saved.bytes(1)), bitmap(9, 9, 3));
    saved.close();
    if (!native()) return;
    const output = join(folder, `rewritten.${to}`);
    const told = runNative('apply', file, path, '-o', output, '--force', '--json');
    assert.equal(told.code, 0, told.err);
    assert.ok(readFileSync(output).equals(Buffer.from(sink.bytes())));
  });
}

test('bytes that are not those of an added sample end the saving of a TAR, and a damaged TAR is not edited', async () => {
  const store = storeOf();
  const dataset = await open(tar);
  const edits = await dataset.edit({ store, name: 'mine' });
  await edits.add(bitmap(9, 9, 3), { name: 'new.bmp' });
  const aborted = [];
  const sink = () => ({ write: async () => {}, abort: async (e) => void aborted.push(e.code) });
  store.files.get('mine.blobs')[60] ^= 1;
  assert.equal(await codeOf(edits.save(sink())), 'edits.blob');
  store.files.set('mine.blobs', store.files.get('mine.blobs').subarray(0, 70));
  assert.equal(await codeOf(edits.save(sink())), 'edits.blob');
  assert.deepEqual(aborted, ['edits.blob', 'edits.blob']);
  edits.close();
  dataset.close();
  const cut = await open(new Blob([readFileSync(tar).subarray(0, 5000)]), { name: 'cut.tar' });
  assert.match(await codeOf(cut.edit()), /^tar\./);
  cut.close();
});

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

test('a file that is renamed keeps its edits, and has one journal at a time under whatever name', async () => {
  const bytes = readFileSync(await made('n.tbl'));
  const [one, other] = await Promise.all(['n.tbl', 'n (1).tbl'].map((name) => open(new File([bytes], name))));
  const store = storeOf();
  const edits = await one.edit({ store });
  await edits.set(3, { note: 'kept' });
  assert.match(edits.name, /^[0-9a-f]{16}\.jsonl$/);
  assert.equal(await codeOf(other.edit({ store })), 'edits.locked');
  edits.close();
  const found = await other.edit({ store });
  assert.equal((await found.record(3)).note, 'kept');
  found.close();
  // Journals had names of the file too, once.
  const old = storeOf(new Map([[`n__1_.tbl-${edits.name}`, store.files.get(edits.name)]]));
  assert.equal(await codeOf(other.edit({ store: old, name: edits.name }).then((e) => e.close())), 'nothing was thrown');
  old.files.delete(edits.name);
  const former = await other.edit({ store: old });
  assert.deepEqual([former.name, (await former.record(3)).note], [`n__1_.tbl-${edits.name}`, 'kept']);
  assert.equal(await codeOf(one.edit({ store: old })), 'edits.locked');
  former.close();
  // In memory everybody has a journal of their own.
  for (const own of await Promise.all([one.edit(), one.edit()])) own.close();
  one.close();
  other.close();
});

test('what is changed while a journal is thrown away is refused, and brings nothing back', async () => {
  const store = storeOf();
  const dataset = await open(await made('o.tbl'));
  const edits = await dataset.edit({ store, name: 'mine' });
  await edits.set(1, { note: 'first' });
  const [thrown, late] = [edits.discard(), codeOf(edits.set(2, { note: 'late' }))];
  assert.deepEqual([await thrown, await late, store.files.size], [undefined, 'usage.argument', 0]);
  dataset.close();
});

test('a change of nothing is refused', async () => {
  const dataset = await open(await made('p.tbl'));
  const edits = await dataset.edit();
  for (const wrong of [{}, { boxes: null }, { boxes: undefined }, { boxes: {} }, { note: 1, boxes: undefined }])
    assert.equal(await codeOf(edits.set(1, wrong)), 'usage.argument', JSON.stringify(wrong));
  assert.equal(await codeOf(edits.document({})), 'usage.argument');
  assert.equal(await codeOf(edits.add(bitmap(9, 9, 3), { name: 'x.bmp', boxes: null })), 'usage.argument');
  assert.equal(edits.changes, 0);
  edits.close();
  dataset.close();
});

test('boxes as another program wrote them are not told as none', async () => {
  const said = [
    { boxes: [{ label: 'pine', bbox: [1, 2, 3, 4] }] },
    { objects: { bbox: [[1, 2, 3, 4]], category: ['pine'] } },
    { boxes: [], objects: ['pine'], object: 'pine' },
  ];
  const parts = said.flatMap((json, i) => [
    member(`${i}.bmp`, bitmap(20, 20, i)),
    member(`${i}.json`, Buffer.from(JSON.stringify(json))),
  ]);
  parts.push(member('3.bmp', bitmap(20, 20, 3)), member('3.txt', Buffer.from('0 0.5 0.5 0.1 0.1\n')));
  parts.push(member('4.bmp', bitmap(20, 20, 4)), member('4.txt', Buffer.from('4 boats\n')));
  // Five numbers, and not shares of a picture: when it was taken.
  parts.push(member('5.bmp', bitmap(20, 20, 5)), member('5.txt', Buffer.from('2024 1 1 12 30\n')));
  const dataset = await open(new Blob([...parts, Buffer.alloc(1024)]), { name: 'foreign.tar' });
  const edits = await dataset.edit();
  for (const of of [dataset, edits]) {
    for (const i of [0, 1, 3]) assert.equal(await codeOf(of.boxes(i)), 'label.ambiguous', `${i}`);
    for (const i of [2, 4, 5]) assert.equal(await of.boxes(i), null);
  }
  await edits.set(0, { boxes: [box] });
  assert.deepEqual(await edits.boxes(0), [box]);
  edits.close();
  dataset.close();
});

test('a journal of a newer program is refused by name, and stays as it is', async () => {
  const dataset = await open(await made('l.tbl'));
  const lineOf = (said) => `${said},"crc":"${crc32(said).toString(16).padStart(8, '0')}"}\n`;
  const store = storeOf();
  const edits = await dataset.edit({ store, name: 'mine' });
  edits.close();
  const first = Buffer.from(store.files.get('mine')).toString();
  const said = first.slice(0, first.indexOf(',"crc"'));
  assert.equal(lineOf(said), first);
  for (const [text, code, words] of [
    [lineOf(said.replace('"forebay_edits":1', '"forebay_edits":2')), 'edits.version', /2/],
    [first + lineOf('{"n":1,"do":"blur","sample":1'), 'edits.unknown', /blur/],
    [first + lineOf('{"n":2,"do":"remove","sample":1'), 'edits.order', /2/],
    [first + lineOf('{"n":1,"do":"remove","sample":12'), 'edits.line', /12/],
    [first.replace('"samples":12', '"samples":13'), 'edits.checksum', /./],
  ]) {
    store.files.set('mine', Buffer.from(text));
    await assert.rejects(dataset.edit({ store, name: 'mine' }), (e) => e.code === code && words.test(e.message), code);
    assert.equal(Buffer.from(store.files.get('mine')).toString(), text);
  }
  dataset.close();
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
});

test('an opening that is given up leaves the journal to others', async () => {
  const store = storeOf();
  const dataset = await open(await made('f.tbl'));
  for (const when of ['read', 'write']) {
    const work = new AbortController();
    const slow = {
      ...store,
      [when]: async (...given) => {
        work.abort();
        return store[when](...given);
      },
    };
    await assert.rejects(dataset.edit({ store: slow, name: when, signal: work.signal }), { name: 'AbortError' });
    // It ends in its own time.
    let code;
    for (let tries = 0; tries < 50; tries++) {
      code = await codeOf(dataset.edit({ store, name: when }).then((edits) => edits.close()));
      if (code !== 'edits.locked') break;
      await new Promise((go) => setTimeout(go, 20));
    }
    assert.equal(code, 'nothing was thrown', when);
  }
  assert.equal(await codeOf(dataset.edit({ nmae: 'x' })), 'usage.argument', 'wrong options reject');
  dataset.close();
});

test('a change is what was said when it was said, and nothing is written that JSON does not have', async () => {
  const dataset = await open(await made('g.tbl'));
  const edits = await dataset.edit({ store: storeOf(), name: 'mine' });
  const given = { note: 'first', boxes: [{ ...box }] };
  const payload = bitmap(9, 9, 3);
  const [set, added] = [edits.set(1, given), edits.add(payload, { name: 'new.bmp' })];
  given.note = 'second';
  given.boxes.push(box);
  payload.fill(0);
  await Promise.all([set, added]);
  const kept = Buffer.from(await (await edits.export()).blobs.arrayBuffer());
  assert.ok(kept.equals(bitmap(9, 9, 3)));
  const record = await edits.record(1);
  assert.deepEqual([record.note, record.json.annotations.length], ['first', 1]);
  for (const wrong of [
    () => edits.set(1, { note: Number.NaN }),
    () => edits.set(1, { note: { deep: [Number.POSITIVE_INFINITY] } }),
    () => edits.set(1, { note: 1n }),
    () => edits.move(1, Number.NaN),
    () => edits.document({ classes: [Number.NaN] }),
    () => edits.add(payload, { name: 'x.bmp', note: Number.NaN }),
    () => edits.add(payload, { name: 7 }),
    () => edits.add(payload, null),
    () => edits.add('bytes', { name: 'x.bmp' }),
  ])
    assert.equal(await codeOf(wrong()), 'usage.argument', String(wrong));
  await assert.rejects(edits.set(1, null));
  // A name that is refused leaves no bytes behind.
  assert.equal(await codeOf(edits.add(payload, { name: '../x.bmp' })), 'edits.line');
  await edits.add(new Uint8Array(5), { name: 'last.bin' });
  assert.equal((await edits.export()).blobs.size, payload.length + 5);
  assert.equal(edits.changes, 3);
  for (const i of [99, Number.NaN, -1, 0.5, '1'])
    assert.equal(await codeOf(edits.record(i)), 'usage.out_of_range', String(i));
  assert.equal((await edits.record(13)).name, 'last.bin');
  edits.close();
  dataset.close();
});

test('a store that lost the journal, or a part of it, gets all of it again', async () => {
  const store = storeOf();
  const dataset = await open(await made('h.tbl'));
  const edits = await dataset.edit({ store, name: 'mine' });
  await edits.set(1, { note: 'first' });
  store.files.delete('mine');
  await edits.set(2, { note: 'second' });
  store.files.set('mine', store.files.get('mine').slice(0, 200));
  await edits.undo();
  await edits.redo();
  assert.deepEqual([edits.changes, (await edits.record(1)).note], [4, 'first']);
  // Where that fails too, the change was not made, and those before it are not lost.
  store.files.clear();
  const { write } = store;
  store.write = async () => {
    throw new Error('no room');
  };
  await assert.rejects(edits.set(3, { note: 'third' }), /no room/);
  assert.deepEqual([edits.changes, (await edits.record(3)).note], [4, undefined]);
  store.write = write;
  await edits.set(4, { note: 'fourth' });
  edits.close();
  const again = await dataset.edit({ store, name: 'mine' });
  assert.equal(again.changes, 5);
  const notes = await Promise.all([1, 2, 3, 4].map(async (i) => (await again.record(i)).note));
  assert.deepEqual(notes, ['first', 'second', undefined, 'fourth']);
  again.close();
  dataset.close();
});

test('a journal that cannot be read again at once is read again later', async () => {
  const store = storeOf();
  const dataset = await open(await made('i.tbl'));
  const edits = await dataset.edit({ store, name: 'mine' });
  await edits.set(1, { note: 'first' });
  const { read, write } = store;
  store.write = store.read = async () => {
    throw new Error('not now');
  };
  await assert.rejects(edits.set(2, { note: 'second' }), /not now/);
  await assert.rejects(edits.set(2, { note: 'second' }), /not now/);
  Object.assign(store, { read, write });
  await edits.set(3, { note: 'third' });
  assert.equal(edits.changes, 2);
  assert.equal((await edits.record(2)).note, undefined);
  edits.close();
  dataset.close();
});

test('a change that is kept is one, also if the worker ends before it says so', async () => {
  const store = storeOf();
  const dataset = await open(await made('k.tbl'));
  const edits = await dataset.edit({ store, name: 'mine' });
  const { write } = store;
  store.write = async (...given) => {
    await write(...given);
    await shutdown();
  };
  await edits.set(1, { note: 'first' });
  store.write = write;
  await edits.set(2, { note: 'second' });
  assert.deepEqual([edits.changes, (await edits.record(1)).note], [2, 'first']);
  edits.close();
  dataset.close();
});

test('a tenth of the memory is enough for many boxes', async () => {
  const dataset = await open(await made('j.tbl'));
  const edits = await dataset.edit();
  const boxes = Array.from({ length: 2000 }, (_, k) => ({
    class: `c${k % 7}`,
    xmin: k,
    ymin: 1.25,
    xmax: k + 9.5,
    ymax: 40,
  }));
  for (let k = 0; k < 60; k++) await edits.set(k % 12, { boxes: [...boxes.slice(1), { ...boxes[0], xmin: k / 100 }] });
  assert.equal(edits.changes, 60);
  assert.equal((await edits.record(11)).json.annotations.at(-1).xmin, 0.59);
  edits.close();
  dataset.close();
});

test('integers of 64 bits stay what they are, whoever reads them and writes them again', async () => {
  const id = '9007199254740993';
  const json = `{"id2":${id},"annotations_format":"forebay.1","annotations":[
    {"class":"boat","xmin":1,"ymin":2,"xmax":3,"ymax":4,"track":${id},"more":{"ids":[1,18446744073709551615]}},
    {"class":"gull","xmin":1,"ymin":2,"xmax":3,"ymax":4,"track":9007199254740992}]}`;
  const tar = filesOf([
    ['a.bmp', bitmap(20, 20, 1)],
    ['a.json', Buffer.from(json)],
  ]);
  const dataset = await open(new File([tar], 'a.tar'));
  const edits = await dataset.edit();
  const boxes = await edits.boxes(0);
  const [{ xmin, ...rest }, other] = boxes;
  await edits.set(0, { boxes: [{ ...rest, xmin: xmin + 1 }, other] });
  const sink = memorySink();
  await edits.save(sink);
  const text = new TextDecoder().decode(sink.bytes());
  for (const digits of [`"id2":${id}`, `"track":${id}`, '18446744073709551615', ':9007199254740992}'])
    assert.ok(text.includes(digits), digits);
  edits.close();
  dataset.close();
});
