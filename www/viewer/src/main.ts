/** The page: the component with the package behind it. */
import { capabilities, convert, open } from "forebay";
import { start } from "./start.ts";

start({ open, convert, capabilities });
