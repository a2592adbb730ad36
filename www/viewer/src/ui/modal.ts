/** Dialogs: how they are shown, and what all of them have around what they say. */
import { html, nothing, type TemplateResult } from "lit";
import { msg } from "../messages/common.ts";

/** Shows a dialog, which has the focus itself until somebody tabs: a ring on its first button would say that this one was meant. */
export function showModal(dialog: HTMLDialogElement): void {
  dialog.showModal();
  dialog.focus();
}

/** What a dialog may have besides. */
interface Frame {
  /** What its contents are called, if it is not the title. */
  readonly label?: string;
  /** It cannot be closed now. */
  readonly busy?: boolean;
  /** What becomes of its contents is read out. */
  readonly live?: boolean;
  readonly foot?: TemplateResult;
}

/** A dialog with a title and the button that closes it, as Esc does. Its keys are its own. */
export function framed(
  title: string,
  close: () => void,
  body: unknown,
  { label, live, busy = false, foot }: Frame = {},
): TemplateResult {
  const cancel = (e: Event): void => {
    e.preventDefault();
    close();
  };
  return html`
    <dialog tabindex="-1" aria-labelledby="title" @cancel=${cancel} @keydown=${(e: Event) => {
      if ((e.currentTarget as HTMLDialogElement).open) e.stopPropagation();
    }}>
      <div class="head"><h2 id="title">${title}</h2><button class="bare icon" aria-label=${msg("close")} ?disabled=${busy} @click=${close}>✕</button></div>
      <div class="body" tabindex="0" role="group" aria-label=${label ?? title} aria-live=${live ? "polite" : nothing}>${body}</div>
      ${foot ? html`<div class="foot">${foot}</div>` : nothing}
    </dialog>`;
}
