/** A label file beside the open dataset: which of its pictures are which samples, and which are none. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Dataset, LabelInput, LabelPicture, ReadLabels } from "../../../lib/src/model/index.ts";
import type { Engine } from "../files/engine.ts";
import { inLabels, type FindBoxes } from "../samples/box-source.ts";
import { walkRecords } from "../samples/walk.ts";
import { isAbort, trouble, type Trouble } from "../ui/wording.ts";
import { msg } from "../messages/shell.ts";

/** Labels that lie over a dataset. */
export interface GivenLabels {
  readonly name: string;
  readonly format: string;
  readonly find: FindBoxes;
  /** Pictures of the labels that are samples, */
  readonly matched: number;
  readonly samples: readonly number[];
  /** and the names of those that are none. */
  readonly unmatched: readonly string[];
  /** Samples of which the labels say nothing. */
  readonly unlabelled: number;
  readonly notes: readonly string[];
}

/** What it needs of the page around it. */
export interface LabelHost {
  readonly engine: () => Engine;
  readonly data: () => Dataset | null;
  readonly signal: () => AbortSignal;
  readonly say: (text: string) => void;
  /** Boxes come from elsewhere now. */
  readonly changed: () => void;
}

/** Reads labels, and finds the samples of their pictures. */
export class LabelController implements ReactiveController {
  given: GivenLabels | null = null;
  reading: string | null = null;
  failure: Trouble | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: LabelHost,
  ) {
    host.addController(this);
  }
  hostConnected(): void {}

  reset(): void {
    this.given = this.reading = this.failure = null;
    this.host.requestUpdate();
  }
  /** The dataset's own boxes again. */
  remove(): void {
    this.reset();
    this.of.changed();
  }

  async open(input: LabelInput, name: string): Promise<void> {
    const dataset = this.of.data();
    const { labels } = this.of.engine();
    if (!dataset || !labels) return;
    this.failure = null;
    this.reading = name;
    this.host.requestUpdate();
    try {
      if (dataset.format === "warehouse") throw new Error(msg("warehousesPicturesWereResizedWhen"));
      const signal = this.of.signal();
      const read = await labels.read(input, { name, signal });
      await dataset.whole;
      const given = await matched(dataset, read, name, signal);
      if (this.of.data() !== dataset) return;
      this.given = given;
      this.of.say(msg("labelsSamples", { name, matched: given.matched }));
      this.of.changed();
    } catch (e) {
      if (!isAbort(e) && this.of.data() === dataset) this.failure = trouble(e);
    } finally {
      this.reading = null;
      this.host.requestUpdate();
    }
  }
}

const last = (name: string): string => name.split(/[\\/]/).pop()!;
const stem = (name: string): string => last(name).replace(/\.[^.]*$/, "");

/** Keys that more than one has are nobody's. */
function unique<T>(all: readonly (readonly [string, T])[]): Map<string, T> {
  const found = new Map<string, T>();
  const twice = new Set<string>();
  for (const [key, value] of all) {
    if (found.has(key)) twice.add(key);
    found.set(key, value);
  }
  for (const key of twice) found.delete(key);
  return found;
}

/** Finds pictures by their whole names, else by the last part, else by that without its extension, if only one has it. */
async function matched(dataset: Dataset, labels: ReadLabels, name: string, signal: AbortSignal): Promise<GivenLabels> {
  // A TBL keeps its names in the metadata.
  const indexed = dataset.schema.some((field) => field.name === "name" && field.indexed);
  if (!indexed) await walkRecords(dataset, () => undefined, { signal });
  const names = Array.from({ length: dataset.length }, (_, i) => dataset.nameOf(i) ?? "");
  const ways = [(text: string) => text, last, stem].map((key) =>
    unique(names.map((text, i) => [key(text), i] as const).filter(([text]) => text !== "")),
  );
  const pictures = new Map<number, LabelPicture>();
  const unmatched: string[] = [];
  for (const picture of labels.pictures) {
    const keys = [picture.name, last(picture.name), stem(picture.name)];
    const i = keys.map((key, k) => ways[k]!.get(key)).find((found) => found !== undefined);
    if (i === undefined || pictures.has(i)) unmatched.push(picture.name);
    else pictures.set(i, picture);
  }
  const { counts, texts } = labels.notes;
  return {
    name,
    format: labels.format,
    find: inLabels(pictures, labels.classes),
    matched: pictures.size,
    samples: [...pictures.keys()].sort((a, b) => a - b),
    unmatched,
    unlabelled: dataset.length - pictures.size,
    notes: [...counts.map(({ meaning, count }) => `${meaning}: ${count}`), ...texts],
  };
}
