/** Above the samples: why a dataset cannot be edited now, or that edits of it wait. Fetched when editing begins. */
import { html, type TemplateResult } from "lit";
import type { Trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/drawing.ts";

/** What can be done about it. */
interface Ways {
  readonly again: () => void;
  readonly convert: () => void;
  readonly close: () => void;
}

/** Asks what is to become of edits that wait; `sure` where they are to be discarded. */
export const waitingBar = (sure: boolean, again: () => void, discard: () => void): TemplateResult =>
  html`<div class="notice" role="status"><b>${msg("unsavedEdits")}</b> <span>${msg("unsavedEditsNotShown")}</span>
    <button @click=${again}>${msg("continueEditing")}</button>
    <button @click=${discard}>${sure ? msg("yesDiscard") : msg("discard")}</button></div>`;

export function failureBar(failure: Trouble, { again, convert, close }: Ways): TemplateResult {
  const [what, act] = adviceOf(failure, again, convert);
  return html`<div class="notice" role="alert"><span><b>${msg("datasetCannotEditedNow")}</b> ${what}</span>${failure.code ? html`<code>${failure.code}</code>` : ""}${act}<button @click=${close}>${common("close")}</button></div>`;
}

/** Why a journal does not open, and what helps. */
function adviceOf(
  { code, message }: Trouble,
  again: () => void,
  convert: () => void,
): [string, TemplateResult | string] {
  const retry = html`<button @click=${again}>${common("tryAgain")}</button>`;
  if (code === "edits.locked") return [msg("anotherTabHasEditsOpen"), retry];
  if (code === "edits.cannot")
    return [msg("editsSavedTblMakeOpen"), html`<button @click=${convert}>${msg("convert")}</button>`];
  return [message, retry];
}
