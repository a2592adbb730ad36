/** The page: the component with the package behind it. */
import {
  check,
  convert,
  diff,
  droppedFiles,
  exportLabels,
  labelsOf,
  matchLabels,
  open,
  readLabels,
  readProject,
  writeLabels,
  writeThumbs,
} from "forebay";
import { start } from "./shell/start.ts";

const labels = {
  read: readLabels,
  match: matchLabels,
  project: readProject,
  of: labelsOf,
  write: writeLabels,
  export: exportLabels,
};
start({ open, check, convert, diff, droppedFiles, labels, writeThumbs });
