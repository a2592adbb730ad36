/** The journal of a dataset while people draw: what they see at once, and what is kept of it, one change after the other. */
import type { Dataset, EditFields, Edits, Json, Output, Progress as Written } from "../../../lib/src/model/index.ts";
import type { EditSummary } from "../../../lib/src/model/edits.ts";
import { FOLDER } from "../files/edited.ts";
import { trouble, type Trouble } from "../ui/wording.ts";
import { alike, conflictsOf, type Conflict, type Sides } from "./conflicts.ts";
import {
  History,
  documented,
  drawn,
  marked,
  reviewed,
  type Entry,
  type Marked,
  type Review,
  type Said,
} from "./history.ts";
import { annotationOf, placeOf, type Shape } from "./shape.ts";
import { msg } from "../messages/drawing.ts";

/** Milliseconds after which what keys move is kept, and of rest after which it is a change by itself. */
const KEPT = 100;
const REST = 500;
/** Tries to open what was let go, and milliseconds in which that was a moment ago. */
const TRIES = 40;
const LATELY = 2000;

type Timer = ReturnType<typeof setTimeout>;
type Line = { readonly entry: Entry } | { readonly step: "undo" | "redo" };

/** Why a change is not kept. */
export interface Unkept extends Trouble {
  /** The browser threw the journal away. */
  readonly gone: boolean;
}

/** What it tells. */
export interface JournalHost {
  /** Something is kept now, or is not. */
  readonly told: () => void;
  /** A change was made that goes into the journal. */
  readonly entered: (entry: Entry) => void;
}

/** Keeps changes, and knows all of them. */
export class DrawnJournal {
  /** Why the last change is not kept; nothing is kept behind it until that is mended. */
  unkept: Unkept | null = null;
  private waiting: Line[] = [];
  private busy = false;
  private work: Promise<void> = Promise.resolve();
  /** What keys move now: when that ends, and when what they did last is kept. */
  private nudge: { readonly name: string; readonly burst: number; end: Timer; keep: Timer | null } | null = null;
  private groups = 0;
  /** Changes that were undone before they were kept: the journal knows nothing of them. */
  private readonly never = new WeakSet<Entry>();
  /** What the journal was written into is gone, and nothing else is open yet. */
  private thrown = false;

  private constructor(
    private readonly dataset: Dataset,
    private edits: Edits,
    readonly history: History,
    private readonly of: JournalHost,
  ) {}

  static async open(dataset: Dataset, of: JournalHost): Promise<DrawnJournal> {
    const edits = await opened(dataset);
    try {
      const { journal } = await edits.export();
      const drawn = new DrawnJournal(dataset, edits, await History.of(journal), of);
      drawn.takeUp();
      return drawn;
    } catch (e) {
      edits.close();
      throw e;
    }
  }

  get name(): string {
    return this.edits.name;
  }
  /** How many changes are not kept yet. */
  get pending(): number {
    // Of a journal that is gone nothing is kept, whether or not something waits.
    return Math.max(this.waiting.length + (this.nudge?.keep ? 1 : 0), this.unkept?.gone ? 1 : 0);
  }
  /** A number that several changes share. */
  group(): number {
    return this.groups++;
  }

