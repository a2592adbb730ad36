/** Everything that the viewer says, in English: what a translation begins with. The viewer itself fetches each room with what it is for. */
import { common } from "./common.ts";
import { comparing } from "./comparing.ts";
import { curating } from "./curating.ts";
import { dialogs } from "./dialogs.ts";
import { drawing } from "./drawing.ts";
import { editing } from "./editing.ts";
import { files } from "./files.ts";
import { mapping } from "./mapping.ts";
import { pictures } from "./pictures.ts";
import { samples } from "./samples.ts";
import { shell } from "./shell.ts";
import { tables } from "./tables.ts";
import { ui } from "./ui.ts";

export const en = {
  common,
  comparing,
  curating,
  dialogs,
  drawing,
  editing,
  files,
  mapping,
  pictures,
  samples,
  shell,
  tables,
  ui,
} as const;

/** The messages of the viewer in another language, by room; what is missing is said in English. */
export type ViewerMessages = {
  readonly [Room in keyof typeof en]?: { readonly [Name in keyof (typeof en)[Room]]?: string };
} & {
  /** What errors of the core mean, by their codes. */
  readonly errors?: Readonly<Record<string, string>>;
};
