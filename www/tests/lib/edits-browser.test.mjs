// Journals of edits in a browser's origin-private file system: two tabs, and tabs that die while they save.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { crash, limitStorage, noBrowser } from '../browser.mjs';
import { edit, start } from './edits-page.mjs';
import { ROOT, native, runNative } from './helpers.mjs';

const skip = noBrowser;
/** Tabs that are killed, but for the first; FOREBAY_KILLS=200 is how it is run by hand. */
const ROUNDS = Number(process.env.FOREBAY_KILLS ?? 20) + 1;
/** The moments of a run, so that a failure can be seen again. */
const SEED = Number(process.env.FOREBAY_SEED ?? Date.now() % 2 ** 31);
const SAMPLES = 800;
let site;

before(async () => {
  if (!skip) site = await start(SAMPLES, 40);
});
after(() => site?.stop());

test('one tab edits, the other is told, and goes on where the first stopped', { skip }, async () => {
  const [first, second] = [await site.newPage(), await site.newPage()];
  await first.evaluate(async () => {
    await globalThis.edit();
    await globalThis.edits.set(3, { note: 'kept' });
  });
  const opened = () =>
    second.evaluate(() =>
      globalThis.edit().then(
        () => 'open',
        (e) => e.code,
      ),
    );
  assert.equal(await opened(), 'edits.locked');
  await first.close();
  await edit(second);
  assert.equal(await second.evaluate(async () => (await globalThis.edits.record(3)).note), 'kept');
  await second.evaluate(() => globalThis.edits.discard());
  await second.close();
});

test('the labels of a journal become a file of the private file system, written by the worker itself', {
  skip,
}, async () => {
  const page = await site.newPage();
  await edit(page);
  const found = await page.evaluate(async () => {
    const { edits, forebay } = globalThis;
    // What the other samples have.
    const how = { boxes: ':xywh' };
    for (const i of [3, 5]) await edits.set(i, { boxes: [{ class: 'boat', xmin: i, ymin: 2, xmax: 30, ymax: 40 }] });
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle('labels.json', { create: true });
    const report = await forebay.exportLabels(edits, 'coco', handle, how);
    const sink = forebay.memorySink();
    await forebay.exportLabels(edits, 'coco', sink, how);
    const text = await (await handle.getFile()).text();
    const folder = await root.getDirectoryHandle('yolo', { create: true });
    const { files } = await forebay.exportLabels(edits, 'yolo', folder, how);
    const lines = [];
    for await (const [name] of (await folder.getDirectoryHandle('labels')).entries()) lines.push(name);
    return [report.annotations, report.bytes === text.length, text === (await sink.blob().text()), files, lines.length];
  });
  assert.deepEqual(found, [SAMPLES, true, true, SAMPLES + 1, 1]);
  await page.evaluate(() => globalThis.edits.discard());
  await page.close();
});

test('a page makes of a journal what every other host does', { skip }, async () => {
  const folder = join(ROOT, 'tests/fixtures/edits');
  const file = (name) => Array.from(readFileSync(join(folder, name)));
  const files = Object.fromEntries(
    ['of.tbl', 'edits.jsonl', 'edits.jsonl.blobs', 'metadata.jsonl'].map((name) => [name, file(name)]),
  );
  const page = await site.newPage();
  const found = await page.evaluate(async (files) => {
    const { forebay } = globalThis;
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('hosts', { create: true });
    const handles = {};
    for (const [name, bytes] of Object.entries(files)) {
      handles[name] = await folder.getFileHandle(name, { create: true });
      const stream = await handles[name].createWritable();
      await stream.write(new Uint8Array(bytes));
      await stream.close();
    }
    const digest = async (handle) =>
      [...new Uint8Array(await crypto.subtle.digest('SHA-256', await (await handle.getFile()).arrayBuffer()))]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join('');
    const found = {};
    const dataset = await forebay.open(handles['of.tbl']);
    const edits = await dataset.edit({ store: folder, name: 'edits.jsonl' });
    for (const to of ['tbl', 'tar']) {
      const handle = await folder.getFileHandle(`new.${to}`, { create: true });
      await edits.save(handle, { to });
      found[to] = await digest(handle);
    }
    edits.close();
    const metadata = await dataset.edit({ store: folder, name: 'metadata.jsonl' });
    await metadata.save(handles['of.tbl'], { inPlace: true });
    dataset.close();
    found.in_place = await digest(handles['of.tbl']);
    await root.removeEntry('hosts', { recursive: true });
    return found;
  }, files);
  const { of: _, ...told } = JSON.parse(readFileSync(join(folder, 'edits.json'), 'utf8'));
  assert.deepEqual(found, told);
  await page.close();
});

