/** The page: the component with the package behind it. */
import * as forebay from "forebay";
import { start } from "./shell/start.ts";

const { open, check, convert, capabilities, droppedFiles } = forebay;
const { readLabels: read, labelsOf: of, writeLabels: write } = forebay as any;
start({ open, check, convert, capabilities, droppedFiles, labels: { read, of, write } });
