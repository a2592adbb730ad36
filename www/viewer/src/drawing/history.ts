/** What a journal says was done: the changes that stand and those that were undone, in the order in which it has them. */
import { parseExactly, stringifyExactly } from "../../../lib/src/base/exact.ts";
import type { Json } from "../../../lib/src/model/index.ts";
import { shapesOf, type Shape } from "./shape.ts";

/** What a reviewer said. */
export type Review = "accepted" | "rejected";

/** One change. */
export interface Entry {
  readonly do: string;
  /** The sample that it is of; `null` if it is of none. */
  readonly sample: number | null;
  /** All that is drawn on the picture then; `null` where the change is about something else. */
  readonly shapes: readonly Shape[] | null;
  /** What a reviewer said; `undefined` where the change is about something else. */
  readonly review: Review | null | undefined;
  /** Changes that came together are undone together, until the page is left. */
  readonly group: number | null;
  /** So are those of a key that is held. */
  readonly burst: number | null;
  /** The line of the journal, if it says what nobody draws. */
  readonly said: Said | null;
}

/** The members of a line. */
export type Said = { readonly [key: string]: Json | undefined };

const other = { shapes: null, review: undefined, group: null, burst: null, said: null } as const;
export const drawn = (sample: number, shapes: readonly Shape[], more: Partial<Entry> = {}): Entry => ({
  ...other,
  do: "set",
  sample,
  shapes,
  ...more,
});
export const documented = (fields: Json, group: number): Entry => ({
  ...other,
  do: "document",
  sample: null,
  group,
  said: { fields },
});
export const reviewed = (sample: number, review: Review | null): Entry => ({ ...other, do: "review", sample, review });
/** Something that nobody draws. */
export const marked = (kind: Marked, sample: number, said: Said | null): Entry => ({
  ...other,
  do: kind,
  sample,
  said,
});
export type Marked = "remove" | "restore" | "tag" | "set";
const MOVES: ReadonlySet<string> = new Set(["remove", "restore"]);

/** How far the work is. */
export interface Progress {
  /** Samples with a change that stands. */
  readonly changed: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Neither of both. */
  readonly left: number;
}

/** Mirrors the rules of the journal: undo takes the last change back that stands, and any other change ends what can be redone. */
export class History {
  private readonly standing: Entry[] = [];
  private undone: Entry[] = [];
  private readonly bySample = new Map<number, Entry[]>();
  /** Grows with everything that leaves a sample out, brings one back, or takes that back. */
  moves = 0;

  /** What a journal has, of which the checksums were verified when it was opened. */
  static async of(journal: Blob): Promise<History> {
    const history = new History();
    let first = true;
    for await (const line of linesOf(journal)) {
      const said = first ? null : parsed(line);
      first = false;
      if (said) history.read(said);
    }
    return history;
  }
  private read(said: Said): void {
    if (said.do === "undo") return void this.undo();
    if (said.do === "redo") return void this.redo();
    const { annotations, ...rest } = said;
    const { sample, state, fields, unset } = rest;
    const isReview = said.do === "review";
    const own = isReview || (said.do === "set" && !fields && !unset);
    this.add({
      do: String(said.do),
      sample: typeof sample === "number" ? sample : null,
      shapes: Array.isArray(annotations) ? this.shared(Number(sample), shapesOf(annotations).shapes) : null,
      review: isReview ? ((state as Review | null) ?? null) : undefined,
      group: null,
      burst: null,
      said: own ? null : rest,
    });
  }
  /** Of the shapes that a picture has had before, those that it has still: each change says all of them. */
  private shared(sample: number, shapes: readonly Shape[]): readonly Shape[] {
    const before = new Map<string, Shape>();
    const key = ({ x, y, w, h, label }: Shape): string => `${x} ${y} ${w} ${h} ${label}`;
    for (const shape of this.shapesOf(sample) ?? []) before.set(key(shape), shape);
    return shapes.map((shape) => {
      const known = before.get(key(shape));
      return known && stringifyExactly(known.raw) === stringifyExactly(shape.raw) ? known : shape;
    });
  }

