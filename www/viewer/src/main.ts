/** The page: the component with the package behind it. */
import { capabilities, check, convert, droppedFiles, labelsOf, open, readLabels, writeLabels } from "forebay";
import { start } from "./shell/start.ts";

const labels = { read: readLabels, of: labelsOf, write: writeLabels };
start({ open, check, convert, capabilities, droppedFiles, labels });
