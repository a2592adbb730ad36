// The page about Python's loaders: every claim beside what it is held to.

const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
};
const per = (rate) => `${Math.round(rate).toLocaleString('en')} /s`;

/** What is claimed of two jobs: a ratio of their rates. */
const CLAIMS = [
  ["resized, against turboloader's DataLoader", 'forebay, resize', 'turboloader, resize', 2],
  ['random crops and flips, the same', 'forebay, augment', 'turboloader, augment', 2],
  [
    'resized, against torch DataLoader with torchvision v2 and Pillow',
    'forebay, resize',
    'torchvision v2 with Pillow, resize',
    4,
  ],
  ['random crops and flips, the same', 'forebay, augment', 'torchvision v2 with Pillow, augment', 4],
  [
    "resized, against the same with torchvision's libjpeg-turbo",
    'forebay, resize',
    'torchvision v2 with its decoder, resize',
    2.5,
  ],
  ['random crops and flips, the same', 'forebay, augment', 'torchvision v2 with its decoder, augment', 2.5],
  ['resized, against webdataset', 'forebay, resize', 'webdataset, resize', 4],
  ['resized, against MosaicML streaming', 'forebay, resize', 'MosaicML streaming, resize', 4],
  ['resized, against LitData', 'forebay, resize', 'LitData, resize', 4],
  ["resized, against DALI's CPU pipeline", 'forebay, resize', 'DALI on the CPU, resize', 1.2],
  ['random crops and flips, the same', 'forebay, augment', 'DALI on the CPU, augment', 1.2],
  ['random crops and flips, against FFCV', 'forebay, augment', 'FFCV, augment', 1.2],
  [
    "map-style in torch's DataLoader, against ImageFolder",
    "forebay.torch.Dataset in torch's DataLoader",
    "ImageFolder in torch's DataLoader",
    3,
  ],
];

/** What a worker of ours does with a picture: whatever else was faster, it could not be faster than this by itself. */
function spent(against) {
  const parts = ['forebay, resize', 'forebay, augment'].flatMap((name) => {
    const all = against[name] ?? [];
    if (all.length === 0) return [];
    const of = (stage) => median(all.map(({ stages, images }) => (stages[stage] / images) * 1000)).toFixed(2);
    const words = `reading and checksums ${(Number(of('reading')) + Number(of('verifying'))).toFixed(2)} ms`;
    const time = `${words}, decoding ${of('decoding')} ms, making the tensor ${of('transforming')} ms`;
    return [`${name.split(', ')[1] === 'resize' ? 'resized' : 'with random crops and flips'}: ${time}`];
  });
  return parts.length ? `An image takes one of our two workers, ${parts.join('; ')}.\n` : '';
}

/** Decoders that do nothing else, on the same cores, and what is claimed that our own could not do even then. */
const BARE = {
  'our decoder': 'our decoder alone',
  "torchvision's libjpeg-turbo": "torchvision's decoder alone",
  Pillow: 'Pillow alone',
};

/** What the decoders allow, whatever is built around them. */
function limits(against, rate) {
  const alone = Object.entries(BARE).flatMap(([name, job]) => (rate(job) ? [`${name} ${per(rate(job))}`] : []));
  const measured = alone.length ? `Decoders alone, on both cores, whole images: ${alone.join(', ')}.\n` : '';
  const all = against['forebay, resize'] ?? [];
  if (all.length === 0) return measured;
  // Of two workers, that do nothing but decode.
  const most = median(all.map(({ stages, images }) => (2 * images) / stages.decoding));
  const beyond = CLAIMS.filter(([, ours, other, wanted]) => ours === 'forebay, resize' && wanted * rate(other) > most);
  const words = beyond.map(([, , other, wanted]) => {
    const name = other.split(',')[0];
    return `${(most / rate(other)).toFixed(2)} x ${name}, and the goal is ${wanted} x (${per(wanted * rate(other))})`;
  });
  const so = words.length ? `: ${words.join('; ')}` : ', which is more than any row asks for';
  return `${measured}Two workers that did nothing but decode would make ${per(most)} resized${so}.\n`;
}

/** The page, in Markdown. */
export function page({ about, results, costs, differences, against, scripts }) {
  const rows = [];
  const row = (what, ours, other, ratio, wanted, met) =>
    rows.push(
      `| ${what} | ${ours} | ${other} | ${ratio} | ${wanted} | ${met === null ? 'not measured' : met ? 'yes' : '**no**'} |`,
    );
  for (const { case: name, rust, python, ratio } of results)
    row(`${name} against Rust`, per(python), per(rust), ratio, '0.97', ratio >= 0.97);
  for (const { case: name, python_us } of results)
    row(`Python's time a batch, ${name}`, `${python_us} us`, '', '', 'under 50 us', python_us < 50);
  const imported = costs.torch_imported ? ', torch imported before' : '';
  row(`first batch after import${imported}`, `${costs.first_ms} ms`, '', '', 'under 300 ms', costs.first_ms < 300);
  const memory = `one process of 8 workers, ${costs.samples.toLocaleString('en')} samples`;
  row(memory, `${costs.peak_mib} MiB`, '', '', 'under 300 MiB', costs.peak_mib < 300);
  const rate = (name) => {
    const all = against[name] ?? [];
    return all.length ? median(all.map((r) => r.images / r.seconds)) : null;
  };
  for (const [what, ours, other, wanted] of CLAIMS) {
    const [a, b] = [rate(ours), rate(other)];
    if (a && b) row(what, per(a), per(b), `${(a / b).toFixed(2)} x`, `${wanted} x`, a / b >= wanted);
    else row(what, a ? per(a) : '', '', '', `${wanted} x`, null);
  }
  const stored = rate('a mapped warehouse');
  for (const other of ['safetensors', 'numpy.memmap']) {
    const b = rate(other);
    const what = `stored bytes of 224 x 224, shuffled, into torch, against ${other}`;
    if (stored && b) row(what, per(stored), per(b), `${(stored / b).toFixed(2)} x`, '20,000 /s', stored >= 20_000);
    else row(what, '', '', '', '20,000 /s', null);
  }
  const seconds = (time) => `${time.toFixed(3)} s`;
  for (const { what, ours, other, wanted } of scripts) {
    const least = wanted ?? 1;
    row(what, seconds(ours), seconds(other), `${(other / ours).toFixed(2)} x`, `${least} x`, other / ours >= least);
  }
  return `# Loaders of Python

Made by \`npm run bench:python -- --peers\` on ${about.date}: ${about.processor}, ${about.system}, Python ${about.python}, load
${about.load.join(', ')} at the end, ${about.took}, medians of ${about.rounds} rounds. Images: ${about.set}. Batches are 64 x 3 x 224 x 224
floats, normalized; other loaders run as their users use them, with two workers on two cores.

| | ours | other | ratio | goal | reached |
|---|---|---|---|---|---|
${rows.join('\n')}

${spent(against)}
${limits(against, rate)}
Python's time a batch is the processor time of the thread that iterates beyond what the loader itself takes of it, which is
measured in turns.

| compared with ours | levels apart, of 255, on average | allowed |
|---|---|---|
${differences.map(({ what, difference, allowed }) => `| ${what} | ${difference.toFixed(3)} | ${allowed} |`).join('\n')}
`;
}
