/** The page: the component with the package behind it. */
import { capabilities, convert, openSamples } from "forebay";
import { start } from "./start.ts";

start({ open: openSamples, convert, capabilities });
