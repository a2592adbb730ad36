/** What is said of a journal that was taken over, or was not. Fetched when editing begins. */
import type { Taken } from "./journal.ts";
import { msg } from "../messages/drawing.ts";

/** A sentence for all, a warning of what nobody sees, and a reason why something is left out. */
export interface TakenWords {
  readonly said: string;
  readonly warning: string | null;
  readonly trouble: string | null;
}

export function takenWords({ changes, added, unseen, conflicts }: Taken): TakenWords {
  if (conflicts.length > 0)
    return { said: msg("journalsDiffer", { conflicts: conflicts.length }), warning: null, trouble: null };
  const taken = msg("changesTakenOver", { changes });
  return {
    said: added > 0 ? `${taken}; ${msg("changesAddedSamplesOnlyCommand", { added })}` : taken,
    warning: unseen > 0 ? msg("changesNotShown", { unseen }) : null,
    trouble: added > 0 ? msg("changesAboutSamplesWereAdded", { added }) : null,
  };
}
