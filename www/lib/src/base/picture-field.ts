/** Which field of a line of a list names a picture, and what it names. */
import { valueAt } from "./metadata-path.js";
import { kindByName } from "./picture-kind.js";
import type { Json } from "../model/index.js";

/** Where pictures are usually named, the likeliest first. */
export const FIELDS = [
  "file_name",
  "image",
  "image_path",
  "image_url",
  "img",
  "url",
  "path",
  "file",
  "filename",
  "src",
  "data.image",
] as const;

/** What a value names: itself, or the place in the struct that `datasets` writes. */
function nameIn(value: Json | undefined): string | null {
  const inner =
    value !== null && typeof value === "object" && !Array.isArray(value) ? (value.path ?? value.url) : value;
  return typeof inner === "string" && inner !== "" ? inner : null;
}

/** What stands at a path; a name with dots in it counts as it stands. */
const at = (record: Json, field: string): Json | undefined =>
  record !== null && typeof record === "object" && !Array.isArray(record) && Object.hasOwn(record, field)
    ? record[field]
    : valueAt(record, field);

/** What a line names in a field; `null` where it names nothing. */
export const pictureIn = (record: Json, field: string): string | null => nameIn(at(record, field));

/** The field of a line that names a picture: an address, or a path that ends as pictures do. */
export const pictureField = (record: Json): string | undefined =>
  FIELDS.find((field) => {
    const name = pictureIn(record, field);
    return name !== null && (/^https?:\/\//i.test(name) || kindByName(name.replace(/[?#].*$/s, "")) !== null);
  });
