/** What the viewer needs of the package: so that tests can put something else in its place. */
import type {
  Capabilities,
  CheckOptions,
  CheckReport,
  Convert,
  Dataset,
  Input,
  OpenOptions,
  Table,
  TextReadOptions,
} from "../../../lib/src/model/index.ts";

/** The package's functions. */
export interface Engine {
  readonly open: (input: Input, options?: OpenOptions) => Promise<Dataset | Table>;
  readonly check: (input: Input, options?: CheckOptions & OpenOptions & TextReadOptions) => Promise<CheckReport>;
  readonly convert: Convert;
  readonly capabilities: () => Capabilities;
}
