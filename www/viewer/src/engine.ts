/** What the viewer needs of the package: so that tests can put something else in its place. */
import type { Capabilities, Convert, Open } from "../../lib/src/types.ts";

/** The package's functions. */
export interface Engine {
  readonly open: Open;
  readonly convert: Convert;
  readonly capabilities: () => Capabilities;
}
