// The viewer's controllers, each by itself, without a browser.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { ROOT } from '../browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'forebay-controllers-'));
const parts = {};
before(async () => {
  const names = ['key-controller', 'label-controller', 'link-controller', 'read-meter'].map((name) => `shell/${name}`);
  names.push('samples/filter-controller');
  await build({
    entryPoints: names.map((name) => join(ROOT, `www/viewer/src/${name}.ts`)),
    outbase: join(ROOT, 'www/viewer/src'),
    bundle: true,
    format: 'esm',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  for (const name of names) Object.assign(parts, await import(join(folder, `${name}.mjs`)));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A component as controllers know it. */
function host() {
  const all = [];
  return {
    all,
    updates: 0,
    addController: (one) => all.push(one),
    requestUpdate() {
      this.updates++;
    },
    updateComplete: Promise.resolve(true),
  };
}

/** A dataset whose answers come when they are told to. */
function dataset(length) {
  const asked = [];
  const matches = (where, { signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      asked.push({ where, answer: (kept) => resolve(Uint32Array.from(kept)), fail: reject });
    });
  return { length, matches, asked };
}

function filterOf(data) {
  const heard = [];
  const filter = new parts.FilterController(host(), {
    data: () => data,
    words: (kept, length) => (kept === null ? `all ${length} samples` : `${kept} samples of ${length} match`),
    growing: () => false,
    say: (text) => heard.push(text),
    begun: () => heard.push('begun'),
    applied: (same) => heard.push(same ? 'same' : 'another'),
    failed: () => heard.push('failed'),
  });
  filter.showAll(data.length);
  return { filter, heard };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a filter is what is typed and what was clicked, and the last one counts', async () => {
  const data = dataset(10);
  const { filter, heard } = filterOf(data);
  const first = filter.setText(' width > 3 || index == 1 ');
  filter.setClause('format', { label: 'jpeg', expression: 'format == "jpeg"' });
  assert.deepEqual(
    data.asked.map(({ where }) => where),
    ['width > 3 || index == 1', '(width > 3 || index == 1) && format == "jpeg"'],
  );
  data.asked[0].answer([0, 1, 2]);
  data.asked[1].answer([4, 5]);
  await first;
  await turn();
  assert.deepEqual([...filter.rows.kept], [4, 5]);
  assert.deepEqual(heard, ['begun', 'begun', '2 samples of 10 match', 'another']);
  assert.equal(filter.running, false);
  filter.setClause('format', null);
  assert.equal(filter.expression, 'width > 3 || index == 1');
});

test('a filter that fails leaves the rows as they are, and says why until another is applied', async () => {
  const data = dataset(10);
  const { filter, heard } = filterOf(data);
  const { rows } = filter;
  const work = filter.setText('wdth > 3');
  data.asked[0].fail(Object.assign(new Error('there is no field wdth'), { code: 'filter.field', offset: 0 }));
  await work;
  assert.deepEqual([filter.error.code, filter.error.offset, filter.rows === rows], ['filter.field', 0, true]);
  assert.deepEqual(heard, ['begun', 'failed']);
  await filter.setText('');
  assert.deepEqual([filter.error, filter.rows.length], [null, 10]);
});

test('what grows is shown at once without a filter, and is looked through again with one', async () => {
  const data = dataset(10);
  const { filter } = filterOf(data);
  filter.grow(20);
  assert.equal(filter.rows.length, 20);
  const work = filter.setText('index > 3');
  data.asked[0].answer([4]);
  await work;
  // It was looked through just now, so that it is not yet time.
  filter.grow(30);
  assert.deepEqual([data.asked.length, filter.rows.length], [1, 1]);
  filter.reset();
  assert.deepEqual([filter.rows.total, filter.expression], [0, '']);
});

test('keys do what they are for, unless somebody types, or a dialog is open', () => {
  const done = [];
  const listeners = new Map();
  globalThis.document = {
    body: { matches: () => false },
    addEventListener: (name, listener) => listeners.set(name, listener),
    removeEventListener: (name) => listeners.delete(name),
  };
  try {
    const state = { busy: false };
    const slotted = { matches: () => false };
    const viewer = { ...host(), contains: (one) => one === slotted };
    const keys = new parts.KeyController(viewer, {
      ownPage: () => true,
      busy: () => state.busy,
      actions: () => ({ o: () => done.push('open') }),
      others: [(key) => key === 'j' && done.push('step') > 0, (key, idle) => idle && key === 'End'],
    });
    keys.hostConnected();
    const press = (key, target = document.body, more = {}) => {
      let taken = false;
      const preventDefault = () => {
        taken = true;
      };
      listeners.get('keydown')({ key, composedPath: () => [target], preventDefault, ...more });
      return taken;
    };
    const field = { matches: () => true };
    const elsewhere = { matches: () => false };
    assert.deepEqual(
      [press('o'), press('j'), press('x'), press('End'), press('End', elsewhere)],
      [true, true, false, true, false],
    );
    assert.deepEqual(done, ['open', 'step']);
    assert.deepEqual([press('o', field), press('o', document.body, { ctrlKey: true })], [false, false]);
    assert.equal(press('o', slotted), false, 'what is in a slot has its own keys');
    assert.equal(press('o', document.body, { isComposing: true }), false, 'a letter that is composed is none of them');
    state.busy = true;
    assert.equal(press('o'), false);
    assert.deepEqual(done, ['open', 'step']);
    keys.hostDisconnected();
    assert.equal(listeners.size, 0);
  } finally {
    delete globalThis.document;
  }
});

test('on a page of others the keys are those that are pressed within', () => {
  const listeners = new Map();
  const listening = (done) => ({
    ...host(),
    addEventListener: (name, listener) => done.set(name, listener),
    removeEventListener: (name) => done.delete(name),
  });
  const ofPage = new Map();
  globalThis.document = { body: {}, ...listening(ofPage) };
  try {
    const viewer = { ...listening(listeners), contains: () => false };
    const keys = new parts.KeyController(viewer, {
      ownPage: () => false,
      busy: () => false,
      actions: () => ({}),
      others: [(_, idle) => idle],
    });
    keys.hostConnected();
    assert.deepEqual([[...listeners.keys()], ofPage.size], [['keydown'], 0]);
    let taken = 0;
    const press = (target) =>
      listeners.get('keydown')({ key: 'End', composedPath: () => [target], preventDefault: () => taken++ });
    press({ matches: () => false });
    assert.equal(taken, 0);
    press(viewer);
    assert.equal(taken, 1);
    keys.hostDisconnected();
    assert.equal(listeners.size, 0);
  } finally {
    delete globalThis.document;
  }
});

test('the address says what is opened, and is followed when it changes', async () => {
  const listeners = new Map();
  const written = [];
  Object.assign(globalThis, {
    location: { hash: '#file=data/a.tbl&i=3', href: 'http://x/' },
    history: { replaceState: (_, __, link) => written.push(link) },
    window: {
      addEventListener: (name, listener) => listeners.set(name, listener),
      removeEventListener: (name) => listeners.delete(name),
    },
  });
  try {
    const state = { own: true, file: '', closed: [], opened: [], shown: [] };
    const links = new parts.LinkController(host(), {
      ownPage: () => state.own,
      file: () => state.file,
      failed: () => false,
      show: async (link) => void state.shown.push(link),
      openUrl: (address) => void state.opened.push(address),
      openRecent: () => assert.fail('nothing was open before'),
      choose: () => assert.fail('nobody chooses'),
      close: (left) => void state.closed.push(left),
      ask: () => assert.fail('nothing is asked'),
    });
    links.hostConnected();
    assert.deepEqual(state.opened, ['data/a.tbl']);
    assert.deepEqual(written, ['#file=data/a.tbl&i=3'], 'what else the link says stays');
    state.file = 'data/a.tbl';
    location.hash = '#file=data/a.tbl&i=4&q=width%20%3E%203';
    listeners.get('hashchange')();
    assert.deepEqual(state.shown, [{ file: 'data/a.tbl', i: 4, q: 'width > 3' }]);
    links.update({ i: 5 });
    assert.equal(written.at(-1), '#file=data/a.tbl&i=5');
    location.hash = '';
    listeners.get('hashchange')();
    assert.deepEqual([state.closed, state.opened.length], [[true], 1]);
    links.hostDisconnected();
    assert.equal(listeners.size, 0);
    const { length } = written;
    state.own = false;
    links.hostConnected();
    links.update({ i: 6 });
    links.point('data/b.tbl');
    links.leave();
    assert.deepEqual([listeners.size, written.length, links.asked], [0, length, {}], 'the address of others is theirs');
  } finally {
    for (const name of ['location', 'history', 'window']) delete globalThis[name];
  }
});

test('what was read is said in words, and never more than there is', () => {
  const state = { telemetry: undefined, whole: null };
  const meter = new parts.ReadMeter(host(), { telemetry: () => state.telemetry, wholeBytes: () => state.whole });
  const words = () => {
    meter.hostUpdate();
    return meter.words;
  };
  assert.equal(words(), '');
  state.telemetry = { requests: 3, bytesRead: 1200, byteLength: 4_100_000 };
  assert.equal(words(), '3 requests, 1.2 kB of 4.1 MB read');
  state.telemetry = { requests: 1, bytesRead: 2000, byteLength: 1000 };
  assert.equal(words(), '1 request, 2.0 kB read');
  state.whole = 5000;
  assert.equal(words(), 'all 5.0 kB read');
});

test('of label files the last one is shown, however long another takes, and none that was taken away', async () => {
  const reads = [];
  const read = (_, { name }) => new Promise((resolve, reject) => reads.push({ name, resolve, reject }));
  const about = { format: 'tbl', length: 1, name: 'a.tbl', schema: [], whole: Promise.resolve() };
  let goOn;
  const data = {
    ...about,
    nameOf: () => '0.png',
    async *records({ indexes, fields, signal }) {
      assert.deepEqual(fields, ['name'], 'of large records only the names come');
      await goOn;
      signal.throwIfAborted();
      yield { indexes, records: [{ name: '0.png' }] };
    },
  };
  const labels = new parts.LabelController(host(), {
    engine: () => ({ labels: { read, match: async (all, images) => all.map((name) => images.indexOf(name)) } }),
    data: () => data,
    signal: () => new AbortController().signal,
    say: () => {},
    changed: () => {},
    followed: () => {},
  });
  // Each file is looked at first: it may be a project.
  const begun = async (many) => {
    while (reads.length < many) await new Promise((go) => setTimeout(go, 1));
  };
  const some = (label) => ({
    format: 'coco',
    notes: { counts: [], texts: [] },
    classes: [{ name: label }],
    pictures: [{ name: '0.png', annotations: [{ box: [0, 0, 1, 1], class: 0 }] }],
  });
  const slow = labels.open(new Blob(), 'slow.json');
  const quick = labels.open(new Blob(), 'quick.json');
  assert.equal(labels.reading, 'quick.json');
  await begun(2);
  reads[1].resolve(some('quick'));
  await quick;
  assert.deepEqual([labels.failure, labels.given?.name, labels.reading], [null, 'quick.json', null]);
  reads[0].resolve(some('slow'));
  await slow;
  assert.equal(labels.given.name, 'quick.json');
  const failing = labels.open(new Blob(), 'failing.json');
  const last = labels.open(new Blob(), 'last.json');
  await begun(4);
  reads[2].reject(new Error('no labels'));
  await failing;
  assert.deepEqual([labels.failure, labels.reading], [null, 'last.json']);
  labels.remove();
  reads[3].resolve(some('last'));
  await last;
  assert.deepEqual([labels.given, labels.reading], [null, null]);
  // Who cancels sees what was there before, and no fault.
  const first = labels.open(new Blob(), 'first.json');
  await begun(5);
  reads[4].resolve(some('first'));
  await first;
  let go;
  goOn = new Promise((resolve) => (go = resolve));
  const given_up = labels.open(new Blob(), 'given-up.json');
  await begun(6);
  reads[5].resolve(some('given up'));
  labels.cancel();
  go();
  await given_up;
  assert.deepEqual([labels.given.name, labels.reading, labels.failure], ['first.json', null, null]);
});
