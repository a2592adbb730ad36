/** The page: the component with the package behind it. */
import { check, convert, droppedFiles, labelsOf, open, readLabels, writeLabels } from "forebay";
import { start } from "./shell/start.ts";

const labels = { read: readLabels, of: labelsOf, write: writeLabels };
start({ open, check, convert, droppedFiles, labels });
