// Whether loaders that are compared make the same of a picture.
import { readFileSync, rmSync } from 'node:fs';

const STD = [0.229, 0.224, 0.225];

/** The mean absolute difference of two batches of planes, [n, 3, 224, 224], in levels of 255. */
export function meanDifference(ours, theirs) {
  const [a, b] = [ours, theirs].map(floats);
  if (a.length !== b.length) throw new Error(`${ours} has ${a.length} values, ${theirs} ${b.length}`);
  const plane = 224 * 224;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]) * STD[Math.floor(i / plane) % 3];
  return (255 * sum) / a.length;
}

function floats(path) {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** Runs `body` and removes the files that it was given. */
export async function withFiles(files, body) {
  try {
    return await body();
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
}
