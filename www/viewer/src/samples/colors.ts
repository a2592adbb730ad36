/** Colors of classes: one for each, wherever it is named or drawn. */

/** Colors that an eye tells apart. */
const COLORS = 24;
/** Degrees from one to the next: neighbors in the list are far from each other on the circle. */
const STEP = 137.508;

/** Which label has which place in the list. */
const places = new Map<string, number>();
const taken = new Set<number>();

/** Another file: its classes need not make room for those of the last one. */
export function forgetColors(): void {
  places.clear();
  taken.clear();
}

/** The place of a label: the one of its letters, or the next that is free, so that two classes look alike only if there are too many. */
function placeOf(label: string): number {
  const known = places.get(label);
  if (known !== undefined) return known;
  let hash = 2166136261;
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 16777619);
  let place = (hash >>> 0) % COLORS;
  if (taken.size < COLORS) {
    while (taken.has(place)) place = (place + 1) % COLORS;
    taken.add(place);
    places.set(label, place);
  }
  return place;
}

/** Hue, saturation and lightness. */
function partsOf(label: string): readonly [number, number, number] {
  const place = placeOf(label);
  return [(place * STEP) % 360, place % 2 === 0 ? 0.9 : 0.75, place % 2 === 0 ? 0.6 : 0.73];
}

/** A color for a label, as CSS writes it. */
export function colorOf(label: string): string {
  const [h, s, l] = partsOf(label);
  return `hsl(${Math.round(h)} ${s * 100}% ${l * 100}%)`;
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
