// What is converted, and the page that says what came of it.
import { cpus } from 'node:os';
import { read } from '../../scripts/lib/run.mjs';
import { PEER_VERSION } from './peer.mjs';

/** The conversions that are measured from outside, each with its output. */
export function conversions(set) {
  const convert =
    (...more) =>
    (forebay, output, tar) => [forebay, 'convert', '--quiet', ...more, tar, output];
  const cp = (_, output, tar) => ['cp', tar, output];
  const none = convert('--no-sync');
  const lz4 = convert('--no-sync', '--compression', 'lz4');
  const job = (name, argv, tar, output, mode = 'time') => ({ name, argv, tar, output, mode });
  return [
    job('cp', cp, set.small, 'cp.tar'),
    job('none', none, set.small, 'none.tbl'),
    job('none, synced', convert(), set.small, 'synced.tbl'),
    job('lz4', lz4, set.small, 'lz4.tbl'),
    job('turboloader', convert('--no-sync', '--layout', 'turboloader'), set.small, 'turboloader.tbl'),
    job('cp x4', cp, set.large, 'x4.tar'),
    job('none x4', none, set.large, 'x4.tbl'),
    job('peak none', none, set.small, 'peak.tbl', 'peak'),
    job('peak none x4', none, set.large, 'x4.tbl', 'peak'),
    job('peak lz4', lz4, set.small, 'peak.tbl', 'peak'),
    job('peak lz4 x4', lz4, set.large, 'x4.tbl', 'peak'),
  ];
}

/** The machine and the versions, as they are printed. */
export function machine() {
  const all = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    cores: all.length,
    processor: `${all.length} x ${all[0]?.model ?? 'unknown'}`,
    system: read('uname', ['-srm']),
    rust: read('rustc', ['--version']),
    node: process.version,
    python: read('python3', ['--version']),
    cp: read('cp', ['--version'])?.split('\n')[0],
    turboloader: PEER_VERSION,
  };
}

