import { hostError } from "../model/errors.js";
import type { Project } from "../model/index.js";
import { call, client } from "../pool/pool.js";

/**
 * Reads a project: a file that lists the classes with their colors and keys, the categories of a COCO file, the names of a
 * `data.yaml`, or a list of names. Rejects with a `label.*` code for what is none of these.
 *
 * ```js
 * const project = await readProject(file);
 * await exportLabels(dataset, "yolo", sink, { project });
 * ```
 */
export async function readProject(input: Blob | Uint8Array | string): Promise<Project> {
  const blob = input instanceof Blob ? input : new Blob([input as BlobPart]);
  if (typeof input !== "string" && !(input instanceof Uint8Array || input instanceof Blob))
    throw hostError("usage.argument", "a project is read from a Blob, a Uint8Array or a text");
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return JSON.parse(await call(await client(), undefined, "readProject", [bytes])) as Project;
}
