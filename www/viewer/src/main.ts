/** The page: the component with the package behind it. */
import { capabilities, check, convert, open } from "forebay";
import { start } from "./shell/start.ts";

start({ open, check, convert, capabilities });
