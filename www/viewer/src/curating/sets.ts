/** Named sets of samples, kept in the browser for the dataset that they are of. */
import { Store } from "../files/store.ts";
import { msg } from "../messages/curating.ts";

/** The most sets of a dataset, the most characters of a name, and the most samples of all sets together. */
const MOST_SETS = 200;
const LONGEST = 100;
const MOST_SAMPLES = 5_000_000;

/** What tells a dataset from others: sets of one with other samples would name the wrong ones. */
export interface SetsOf {
  readonly name: string;
  readonly bytes: number;
  readonly samples: number;
}

/** Sets by their names, each the numbers of its samples in order. */
export type Sets = ReadonlyMap<string, Uint32Array>;

interface Kept {
  readonly identity: string;
  readonly sets: readonly (readonly [string, Uint32Array])[];
}

const store = new Store<Kept>("sets");

/** Sends `change` when sets are kept, whichever part of the page did it. */
export const setsKept = new EventTarget();

export const identityOf = ({ name, bytes, samples }: SetsOf): string => `${name}\n${bytes}\n${samples}`;

/** The sets of a dataset; `null` where the browser keeps nothing. */
export async function recallSets(of: SetsOf): Promise<Sets | null> {
  try {
    const kept = await store.get(identityOf(of));
    return new Map(kept?.sets ?? []);
  } catch {
    return null;
  }
}

/** Keeps the sets of a dataset; false where the browser keeps nothing. */
export async function keepSets(of: SetsOf, sets: Sets): Promise<boolean> {
  const identity = identityOf(of);
  try {
    if (sets.size === 0) await store.delete(identity);
    else await store.put({ identity, sets: [...sets] });
    setsKept.dispatchEvent(new Event("change"));
    return true;
  } catch {
    return false;
  }
}

/** Samples in order, each once. */
export const ordered = (samples: Iterable<number>): Uint32Array => Uint32Array.from(new Set(samples)).sort();

/** Sets with one more, or with another in its place; throws with what a person can do where that is too much. */
export function withSet(sets: Sets, name: string, samples: Iterable<number>): Sets {
  const title = name.trim();
  if (title === "" || title.length > LONGEST) throw new Error(msg("setHasNameUpCharacters", { longest: LONGEST }));
  const more = new Map(sets).set(title, ordered(samples));
  if (more.size > MOST_SETS) throw new Error(msg("datasetHasMostSetsRemove", { mostSets: MOST_SETS }));
  if ([...more.values()].reduce((sum, { length }) => sum + length, 0) > MOST_SAMPLES)
    throw new Error(msg("setsTogetherHaveTooMany"));
  return more;
}

/** The sets as a file: JSON that names what they are of. */
export const setsFile = (of: SetsOf, sets: Sets): Blob =>
  new Blob([
    JSON.stringify({
      forebay_sets: 1,
      of,
      sets: Object.fromEntries([...sets].map(([name, samples]) => [name, [...samples]])),
    }),
  ]);

/** Reads such a file, for this dataset; throws with what is wrong with it. */
export function readSets(text: string, of: SetsOf): Sets {
  let document: { forebay_sets?: unknown; of?: Partial<SetsOf>; sets?: unknown };
  try {
    document = JSON.parse(text) as typeof document;
  } catch {
    throw new Error(msg("notFileSetsNotJson"));
  }
  if (document?.forebay_sets !== 1 || typeof document.sets !== "object" || document.sets === null)
    throw new Error(msg("notFileSetsLaterVersion"));
  if (document.of?.samples !== of.samples || document.of.bytes !== of.bytes)
    throw new Error(msg("theseSetsAnotherDatasetBefore"));
  let sets: Sets = new Map();
  for (const [name, samples] of Object.entries(document.sets)) {
    const whole = (i: unknown): boolean => Number.isInteger(i) && (i as number) >= 0 && (i as number) < of.samples;
    if (!Array.isArray(samples) || !samples.every(whole))
      throw new Error(msg("setNotListSamples", { stringify: JSON.stringify(name) }));
    sets = withSet(sets, name, samples as number[]);
  }
  return sets;
}
