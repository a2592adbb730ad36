/**
 * Keys: each does what it says under `?`, unless somebody types or a dialog is open. On a page of its own the viewer has
 * those of the whole page; on other people's pages those that are pressed within it.
 */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { isOfOthers } from "../ui/typing.ts";

/** What keys do; the first that knows one takes it. */
export interface KeyHost {
  /** The page is the viewer's own, so that all of its keys are. */
  readonly ownPage: () => boolean;
  /** A dialog has the page to itself. */
  readonly busy: () => boolean;
  /** What single keys do now; `Ctrl+a` is one of them, where the list or nothing has the focus. */
  readonly actions: () => Readonly<Record<string, () => void>>;
  /** Others who may know a key; `idle` where nothing has the focus. True if it was used. */
  readonly others: readonly ((key: string, idle: boolean, again: boolean) => boolean)[];
}

/** What arrows set. */
const CHOSEN = "input:is([type=range], [type=radio])";

/** Hears the keys of the viewer, or of the page that is its own. */
export class KeyController implements ReactiveController {
  private heard: EventTarget | null = null;

  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    private readonly of: KeyHost,
  ) {
    host.addController(this);
  }
  hostConnected(): void {
    this.heard = this.of.ownPage() ? document : this.host;
    this.heard.addEventListener("keydown", this.onKey as EventListener);
  }
  hostDisconnected(): void {
    this.heard?.removeEventListener("keydown", this.onKey as EventListener);
  }

  private readonly onKey = (e: KeyboardEvent): void => {
    const target = e.composedPath()[0] as HTMLElement;
    if (e.altKey || e.defaultPrevented || isOfOthers(e, this.host, CHOSEN) || this.of.busy()) return;
    const idle = target === document.body || target === this.host;
    const chord = e.ctrlKey || e.metaKey;
    if (chord && !idle && !target.matches?.(".scroll")) return;
    const action = this.of.actions()[chord ? `Ctrl+${e.key}` : e.key];
    if (chord && !action) return;
    if (action) action();
    else if (!this.of.others.some((other) => other(e.key, idle, e.repeat))) return;
    e.preventDefault();
  };
}
