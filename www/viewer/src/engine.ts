/** What the viewer needs of the package: so that tests can put something else in its place. */
import type { Capabilities, Convert, Dataset, Input, OpenOptions, Table } from "../../lib/src/types.ts";

/** The package's functions. */
export interface Engine {
  readonly open: (input: Input, options?: OpenOptions) => Promise<Dataset | Table>;
  readonly convert: Convert;
  readonly capabilities: () => Capabilities;
}
