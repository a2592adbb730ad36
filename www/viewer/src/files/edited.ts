/** What a journal of changes can be of. */
import type { Dataset } from "../../../lib/src/model/index.ts";

/** Whether it is a file whose changes can be kept, and saved as a new one. */
export const isEdited = (data: Pick<Dataset, "format"> | null | undefined): boolean =>
  data?.format === "tbl" || data?.format === "tar";
