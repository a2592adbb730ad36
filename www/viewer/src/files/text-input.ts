/** How the package reads a text that is open: as what it is, from where it lies. */
import type { HttpOptions, TextFormat } from "../../../lib/src/model/index.ts";
import type { TextSource } from "./open-any.ts";

export const textInput = ({ format, http }: TextSource): { from: TextFormat; http?: HttpOptions } => ({
  from: format,
  ...(http && { http }),
});