test('metadata is changed in place: the bytes of a new journal in the old file, and what else it may be is refused', {
  skip,
}, async () => {
  const page = await site.newPage();
  await edit(page);
  const found = await page.evaluate(async () => {
    const { edits, forebay } = globalThis;
    const failure = (promise) =>
      promise.then(
        () => null,
        (e) => [e.code, e.message],
      );
    edits.close();
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle('in-place.tbl', { create: true });
    const other = await root.getFileHandle('other.tbl', { create: true });
    const stream = await handle.createWritable();
    await stream.write(await (await fetch('/made.tbl')).blob());
    await stream.close();
    const before = (await handle.getFile()).size;
    const payload = async (dataset) => (await dataset.bytes(7)).join();
    const result = { before, seen: [], refused: [] };
    for (let round = 0; round < 3; round++) {
      const dataset = await forebay.open(handle);
      const changing = await dataset.edit();
      await changing.set(3, { note: `of round ${round}`.repeat(1 + round) });
      if (round === 0) {
        result.refused.push(await failure(changing.save(other, { inPlace: true })));
        result.refused.push(await failure(changing.save(forebay.memorySink(), { inPlace: true })));
        result.refused.push(await failure(changing.save(handle, { inPlace: true, to: 'tar' })));
        result.refused.push(await failure(changing.save(handle, { inplace: true })));
        await changing.remove(4);
        result.refused.push(await failure(changing.save(handle, { inPlace: true })));
        await changing.undo();
        result.untouched = (await handle.getFile()).size === before && (await forebay.check(handle)).ok;
        result.journal = new TextDecoder().decode(await (await changing.export()).journal.arrayBuffer());
      }
      const old = await payload(dataset);
      const heard = [];
      const saving = changing.save(handle, { inPlace: true, onProgress: (p) => heard.push(p.samples) });
      // What comes while it is saved is not in the file, and the journal goes.
      const meanwhile = await failure(changing.set(2, { note: 'lost' }));
      const summary = await saving;
      const later = await failure(changing.set(3, { note: 'too late' }));
      await dataset.close();
      const saved = await forebay.open(handle);
      const { length } = saved;
      const [record, same] = [await saved.record(3), (await payload(saved)) === old];
      const { ok } = await forebay.check(handle);
      result.seen.push({ ...summary, later, meanwhile, note: record.note, same, ok, length, heard: heard.at(-1) });
      saved.close();
      const file = await handle.getFile();
      if (round === 0)
        result.digest = [...new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))].join();
    }
    const journals = await root.getDirectoryHandle('forebay-edits');
    result.left = await Array.fromAsync(journals.keys());
    return result;
  });
  assert.deepEqual(
    found.refused.map(([code]) => code),
    ['usage.argument', 'usage.argument', 'usage.argument', 'usage.argument', 'edits.cannot'],
    JSON.stringify(found.refused),
  );
  assert.match(found.refused[0][1], /not the file that is open/);
  assert.match(found.refused[3][1], /did you mean inPlace/);
  assert.equal(found.untouched, true);
  for (const [round, seen] of found.seen.entries()) {
    assert.deepEqual(
      [seen.samples, seen.changed, seen.ok, seen.same, seen.length, seen.heard],
      [SAMPLES, 1, true, true, SAMPLES, SAMPLES],
      JSON.stringify(seen),
    );
    assert.equal(seen.note, `of round ${round}`.repeat(1 + round));
    assert.equal(seen.later[0], 'usage.argument', 'a journal that is in the file takes no change');
    assert.equal(seen.meanwhile[0], 'usage.argument', 'nor does one that is being written into it');
    assert.ok(seen.writtenBytes < found.before / 4, `${seen.writtenBytes} bytes of ${found.before} written`);
  }
  assert.deepEqual(found.left, [], 'what is in the file is in no journal any more');
  if (native()) {
    // The command makes the same of it.
    const folder = mkdtempSync(join(tmpdir(), 'forebay-in-place-'));
    const [file, journal] = [join(folder, 'made.tbl'), join(folder, 'edits.jsonl')];
    writeFileSync(file, site.made);
    writeFileSync(journal, found.journal);
    const told = runNative('apply', file, journal, '--in-place');
    assert.equal(told.code, 0, told.err);
    const digest = createHash('sha256').update(readFileSync(file)).digest();
    assert.equal([...digest].join(), found.digest, 'the command makes other bytes');
    rmSync(folder, { recursive: true });
  }
  await page.close();
});

