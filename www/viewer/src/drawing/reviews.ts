/** What reviewers say of samples: in the journal, and before it in the file. Fetched when editing begins. */
import type { Dataset, Json } from "../../../lib/src/model/index.ts";
import { walkRecords } from "../samples/walk.ts";
import type { History, Review } from "./history.ts";
import { noteIn, reviewIn } from "./read-record.ts";
import { msg } from "../messages/editing.ts";

/** Samples of which it is asked at once what reviewers said before. */
const UNASKED = 5000;

export class Reviews {
  /** Verdicts as the file has them. */
  before: ReadonlyMap<number, Review> = new Map();
  private notes: ReadonlyMap<number, string> = new Map();

  constructor(private readonly history: History) {}

  /** Reads what the file has; true if there is anything. */
  async read(data: Dataset, signal: AbortSignal): Promise<boolean> {
    if (data.length > UNASKED) return false;
    const [before, notes] = [new Map<number, Review>(), new Map<number, string>()];
    const add = (i: number, record: Json): void => {
      const review = reviewIn(record);
      if (review) before.set(i, review);
      notes.set(i, noteIn(record));
    };
    await walkRecords(data, add, { signal }).catch(() => undefined);
    if (before.size > 0) [this.before, this.notes] = [before, notes];
    return before.size > 0;
  }
  of(i: number): Review | null {
    const own = this.history.reviewOf(i);
    return own === undefined ? (this.before.get(i) ?? null) : own;
  }
  /** Why a sample is rejected, as far as somebody said so. */
  noteOf(i: number): string {
    const own = this.history.fieldsOf(i, (path) => /^(json\.)?review_note$/.test(path));
    return own ? noteIn(own as Json) : (this.notes.get(i) ?? "");
  }
  /** What they said of a sample that was rejected, in words. */
  verdict(i: number): string | null {
    return this.of(i) === "rejected" ? [msg("rejected"), this.noteOf(i)].filter(Boolean).join(": ") : null;
  }
}
