/** The viewer over made-up datasets. */
import { start } from "../../../viewer/src/shell/start.ts";
import { fake } from "../fake.ts";

start(fake);