test('a store without room takes no change and no file, keeps what it has, and goes on once there is room', {
  skip,
}, async () => {
  const page = await site.newPage();
  await edit(page);
  await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    globalThis.handle = await root.getFileHandle('full.tbl', { create: true });
    await globalThis.edits.set(0, { note: 'saved' });
    await globalThis.edits.save(globalThis.handle);
  });
  const size = await page.evaluate(async () => (await globalThis.handle.getFile()).size);
  // Room for a few of the long changes, and not for a second file.
  await limitStorage(page, Math.ceil(size * 1.5));
  const found = await page.evaluate(async () => {
    const { edits, forebay, handle } = globalThis;
    const failure = (promise) =>
      promise.then(
        () => null,
        (e) => [e.code, e.message],
      );
    const refused = await failure(edits.save(handle));
    const [before, left] = [edits.changes, (await navigator.storage.getDirectory()).keys()];
    let full = null;
    let kept = before;
    for (let k = 0; k < 40 && !full; k++) {
      full = await failure(edits.set(1, { note: `${k}`.repeat(2_000_000 / `${k}`.length) }));
      if (!full) kept++;
    }
    const saved = await forebay.open(await handle.getFile());
    return {
      refused,
      full,
      same: edits.changes === kept,
      note: (await saved.record(0)).note,
      names: (await Array.fromAsync(left)).filter((name) => name.endsWith('.part')),
      last: (await edits.record(1)).note?.[0],
      expected: kept === before ? undefined : `${kept - before - 1}`[0],
      kept,
    };
  });
  await limitStorage(page, null);
  assert.equal(found.refused?.[0], 'io', JSON.stringify(found.refused));
  assert.equal(found.full?.[0], 'io', JSON.stringify(found.full));
  assert.match(found.full[1], /quota|room|space/i);
  assert.deepEqual(
    [found.same, found.note, found.names, found.last],
    [true, 'saved', [], found.expected],
    'what is there is what was there',
  );
  // The journal is as it is on the disk, and takes the next change.
  const after = await page.evaluate(async () => {
    await globalThis.edits.set(2, { note: 'with room' });
    globalThis.edits.close();
    return globalThis.edits.changes;
  });
  await page.close();
  const again = await site.newPage();
  await edit(again);
  assert.equal(after, found.kept + 1);
  assert.deepEqual(
    await again.evaluate(async () => [globalThis.edits.changes, (await globalThis.edits.record(2)).note]),
    [after, 'with room'],
  );
  await again.evaluate(() => globalThis.edits.discard());
  await again.close();
});

test('a place where the page may not write any more is said with what to do, and nothing is lost', {
  skip,
}, async () => {
  const page = await site.newPage();
  await edit(page);
  const found = await page.evaluate(async () => {
    const { edits, forebay } = globalThis;
    const failure = (promise) =>
      promise.then(
        () => null,
        (e) => [e.code, e.message, e.cause?.name],
      );
    const refuse = (name) => async () => {
      throw new DOMException('The request is not allowed', name);
    };
    await edits.set(1, { note: 'kept' });
    // As handles are that somebody chose, of which the permission was withdrawn.
    const handle = { getFile: refuse('NotAllowedError'), createWritable: refuse('NotAllowedError') };
    const stream = {
      seek() {},
      getWriter() {},
      write: refuse('QuotaExceededError'),
      close() {},
      abort: async () => {},
    };
    const writing = { ...handle, createWritable: async () => stream };
    const folder = { getDirectoryHandle() {}, getFileHandle: refuse('NotFoundError') };
    const failures = [
      await failure(edits.save(handle)),
      await failure(edits.save(writing)),
      await failure(edits.save(handle, { inPlace: true })),
      await failure(forebay.convert(globalThis.dataset, handle, { to: 'tar' })),
      await failure(forebay.exportLabels(edits, 'yolo', folder, { boxes: ':xywh' })),
    ];
    const root = await navigator.storage.getDirectory();
    const store = await root.getDirectoryHandle('mine', { create: true });
    const mine = await globalThis.dataset
      .edit({
        name: 'mine',
        store: Object.create(store, {
          getFileHandle: {
            value: async (name, options) =>
              options.create ? refuse('NotAllowedError')() : store.getFileHandle(name, options),
          },
        }),
      })
      .then(
        () => null,
        (e) => [e.code, e.message, e.cause?.name],
      );
    const sink = forebay.memorySink();
    await edits.save(sink);
    const saved = await forebay.open(sink.bytes());
    return [...failures, mine, (await saved.record(1)).note];
  });
  for (const [k, [help, cause]] of [
    [/not write there any more: allow it/, 'NotAllowedError'],
    [/there is no room: make some/, 'QuotaExceededError'],
    [/cannot be read/, 'NotAllowedError'],
    [/not write there any more: allow it/, 'NotAllowedError'],
    [/moved or removed/, 'NotFoundError'],
    [/the journal cannot be kept: .*allow it/, 'NotAllowedError'],
  ].entries()) {
    assert.equal(found[k]?.[0], 'io', `${k}: ${found[k]}`);
    assert.match(found[k][1], help);
    assert.equal(found[k][2], cause, String(found[k]));
  }
  assert.equal(found[6], 'kept');
  await page.evaluate(() => globalThis.edits.discard());
  await page.close();
});

