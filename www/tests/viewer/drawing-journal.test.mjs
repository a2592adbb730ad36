// The journal of what is drawn, over a package that is played here: what is refused, what is written anew, and what is kept for later.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { build } from 'esbuild';
import { ROOT, until } from '../browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-journal-'));
const parts = {};
/** Files of the browser's store, whether the folder of journals is there, and what is not taken. */
const store = { files: new Map(), there: true, refused: () => false, gate: Promise.resolve() };
before(async () => {
  const names = ['journal', 'shape', 'keeping'];
  await build({
    entryPoints: names.map((name) => join(ROOT, `www/viewer/src/drawing/${name}.ts`)),
    bundle: true,
    format: 'esm',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  for (const name of names) Object.assign(parts, await import(join(folder, `${name}.mjs`)));
  const handle = (name) => ({ getFile: async () => ({ size: store.files.get(name)?.length ?? 0 }) });
  const getDirectoryHandle = async () => {
    if (!store.there) throw new Error('NotFoundError');
    return { getFileHandle: async (name) => handle(name) };
  };
  globalThis.navigator ??= {};
  Object.defineProperty(globalThis.navigator, 'storage', {
    value: { getDirectory: async () => ({ getDirectoryHandle }) },
    configurable: true,
  });
});
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  store.files.clear();
  Object.assign(store, { there: true, refused: () => false, gate: Promise.resolve() });
});

/** What the package makes of a journal: lines, as it has them, and the rules of undoing. */
function editsOf(name) {
  const lines = store.files.get(name) ?? ['{}'];
  store.files.set(name, lines);
  let closed = false;
  let work = Promise.resolve();
  const change = (said) => {
    if (closed) return Promise.reject(new Error('this journal was closed'));
    const done = work.then(async () => {
      await store.gate;
      if (store.refused(said)) throw Object.assign(new Error('nobody can keep this'), { code: 'label.value' });
      if (said.do === 'undo' && standing(lines).standing.length === 0) throw new Error('there is nothing to undo');
      if (said.do === 'redo' && standing(lines).undone.length === 0) throw new Error('there is nothing to redo');
      lines.push(JSON.stringify(said));
    });
    work = done.catch(() => undefined);
    return done;
  };
  return {
    name,
    set: (sample, { boxes: annotations }) => change({ do: 'set', sample, annotations }),
    document: (fields) => change({ do: 'document', fields }),
    review: (sample, state) => change({ do: 'review', sample, state }),
    remove: (sample) => change({ do: 'remove', sample }),
    restore: (sample) => change({ do: 'restore', sample }),
    tag: (sample, add, remove) => change({ do: 'tag', sample, add, remove }),
    undo: () => change({ do: 'undo' }),
    redo: () => change({ do: 'redo' }),
    export: async () => ({ journal: new Blob([`${lines.join('\n')}\n`]), blobs: null }),
    async discard() {
      if (closed) throw new Error('this journal was closed');
      await work;
      store.files.delete(name);
      closed = true;
    },
    close: () => (closed = true),
  };
}
/** What of a journal stands. */
function standing(lines) {
  const found = { standing: [], undone: [] };
  for (const line of lines.slice(1)) {
    const said = JSON.parse(line);
    if (said.do === 'undo') found.undone.push(found.standing.pop());
    else if (said.do === 'redo') found.standing.push(found.undone.pop());
    else {
      found.standing.push(said);
      found.undone = [];
    }
  }
  return found;
}
const widths = (lines = store.files.get('mine')) =>
  standing(lines).standing.map(({ annotations }) => annotations[0].xmax);

const open = () =>
  parts.DrawnJournal.open(
    { length: 9, edit: async () => editsOf('mine') },
    { told: () => undefined, entered: () => undefined },
  );
const box = (right, label = 'boat') => [parts.boxAt({ left: 0, top: 0, right, bottom: 5 }, label)];
const settled = (journal) => until(async () => (await journal.kept()) || journal.unkept !== null, 'it is kept or not');

test('a change that nobody can keep is undone, and the next ones are kept', async () => {
  const journal = await open();
  journal.draw(1, box(1), null);
  store.refused = ({ annotations }) => annotations?.[0].xmax === 2;
  journal.draw(1, box(2), null);
  await settled(journal);
  assert.equal(journal.unkept.code, 'label.value');
  journal.draw(2, box(3), null);
  await journal.retry();
  assert.equal(journal.unkept.code, 'label.value', 'it is refused again');
  assert.equal(journal.pending, 2);
  journal.undo();
  journal.undo();
  assert.deepEqual([journal.unkept, journal.pending, journal.history.shapesOf(1)[0].w], [null, 0, 1]);
  journal.draw(3, box(4), null);
  assert.equal(await journal.kept(), true);
  assert.deepEqual(widths(), [1, 4]);
  // What was undone without being kept can be done again, and is kept then.
  store.refused = ({ sample }) => sample === 5;
  journal.draw(5, box(6), null);
  await settled(journal);
  journal.undo();
  store.refused = () => false;
  journal.redo();
  assert.equal(await journal.kept(), true);
  assert.deepEqual(widths(), [1, 4, 6]);
  journal.undo();
  journal.undo();
  assert.equal(await journal.kept(), true);
  assert.deepEqual(widths(), [1]);
});

