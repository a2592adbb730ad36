// What only this host has: its own codes, workers that fail, memory.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  openAsBlob,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import v8 from 'node:v8';
import vm from 'node:vm';
import {
  bytesSource,
  check,
  configure,
  convert,
  fileSource,
  hostCodes,
  memorySink,
  open,
  openSamples,
  shutdown,
} from 'forebay';
import { ROOT, codeOf, tarOf } from './helpers.mjs';

after(shutdown);

test('docs/errors.md lists the codes of this package with their meanings, and no others', () => {
  const doc = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
  const section = doc.slice(doc.indexOf('## Only in JavaScript'));
  const rows = [...section.matchAll(/^\| `([a-z_.]+)` \| (.*) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
  assert.deepEqual(rows, Object.entries(hostCodes));
});

/** A TBL whose first payload claims to be so large when it is decompressed that the module's memory cannot hold it. */
async function impossible() {
  const sink = memorySink();
  await convert(bytesSource(tarOf(3, 300), 'a.tar'), sink, { to: 'tbl', layout: 'turboloader', compression: 'lz4' });
  const made = sink.bytes();
  const stored = 9 << 20;
  const bytes = new Uint8Array(made.length + stored);
  bytes.set(made);
  const view = new DataView(bytes.buffer);
  view.setUint32(64, made.length, true);
  view.setUint32(64 + 4, 0, true);
  view.setUint32(64 + 8, stored, true);
  view.setUint32(64 + 12, 2 ** 31 + 2 ** 20, true);
  return bytes;
}

test('a worker whose module traps is replaced, and the dataset goes on in another', async () => {
  const ds = await openSamples(await impossible(), { limits: { itemBytes: 2 ** 40 } });
  const e = await ds.bytes(0, { verify: false }).catch((thrown) => thrown);
  assert.deepEqual([e.code, e.kind], ['worker.trapped', 'io']);
  assert.match(e.message, /capacity overflow|memory/);
  assert.equal((await ds.bytes(1)).length, ds.info(1).bytes);
  assert.equal((await open(tarOf(2))).length, 2);
  ds.close();
});

test('what else the worker was at goes on in another', async () => {
  configure({ workers: 1 });
  try {
    await shutdown();
    const slowly = (bytes) => ({
      byteLength: bytes.length,
      name: 'slow',
      read: (start, end) => new Promise((resolve) => setTimeout(() => resolve(bytes.slice(start, end)), 20)),
    });
    const sink = memorySink();
    await convert(tarOf(400, 100), sink, { to: 'tbl', compression: 'lz4' });
    const good = await openSamples(slowly(sink.bytes()));
    const bad = await openSamples(await impossible(), { limits: { itemBytes: 2 ** 40 } });
    const work = [
      good.bytes(1),
      good.record(2),
      good.check(),
      good.stats({ classField: 'cls' }),
      good.matches('cls == 1'),
      good.tensor(5, { size: [8, 8] }),
      open(slowly(tarOf(100))),
    ];
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(await codeOf(bad.bytes(0, { verify: false })), 'worker.trapped');
    const [bytes, record, report, stats, matches, tensor, opened] = await Promise.all(work);
    assert.deepEqual(
      [bytes.length, record.cls, report.ok, stats.samples, matches.length, tensor.data.length, opened.length],
      [good.info(1).bytes, 2, true, 400, 133, 192, 100],
    );
    assert.equal((await convert(good, memorySink(), { to: 'tar' })).samples, 400);
    for (const dataset of [good, bad, opened]) dataset.close();
  } finally {
    configure({ workers: undefined });
    await shutdown();
  }
});

test('the usual limits refuse what would trap', async () => {
  const ds = await openSamples(await impossible());
  assert.equal(await codeOf(ds.bytes(0, { verify: false })), 'limit.item');
  ds.close();
});

test('a check that several workers share says what one alone says', async () => {
  const sink = memorySink();
  await convert(bytesSource(tarOf(80, 2600), 'a.tar'), sink, { to: 'tbl' });
  const bytes = sink.bytes();
  assert.ok(bytes.length > 70e6);
  const ds = await openSamples(bytes);
  // Damage in the first, a middle and the last payload.
  for (const i of [0, 31, 79]) bytes[ds.info(i).offset + 100] ^= 1;
  ds.close();
  const reports = [];
  try {
    for (const workers of [1, 2, 4]) {
      await shutdown();
      configure({ workers });
      const again = await openSamples(bytes);
      let last;
      reports.push(await again.check({ onProgress: (progress) => (last = progress) }));
      assert.deepEqual([last.samples, last.totalSamples], [80, 80]);
      again.close();
    }
  } finally {
    await shutdown();
    configure({ workers: undefined });
  }
  assert.deepEqual(
    reports[0].faults.map((fault) => fault.sample),
    [0, 31, 79],
  );
  assert.deepEqual(reports[1], reports[0]);
  assert.deepEqual(reports[2], reports[0]);
});

/** Bytes that this process holds once what is unused was let go. */
async function held() {
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc');
  for (let round = 0; round < 4; round++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('memory returns to its baseline when files are closed', async () => {
  // On this thread, so that the module's memory is counted too.
  await shutdown();
  configure({ workers: 0 });
  const tar = tarOf(2000);
  const round = async () => {
    const ds = await openSamples(tar);
    await ds.matches('width > 20 && cls == 1');
    await ds.prefetch([0, 1, 2, 3]);
    ds.close();
    assert.equal((await check(tar)).ok, true);
    await convert(tar, { write: async () => {} }, { to: 'tbl' });
  };
  try {
    // The first rounds load modules and grow their memories, which never shrink.
    for (let i = 0; i < 3; i++) await round();
    const before = await held();
    for (let i = 0; i < 8; i++) await round();
    const grown = (await held()) - before;
    assert.ok(grown < 4 << 20, `${grown} bytes more after 8 rounds`);
  } finally {
    await shutdown();
    configure({ workers: undefined });
  }
});

test('what nobody has any more is freed without being closed', async () => {
  await shutdown();
  configure({ workers: 0 });
  const tar = tarOf(2000);
  const round = async () => {
    for (let i = 0; i < 10; i++) await openSamples(tar);
    return held();
  };
  try {
    await round();
    const before = await round();
    for (let i = 0; i < 6; i++) await round();
    const grown = (await held()) - before;
    assert.ok(grown < 4 << 20, `${grown} bytes more after 60 files`);
  } finally {
    await shutdown();
    configure({ workers: undefined });
  }
});

test('a file of this machine is closed once nobody has its dataset any more', {
  skip: process.platform !== 'linux' && 'open files are counted by Linux',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
  const warnings = [];
  const hear = (e) => warnings.push(e.message);
  process.on('warning', hear);
  try {
    const path = join(folder, 'a.tar');
    writeFileSync(path, tarOf(3));
    const files = () =>
      readdirSync('/proc/self/fd')
        .map((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`);
          } catch {
            return '';
          }
        })
        .filter((file) => file === path).length;
    let last = await openSamples(path);
    for (let i = 0; i < 20; i++) last = await openSamples(path);
    await held();
    assert.ok(files() <= 2, `${files()} are open`);
    assert.equal((await last.bytes(0)).length, last.info(0).bytes);
    last.close();
    assert.deepEqual(warnings, []);
  } finally {
    process.off('warning', hear);
    rmSync(folder, { recursive: true });
  }
});

/** Runs with a folder of its own. Its files were last written some time ago: file systems count in steps of milliseconds. */
async function withFiles(files, body) {
  const folder = mkdtempSync(join(tmpdir(), 'forebay-'));
  const paths = files.map((_, k) => join(folder, `${k}.tar`));
  paths.forEach((path, k) => void writeFileSync(path, files[k]));
  await new Promise((resolve) => setTimeout(resolve, 30));
  try {
    return await body(...paths, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a file that is written in place while it is open is refused, by whoever reads it, and opens again', async () => {
  const [was, now] = [tarOf(30), tarOf(30).map((byte) => byte ^ 1)];
  const ways = [
    [(path) => writeFileSync(path, now), /^the file changed since it was opened: open it again/],
    [(path) => appendFileSync(path, 'more'), /since it was opened \(it had \d+ bytes, and has \d+\): open it again/],
    [
      (path) => truncateSync(path, was.length / 2),
      /since it was opened \(it had \d+ bytes, and has \d+\): open it again/,
    ],
  ];
  for (const [change, message] of ways) {
    await withFiles([was], async (path) => {
      const ds = await openSamples(path);
      assert.equal((await ds.bytes(1)).length, ds.info(1).bytes);
      change(path);
      // The first and the last sample: what lies before the change is refused too, as nobody knows where it is.
      for (const read of [
        () => ds.bytes(0),
        () => ds.bytes(29),
        () => ds.check(),
        () => convert(ds, memorySink(), { to: 'tbl' }),
      ]) {
        await assert.rejects(read, { code: 'io', kind: 'io', file: path, message });
      }
      ds.close();
      writeFileSync(path, was);
      const again = await openSamples(path);
      assert.deepEqual(
        await again.bytes(29),
        was.slice(again.info(29).offset, again.info(29).offset + again.info(29).bytes),
      );
      again.close();
    });
  }
});

test('a file that another took the place of is read on as it was', async () => {
  const was = tarOf(30);
  await withFiles([was, tarOf(12)], async (path, other) => {
    const ds = await openSamples(path);
    renameSync(other, path);
    assert.equal((await ds.check()).samples, 30);
    assert.deepEqual(await ds.bytes(29), was.slice(ds.info(29).offset, ds.info(29).offset + ds.info(29).bytes));
    ds.close();
  });
});

test('a folder is said to be one, and its handle is not kept', async () => {
  await withFiles([], async (folder) => {
    for (const ask of [open, check, fileSource]) {
      await assert.rejects(ask(folder), {
        code: 'usage.argument',
        message:
          ask === fileSource
            ? 'this is a folder; give the path of a file in it'
            : 'there is no dataset in the folder: neither manifest.json of a warehouse, nor a list of images (.jsonl), nor images alone',
        file: folder,
      });
    }
    await assert.rejects(open(join(folder, 'none.tar')), { code: 'io', message: /^cannot open: ENOENT/ });
    if (process.platform === 'linux')
      assert.ok(
        !readdirSync('/proc/self/fd').some((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`) === folder;
          } catch {
            return false;
          }
        }),
      );
  });
});

test('a blob of a file that changed is said to have changed, with the words of the host as the cause', async () => {
  await withFiles([tarOf(30)], async (path) => {
    const ds = await openSamples(await openAsBlob(path));
    appendFileSync(path, 'more');
    const e = await ds.bytes(3).catch((thrown) => thrown);
    assert.equal(e.code, 'io');
    assert.equal(
      e.message,
      'the file cannot be read any more: it was probably changed, moved or removed since it was opened; choose it again',
    );
    assert.equal(e.cause.name, 'NotReadableError');
    ds.close();
  });
  const broken = new Blob([tarOf(3)]);
  const ds = await openSamples(broken);
  broken.slice = () => ({ arrayBuffer: () => Promise.reject(new RangeError('Array buffer allocation failed')) });
  await assert.rejects(ds.bytes(0), { code: 'io', message: 'the file cannot be read: Array buffer allocation failed' });
  ds.close();
});
