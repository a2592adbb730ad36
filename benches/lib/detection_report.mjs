// What benches/detection.py found, as a part of the page about the loader.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/run.mjs';

const FILE = join(ROOT, 'benches/results/detection.json');
const KINDS = [
  ['plain', 'letterboxed, half of them mirrored', 4],
  ['mosaic', 'the same in mosaics of four', 3],
];

/** The part of the page; nothing where it was never measured. */
export function detection() {
  if (!existsSync(FILE)) return '';
  const { date, cores, versions, pictures, workers, rounds, images_per_second, apart } = JSON.parse(
    readFileSync(FILE, 'utf8'),
  );
  const row = ([kind, words, wanted]) => {
    const { forebay, albumentations } = images_per_second[kind];
    const ratio = forebay / albumentations;
    const met = ratio >= wanted ? 'yes' : '**no**';
    return `| ${words} | ${forebay.toFixed(0)} /s | ${albumentations.toFixed(0)} /s | ${ratio.toFixed(2)} x | ${wanted} x | ${met} |`;
  };
  const used = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `
## Batches for detectors

\`python3 benches/detection.py FOLDER --make N --write\`, on ${date} and ${cores} cores: batches of 64 images of 640 x 640 with their boxes, normalized,
from ${pictures} JPEG files of 640 x 480 and 480 x 640, by ${workers} workers; Forebay against torch's DataLoader with albumentations. The second epoch of
each, best of ${rounds} rounds in turns. ${used.join(', ')}.

| what | Forebay | albumentations | ratio | goal | reached |
|---|---|---|---|---|---|
${KINDS.map(row).join('\n')}

Without chance both make the same: ${apart.boxes} boxes are at most ${apart.worst.toExponential(0)} of a side apart, and pixels, normalized, ${apart.mean_of_pixels.toExponential(0)} on average.
`;
}