  get canUndo(): boolean {
    return this.standing.length > 0;
  }
  get canRedo(): boolean {
    return this.undone.length > 0;
  }
  /** What would be undone, or done again. */
  get last(): Entry | null {
    return this.standing.at(-1) ?? null;
  }
  get next(): Entry | null {
    return this.undone.at(-1) ?? null;
  }
  /** Changes that stand, the first of them first. */
  get entries(): readonly Entry[] {
    return this.standing;
  }
  /** Changes that were undone, the one that would be done again first. */
  get undoneEntries(): readonly Entry[] {
    return this.undone.toReversed();
  }
  add(entry: Entry): void {
    this.undone = [];
    this.push(entry);
  }
  /** The last change is another one: a key that is held moves something once. */
  replace(entry: Entry): void {
    this.undo();
    this.undone = [];
    this.push(entry);
  }
  undo(): Entry | null {
    const entry = this.standing.pop();
    if (!entry) return null;
    this.undone.push(entry);
    if (MOVES.has(entry.do)) this.moves++;
    if (entry.sample !== null) {
      const own = this.bySample.get(entry.sample)!;
      own.pop();
      if (own.length === 0) this.bySample.delete(entry.sample);
    }
    return entry;
  }
  redo(): Entry | null {
    const entry = this.undone.pop();
    if (entry) this.push(entry);
    return entry ?? null;
  }
  private push(entry: Entry): void {
    this.standing.push(entry);
    if (MOVES.has(entry.do)) this.moves++;
    if (entry.sample === null) return;
    const own = this.bySample.get(entry.sample);
    if (own) own.push(entry);
    else this.bySample.set(entry.sample, [entry]);
  }
  /** Fields of the document beside the samples that were set. */
  get document(): { [path: string]: Json } {
    const all = this.standing.filter((entry) => entry.do === "document").map(({ said }) => said?.fields);
    return Object.assign({}, ...all) as { [path: string]: Json };
  }
  /** All that is drawn on a picture; `null` where it was not drawn on. */
  shapesOf(sample: number): readonly Shape[] | null {
    return this.bySample.get(sample)?.findLast(({ shapes }) => shapes)?.shapes ?? null;
  }
  /** Width and height of the picture that was drawn on, if that was said. */
  rasterOf(sample: number): readonly [number, number] | undefined {
    const fields = this.bySample.get(sample)?.findLast(({ shapes }) => shapes)?.said?.fields as Said | undefined;
    const size = fields?.annotations_size ?? fields?.["json.annotations_size"];
    return Array.isArray(size) && size.length === 2 ? (size as [number, number]) : undefined;
  }
  /** Whether anything was done to a sample. */
  has(sample: number): boolean {
    return this.bySample.has(sample);
  }
  /** Those that are left out. */
  get removed(): ReadonlySet<number> {
    return new Set([...this.bySample.keys()].filter((sample) => this.isRemoved(sample)));
  }
  /** Whether it is left out. */
  isRemoved(sample: number): boolean {
    const last = this.bySample.get(sample)?.findLast((entry) => entry.do === "remove" || entry.do === "restore");
    return last?.do === "remove";
  }
  /** The name that its file was given, if it was. */
  nameOf(sample: number): string | null {
    const name = this.bySample.get(sample)?.findLast((entry) => entry.do === "rename")?.said?.name;
    return typeof name === "string" ? name : null;
  }
  /** What a reviewer said here; `undefined` for nothing. */
  reviewOf(sample: number): Review | null | undefined {
    return this.bySample.get(sample)?.findLast(({ review }) => review !== undefined)?.review;
  }
  /** The fields that were changed here last of which one is such; those that were taken away have no value. */
  fieldsOf(sample: number, isMeant: (path: string) => boolean): Said | null {
    for (const { said } of this.bySample.get(sample)?.toReversed() ?? []) {
      const gone = ((said?.unset as string[] | undefined) ?? []).map((path) => [path, undefined]);
      const fields = { ...(said?.fields as Said | undefined), ...Object.fromEntries(gone) };
      if (Object.keys(fields).some(isMeant)) return fields;
    }
    return null;
  }
  /** Classes of what was drawn. */
  get labels(): Iterable<string> {
    return new Set([...this.bySample.keys()].flatMap((i) => this.shapesOf(i) ?? []).map(({ label }) => label));
  }
  /** How far the work is, in a dataset of this many samples of which some were reviewed before. */
  progress(samples: number, before: ReadonlyMap<number, Review>): Progress {
    let [accepted, rejected] = [0, 0];
    const take = (review: Review | null | undefined): void => {
      if (review === "accepted") accepted++;
      else if (review === "rejected") rejected++;
    };
    for (const sample of this.bySample.keys()) {
      const own = this.reviewOf(sample);
      take(own === undefined ? before.get(sample) : own);
    }
    for (const [sample, review] of before) if (!this.bySample.has(sample)) take(review);
    return { changed: this.bySample.size, accepted, rejected, left: samples - accepted - rejected };
  }
}

/** Lines of a text of any length; what a crash left of a last one is none. */
async function* linesOf(text: Blob): AsyncGenerator<string> {
  const reader = text.stream().pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

function parsed(line: string): Said | null {
  try {
    return parseExactly(line) as Said;
  } catch {
    return null;
  }
}
