// What benches/loader_parts.mjs found, as parts of the page about the loader.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/run.mjs';

/** Where it is kept. */
export const KEPT = join(ROOT, 'benches/results/loader_parts.json');
/** Behind this line of the page they stand, and before the next heading. */
export const BEGINS = '<!-- by npm run bench:parts -->';
const ENDS = '<!-- until here -->';

/** What was kept, by the name of the part. */
export const kept = () => (existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : {});

const met = (yes) => (yes ? 'yes' : '**no**');
const per = (number) => `${number < 100 ? number.toFixed(1) : Math.round(number).toLocaleString('en-US')} /s`;
const where = ({ date, processor, rounds }) => `On ${date}, ${processor}; medians of ${rounds} rounds in turns.`;
/** How far apart the rounds are, as a share of their median. */
const spread = (of) => `${((100 * (of.most - of.least)) / of.median).toFixed(0)} %`;

/** The parts of the page; nothing where none was ever measured. */
export function parts(found = kept()) {
  const all = [
    found.simulate && simulate(found.simulate),
    found.targets && targets(found.targets),
    found.decoded && decoded(found.decoded),
  ].filter(Boolean);
  return all.length ? `\n${BEGINS}\n\n${all.join('\n')}\n${ENDS}\n` : '';
}

/** A page with these parts instead of those that it has. */
export function replaced(page, text = parts()) {
  const [from, to] = [page.indexOf(`\n${BEGINS}`), page.indexOf(ENDS)];
  if (from < 0 || to < 0) return `${page.trimEnd()}\n${text}`;
  return page.slice(0, from) + text + page.slice(to + ENDS.length + 1);
}

function simulate({ rows, ...about }) {
  const row = ({ set, workers, predicted, real, ratio, wanted }) => {
    const off = 100 * (ratio.median - 1);
    const said = wanted ? `${wanted} % | ${met(Math.abs(off) <= wanted)}` : ' | ';
    return `| ${set} | ${workers} | ${per(predicted.median)} | ${per(real.median)} | ${spread(real)} | ${off > 0 ? '+' : ''}${off.toFixed(1)} % | ${said} |`;
  };
  return `## Predictions

\`npm run bench:parts -- simulate\`: what \`forebay plan --simulate\` tells of some samples, and what \`forebay bench\` then does with all of
them, from one to the other in every round. ${where(about)} How far apart the rounds of the latter are is how well anything can be told.

| images | workers | predicted | measured | rounds apart | off | goal | reached |
|---|---|---|---|---|---|---|---|
${rows.map(row).join('\n')}
`;
}

function targets({ rows, wanted, ...about }) {
  const row = ({ what, plain, given, ratio }) =>
    `| ${what} | ${per(plain.median)} | ${per(given.median)} | ${(100 * (ratio.median - 1)).toFixed(1)} % | ${wanted} % less at most | ${met(ratio.median >= 1 - wanted / 100)} |`;
  return `## What targets cost

\`npm run bench:parts -- targets\`: images of 500 x 375, resized, by two workers, without and with targets from their metadata. ${where(about)}

| targets | without | with | difference | goal | reached |
|---|---|---|---|---|---|
${rows.map(row).join('\n')}

A warm loader allocates nothing for a sample, with boxes and other targets too: \`cargo test -p forebay-native --test memory\` counts.
`;
}

function decoded({ rows, ...about }) {
  const row = ({ what, first, second, ratio, wanted }) =>
    `| ${what} | ${per(first.median)} | ${per(second.median)} | ${ratio.median.toFixed(2)} x | ${wanted ? `${wanted} x | ${met(ratio.median >= wanted)}` : ' | '} |`;
  return `## The second epoch

\`npm run bench:parts -- decoded\`: two epochs of images of 500 x 375 by two workers, with decoded images kept. ${where(about)}

| kept | first epoch | second | second by first | goal | reached |
|---|---|---|---|---|---|
${rows.map(row).join('\n')}
`;
}
