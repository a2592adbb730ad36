import { ForebayError, hostError } from "../model/errors.js";
import type { Json, LabelClass, LabelPicture, SampleBox } from "../model/index.js";
import { free } from "../pool/drive.js";
import { call, client } from "../pool/pool.js";
import { foreignBoxes } from "./foreign-boxes.js";

/** The boxes that a sample's metadata has, as shares of its picture; nothing where it says nothing of them. */
export async function boxesOf(
  document: string,
  record: string,
  [width, height]: [number, number],
  file: string | undefined,
  sample: number,
): Promise<SampleBox[] | null> {
  const worker = await client();
  const id = await call(worker, file, "labelsOfDocument", [document]);
  try {
    if (!(await call(worker, file, "labelsAddRecord", [id, record, "sample", width, height]))) {
      const field = foreignBoxes(JSON.parse(record) as Json);
      if (field === null) return null;
      // Whoever took that for nothing and set boxes would lose those that are there.
      const why = `${field} has boxes as another program wrote them, and nothing says here what they mean: exportLabels reads them with its option boxes, such as ${JSON.stringify(`${field}:xywh`)}`;
      throw new ForebayError("label.ambiguous", "usage", why, { file, sample });
    }
    const [picture] = JSON.parse(await call(worker, file, "labelsPictures", [id, 0, 1])) as [LabelPicture];
    const { classes } = JSON.parse(await call(worker, file, "labelsAbout", [id])) as { classes: LabelClass[] };
    const [w, h] = [picture.width ?? 0, picture.height ?? 0];
    if (picture.annotations.length > 0 && (w === 0 || h === 0))
      throw hostError("usage.argument", "nobody says how large the picture is that the boxes are of", { file, sample });
    return picture.annotations.map(({ box: [x0, y0, x1, y1], class: number }) => ({
      box: [x0 / w, y0 / h, x1 / w, y1 / h],
      class: number ?? null,
      label: (number === undefined ? undefined : classes[number]?.name) ?? null,
    }));
  } finally {
    void free(worker, id);
  }
}