  /**
   * All that is drawn on a picture. A change of the same `nudge` takes the place of the last one while that is not kept, and is
   * undone together with it.
   */
  draw(sample: number, shapes: readonly Shape[], nudge: string | null, more: Partial<Entry> = {}): void {
    const name = nudge === null ? null : `${sample} ${nudge}`;
    if (this.nudge?.name !== name) this.rest();
    const { nudge: held } = this;
    const burst = held?.burst ?? (name === null ? null : this.groups++);
    const entry = drawn(sample, shapes, { ...more, burst });
    if (held?.keep) this.history.replace(entry);
    else this.history.add(entry);
    if (name === null) this.put({ entry });
    else {
      clearTimeout(held?.end);
      const keep = held?.keep ?? setTimeout(() => this.keep(), KEPT);
      this.nudge = { name, burst: burst!, keep, end: setTimeout(() => this.rest(), REST) };
    }
    this.of.told();
  }
  review(sample: number, review: Review | null, group: number | null = null): void {
    this.enter({ ...reviewed(sample, review), group });
  }
  mark(kind: Marked, sample: number, group: number | null, said: Said | null): void {
    this.enter({ ...marked(kind, sample, said), group });
  }
  /** Fields of the document beside the samples. */
  document(fields: Json, group: number): void {
    this.enter(documented(fields, group));
  }
  private enter(entry: Entry): void {
    this.rest();
    this.history.add(entry);
    this.put({ entry });
  }
  /** What keys moved so far is kept. */
  private keep(): void {
    if (!this.nudge?.keep) return;
    clearTimeout(this.nudge.keep);
    this.nudge.keep = null;
    this.put({ entry: this.history.last! });
  }
  /** What keys moved is a change now. */
  rest(): void {
    this.keep();
    clearTimeout(this.nudge?.end);
    this.nudge = null;
  }
  /** Takes the last change back, with those that came together with it; the last of them. */
  undo(): Entry | null {
    this.rest();
    const { last } = this.history;
    let entry: Entry | null = null;
    do {
      const undone = this.history.undo();
      if (!undone) break;
      entry = undone;
      if (!this.takeBack(undone)) this.put({ step: "undo" });
    } while (together(last, this.history.last));
    return entry;
  }
  redo(): Entry | null {
    this.rest();
    const { next } = this.history;
    let entry: Entry | null = null;
    do {
      const again = this.history.redo();
      if (!again) break;
      entry = again;
      this.put(this.never.delete(again) ? { entry: again } : { step: "redo" }, false);
    } while (together(next, this.history.next));
    return entry;
  }

  private put(line: Line, tell = true): void {
    this.waiting.push(line);
    if (tell && "entry" in line) this.of.entered(line.entry);
    if (!this.busy && !this.unkept) this.work = this.pump();
  }
  /** Undoes a change that cannot be kept by not keeping it: else one that is refused would stand before all others for ever. */
  private takeBack(undone: Entry): boolean {
    const last = this.waiting.at(-1);
    if (!this.unkept || this.busy || !last || ("step" in last && last.step === "undo")) return false;
    this.waiting.pop();
    if ("entry" in last) this.never.add(undone);
    if (this.waiting.length === 0 && !this.unkept.gone) this.unkept = null;
    this.of.told();
    return true;
  }
  /** Makes what could not be kept when the journal was open the last time. */
  private takeUp(): void {
    const { name } = this.edits;
    for (const line of left.get(name) ?? [])
      if ("entry" in line) {
        this.history.add(line.entry);
        this.waiting.push(line);
      } else if (this.history[line.step]()) this.waiting.push(line);
    left.delete(name);
    if (this.waiting.length > 0) this.work = this.pump();
  }
  /** Keeps what waits. */
  private async pump(): Promise<void> {
    this.busy = true;
    this.of.told();
    let at = 0;
    try {
      for (; at < this.waiting.length; at++) {
        // What is taken off the front of a long list one by one takes long.
        if (at >= 512) at -= this.waiting.splice(0, at).length;
        const line = this.waiting[at]!;
        if (!(await isThere(this.edits.name))) throw new Gone(msg("browserHasRemovedJournalThese"));
        if ("entry" in line) await write(this.edits, line.entry);
        else await this.edits[line.step]();
      }
    } catch (e) {
      this.unkept = { ...trouble(e), gone: e instanceof Gone };
    } finally {
      this.waiting.splice(0, at);
      this.busy = false;
      this.of.told();
    }
  }
  /** Tries again to keep what was not; a journal that the browser threw away is written anew. */
  async retry(): Promise<void> {
    const { unkept } = this;
    if (!unkept || this.busy) return;
    this.rest();
    this.unkept = null;
    this.work = unkept.gone ? this.again() : this.pump();
    return this.work;
  }
  /** Writes everything anew. */
  private async again(): Promise<void> {
    this.busy = true;
    this.of.told();
    // As it is now: what is drawn and undone meanwhile waits, and comes behind it.
    const many = this.waiting.length;
    const [standing, undone] = [[...this.history.entries], [...this.history.undoneEntries]];
    try {
      if (!this.thrown) await this.edits.discard();
      this.thrown = true;
      closedAt = performance.now();
      this.edits = await opened(this.dataset);
      this.thrown = false;
      for (const entry of standing) await write(this.edits, entry);
      for (const entry of undone) await write(this.edits, entry);
      // So that it can be redone.
      for (const entry of undone) {
        this.never.delete(entry);
        await this.edits.undo();
      }
      this.waiting.splice(0, many);
    } catch (e) {
      this.unkept = { ...trouble(e), gone: true };
    } finally {
      this.busy = false;
      this.of.told();
    }
    if (!this.unkept && this.waiting.length > 0) await this.pump();
  }
  /** Ends when everything is kept, or cannot be. */
  async kept(): Promise<boolean> {
    this.rest();
    await this.work;
    return this.unkept === null && this.waiting.length === 0;
  }

