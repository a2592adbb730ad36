// The page of benches/remote.mjs: each claim beside what it is held to.

const median = (numbers) => {
  const sorted = numbers.filter((n) => Number.isFinite(n)).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const share = (n) => n.toFixed(2);
const rounds = ({ found }) => `${found.length} round${found.length === 1 ? '' : 's'}`;
const ms = (seconds) => `${(seconds * 1000).toFixed(0)} ms`;
/** How many times as fast as each of the others in both epochs is wanted. */
const WANTED = 1.5;
const OTHERS = { streaming: 'MosaicML streaming', litdata: 'LitData', webdataset: 'webdataset' };

/** Where and how often a row was measured. */
const measured = (result) => `${result.on}. Medians of ${rounds(result)}.`;

/** The page; rows that were never measured are left out. */
export function page(about, results) {
  const lines = [];
  const claim = (what, found, wanted, met) => lines.push(`| ${what} | ${found} | ${wanted} | ${met ? 'yes' : 'no'} |`);
  const usual = measured(Object.values(results)[0]);
  const row = (name, say) => {
    const found = results[name]?.found?.filter(Boolean);
    if (!found?.length) return;
    const before = lines.length;
    say(found, (of) => median(found.map(of)));
    const own = measured(results[name]);
    if (own !== usual && lines.length > before) lines[before] = lines[before].replace('| ', `| (${own}) `);
  };
  row('open', (found, mid) => {
    const { samples, opened, filtered, chosen } = found[0];
    const gb = ((samples * 78_000) / 1e9).toFixed(0);
    const requests = `${opened.requests}; ${filtered.requests}, in ${ms(mid((r) => r.seconds))} (${chosen} samples)`;
    const what = `open a TBL of ${gb} GB, ${samples} samples: requests; with a filter of its index answered`;
    claim(what, requests, '2; 2', opened.requests <= 2 && filtered.requests <= 2);
  });
  row('first', (_, mid) => {
    const times = (link) => ['stored', 'blocks', 'full'].map((order) => mid((r) => r[link][order]));
    const what = 'from nothing to the first 64 samples, no limit but latency: stored order, blocks, full shuffle';
    claim(what, times('latency').map(ms).join(', '), 'under 400 ms', Math.max(...times('latency')) < 0.4);
    lines.push(`| the same by the link of 1 Gb/s | ${times('link').map(ms).join(', ')} | | |`);
  });
  row('blocks', (_, mid) => {
    const rate = mid((r) => (r.epochs[0].payload_bytes * 8) / r.epochs[0].seconds / about.bits);
    claim('an epoch, shuffled in blocks: share of the link that samples had', share(rate), 'at least 0.9', rate >= 0.9);
    const each = mid((r) => r.epochs[0].payload_bytes / r.epochs[0].asked.requests) / 1e6;
    claim('the same: bytes of samples a request', `${each.toFixed(1)} MB`, 'over 4 MB', each > 4);
  });
  row('full', (_, mid) => {
    const rate = mid((r) => r.epochs[0].asked.requests / r.epochs[0].seconds / (64 / about.latency));
    const what =
      'an epoch, shuffled fully, 100 kB samples, no limit but 64 requests at once: requests, share of what latency allows';
    claim(what, share(rate), 'at least 0.9', rate >= 0.9);
  });
  row('faults', (found, mid) => {
    for (const order of ['blocks', 'full']) {
      const { requests, failed, reset } = found[0][order];
      const slower = mid((r) => r[order].bad / r[order].plain);
      const same = found.every((r) => r[order].same);
      const what = `5 % of answers fail and 1 % break off (${failed} and ${reset} of ${requests}), ${order}: time, bytes`;
      const words = `${share(slower)} x, ${same ? 'the same' : 'others'}`;
      claim(what, words, 'at most 1.3 x, the same', slower <= 1.3 && same);
    }
  });
  row('cached', (_, mid) => {
    const asked = mid((r) => r.epochs[1].asked.requests);
    const time = mid((r) => r.epochs[0].seconds / r.epochs[1].seconds);
    const what = 'requests of the second epoch, with a cache; its speed';
    claim(what, `${asked}; ${time.toFixed(1)} x the first`, '0', asked === 0);
  });
  row('decoded', (_, mid) => {
    const [local, far] = [mid((r) => r.local), mid((r) => r.remote)];
    const rate = mid((r) => r.remote / r.local);
    const what = 'decoded images a second (224 x 224), store on loopback without latency against the file, 2 cores';
    const words = `${far.toFixed(0)} against ${local.toFixed(0)}: ${share(rate)}`;
    claim(what, words, 'at least 0.9', rate >= 0.9);
  });
  row('copy', (_, mid) => {
    const rate = mid((r) => r.copy / r.convert);
    const words = `${mid((r) => r.convert).toFixed(2)} s against ${mid((r) => r.copy).toFixed(2)} s: ${share(rate)}`;
    const what = 'a TAR becomes a TBL, from the store to the store: speed, of copying it by the same client';
    claim(what, words, 'at least 0.8', rate >= 0.8);
  });
  return `${head(about, usual)}
| what | measured | goal | reached |
|---|---|---|---|
${lines.join('\n')}
${others(about, results, usual)}`;
}

function head(about, usual) {
  const latency = ms(about.latency);
  return `# Reading from stores: measurements

\`npm run bench:remote\` on ${usual}

The store is a process on the same machine and the same cores. Every answer begins after ${latency}, and all connections
together carry ${about.bits / 1e9} Gb/s, unless a row says otherwise. ${about.noise} samples of 100 kB are read in batches of 64 by
2 workers, as bytes, with their checksums verified.
`;
}

/** Other loaders: seconds, and how many times as long as Forebay takes; over the link what it allows at most. */
function others(about, results, usual) {
  const links = ['unlimited', 'others'].filter((name) => results[name]?.found?.some((r) => r?.forebay));
  if (!links.length) return '';
  const parts = links.map((name) => {
    const on = measured(results[name]);
    const say = name === 'others' ? byLink : byLatency;
    return say(about, results[name], on === usual ? '' : `\nMeasured on ${on}\n`);
  });
  return `
## Other loaders

The same bytes, each in its own format, from the same store, with two workers and a cache on disk. The goal is 1.5 x of each
loader in both epochs, and what is less is marked. Forebay reads by its Rust loader, shuffled in blocks; the others shuffle as
they do.
${parts.join('')}`;
}

/** The median of a loader's epoch. */
function epochOf({ found }, kind, epoch) {
  return median(found.map((r) => r?.[kind]?.[epoch]));
}

/** A loader's seconds, and what they are of ours. */
function against(result, kind, epoch) {
  const [theirs, ours] = [kind, 'forebay'].map((name) => epochOf(result, name, epoch));
  const times = theirs / ours;
  return `${theirs.toFixed(2)} s (${times.toFixed(1)} x${times < WANTED ? ', missed' : ''})`;
}

/** The rows of a table: what each of the loaders has in its cells. */
function loaders(result, ours, theirs) {
  const row = (name, cells) => `| ${[name, ...cells].join(' | ')} |`;
  const others = Object.entries(OTHERS).map(([kind, name]) => {
    const measured = Number.isFinite(epochOf(result, kind, 'first'));
    return row(name, measured ? theirs(kind) : ['could not be measured', ...ours.slice(1).map(() => '')]);
  });
  return [row('Forebay', ours), ...others].join('\n');
}

function byLatency(about, result, on) {
  const ours = ['first', 'second'].map((epoch) => `${epochOf(result, 'forebay', epoch).toFixed(2)} s`);
  return `
### Latency alone
${on}
Every answer begins after ${ms(about.latency)}, and its bytes come as fast as the store and its reader can send and take them on the
cores that they share.

| loader | first epoch, with opening | second epoch |
|---|---|---|
${loaders(result, ours, (kind) => ['first', 'second'].map((epoch) => against(result, kind, epoch)))}
`;
}

function byLink(about, result, on) {
  const bytes = median(result.found.map((r) => r?.forebay?.bytes ?? about.peers * 100_000));
  const bound = (bytes * 8) / about.bits;
  const [first, second] = ['first', 'second'].map((epoch) => `${epochOf(result, 'forebay', epoch).toFixed(2)} s`);
  return `
### By a link of ${about.bits / 1e9} Gb/s
${on}
Nobody's first epoch can be shorter than the link takes for the samples' bytes: ${bound.toFixed(2)} s. The third column says how far ahead
of a loader one would be that did nothing but fill the link.

| loader | first epoch, with opening | the link allows | second epoch |
|---|---|---|---|
${loaders(result, [first, `${bound.toFixed(2)} s`, second], (kind) => [
  against(result, kind, 'first'),
  `${(epochOf(result, kind, 'first') / bound).toFixed(1)} x`,
  against(result, kind, 'second'),
])}
`;
}
