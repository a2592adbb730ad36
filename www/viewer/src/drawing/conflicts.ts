/** What two journals of one dataset say differently: the rules of `forebay edits merge`. */
import { stringifyExactly } from "../../../lib/src/base/exact.ts";
import type { Json } from "../../../lib/src/model/index.ts";
import type { Entry } from "./history.ts";
import { annotationOf } from "./shape.ts";

/** Which side counts: of all samples, or of each; of boxes both can, and what is there twice is there once. */
export type Side = "mine" | "theirs";
export type Sides = Side | ReadonlyMap<number | null, Side | "both">;

/** Something that both changed differently. */
export interface Conflict {
  /** The sample; `null` for the document beside them. */
  readonly sample: number | null;
  /** What of it: a field, or `boxes`, `review`, `name`, `place`, a tag; `removed` where one took away what the other changed. */
  readonly what: string;
  /** What each side says, as JSON. */
  readonly mine: string;
  readonly theirs: string;
}

/** What one side says in the end, by sample and by what of it. */
type Said = Map<number | null, Map<string, string>>;

/** How many changes both begin with alike. */
export function alike(mine: readonly Entry[], theirs: readonly Entry[]): number {
  let many = 0;
  while (many < mine.length && many < theirs.length && textOf(mine[many]!) === textOf(theirs[many]!)) many++;
  return many;
}

/** What the changes of both, behind those, do not agree on. */
export function conflictsOf(mine: readonly Entry[], theirs: readonly Entry[]): Conflict[] {
  const [ours, other] = [saidBy(mine), saidBy(theirs)];
  const conflicts: Conflict[] = [];
  for (const [sample, said] of ours) {
    const against = other.get(sample);
    if (!against) continue;
    const differ = (what: string): void => {
      const [mine = "false", theirs = "false"] = [said.get(what), against.get(what)];
      conflicts.push({ sample, what, mine, theirs });
    };
    if (isRemoved(said) !== isRemoved(against)) differ("removed");
    else if (!isRemoved(said))
      for (const [what, value] of said) if (against.has(what) && against.get(what) !== value) differ(what);
  }
  return conflicts;
}

const isRemoved = (said: ReadonlyMap<string, string>): boolean => said.get("removed") === "true";

function saidBy(entries: readonly Entry[]): Said {
  const all: Said = new Map();
  for (const entry of entries) {
    const said = all.get(entry.sample) ?? new Map<string, string>();
    all.set(entry.sample, said);
    for (const [what, value] of changesOf(entry)) said.set(what, stringifyExactly(value ?? null));
  }
  return all;
}

/** What a change changes, and what it is then. */
function* changesOf({ do: kind, shapes, review, said }: Entry): Iterable<[string, Json | undefined]> {
  if (shapes) yield ["boxes", shapes.map(annotationOf) as unknown as Json];
  if (review !== undefined) yield ["review", review];
  if (kind === "remove" || kind === "restore") yield ["removed", kind === "remove"];
  if (kind === "rename") yield ["name", said?.name];
  if (kind === "move") yield ["place", said?.before];
  for (const tag of listOf(said?.add, kind === "tag")) yield [`tag ${tag}`, true];
  for (const tag of listOf(said?.remove, kind === "tag")) yield [`tag ${tag}`, false];
  yield* Object.entries((said?.fields as { [path: string]: Json } | undefined) ?? {});
  // Nothing of JSON is `undefined`, so that a field that was set to null is not one that was taken away.
  for (const path of listOf(said?.unset, true)) yield [path, { taken: "away" }];
}
const listOf = (value: Json | undefined, there: boolean): string[] =>
  there && Array.isArray(value) ? value.map(String) : [];

/** The same of what was read and of what was just done. */
const textOf = ({ do: kind, sample, shapes, review, said }: Entry): string =>
  stringifyExactly([kind, sample, shapes?.map(annotationOf), review, ...SAYS.map((member) => said?.[member])]);
const SAYS = ["name", "before", "add", "remove", "fields", "unset", "at", "bytes"];