test('a journal that the browser threw away is written again with the next change, and never behind zeros', {
  skip,
}, async () => {
  const page = await site.newPage();
  await edit(page);
  const found = await page.evaluate(async () => {
    const { edits } = globalThis;
    await edits.set(0, { note: 'first' });
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('forebay-edits');
    await folder.removeEntry(edits.name);
    await edits.set(1, { note: 'second' });
    // A part of it, which is worse.
    const writable = await (await folder.getFileHandle(edits.name)).createWritable({ keepExistingData: true });
    await writable.truncate(100);
    await writable.close();
    await edits.set(2, { note: 'third' });
    const bytes = new Uint8Array(await (await (await folder.getFileHandle(edits.name)).getFile()).arrayBuffer());
    edits.close();
    return [edits.changes, bytes.includes(0)];
  });
  assert.deepEqual(found, [3, false]);
  await page.close();
  const again = await site.newPage();
  await edit(again);
  const notes = await again.evaluate(() =>
    Promise.all([0, 1, 2].map(async (i) => (await globalThis.edits.record(i)).note)),
  );
  assert.deepEqual(notes, ['first', 'second', 'third']);
  await again.evaluate(() => globalThis.edits.discard());
  await again.close();
});

test('a tab that is killed while it saves leaves the old file or the new one, and every edit shown as kept', {
  skip,
}, async (t) => {
  const random = generator(SEED);
  /** What was shown as kept: how many changes there are. */
  let kept = 0;
  /** The rounds whose file may be the saved one. */
  let may = [null];
  let takes = 0;
  const found = { old: 0, new: 0 };
  for (let round = 0; round <= ROUNDS; round++) {
    const page = await site.newPage();
    await edit(page);
    const [changes, file] = await page.evaluate(whatIsThere, SAMPLES);
    const place = `round ${round} of seed ${SEED}`;
    // A line may be on the disk before the page says so.
    assert.ok(changes >= kept, `${place}: ${changes} changes are left of ${kept}`);
    assert.ok(may.includes(file), `${place}: the saved file is of round ${file}, not of ${may.join(' or ')}`);
    if (round > 1) found[file === round - 1 ? 'new' : 'old']++;
    [kept, may] = [changes, [file, round]];
    await page.exposeFunction('shown', (n) => {
      kept = n;
    });
    let begun;
    const saving = new Promise((resolve) => (begun = resolve));
    await page.exposeFunction('saving', begun);
    // The first tab saves in peace, which says how long it takes; and the last saves too.
    const peaceful = round === 0 || round === ROUNDS;
    const saved = page.evaluate(saveAndGoOn, { samples: SAMPLES, round, peaceful });
    if (peaceful) takes = await saved;
    else {
      saved.catch(() => {});
      await saving;
      await new Promise((go) => setTimeout(go, random() * takes * 1.2));
      await crash(page);
    }
    await page.close();
  }
  t.diagnostic(
    `saving took ${Math.round(takes)} ms; of ${ROUNDS - 1} tabs that were killed, ${found.old} left the old file and ${found.new} the new one; seed ${SEED}`,
  );
});

/** Changes of the journal, and the round that the saved file is of: `null` without one. */
async function whatIsThere(samples) {
  const { edits, forebay } = globalThis;
  const root = await navigator.storage.getDirectory();
  const file = await (await root.getFileHandle('saved.tbl', { create: true })).getFile();
  if (file.size === 0) return [edits.changes, null];
  const { ok, faults } = await forebay.check(file);
  if (!ok) return [edits.changes, JSON.stringify(faults)];
  const saved = await forebay.open(file);
  const rounds = [];
  for (const i of [0, samples - 1]) rounds.push((await saved.record(i)).round);
  await saved.close();
  return [edits.changes, rounds[0] === rounds[1] ? rounds[0] : `of ${rounds.join(' and ')}`];
}

/** Marks first and last sample with the round, and saves; afterwards it edits for as long as the tab lives. Resolves to the time of saving. */
async function saveAndGoOn({ samples, round, peaceful }) {
  const { edits, saving, shown } = globalThis;
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle('saved.tbl', { create: true });
  for (const i of [0, samples - 1]) {
    await edits.set(i, { round });
    await shown(edits.changes);
  }
  const started = performance.now();
  void saving();
  await edits.save(handle);
  const took = performance.now() - started;
  for (let i = 1; !peaceful; i = 1 + (i % 40)) {
    await edits.set(i, { note: `of round ${round}` });
    await shown(edits.changes);
  }
  return took;
}

/** Numbers from 0 to 1 that a seed decides. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