test('what a held key moves is kept while it is held, and undone as one', async () => {
  const journal = await open();
  journal.draw(1, box(1), null);
  for (let right = 2; right <= 40; right++) {
    journal.draw(1, box(right), 'move 0');
    await new Promise((go) => setTimeout(go, 15));
    // Nothing is older than 200 ms and not kept, at 15 ms a key.
    if (right > 20) assert.ok(widths().at(-1) > right - 200 / 15, `${widths()} at ${right}`);
  }
  journal.rest();
  assert.equal(await journal.kept(), true);
  assert.equal(widths().at(-1), 40);
  journal.undo();
  assert.equal(journal.history.shapesOf(1)[0].w, 1);
  assert.equal(await journal.kept(), true);
  assert.deepEqual(widths(), [1]);
  journal.redo();
  assert.equal(journal.history.shapesOf(1)[0].w, 40);
  journal.draw(1, box(50), 'move 0');
  journal.undo();
  assert.equal(journal.history.shapesOf(1)[0].w, 40, 'another burst is another change');
});

test('a journal that is gone is written anew, with what is drawn and undone meanwhile', async () => {
  const journal = await open();
  for (const width of [1, 2, 3, 4]) journal.draw(width, box(width), null);
  journal.undo();
  assert.equal(await journal.kept(), true);
  store.there = false;
  store.files.clear();
  journal.undo();
  await settled(journal);
  assert.equal(journal.unkept.gone, true);
  store.there = true;
  let pass;
  store.gate = new Promise((resolve) => (pass = resolve));
  const again = journal.retry();
  // While the first lines are written.
  await until(async () => store.files.has('mine'), 'a new one is begun');
  journal.undo();
  journal.draw(7, box(7), null);
  journal.undo();
  journal.redo();
  pass();
  await again;
  assert.equal(await journal.kept(), true);
  assert.deepEqual([widths(), journal.history.entries.length], [[1, 7], 2]);
  // What was undone before it was gone can be done again.
  journal.undo();
  journal.draw(8, box(8), null);
  journal.undo();
  assert.equal(await journal.kept(), true);
  store.files.clear();
  journal.draw(6, box(6), null);
  await settled(journal);
  journal.undo();
  await journal.retry();
  journal.redo();
  assert.equal(await journal.kept(), true);
  assert.deepEqual(widths(), [1, 6]);
});

test('a new journal that does not open is tried again', async () => {
  const journal = await open();
  journal.draw(1, box(1), null);
  assert.equal(await journal.kept(), true);
  store.files.clear();
  journal.draw(2, box(2), null);
  await settled(journal);
  const { dataset } = journal;
  const { edit } = dataset;
  dataset.edit = async () => {
    throw new Error('the server is gone');
  };
  await journal.retry();
  assert.match(journal.unkept.message, /server is gone/);
  assert.ok(journal.pending > 0, 'who leaves the page is asked');
  dataset.edit = edit;
  await journal.retry();
  assert.equal(await journal.kept(), true);
  assert.deepEqual(widths(), [1, 2]);
});

test('what could not be kept is held when the dataset is closed, and kept when it is edited again', async () => {
  const journal = await open();
  journal.draw(1, box(1), null);
  assert.equal(await journal.kept(), true);
  assert.equal(parts.isLeft(), false);
  store.refused = () => true;
  journal.draw(2, box(2), null);
  journal.draw(3, box(3), null);
  await settled(journal);
  journal.close();
  await until(async () => parts.isLeft(), 'it is held');
  store.refused = () => false;
  const again = await open();
  assert.equal(parts.isLeft(), false);
  assert.equal(again.history.shapesOf(3)[0].w, 3);
  assert.equal(await again.kept(), true);
  assert.deepEqual(widths(), [1, 2, 3]);
});

