// The page of benches/remote.mjs: each claim beside what it is held to.

const median = (numbers) => {
  const sorted = numbers.filter((n) => Number.isFinite(n)).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const share = (n) => n.toFixed(2);
const ms = (seconds) => `${(seconds * 1000).toFixed(0)} ms`;
const OTHERS = { streaming: 'MosaicML streaming', litdata: 'LitData', webdataset: 'webdataset' };

/** The page; rows that were never measured are left out. */
export function page(about, results) {
  const lines = [];
  const claim = (what, found, wanted, met) => lines.push(`| ${what} | ${found} | ${wanted} | ${met ? 'yes' : 'no'} |`);
  const row = (name, say) => {
    const found = results[name]?.found?.filter(Boolean);
    if (found?.length) say(found, (of) => median(found.map(of)));
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
    const what = 'decoded pictures a second (224 x 224), store on loopback without latency against the file, 2 cores';
    const words = `${far.toFixed(0)} against ${local.toFixed(0)}: ${share(rate)}`;
    claim(what, words, 'at least 0.9', rate >= 0.9);
  });
  return `${head(about)}
| what | measured | wanted | met |
|---|---|---|---|
${lines.join('\n')}
${others(results)}`;
}

function head(about) {
  const latency = ms(about.latency);
  return `# Reading from stores: measurements

\`npm run bench:remote\` on ${about.date}: ${about.processor}, ${about.system}, ${about.rust}. Medians of ${about.rounds}.

The store is a process on the same machine and the same cores. Every answer begins after ${latency}, and all connections
together carry ${about.bits / 1e9} Gb/s, unless a row says otherwise. ${about.noise} samples of 100 kB are read in batches of 64 by
2 workers, as bytes, with their checksums verified.
`;
}

/** Other loaders: seconds, and how many times as long as Forebay takes. */
function others(results) {
  const of = (name, kind, epoch) => {
    const together = (results[name]?.found ?? []).map((r) => (kind === name ? r : r?.[kind]));
    return median(together.filter(Boolean).map((r) => r[epoch]));
  };
  const whole = (kind) => ['first', 'second'].map((epoch) => of('others', kind, epoch));
  const [first, second] = whole('forebay');
  if (!Number.isFinite(first)) return '';
  const lines = Object.entries(OTHERS).map(([kind, name]) => {
    const [a, b] = [of('others', kind, 'first'), of('others', kind, 'second')];
    if (!Number.isFinite(a)) return `| ${name} | could not be measured | |`;
    return `| ${name} | ${a.toFixed(2)} s (${(a / first).toFixed(1)} x) | ${b.toFixed(2)} s (${(b / second).toFixed(1)} x) |`;
  });
  return `
## Other loaders

The same bytes, each in its own format, from the same store by the same link, with two workers and a cache on disk; 1.5 x is
wanted. Nobody can be faster than the link in the first epoch. Forebay reads by its Rust loader, shuffled in blocks; the
others shuffle as they do.

| loader | first epoch, with opening | second epoch |
|---|---|---|
| Forebay | ${first.toFixed(2)} s | ${second.toFixed(2)} s |
${lines.join('\n')}
`;
}
