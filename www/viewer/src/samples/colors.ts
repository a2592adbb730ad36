/** Colors of classes: one for each, wherever it is named or drawn. */

/** Hues of a round, and rounds: the second lies between the hues of the first and is lighter, the third darker. */
const HUES = 8;
const ROUNDS = [
  { turn: 0, saturation: 0.9, lightness: 0.6 },
  { turn: 22, saturation: 0.75, lightness: 0.76 },
  { turn: 11, saturation: 0.6, lightness: 0.48 },
] as const;
/** The luminance of dark ink. */
const DARK = 0.0074;
const COLORS = HUES * ROUNDS.length;

/** Which label has which place in the list. */
const places = new Map<string, number>();
const taken = new Set<number>();

/** Who draws with them. */
const holders = new Set<object>();

/** Somebody opens a file, and draws its classes until `forgetColors`. */
export function holdColors(holder: object): void {
  holders.add(holder);
}

/** Its file is closed: if nobody else on the page has one open, the classes of the next need not make room for those of the last. */
export function forgetColors(holder: object): void {
  holders.delete(holder);
  if (holders.size > 0) return;
  places.clear();
  taken.clear();
}

/** The place of a label: the one of its letters, or the next that is free, so that two classes look alike only if there are too many. */
function placeOf(label: string): number {
  const known = places.get(label);
  if (known !== undefined) return known;
  let hash = 2166136261;
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 16777619);
  const first = (hash >>> 0) % HUES;
  for (let k = 0; k < COLORS; k++) {
    // Three hues on is far away, and comes to all of them.
    const place = Math.floor(k / HUES) * HUES + ((first + 3 * k) % HUES);
    if (taken.has(place)) continue;
    taken.add(place);
    places.set(label, place);
    return place;
  }
  return (hash >>> 0) % COLORS;
}

/** Hue, saturation and lightness. */
function partsOf(label: string): readonly [number, number, number] {
  const place = placeOf(label);
  const { turn, saturation, lightness } = ROUNDS[Math.floor(place / HUES)]!;
  return [((place % HUES) * 360) / HUES + turn, saturation, lightness];
}

/** A color for a label, as CSS writes it. */
export function colorOf(label: string): string {
  const [h, s, l] = partsOf(label);
  return `hsl(${Math.round(h)} ${s * 100}% ${l * 100}%)`;
}

/** Black or white, whichever reads better on the color of a label: by its luminance, since purple is darker than green. */
export function inkOn(label: string): string {
  const [r, g, b] = rgbOf(label).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (luminance + 0.05) / (DARK + 0.05) >= 1.05 / (luminance + 0.05) ? "#10151a" : "#fff";
}

/** The same as red, green and blue. */
export function rgbOf(label: string): [number, number, number] {
  const [hue, s, l] = partsOf(label);
  const part = (n: number): number => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}