const median = (numbers) => {
  const sorted = numbers.filter((n) => n !== undefined).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const ms = (seconds) => `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)} ms`;
const times = (ratio) => `${ratio.toFixed(ratio < 10 ? 2 : 0)} x`;

/** The page, with every claim beside what it is held to. */
export function page(about, results) {
  const of = (name, field = 'seconds') => median((results[name] ?? []).map((r) => r[field]));
  const ran = (name) => results[name]?.length > 0;
  const rows = [];
  const claim = (what, ours, other, ratio, wanted, met) =>
    rows.push(
      `| ${what} | ${ours} | ${other} | ${ratio} | ${wanted} | ${met === null ? 'not measured' : met ? 'yes' : '**no**'} |`,
    );
  // More is better in every ratio: the other's time over ours.
  const faster = (what, name, other, wanted, fields = ['seconds', 'seconds']) => {
    const [a, b] = [of(name, fields[0]), of(other, fields[1])];
    if (!ran(name) || !ran(other)) return claim(what, ran(name) ? ms(a) : '', '', '', `${wanted} x`, null);
    claim(what, ms(a), ms(b), times(b / a), `${wanted} x`, b / a >= wanted);
  };
  faster('TAR to TBL, no compression, against `cp` of the same file', 'none', 'cp', 0.7);
  faster('the same, four times as much', 'none x4', 'cp x4', 0.7);
  faster("TAR to TBL, no compression, against the peer's writer", 'none', 'peer none', 8);
  faster("TAR to TBL, LZ4, against the peer's writer", 'lz4', 'peer lz4', 5);
  const guide = ['verified_seconds', 'seconds'];
  faster(
    "every sample in random order, verified, one thread, against the peer's verified reader",
    'read guide',
    'peer read',
    20,
    guide,
  );
  faster('the same, each sample copied out as the peer does', 'read guide', 'peer read', 20, [
    'copied_seconds',
    'seconds',
  ]);
  faster('the same, against memcpy and CRC-32 of the same bytes', 'read guide', 'read guide', 0.5, [
    'verified_seconds',
    'floor_seconds',
  ]);
  if (ran('peer read')) {
    const [a, b] = [of('read turboloader', 'verified_seconds'), of('peer read')];
    rows.push(
      `| the turboloader layout (CRC-16) in the same way, for information | ${ms(a)} | ${ms(b)} | ${times(b / a)} | | |`,
    );
  }
  const opened = of('open', 'opened_seconds');
  claim('opening a file of 1,281,167 samples', ms(opened), '', '', 'under 50 ms', opened < 0.05);
  const [resident, index] = [of('open', 'resident_bytes'), of('open', 'index_bytes')];
  claim(
    'memory that opening it takes',
    mib(resident),
    `index: ${mib(index)}`,
    times(resident / index),
    'the index once',
    resident <= index,
  );
  for (const name of ['none', 'lz4']) {
    const [small, large] = [of(`peak ${name}`, 'peak_bytes'), of(`peak ${name} x4`, 'peak_bytes')];
    const even = large / small <= 1.1 && small / large <= 1.1;
    claim(
      `peak memory of converting, ${name}, four times as much against the set`,
      mib(large),
      mib(small),
      times(large / small),
      'within 10 %, 64 MiB',
      even && large <= 64 * 2 ** 20,
    );
  }
  const synced = of('none, synced') - of('none');
  const cpu = (name) => (ran(name) ? ms(of(name, 'cpu_seconds')) : '');
  const size = (name) => `${(of(name, 'output_bytes') / 1e6).toFixed(1)} MB`;
  const list = ['cp', 'none', 'none, synced', 'lz4', 'turboloader', 'peer none', 'peer lz4', 'cp x4', 'none x4'].filter(
    ran,
  );
  const peak = (name) => {
    const from = ran(`peak ${name}`) ? `peak ${name}` : name;
    return results[from][0].peak_bytes ? mib(of(from, 'peak_bytes')) : '';
  };
  const [copying, converting] = [of('cp', 'cpu_seconds'), of('none', 'cpu_seconds')];
  return `# Benchmarks

Made by \`npm run bench\`, which writes this page: ${about.date}.

Machine: ${about.processor}, ${about.system}; load average at the end ${about.load.join(', ')}.
Versions: ${about.rust}, Node ${about.node}, ${about.python}, ${about.cp}, turboloader ${about.turboloader}.
Set: ${about.set}.

Medians of ${about.rounds} runs. Everything ran in turns in the same run, files in the page cache, outputs new each time. The SHA-256 of
every payload was the same in all outputs, read by Forebay and by the peer. A ratio is the other's time over Forebay's,
so that more is better; for memory it is the quotient of the two.

| what | Forebay | other | ratio | goal | reached |
|---|---|---|---|---|---|
${rows.join('\n')}

## All conversions

| conversion | time | processor time | peak memory |
|---|---|---|---|
${list.map((name) => `| ${name} | ${ms(of(name))} | ${cpu(name)} | ${peak(name)} |`).join('\n')}

- Times of Forebay and \`cp\` are those of the whole process, from outside. The peer's leave out starting Python and
  importing the package.
- \`cp\` does not wait for the disk, so it is compared with \`--no-sync\`. By default the command makes the output durable
  before it appears: here that cost ${ms(Math.max(0, synced))} more.
- Converting reads every byte once more than \`cp\` does, for its CRC-32, and does so on other threads than the one that
  writes. If a second core is free that costs no time; if all cores are busy, what counts is the processor time, of
  which \`cp\` takes ${times(copying / converting)} as much. The load average above, of ${about.cores} cores, says which of the two was measured.
- Peak memory is the process's own high-water mark in runs of their own, mapped pages of files included. With more
  samples it grows by the index (24 bytes and a name for each file of the archive, 32 bytes for each sample) and by
  buffers that a small set does not fill, such as the 1 MiB in which metadata waits; with the size of the payloads it
  does not grow. If it is not within 10 %, that is why.
- The peer's writer is a loop over Python's \`tarfile\` into \`TblWriterV2\`; what bounds it is its own CRC-16 over every
  payload, bit by bit. It keeps no names and no labels; Forebay keeps both.
- With LZ4, Forebay recognizes that JPEG cannot shrink and stores it (${ran('lz4') ? size('lz4') : ''}, without compression ${ran('none') ? size('none') : ''}). The
  peer tries every payload.
- Reading is the second pass over the file, when its pages are mapped. A stored payload is verified and handed out as a
  slice of the map, not copied; the row below it copies each sample.
- In the turboloader layout every payload is verified by CRC-16, for which processors have no instruction that fits: it
  is slower to read than the guide layout, in every reader.
`;
}
