/** Which samples are shown: the filter that is typed, what was clicked together, and the rows that match both. */
import type { ReactiveControllerHost } from "lit";
import type { BoxCounts } from "./box-counts.ts";
import type { Clause } from "../ui/clause.ts";
import { Rows, both } from "../ui/rows.ts";
import { Throttle } from "../ui/throttle.ts";
import { isAbort, trouble, type Trouble } from "../ui/wording.ts";
import { msg } from "../messages/shell.ts";

/** What is filtered: samples, or the rows of a table. */
export interface Filtered {
  readonly length: number;
  matches(filter: string, options: MatchOptions): Promise<Uint32Array>;
}
interface MatchOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { samples: number }) => void;
}

/** What filtering needs to know and to say. */
export interface FilterHost {
  readonly data: () => Filtered | null;
  /** How many are kept, in words; `null` stands for all. */
  readonly words: (kept: number | null, length: number) => string;
  /** The rest of the headers is still being read. */
  readonly growing: () => boolean;
  readonly say: (text: string) => void;
  /** A filter begins, which may be another than the last. */
  readonly begun: () => void;
  /** The rows are those of the filter now; `same` where it was that filter before. */
  readonly applied: (same: boolean) => void;
  readonly failed: () => void;
}

/** Applies the filter; only the last one counts. */
export class FilterController {
  rows = new Rows(0, null);
  text = "";
  clauses: ReadonlyMap<string, Clause> = new Map();
  error: Trouble | null = null;
  running = false;
  /** How many were looked at so far. */
  done = 0;
  private work = new AbortController();
  private readonly throttle = new Throttle();

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: FilterHost,
  ) {}

  /** The filter as it is applied: the text and what was clicked together. */
  get expression(): string {
    const clauses = [...this.clauses.values()].map((clause) => clause.expression).filter(Boolean);
    const text = this.text.trim();
    if (clauses.length === 0) return text;
    return [...(text ? [`(${text})`] : []), ...clauses].join(" && ");
  }

  /** What tells this filter from others: the expression, and what was clicked of that which was counted in the page. */
  private get key(): string {
    const counted = [...this.clauses].filter(([, { samples }]) => samples).map(([key, { label }]) => `${key} ${label}`);
    return [this.expression, ...counted].join("\n");
  }
  /** Anything is filtered. */
  get active(): boolean {
    return this.key !== "";
  }

  /** Nobody waits for what is being looked for. */
  stop(): void {
    this.work.abort();
  }
  /** Nothing is open. */
  reset(): void {
    this.stop();
    this.rows = new Rows(0, null);
    this.text = "";
    this.clauses = new Map();
    this.error = null;
    this.running = false;
    this.host.requestUpdate();
  }
  /** All samples that are known, without a filter. */
  showAll(length: number): void {
    this.rows = new Rows(length, null);
    this.host.requestUpdate();
  }
  /** More samples of a growing file are known. */
  grow(length: number): void {
    if (!this.active) this.showAll(length);
    else if (!this.running && this.throttle.due) void this.apply();
  }
  /** Another text, and perhaps without what was clicked together. */
  async setText(text: string, clauses = this.clauses): Promise<void> {
    this.text = text;
    this.clauses = clauses;
    await this.apply();
  }
  /** Adds a clause, changes it, or takes it away. */
  setClause(key: string, clause: Clause | null): void {
    const clauses = new Map(this.clauses);
    if (clause) clauses.set(key, clause);
    else clauses.delete(key);
    this.clauses = clauses;
    void this.apply();
  }

  /** Leaves samples out that were deleted, until that is clicked away. */
  leaveOut(gone: ReadonlySet<number>): void {
    const all = Array.from({ length: this.of.data()?.length ?? 0 }, (_, i) => i);
    const samples = Uint32Array.from(all.filter((i) => !gone.has(i)));
    const label = msg("withoutDeleted", { gone: gone.size });
    this.setClause("removed", gone.size > 0 ? { label, expression: "", samples } : null);
  }
  /** Boxes were counted anew: what was clicked of them keeps others now. Rows do not go while somebody draws in them. */
  recounted(boxes: BoxCounts, applied: boolean): void {
    if (![...this.clauses.values()].some(({ again }) => again)) return;
    const clauses = [...this.clauses].map(([key, clause]): [string, Clause] => {
      const again = clause.again as ((counts: BoxCounts) => Uint32Array) | undefined;
      return [key, again ? { ...clause, samples: again(boxes) } : clause];
    });
    this.clauses = new Map(clauses);
    this.host.requestUpdate();
    if (applied) void this.apply();
  }

  /** Looks for what matches; a filter that began before is given up. */
  async apply(): Promise<void> {
    const dataset = this.of.data();
    if (!dataset) return;
    this.work.abort();
    const work = new AbortController();
    this.work = work;
    this.running = true;
    this.done = 0;
    this.host.requestUpdate();
    this.of.begun();
    const { expression, key, clauses } = this;
    const same = key === this.rows.filter;
    const onProgress = ({ samples }: { samples: number }): void => {
      if (work.signal.aborted) return;
      this.done = samples;
      this.host.requestUpdate();
    };
    const stop = this.throttle.start();
    try {
      const total = dataset.length;
      let kept = expression ? await dataset.matches(expression, { signal: work.signal, onProgress }) : null;
      if (work.signal.aborted) return;
      for (const { samples } of clauses.values()) if (samples) kept = kept ? both(kept, samples) : samples;
      this.error = null;
      this.rows = new Rows(kept ? total : dataset.length, kept, key, expression);
      if (!this.of.growing()) this.of.say(this.of.words(kept?.length ?? null, dataset.length));
      this.of.applied(same);
    } catch (e) {
      if (work.signal.aborted || isAbort(e)) return;
      this.error = trouble(e);
      this.of.failed();
    } finally {
      stop();
      if (this.work === work) this.running = false;
      this.host.requestUpdate();
    }
  }
}
