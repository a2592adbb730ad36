/** Colors of classes: one for each name, wherever it is named or drawn, and in whatever order names come. */
import type { ReactiveController, ReactiveControllerHost } from "lit";

/** Dark ink, and its luminance. */
export const DARK_INK = "#10151a";
const DARK = 0.0074;

/**
 * The colors of the first dozen classes, and of those that find no place among them. They were searched for: each is at least
 * 22 (CIEDE2000) from each other of its dozen, also for eyes that tell red and green apart badly a third of that; it stands out
 * from both themes; and what is written on it reads well.
 */
const DOZEN = 12;
const PALETTE = [
  "337744 55bbff bb8833 2255ff dd1155 ff88bb bb4400 9988cc aabb00 00cc88 ff8866 bb00bb",
  "ff5577 ff22aa cc6655 777733 22bbbb 009977 77aa55 0088dd aa5588 7799ff ee6600 bb55ff",
].flatMap((dozen) => dozen.split(" ").map(toColor));

/** Red, green and blue. */
type Parts = readonly [number, number, number];

interface Color {
  readonly parts: Parts;
  readonly color: string;
  readonly ink: string;
}

function toColor(hex: string): Color {
  const all = Number.parseInt(hex, 16);
  const parts = [all >> 16, (all >> 8) & 255, all & 255] as const;
  // By its luminance, since purple is darker than green.
  const [r, g, b] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const isLight = (luminance + 0.05) / (DARK + 0.05) >= 1.05 / (luminance + 0.05);
  return { parts, color: `#${hex}`, ink: isLight ? DARK_INK : "#fff" };
}

/** A name on its way through the places: how many it was refused so far. */
interface Seated {
  readonly name: string;
  readonly tried: number;
}

/** Who has which color, and which color who has. */
const seats: (Seated | undefined)[] = [];
const places = new Map<string, number>();
let told = false;

/** What of a page shows colors. */
const shown = new Set<ClassColors>();

/**
 * For an element that shows colors: it is drawn again when a class has to make room for another, and while any is on the page
 * the classes that it has shown keep their places.
 */
export class ClassColors implements ReactiveController {
  /** Grows whenever a color changes: what was drawn with an older one is stale. */
  static version = 0;

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }
  hostConnected(): void {
    shown.add(this);
    // It may have been drawn before all were forgotten.
    this.host.requestUpdate();
  }
  /** Once nothing is left that shows them, the classes of the next file need not make room for those of the last. */
  hostDisconnected(): void {
    shown.delete(this);
    if (shown.size > 0) return;
    seats.length = 0;
    places.clear();
    ClassColors.version++;
  }
  /** A class has another color: whoever shows it is drawn again, once for all that change at a time. */
  static changed(): void {
    ClassColors.version++;
    if (told) return;
    told = true;
    queueMicrotask(() => {
      told = false;
      for (const { host } of shown) host.requestUpdate();
    });
  }
}

/** A number for a name, the same wherever. */
function hashOf(name: string): number {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  // The last letters alone would decide of the lowest bits.
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The place that a name tries after that many: one of the dozen by its letters, then the rest of them, then the others. */
const placeAt = (hash: number, tried: number): number =>
  Math.floor(tried / DOZEN) * DOZEN + ((hash + 5 * (tried % DOZEN)) % DOZEN);

/**
 * The place of a name: the one of its letters. Of two that have the same one, the first in order of the alphabet keeps it and
 * the other goes on to its next, whichever came first: so the names that there are decide, and not the order in which they come.
 */
function placeOf(label: string): number {
  const known = places.get(label);
  if (known !== undefined) return known;
  let one: Seated = { name: label, tried: 0 };
  while (one.tried < PALETTE.length) {
    const place = placeAt(hashOf(one.name), one.tried);
    const other = seats[place];
    if (other && other.name < one.name) {
      one = { ...one, tried: one.tried + 1 };
      continue;
    }
    seats[place] = one;
    places.set(one.name, place);
    if (!other) return places.get(label)!;
    ClassColors.changed();
    one = { ...other, tried: other.tried + 1 };
  }
  // There are more classes than colors.
  places.set(one.name, hashOf(one.name) % PALETTE.length);
  return places.get(label)!;
}

/** All of these are classes of the dataset, whether they are in sight or not: none of them is another color when it comes. */
export function learnColors(labels: readonly string[]): void {
  // Of many only those in sight have colors of their own.
  if (labels.length <= PALETTE.length) for (const label of labels) placeOf(label);
}

/** Colors that a project gives classes. */
const given = new Map<string, Color>();

/** These classes have these colors, and no others are given. */
export function giveColors(classes: readonly { readonly name: string; readonly color?: string }[]): void {
  given.clear();
  for (const { name, color } of classes) if (color) given.set(name, toColor(color.slice(1)));
  ClassColors.changed();
}
const ofLabel = (label: string): Color => given.get(label) ?? PALETTE[placeOf(label)]!;

/** A color for a label, as CSS writes it. */
export const colorOf = (label: string): string => ofLabel(label).color;

/** The same as red, green and blue. */
export const rgbOf = (label: string): Parts => ofLabel(label).parts;

/** Dark ink or white, whichever reads better on the color of a label. */
export const inkOn = (label: string): string => ofLabel(label).ink;
