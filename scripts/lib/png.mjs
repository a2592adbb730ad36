// Pictures of a page made small: 256 colors, the frequent ones exactly as they were, the others mixed by diffusion.
import { crc32, deflateSync } from 'node:zlib';

const COLORS = 256;
/** This many of the most frequent colors stay exact: those of the page; the others come from photographs. */
const EXACT = 56;
/** The part of each pixel's error that goes on to its neighbors: with all of it the pictures are grainy, and larger. */
const DIFFUSED = 0.6;

/** An indexed PNG of pixels, four bytes each. */
export function smallPng(width, height, rgba) {
  const counts = new Map();
  const at = (p) => (rgba[p] << 16) | (rgba[p + 1] << 8) | rgba[p + 2];
  for (let p = 0; p < rgba.length; p += 4) counts.set(at(p), (counts.get(at(p)) ?? 0) + 1);
  const byCount = [...counts].sort((a, b) => b[1] - a[1]);
  const palette = byCount.slice(0, EXACT).map(([color]) => color);
  const exact = new Map(palette.map((color, k) => [color, k]));
  for (const box of boxes(byCount.slice(EXACT), COLORS - palette.length)) palette.push(mean(box));
  const nearest = finder(palette);
  const rows = Buffer.alloc((width + 1) * height);
  // Errors of the row above and of this one, three numbers a pixel, with room at both ends.
  let [here, below] = [new Float32Array((width + 2) * 3), new Float32Array((width + 2) * 3)];
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0; x < width; x++, p += 4) {
      const kept = exact.get(at(p));
      const e = (x + 1) * 3;
      const wanted = [0, 1, 2].map((c) => Math.min(255, Math.max(0, rgba[p + c] + here[e + c])));
      const k = kept ?? nearest(wanted);
      rows[y * (width + 1) + 1 + x] = k;
      if (kept !== undefined) continue;
      for (let c = 0; c < 3; c++) {
        const error = (wanted[c] - part(palette[k], 16 - 8 * c)) * DIFFUSED;
        here[e + 3 + c] += (error * 7) / 16;
        below[e - 3 + c] += (error * 3) / 16;
        below[e + c] += (error * 5) / 16;
        below[e + 3 + c] += error / 16;
      }
    }
    [here, below] = [below, here.fill(0)];
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const plte = Buffer.from(palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', plte),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const part = (color, shift) => (color >> shift) & 255;

/** Median cut: the box that spreads widest, weighed by its pixels, is cut in two until there are enough. */
function boxes(colors, most) {
  const spread = (box) => {
    const spans = [16, 8, 0].map((shift) => {
      let [low, high] = [255, 0];
      for (const [c] of box) [low, high] = [Math.min(low, part(c, shift)), Math.max(high, part(c, shift))];
      return [high - low, shift];
    });
    const [span, shift] = spans.sort((a, b) => b[0] - a[0])[0];
    return { shift, worth: span * Math.sqrt(box.reduce((sum, [, n]) => sum + n, 0)) };
  };
  const all = colors.length > 0 ? [{ box: colors, ...spread(colors) }] : [];
  while (all.length < most) {
    const k = all.reduce(
      (best, one, i) => (one.box.length > 1 && (best < 0 || one.worth > all[best].worth) ? i : best),
      -1,
    );
    if (k < 0) break;
    const { box, shift } = all[k];
    box.sort((a, b) => part(a[0], shift) - part(b[0], shift));
    const half = box.reduce((sum, [, n]) => sum + n, 0) / 2;
    let [cut, sum] = [0, 0];
    while (cut < box.length - 1 && sum < half) sum += box[cut++][1];
    const parts = [box.slice(0, Math.max(1, cut)), box.slice(Math.max(1, cut))].filter((b) => b.length > 0);
    all.splice(k, 1, ...parts.map((b) => ({ box: b, ...spread(b) })));
    if (parts.length < 2) all[k].worth = 0;
  }
  return all.map(({ box }) => box);
}

/** The palette's color next to three numbers; looked up once for each of 32,768 cells. */
function finder(palette) {
  const cells = new Int16Array(1 << 15).fill(-1);
  return ([r, g, b]) => {
    const cell = ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
    if (cells[cell] >= 0) return cells[cell];
    let [best, least] = [0, Infinity];
    for (let k = 0; k < palette.length; k++) {
      const c = palette[k];
      const distance = 2 * (part(c, 16) - r) ** 2 + 4 * (part(c, 8) - g) ** 2 + 3 * (part(c, 0) - b) ** 2;
      if (distance < least) [best, least] = [k, distance];
    }
    return (cells[cell] = best);
  };
}

function mean(box) {
  const total = box.reduce((sum, [, n]) => sum + n, 0);
  const of = (shift) => Math.round(box.reduce((sum, [c, n]) => sum + part(c, shift) * n, 0) / total);
  return (of(16) << 16) | (of(8) << 8) | of(0);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
