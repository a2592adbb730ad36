/** Samples that were picked by hand: one by one, a range, or all that the filter keeps. */
import type { ReactiveControllerHost } from "lit";
import type { Rows } from "../ui/rows.ts";
import { msg } from "../messages/shell.ts";

/** As many as can be picked: more are better said by a filter. */
export const MOST_PICKED = 1_000_000;

/** What picking needs to know and to say. */
export interface SelectionHost {
  readonly rows: () => Rows;
  readonly say: (text: string) => void;
  readonly warn: (text: string) => void;
  /** Others are picked now. */
  readonly changed: () => void;
}

/** Keeps what is picked. */
export class SelectionController {
  picked: ReadonlySet<number> = new Set();

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: SelectionHost,
  ) {}

  clear(): void {
    if (this.picked.size > 0) this.set(new Set());
  }
  /** Picks these, and no others, as the page around it says: who says it is not told. */
  pick(all: Iterable<number>): void {
    this.picked = new Set(all);
    this.host.requestUpdate();
  }
  toggle(i: number): void {
    const picked = new Set(this.picked);
    if (!picked.delete(i)) picked.add(i);
    this.set(picked);
    this.say();
  }
  /** Picks everything between two positions of the list, both included. */
  range(from: number, to: number): void {
    const rows = this.of.rows();
    const [first, last] = [Math.max(0, Math.min(from, to)), Math.min(rows.length - 1, Math.max(from, to))];
    const more = last - first + 1;
    if (this.picked.size + more > MOST_PICKED)
      return this.of.warn(msg("mostSamplesCanPickedConvert", { mostPicked: MOST_PICKED }));
    const picked = new Set(this.picked);
    for (let position = first; position <= last; position++) picked.add(rows.at(position));
    this.set(picked);
    this.say();
  }
  /** Picks these too. */
  add(samples: Iterable<number>): void {
    const picked = new Set([...this.picked, ...samples]);
    if (picked.size > MOST_PICKED) return this.of.warn(msg("mostSamplesCanPicked", { mostPicked: MOST_PICKED }));
    this.set(picked);
    this.say();
  }
  /** Picks what the filter keeps. */
  all(): void {
    const { length } = this.of.rows();
    if (length > 0) this.range(0, length - 1);
  }
  private say(): void {
    this.of.say(msg("samplesPicked", { picked: this.picked.size }));
  }
  private set(picked: ReadonlySet<number>): void {
    this.picked = picked;
    this.host.requestUpdate();
    this.of.changed();
  }
}