test('what another journal says differently is named, and taken over as one side says', async () => {
  const journal = await open();
  journal.draw(2, box(3), null);
  journal.draw(3, box(5), null);
  journal.review(4, 'accepted');
  const lines = (...said) => new Blob(['{}', ...said.map((one) => JSON.stringify(one))].map((line) => `${line}\n`));
  const drawn = (sample, right) => ({ do: 'set', sample, annotations: box(right).map(parts.annotationOf) });
  const theirs = lines(drawn(2, 3), drawn(3, 7), { do: 'remove', sample: 4 }, drawn(5, 9), {
    do: 'tag',
    sample: 6,
    add: ['x'],
  });
  const { conflicts, changes } = await journal.take(theirs, null);
  const boxes = (right) => JSON.stringify(box(right).map(parts.annotationOf));
  assert.deepEqual(conflicts, [
    { sample: 3, what: 'boxes', mine: boxes(5), theirs: boxes(7) },
    { sample: 4, what: 'removed', mine: 'false', theirs: 'true' },
  ]);
  const shown = () => [2, 3, 5].map((i) => journal.history.shapesOf(i)?.[0].w ?? null);
  assert.deepEqual([changes, shown()], [0, [3, 5, null]]);
  const taken = await journal.take(theirs, 'theirs');
  assert.deepEqual([taken.changes, taken.unseen, shown(), journal.history.isRemoved(4)], [4, 2, [3, 7, 9], true]);
  journal.undo();
  assert.deepEqual([shown(), journal.history.isRemoved(4)], [[3, 5, null], false], 'one undo takes all of it back');
  await journal.take(theirs, 'mine');
  assert.deepEqual([shown(), journal.history.isRemoved(4)], [[3, 5, 9], false]);
  assert.equal(journal.history.reviewOf(4), 'accepted');
  journal.undo();
  const sides = new Map([
    [3, 'both'],
    [4, 'theirs'],
  ]);
  await journal.take(theirs, sides);
  assert.deepEqual(
    journal.history.shapesOf(3).map(({ w }) => w),
    [5, 7],
  );
  assert.deepEqual([shown()[2], journal.history.isRemoved(4)], [9, true]);
});

test('shapes of a long journal that stay the same are one', async () => {
  const all = (n) => Array.from({ length: 20 }, (_, k) => box(k === 3 ? 100 + n : k + 1)[0]);
  const journal = await open();
  for (let n = 0; n < 5; n++) journal.draw(1, all(n), null);
  assert.equal(await journal.kept(), true);
  const read = await open();
  const shapes = new Set(read.history.entries.flatMap((entry) => entry.shapes));
  assert.equal(shapes.size, 20 + 4);
  assert.deepEqual(
    read.history.entries.map((entry) => entry.shapes[3].w),
    [100, 101, 102, 103, 104],
  );
});

test('lines that enclose nothing stay as they are, and are not lost', () => {
  const annotations = [
    { class: 'wire', xmin: 1, ymin: 1, xmax: 5, ymax: 5, segmentation: [[1, 1, 5, 5]] },
    { class: 'none', xmin: 1, ymin: 1, xmax: 5, ymax: 5, segmentation: [] },
  ];
  const { shapes, lost } = parts.shapesOf(annotations);
  assert.deepEqual([lost, shapes.map(parts.annotationOf)], [0, annotations]);
  const named = parts.annotationOf(parts.relabeled(shapes[0], 'rope'));
  assert.deepEqual(named, { ...annotations[0], class: 'rope' });
});

test('labels that are kept bring their classes with their numbers, and one undo takes both back', async () => {
  for (const [layout, lines] of [
    ['guide', ['document', 'set', 'set']],
    // It has no document, and a new file of it could not be made.
    ['turboloader', ['set', 'set']],
  ]) {
    store.files.clear();
    const journal = await open();
    const data = { metadata: { layout }, document: async () => ({}), info: () => ({ width: 20, height: 10 }) };
    const boxes = box(5).map((one) => ({ ...one, from: undefined }));
    const labels = {
      find: () => ({ boxes, broken: 0, outside: 0 }),
      classes: [{ id: 18, name: 'boat' }],
      samples: [1, 3],
    };
    const how = { signal: new AbortController().signal, onProgress: () => undefined, learn: () => undefined };
    assert.equal((await parts.keepLabels(data, journal, labels, how)).pictures, 2);
    const { standing: said } = standing(store.files.get('mine'));
    assert.deepEqual(
      said.map(({ do: kind }) => kind),
      lines,
    );
    if (layout === 'guide')
      assert.deepEqual(said[0].fields, { classes: ['boat'], categories: [{ id: 18, name: 'boat' }] });
    assert.deepEqual(journal.history.document, said[0].fields ?? {});
    journal.undo();
    assert.equal(await journal.kept(), true);
    assert.deepEqual(standing(store.files.get('mine')).standing, []);
    journal.close();
  }
});
