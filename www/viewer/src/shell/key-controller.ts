/** Keys of the page: each does what it says under `?`, unless somebody types or a dialog is open. */
import type { ReactiveController, ReactiveControllerHost } from "lit";

/** What keys do; the first that knows one takes it. */
export interface KeyHost {
  /** A dialog has the page to itself. */
  readonly busy: () => boolean;
  /** What single keys do now; `Ctrl+a` is one of them, where the list or nothing has the focus. */
  readonly actions: () => Readonly<Record<string, () => void>>;
  /** Others who may know a key; `idle` where nothing has the focus. True if it was used. */
  readonly others: readonly ((key: string, idle: boolean) => boolean)[];
}

/** Fields in which keys are text. */
const TYPED = "input:not([type=checkbox]), select, textarea";

/** Hears the keys of the document. */
export class KeyController implements ReactiveController {
  constructor(
    host: ReactiveControllerHost,
    private readonly of: KeyHost,
  ) {
    host.addController(this);
  }
  hostConnected(): void {
    document.addEventListener("keydown", this.onKey);
  }
  hostDisconnected(): void {
    document.removeEventListener("keydown", this.onKey);
  }

  private readonly onKey = (e: KeyboardEvent): void => {
    const target = e.composedPath()[0] as HTMLElement;
    if (e.altKey || target.matches?.(TYPED) || this.of.busy()) return;
    const chord = e.ctrlKey || e.metaKey;
    if (chord && target !== document.body && !target.matches?.(".scroll")) return;
    const action = this.of.actions()[chord ? `Ctrl+${e.key}` : e.key];
    if (chord && !action) return;
    if (action) action();
    else if (!this.of.others.some((other) => other(e.key, target === document.body))) return;
    e.preventDefault();
  };
}