  save(
    output: Output,
    options: { signal: AbortSignal; onProgress: (progress: Written) => void },
  ): Promise<EditSummary> {
    return this.edits.save(output, options);
  }
  /** Whether anything is changed. */
  get changes(): boolean {
    return this.history.last !== null;
  }
  /** Does something with the journal that the package has, once everything is kept; nothing if that cannot be. */
  async with<T>(what: (edits: Edits) => Promise<T>): Promise<T | null> {
    this.rest();
    return (await this.kept()) ? what(this.edits) : null;
  }
  export(): ReturnType<Edits["export"]> {
    return this.edits.export();
  }
  discard(): Promise<void> {
    this.rest();
    this.waiting = [];
    closedAt = performance.now();
    return this.edits.discard();
  }
  /** Lets it go. What cannot be kept is held for the next time, as long as the page is open. */
  close(): void {
    closedAt = performance.now();
    void this.kept()
      .then((kept) => {
        const all = this.unkept?.gone ? this.history.entries.map((entry) => ({ entry })) : this.waiting;
        if (!kept && all.length > 0) left.set(this.edits.name, all);
      })
      .finally(() => {
        closedAt = performance.now();
        this.edits.close();
      });
  }

  /**
   * Makes the changes of another journal of the same dataset behind those of this one. Where both say something different of a sample,
   * and nobody said which counts, nothing is changed.
   */
  async take(file: Blob, sides: Sides | null): Promise<Taken> {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const never = (): Promise<never> => Promise.reject(new Error(msg("journalReadNotChanged")));
    // A name of its own: another tab may look at one too.
    const own = `given-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
    const store = { read: async (name: string) => (name === own ? bytes : null), write: never, remove: never };
    // Opening it finds out whether it is whole, and of this dataset.
    const given = await this.dataset.edit({ store, name: own });
    given.close();
    this.rest();
    const { entries } = await History.of(new Blob([bytes]));
    const begin = alike(this.history.entries, entries);
    const mine = this.history.entries.slice(begin);
    const isAdded = ({ do: kind, sample }: Entry): boolean => kind === "add" || (sample ?? 0) >= this.dataset.length;
    const theirs = entries.slice(begin).filter((entry) => !isAdded(entry));
    const added = entries.length - begin - theirs.length;
    const conflicts = conflictsOf(mine, theirs);
    if (conflicts.length > 0 && sides === null) return { changes: 0, added: 0, unseen: 0, conflicts };
    const group = this.group();
    const enter = (entry: Entry): void => this.enter({ ...entry, group });
    for (const entry of theirs) enter(entry);
    const disputed = new Set(conflicts.map(({ sample }) => sample));
    const sideOf = (sample: number | null) => (typeof sides === "string" ? sides : (sides?.get(sample) ?? "mine"));
    // What is said last counts.
    for (const entry of mine) if (disputed.has(entry.sample) && sideOf(entry.sample) !== "theirs") enter(entry);
    for (const { sample, what } of conflicts) {
      if (sample === null) continue;
      const side = sideOf(sample);
      const winner = side === "theirs" ? theirs : mine;
      const last = winner.findLast((one) => one.sample === sample && (one.do === "remove" || one.do === "restore"));
      if (what === "removed" && last?.do !== "remove") enter(marked("restore", sample, null));
      if (what !== "boxes" || side !== "both") continue;
      const [own, other] = [mine, theirs].map(
        (all) => all.findLast((one) => one.sample === sample && one.shapes)!.shapes!,
      );
      const there = new Set(own!.map(placeOf));
      enter(drawn(sample, [...own!, ...other!.filter((shape) => !there.has(placeOf(shape)))]));
    }
    const unseen = theirs.filter(({ shapes, review }) => !shapes && review === undefined).length;
    return { changes: theirs.length, added, unseen, conflicts: [] };
  }
}

/** What came of a journal that was to be taken over. */
export interface Taken {
  readonly changes: number;
  /** Changes of added samples, which were left out. */
  readonly added: number;
  /** Changes that are kept, and that no picture shows: names, places, fields, tags, what is left out. */
  readonly unseen: number;
  /** What both say differently: nothing was changed then. */
  readonly conflicts: readonly Conflict[];
}

/** The journal is not where it was. */
class Gone extends Error {}

/** Whether the journal lies where it was: who writes behind the end of an empty file makes a file that nobody reads. */
async function isThere(name: string): Promise<boolean> {
  const root = await navigator.storage?.getDirectory?.().catch(() => null);
  if (!root) return true;
  try {
    const folder = await root.getDirectoryHandle(FOLDER);
    const { size } = await (await folder.getFileHandle(name)).getFile();
    return size > 0;
  } catch {
    return false;
  }
}

/** Whether two changes are undone together. */
const together = (one: Entry | null, other: Entry | null): boolean =>
  one !== null &&
  other !== null &&
  ((one.group !== null && one.group === other.group) || (one.burst !== null && one.burst === other.burst));

/** Whether the browser keeps changes of a dataset which nobody has saved or discarded; without journals nothing is read. */
export async function hasChanges(dataset: Dataset): Promise<boolean> {
  const edits = await opened(dataset);
  const { dirty, changes } = edits;
  closedAt = performance.now();
  // Looking leaves no journal where there was none.
  if (changes === 0) await edits.discard();
  else edits.close();
  return dirty;
}

/** What could not be kept of journals that were let go, by their names. */
const left = new Map<string, readonly Line[]>();
/** Whether there is any: it is lost with the page. */
export const isLeft = (): boolean => left.size > 0;

/** When this page let a journal go. */
let closedAt = Number.NEGATIVE_INFINITY;

/** The lock of what was closed a moment ago goes when that is through with its work. */
async function opened(dataset: Dataset): Promise<Edits> {
  for (let tries = performance.now() - closedAt < LATELY ? TRIES : 0; ; tries--) {
    try {
      return await dataset.edit();
    } catch (e) {
      if (tries <= 0 || trouble(e).code !== "edits.locked") throw e;
      await new Promise((go) => setTimeout(go, 50));
    }
  }
}

/** A change, as the package is told. */
async function write(edits: Edits, { do: kind, sample, shapes, review, said }: Entry): Promise<void> {
  const i = sample ?? 0;
  const text = (key: string): string => String(said?.[key] ?? "");
  const list = (key: string): string[] => (said?.[key] as string[] | undefined) ?? [];
  const boxes = shapes?.map(annotationOf);
  if (kind === "set") return edits.set(i, { ...fieldsOf(said), ...(boxes && { boxes }) });
  if (kind === "review") return edits.review(i, review ?? null);
  if (kind === "remove") return edits.remove(i);
  if (kind === "restore") return edits.restore(i);
  if (kind === "rename") return edits.rename(i, text("name"));
  if (kind === "move") return edits.move(i, (said?.before as number | null) ?? undefined);
  if (kind === "tag") return edits.tag(i, list("add"), list("remove"));
  if (kind === "document") return edits.document(fieldsOf(said) as { [path: string]: Json | undefined });
  // What else there is has bytes that lie in no line.
}
const fieldsOf = (said: Said | null): EditFields => ({
  ...(said?.fields as EditFields | undefined),
  ...Object.fromEntries(((said?.unset as string[] | undefined) ?? []).map((path) => [path, undefined])),
});
