// The page about loaders: every claim beside what it is held to, and a picture of the speeds.
import { barChart } from './chart.mjs';
import { PEER_VERSION, TRAINING } from './peer.mjs';
import { detection } from './detection_report.mjs';
import { parts } from './parts_report.mjs';

/** Ways to begin over many samples, and what each has to find out. */
const BEGINNINGS = {
  plain: 'the order alone',
  filter: '`.filter("width >= 224 && height >= 224")`, from the index',
  'metadata-filter': '`.filter("cls != \\"n00000007\\"")`, from all metadata',
  labels: '`.labels("cls")`, of which all metadata say the 1000 classes',
  folders: '`Labels::folder()`, the same from the names',
  table: '`Labels::table("many.csv", "file", "class")`, a CSV with as many rows',
};
export const READY = Object.keys(BEGINNINGS);

const median = (numbers) => {
  const sorted = numbers.filter((n) => n !== undefined && n !== null).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const times = (ratio) => `${ratio.toFixed(2)} x`;
const ms = (seconds) => `${(seconds * 1000).toFixed(1)} ms`;
const per = (rate) => `${Math.round(rate).toLocaleString('en')} /s`;

/** Ways to ask for medians. */
function asked(results) {
  const ran = (name) => results[name]?.length > 0;
  const of = (name, pick) => median((results[name] ?? []).map(pick));
  return { ran, of, rate: (name) => of(name, (r) => r.images / r.seconds) };
}

/** The claims of the table, each with our value. */
function claims(results) {
  const { ran, of, rate } = asked(results);
  const rows = [];
  const row = (what, ours, other, ratios, wanted, met) => rows.push({ what, ours, other, ratios, wanted, met });
  const against = (what, ours, other, wanted) => {
    const a = rate(ours);
    if (!ran(other)) return row(what, per(a), '', '', `${wanted} x`, null);
    const b = rate(other);
    row(what, per(a), per(b), times(a / b), `${wanted} x`, a / b >= wanted);
  };
  for (const cores of ['1 core', '2 cores']) {
    against(
      `resized, ${cores}, against turboloader's DataLoader`,
      `forebay, resize, ${cores}`,
      `turboloader, resize, ${cores}`,
      2,
    );
  }
  for (const cores of ['1 core', '2 cores']) {
    against(
      `random crops and flips, ${cores}, against the same with \`train_aug\``,
      `forebay, augment, ${cores}`,
      `turboloader, augment, ${cores}`,
      2,
    );
  }
  against(
    "resized, 2 cores, against webdataset with torch's workers",
    'forebay, resize, 2 cores',
    'webdataset, resize, 2 cores',
    4,
  );
  against(
    "resized, 2 cores, against torch's DataLoader with Pillow",
    'forebay, resize, 2 cores',
    'torch, resize, 2 cores',
    4,
  );
  const bare = of('forebay, resize, 1 core', (r) => r.decoder?.images_per_second);
  const resized = rate('forebay, resize, 1 core');
  row(
    'resized, 1 core: share of the bare decoder on the same core',
    per(resized),
    per(bare),
    times(resized / bare),
    '0.85 x',
    resized / bare >= 0.85,
  );
  against(
    'images of 3000 x 2000, 2 cores, against turboloader',
    'forebay, large, 2 cores',
    'turboloader, large, 2 cores',
    2,
  );
  against(
    'images of 64 x 64, enlarged, 2 cores, against turboloader',
    'forebay, small, 2 cores',
    'turboloader, small, 2 cores',
    2,
  );
  const small = (key) => of('forebay, small, 2 cores', (r) => r.decoder?.[key]);
  const enlarging = small('resize_ms') / small('decode_ms');
  row(
    'images of 64 x 64: enlarging to a tensor against decoding, both alone',
    '',
    '',
    times(enlarging),
    '2 x at most',
    enlarging <= 2,
  );
  const grown = rate('forebay, resize, 2 cores') / resized;
  const theirs = ran('turboloader, resize, 1 core')
    ? `turboloader: ${times(rate('turboloader, resize, 2 cores') / rate('turboloader, resize, 1 core'))}`
    : '';
  row('2 workers on 2 cores against 1 on 1', '', theirs, times(grown), '1.9 x', grown >= 1.9);
  for (const cores of ['1 core', '2 cores']) {
    against(
      `raw pixels of 224 x 224, verified, ${cores}, against turboloader's raw loader, which never verifies`,
      `raw, ${cores}`,
      `turboloader, raw, ${cores}`,
      2,
    );
    against(`the same, not verified, ${cores}`, `raw, unverified, ${cores}`, `turboloader, raw, ${cores}`, 2);
  }
  against(
    'raw pixels, not verified, 1 core, against memcpy of the output',
    'raw, unverified, 1 core',
    'memcpy, 1 core',
    0.6,
  );
  const first = of('forebay, resize, 2 cores', (r) => r.first_batch_seconds);
  const usual = of('forebay, resize, 2 cores', (r) => r.batch_seconds);
  row(
    'from before the file is opened to the first batch',
    ms(first),
    `one batch: ${ms(usual)}`,
    `${ms(first - usual)} more`,
    '10 ms more',
    first - usual < 0.01,
  );
  const own = of('memory, 8 workers', (r) => r.own_peak_bytes) / 2 ** 20;
  row(
    'memory beside the file, 8 workers',
    `${own.toFixed(0)} MiB`,
    '',
    '',
    '300 MiB',
    Number.isFinite(own) && own > 0 ? own <= 300 : null,
  );
  return rows;
}

/** What bounds the speeds, in numbers of the same run. */
function reasons(results) {
  const { ran, of, rate } = asked(results);
  const reasons = [];
  // What a stage takes of a worker's time for each picture, by its share of all their time.
  const inside = (name, stage) => of(name, (r) => (1000 * r.share[stage] * r.workers * r.seconds) / r.images);
  const one = 'forebay, resize, 1 core';
  if (ran(one)) {
    const [read, decode, resize] = ['read_ms', 'decode_ms', 'resize_ms'].map((key) => of(one, (r) => r.decoder[key]));
    const most = decode / (read + decode + resize);
    reasons.push(
      `Of the ${(read + decode + resize).toFixed(2)} ms that an image takes on one core, reading and decoding are ${(read + decode).toFixed(2)} ms ` +
        `and resizing to an antialiased, normalized tensor ${resize.toFixed(2)} ms. So at most ${times(most)} of the bare decoder can be reached ` +
        `on the same core; in the loader decoding takes about ${inside(one, 'decode').toFixed(2)} ms and resizing ${inside(one, 'resize').toFixed(2)} ms: ` +
        "there tensors go to a batch's 38 MB, alone always to the same 602 kB.",
    );
    const peer = 'turboloader, resize, 1 core';
    const bare = 1000 / decode;
    if (ran(peer) && bare < 2 * rate(peer)) {
      reasons.push(
        `The decoder alone, without resizing, makes ${per(bare)} on one core: twice the ${per(rate(peer))} of turboloader is out of its reach.`,
      );
    }
  }
  reasons.push(
    'turboloader decodes with libjpeg-turbo in C, whose transform can give a smaller image and a less exact one faster (IFAST), and ' +
      'resizes without antialiasing; with `antialias=True` it is the slower row below. Forebay decodes exactly and antialiases.',
  );
  const large = of('forebay, large, 2 cores', (r) => r.decoder?.decode_ms);
  const largePeer = 'turboloader, large, 2 cores';
  if (ran('forebay, large, 2 cores') && ran(largePeer)) {
    const two = 2000 / large;
    reasons.push(
      `Large images: the decoder alone, on two cores without a loader, would make ${per(two)}, ${times(two / rate(largePeer))} of turboloader; ` +
        `the loader reaches ${times(rate('forebay, large, 2 cores') / two)} of that. In it, with both cores at work, decoding takes about ` +
        `${inside('forebay, large, 2 cores', 'decode').toFixed(1)} ms and making the tensor ${inside('forebay, large, 2 cores', 'resize').toFixed(1)} ms, ` +
        `alone ${large.toFixed(1)} ms and ${of('forebay, large, 2 cores', (r) => r.decoder.resize_ms).toFixed(1)} ms; the beginning and end of all ` +
        `${of('forebay, large, 2 cores', (r) => r.samples)} count in full.`,
    );
  }
  if (ran('forebay, small, 2 cores') && ran('memcpy, 1 core')) {
    const [decode, resize] = ['decode_ms', 'resize_ms'].map((key) =>
      of('forebay, small, 2 cores', (r) => r.decoder[key]),
    );
    const copy = 1000 / rate('memcpy, 1 core');
    reasons.push(
      `Images of 64 x 64 become tensors of 602 kB: enlarging one takes ${resize.toFixed(3)} ms, decoding ${decode.toFixed(3)} ms, and a mere copy of ` +
        `as many bytes from memory to memory ${copy.toFixed(3)} ms. What is faster at decoding has the worse ratio.`,
    );
  }
  reasons.push(
    'Two workers and a caller share two cores, and the two may be one core of the processor; turboloader is measured next to it for that.',
  );
  return reasons;
}

function verdict(met) {
  if (met === null) return 'not measured';
  return met ? 'yes' : '**no**';
}

/** The page. */
export function page(about, results, differences) {
  const { ran, of, rate } = asked(results);
  const rows = claims(results);
  const list = Object.keys(results).filter((name) => ran(name) && results[name][0].images);
  const ready = (kind, key) => of(`ready, ${kind}`, (r) => r[key]);
  const beginning = (kind) =>
    `| ${BEGINNINGS[kind]} | ${ms(ready(kind, 'seconds'))} | ${((ready(kind, 'peak_bytes') ?? NaN) / 2 ** 20).toFixed(0)} MiB |`;
  const speeds = list.map((name) => {
    const spread = results[name].map((r) => r.images / r.seconds);
    return `| ${name} | ${per(rate(name))} | ${per(Math.min(...spread))} to ${per(Math.max(...spread))} |`;
  });
  const alone = (key) => ms(of('forebay, resize, 1 core', (r) => r.decoder?.[key]) / 1000);
  const packages = Object.entries(TRAINING).map(([name, version]) => `${name} ${version}`);
  return `# Benchmarks of the loader

Made by \`npm run bench:loader\`, which writes this page: ${about.date}, in ${about.took}.

Machine: ${about.processor}, ${about.system}; load average at the end ${about.load.join(', ')}.
Versions: ${about.rust}, ${about.python}, turboloader ${PEER_VERSION}, ${packages.join(', ')}.
Set: ${about.set}.

Images become tensors of [64, 3, 224, 224] 32-bit floats, normalized as for ImageNet, with labels. Medians of ${about.rounds} runs, all
in turns in the same run, files in the page cache, each in a process of its own${about.pinned ? ' that may use one or two cores (`taskset`), whatever it\nstarts in threads or processes' : ''}. Times begin before files are opened and end with the last batch; starting Python and importing packages
is left out. A ratio is Forebay's speed over the other's. [Its decoder](decoders.md) decodes only the part that a crop needs, and
large images at a reduced size, so the bare decoder does that as well.

![Images per second](benchmarks-loader.svg)

| what | Forebay | other | ratio | goal | reached |
|---|---|---|---|---|---|
${rows.map((r) => `| ${r.what} | ${r.ours} | ${r.other} | ${r.ratios} | ${r.wanted} | ${verdict(r.met)} |`).join('\n')}

## Where it falls short, and why

${reasons(results)
  .map((reason) => `- ${reason}`)
  .join('\n')}

## Do they make the same?

The first batch of each, in stored order: the mean difference of all values, in levels of 255. The command fails if one is
over what is allowed.

| other | apart | allowed |
|---|---|---|
${differences.map((d) => `| ${d.what} | ${d.difference.toFixed(3)} | ${d.allowed} |`).join('\n')}

turboloader decodes to a reduced size with a faster, less exact transform (IFAST), and rounds down; without \`antialias\` its
pixels are those of four neighbors only. Forebay antialiases by default, as Pillow does.

## Ready for many samples

From \`Loader::open\` to a loader that is ready, over ${(ready('plain', 'samples') ?? 0).toLocaleString('en')} samples in one TBL (156 MB: index, names and classes), on two
cores; and the most memory that the process ever had, of which the index is 24 bytes a sample.

| what | ready after | peak memory |
|---|---|---|
${READY.filter((kind) => ran(`ready, ${kind}`))
  .map(beginning)
  .join('\n')}

## All speeds

| configuration | images/s | from the slowest to the fastest run |
|---|---|---|
${speeds.join('\n')}

## One image on one core

Measured on one thread, without the loader: reading and verifying, decoding, resizing and normalizing.

| read | decode | resize |
|---|---|---|
| ${alone('read_ms')} | ${alone('decode_ms')} | ${alone('resize_ms')} |
${detection()}${parts()}`;
}

/** The picture of the page. */
export function chart(results) {
  const { ran, rate } = asked(results);
  const bars = (pairs) =>
    pairs
      .filter(([, name]) => ran(name))
      .map(([label, name]) => ({ label, value: rate(name), ours: label.startsWith('Forebay') }));
  const group = (title, pairs) => ({ title, bars: bars(pairs) });
  return barChart('Loading for training', 'images a second', [
    group('about 500 x 375, resized to 224, 2 cores', [
      ['Forebay', 'forebay, resize, 2 cores'],
      ['turboloader', 'turboloader, resize, 2 cores'],
      ['turboloader, antialiased', 'turboloader, antialiased, 2 cores'],
      ['webdataset', 'webdataset, resize, 2 cores'],
      ['torch DataLoader, Pillow', 'torch, resize, 2 cores'],
    ]),
    group('random crops and flips, 2 cores', [
      ['Forebay', 'forebay, augment, 2 cores'],
      ['turboloader', 'turboloader, augment, 2 cores'],
      ['torch DataLoader, Pillow', 'torch, augment, 2 cores'],
    ]),
    group('3000 x 2000, resized to 224, 2 cores', [
      ['Forebay', 'forebay, large, 2 cores'],
      ['turboloader', 'turboloader, large, 2 cores'],
    ]),
    group('raw pixels of 224 x 224, 2 cores', [
      ['Forebay, verified', 'raw, 2 cores'],
      ['Forebay, not verified', 'raw, unverified, 2 cores'],
      ['turboloader', 'turboloader, raw, 2 cores'],
    ]),
  ]);
}
