/** Shows a dialog, which has the focus itself until somebody tabs: a ring on its first button would say that this one was meant. */
export function showModal(dialog: HTMLDialogElement): void {
  dialog.showModal();
  dialog.focus();
}
