/** Named filters, kept in the browser for the dataset that they are of. */
import { Store } from "../files/store.ts";
import { msg } from "../messages/curating.ts";
import { identityOf, type SetsOf } from "./sets.ts";

/** The most filters of a dataset, and the most characters of a name. */
const MOST = 100;
export const LONGEST = 60;

/** Filters by their names, in the order in which they were kept. */
export type Filters = ReadonlyMap<string, string>;

interface Kept {
  readonly identity: string;
  readonly filters: readonly (readonly [string, string])[];
}

const store = new Store<Kept>("filters");

/** The filters of a dataset; `null` where the browser keeps nothing. */
export async function recallFilters(of: SetsOf): Promise<Filters | null> {
  try {
    return new Map((await store.get(identityOf(of)))?.filters ?? []);
  } catch {
    return null;
  }
}

/** Keeps the filters of a dataset; false where the browser keeps nothing. */
export async function keepFilters(of: SetsOf, filters: Filters): Promise<boolean> {
  const identity = identityOf(of);
  try {
    if (filters.size === 0) await store.delete(identity);
    else await store.put({ identity, filters: [...filters] });
    return true;
  } catch {
    return false;
  }
}

/** Filters with one more, or with another under its name; throws with what a person can do where that is too much. */
export function withFilter(filters: Filters, name: string, expression: string): Filters {
  const title = name.trim();
  if (title === "" || title.length > LONGEST) throw new Error(msg("filterHasName", { longest: LONGEST }));
  const more = new Map(filters).set(title, expression);
  if (more.size > MOST) throw new Error(msg("filtersMost", { most: MOST }));
  return more;
}

/** Filters without one. */
export function withoutFilter(filters: Filters, name: string): Filters {
  const rest = new Map(filters);
  rest.delete(name);
  return rest;
}
