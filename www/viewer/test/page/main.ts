/** The viewer over made-up datasets. */
import { start } from "../../src/start.ts";
import { fake } from "../fake.ts";

start(fake);
