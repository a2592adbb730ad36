import type { TextReadOptions } from "../model/index.js";

/** How text is read, as the module is told. */
export const textSettings = ({
  types,
  schema,
  header = true,
  delimiter,
  null: word = "",
  sniffRows,
}: TextReadOptions) => ({
  types,
  ...(schema && { spec: JSON.stringify(schema) }),
  noHeader: !header,
  delimiter,
  null: word,
  sniffRows,
});
