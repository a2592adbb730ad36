import * as argument from "../base/arguments.js";
import { NAMES, known } from "../base/option-names.js";
import type {
  Divided,
  DivideOptions,
  Duplicates,
  DuplicatesOptions,
  Outliers,
  OutliersOptions,
} from "../model/index.js";
import { Looks, duplicatesOf, outliersOf, type Curated } from "./curate.js";
import { dividedOf } from "./divide.js";

/** Does something with a dataset that is open, and ends with it. */
type Run = <T>(signal: AbortSignal | undefined, body: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** What is asked of all samples of a dataset, and what was found of them so far. */
export class Curation {
  readonly #looks = new Looks();

  constructor(
    readonly of: () => Curated,
    readonly run: Run,
  ) {}

  async duplicates(options: DuplicatesOptions): Promise<Duplicates> {
    known(argument.options(options, "how samples are compared"), NAMES.duplicates, "duplicates");
    return this.run(options.signal, (signal) => duplicatesOf(this.of(), this.#looks, options, signal));
  }
  async outliers(options: OutliersOptions): Promise<Outliers> {
    known(argument.options(options, "how samples are judged"), NAMES.outliers, "outliers");
    return this.run(options.signal, (signal) => outliersOf(this.of(), this.#looks, options, signal));
  }
  async divide(options: DivideOptions): Promise<Divided> {
    known(argument.options(options, "how samples are divided"), NAMES.divide, "divide");
    return this.run(options.signal, (signal) => dividedOf(this.of(), this.#looks, options, signal));
  }

  clear(): void {
    this.#looks.clear();
  }
}
