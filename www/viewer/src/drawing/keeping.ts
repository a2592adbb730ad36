/** Makes labels that lie over a dataset edits of it, and copies what the picture before has. Fetched when editing begins. */
import type { Dataset, Json, LabelClass, Project } from "../../../lib/src/model/index.ts";
import type { FindBoxes } from "../samples/box-source.ts";
import type { ShownPicture } from "../samples/stage-editor.ts";
import type { DrawnJournal } from "./journal.ts";
import { placeOf, shapesIn, within, type Shape } from "./shape.ts";
import type { Sketch } from "./sketch.ts";
import { msg } from "../messages/drawing.ts";

/** Labels that lie over a dataset. */
export interface KeptLabels {
  readonly find: FindBoxes;
  readonly classes: readonly LabelClass[];
  readonly samples: readonly number[];
}

/** What became edits. */
export interface LabelsKept {
  readonly pictures: number;
  /** Annotations that nobody can draw, such as those without an area: they were left out. */
  readonly lost: number;
}

/** Keeps those that lie over the dataset that is open. */
export type KeepLabels = (signal: AbortSignal, onProgress: (done: number) => void) => Promise<LabelsKept>;

/** Keeps them, as changes that are undone together; `learn` hears of their classes. */
export async function keepLabels(
  data: Dataset,
  journal: DrawnJournal,
  { find, classes, samples }: KeptLabels,
  how: { signal: AbortSignal; onProgress: (done: number) => void; learn: (names: Iterable<string>) => void },
): Promise<LabelsKept> {
  const group = journal.group();
  let [kept, lost] = [0, 0];
  // The turboloader layout has no document.
  const document = data.metadata.layout === "turboloader" ? null : await data.document({ signal: how.signal });
  const fields = document && classFields(document, classes);
  try {
    if (fields) journal.document(fields, group);
    how.learn(classes.map(({ name }) => name));
    for (const i of samples) {
      how.signal.throwIfAborted();
      const { width, height } = data.info(i);
      const { shapes, lost: less } = shapesIn(null, find(i, null, width, height));
      lost += less;
      how.learn(shapes.map(({ label }) => label));
      journal.draw(i, shapes, null, { group });
      kept++;
      // What waits is held in memory: not more of it than is soon written.
      if (kept % 256 === 0 && !(await journal.kept())) break;
      how.onProgress(kept);
    }
    if (!(await journal.kept())) throw new Error(journal.unkept?.message ?? msg("labelsCouldNotKept"));
  } catch (e) {
    // Whoever cancels has none of them.
    if (how.signal.aborted && journal.history.last?.group === group) journal.undo();
    throw e;
  }
  return { pictures: kept, lost };
}

/** Lists the classes of a project beside the samples, in its order, where they are listed otherwise. */
export async function followProject(data: Dataset, journal: DrawnJournal, { classes }: Project): Promise<void> {
  if (data.metadata.layout === "turboloader") return;
  const document = { ...(await data.document()), ...journal.history.document };
  const fields = classFields(
    document,
    classes.map(({ supercategory: group, ...one }) => ({
      ...one,
      ...(group !== undefined && { group }),
    })) as LabelClass[],
  );
  const same = (key: string): boolean => JSON.stringify(document[key]) === JSON.stringify(fields?.[key]);
  if (fields && !(same("classes") && same("categories"))) journal.document(fields, journal.group());
}

/**
 * The lists of classes of a document, as `forebay convert --labels` writes them: those of the labels first, so that they keep
 * their numbers, and behind them what the document lists besides. Nothing where it lists classes in a way of its own.
 */
export function classFields(document: Fields, classes: readonly LabelClass[]): Fields | null {
  const { categories, classes: names } = document;
  const own = categories ?? names ?? [];
  if (classes.length === 0 || !Array.isArray(own)) return null;
  const known = own.map((one): Fields | null =>
    typeof one === "string" ? { name: one } : isFields(one) && typeof one.name === "string" ? one : null,
  );
  if (known.includes(null)) return null;
  const there = new Set<unknown>(classes.map(({ name }) => name));
  const ids = new Set(classes.map(({ id }) => String(id)));
  const left = (known as Fields[]).filter(({ name }) => !there.has(name));
  const all = [
    ...classes.map(
      ({ id, name, group, keypoints, skeleton }): Fields => ({
        ...(id !== undefined && { id: id as Json }),
        name,
        ...(group !== undefined && { supercategory: group }),
        ...(keypoints?.length && { keypoints }),
        ...(skeleton?.length && { skeleton }),
      }),
    ),
    // Two classes of one number would be one.
    ...left.map(({ id, ...rest }): Fields => ({ ...(id !== undefined && !ids.has(String(id)) && { id }), ...rest })),
  ];
  return { classes: all.map(({ name }) => name!), categories: all };
}
type Fields = { [key: string]: Json };
const isFields = (value: Json): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Adds the shapes of another picture that are not there yet; how many. */
export function copyInto(sketch: Sketch, shapes: readonly Shape[], picture: ShownPicture): number {
  const there = new Set(sketch.shapes?.map(placeOf));
  const fresh = shapes.flatMap((shape) => within(shape, picture)).filter((shape) => !there.has(placeOf(shape)));
  sketch.add(fresh);
  return fresh.length;
}
