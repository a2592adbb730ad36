/** What drawing needs of records and documents, and says of changes. Fetched when editing begins. */
import type { Json, Project } from "../../../lib/src/model/index.ts";
import type { ShownPicture } from "../samples/stage-editor.ts";
import type { Review, Said } from "./history.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/drawing.ts";

/** Names of classes in the document beside the samples. */
export function* classesIn(document: { readonly [key: string]: Json }): Iterable<string> {
  for (const list of [document.categories, document.classes]) {
    for (const one of Array.isArray(list) ? list : []) {
      const name = typeof one === "object" && one !== null && !Array.isArray(one) ? one.name : one;
      if (typeof name === "string") yield name;
    }
  }
}
/** What the key points of classes are called, by what the document lists and the project. */
export function pointNamesIn(categories: Json | undefined, project: Project | null): Map<string, readonly string[]> {
  const all = [...(Array.isArray(categories) ? categories : []), ...(project?.classes ?? [])];
  const named = all.filter((one) => typeof one === "object" && one !== null) as {
    name: string;
    keypoints?: string[];
  }[];
  const listed = named.filter(({ keypoints: k }) => Array.isArray(k) && k.every((name) => typeof name === "string"));
  return new Map(listed.map(({ name, keypoints }) => [name, keypoints!]));
}
export function reviewIn(record: Json): Review | null {
  const at = record as { review?: Json; json?: { review?: Json } | null } | null;
  const said = at?.json?.review ?? at?.review;
  return said === "accepted" || said === "rejected" ? said : null;
}
/** The field of a sample that says why it is rejected. */
const NOTE = "review_note";
/** What a reviewer wrote of a sample, in its record or in the fields of a change. */
export function noteIn(record: Json): string {
  const at = record as { [field: string]: Json } | null;
  const said = (at?.json as { [field: string]: Json } | null | undefined)?.[NOTE] ?? at?.[`json.${NOTE}`] ?? at?.[NOTE];
  return typeof said === "string" ? said : "";
}
/** A note as the fields of a change; without words it is taken away. */
export const noteSaid = (record: Json, note: string): Said =>
  note === "" ? { unset: [pathOf(record, NOTE)] } : { fields: { [pathOf(record, NOTE)]: note } };
/** Where a field is that stands beside annotations. */
function pathOf(record: Json, field: string): string {
  const root = (record ?? {}) as { [key: string]: Json };
  return "json" in root || ("members" in root && "name" in root) ? `json.${field}` : field;
}
/** Of a picture that a browser would turn, the line says in which raster its boxes are. */
export function rasterOf({ asStored, record, width, height }: ShownPicture): { fields: Json } | null {
  if (!asStored) return null;
  return { fields: { [pathOf(record, "annotations_size")]: [width, height] } };
}

/** What is said of a change that was taken back, or made again. */
export const stepText = (kind: "undo" | "redo", sample: number | null): string => {
  if (sample === null) return kind === "undo" ? common("undone") : msg("redone");
  return kind === "undo" ? msg("undoSample", { sample }) : msg("redoSample", { sample });
};
