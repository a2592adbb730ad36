import { foreignBoxes } from "../base/boxes.js";
import { ForebayError, hostError } from "../model/errors.js";
import type { Json, LabelClass, LabelPicture, SampleBox } from "../model/index.js";
import { free } from "../pool/drive.js";
import { call, client } from "../pool/pool.js";
import type { Size } from "./sizes.js";

/** Whose boxes they are. */
interface Of {
  readonly file: string | undefined;
  readonly sample: number;
  /** The size that the index has of the picture; zeros where it has none, */
  readonly known: Size;
  /** and what the picture itself says, which has to be read. */
  readonly look: () => Promise<Size>;
  /** What boxes of other programs mean. */
  readonly as?: string | undefined;
}

/** The boxes that a sample's metadata has, as shares of its picture; nothing where it says nothing of them. */
export async function boxesOf(document: string, record: string, of: Of): Promise<SampleBox[] | null> {
  const { file, sample, known, look } = of;
  const isKnown = known[0] > 0 && known[1] > 0;
  const first = await marked(document, record, known, of).catch((e: unknown) => {
    // Shares of a picture of which nobody knows the size yet.
    if (!isKnown && e instanceof ForebayError && e.code === "label.size") return undefined;
    throw e;
  });
  if (first === null) return null;
  const boxes = (first && asShares(first)) ?? asShares((await marked(document, record, await look(), of))!);
  if (boxes) return boxes;
  throw hostError("usage.argument", "nobody says how large the image is that the boxes are of", { file, sample });
}

/** The same as `exportLabels` takes it: a layout alone is that of whichever field has boxes. */
const layoutOf = (as: string | undefined): string | undefined => (as?.match(/^[a-z]+n?$/) ? `:${as}` : as);

/** What a record says is in a picture, and the classes. */
interface Marked {
  readonly picture: LabelPicture;
  readonly classes: readonly LabelClass[];
}

async function marked(
  document: string,
  record: string,
  [width, height]: Size,
  { file, sample, as }: Of,
): Promise<Marked | null> {
  const worker = await client();
  const id = await call(worker, file, "labelsOfDocument", [document]);
  try {
    if (!(await call(worker, file, "labelsAddRecord", [id, record, "sample", [width, height], layoutOf(as)]))) {
      const field = foreignBoxes(JSON.parse(record) as Json);
      if (field === null || as !== undefined) return null;
      // Whoever took that for nothing and set boxes would lose those that are there.
      const why = `${field} has boxes as another program wrote them, and nothing says what they mean: the option "as" of boxes does, such as ${JSON.stringify(`${field}:xywh`)}; exportLabels calls it boxes`;
      throw new ForebayError("label.ambiguous", "usage", why, { file, sample });
    }
    const [picture] = JSON.parse(await call(worker, file, "labelsPictures", [id, 0, 1])) as [LabelPicture];
    const { classes } = JSON.parse(await call(worker, file, "labelsAbout", [id])) as { classes: LabelClass[] };
    return { picture, classes };
  } finally {
    void free(worker, id);
  }
}

/** The boxes as shares of the picture; `null` while its size is not known. */
function asShares({ picture, classes }: Marked): SampleBox[] | null {
  const [w, h] = [picture.width ?? 0, picture.height ?? 0];
  if (picture.annotations.length > 0 && (w === 0 || h === 0)) return null;
  return picture.annotations.map(({ box: [x0, y0, x1, y1], class: number }) => ({
    box: [x0 / w, y0 / h, x1 / w, y1 / h],
    class: number ?? null,
    label: (number === undefined ? undefined : classes[number]?.name) ?? null,
  }));
}
