/** What is clicked together for the filter. */
import { html, type TemplateResult } from "lit";
import { visible } from "./visible.ts";
import { msg } from "../messages/ui.ts";

/** A part of it. */
export interface Clause {
  readonly label: string;
  /** Empty where it is not said by the filter language. */
  readonly expression: string;
  /** The samples that it keeps, in order, where these were counted in the page. */
  readonly samples?: Uint32Array;
  /** Finds them in other counts, where boxes come from elsewhere or were changed. */
  readonly again?: (counts: never) => Uint32Array;
}

/** A clause that is set, or taken away where it is null. */
export interface ClauseChange {
  readonly key: string;
  readonly clause: Clause | null;
}

/** What was clicked together; a click takes one away. */
export function renderChips(
  clauses: ReadonlyMap<string, Clause>,
  set: (key: string, clause: Clause | null) => void,
): TemplateResult[] {
  return [...clauses].map(
    ([key, { label }]) => html`<button aria-label=${msg("remove", { label: visible(label) })}
      @click=${() => set(key, null)}><bdi>${visible(label)}</bdi> ✕</button>`,
  );
}
