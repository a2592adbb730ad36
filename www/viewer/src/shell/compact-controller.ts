/** Whether the page is so small that what is not needed at once is folded into menus: a phone, or a page at 200 %. */
import type { ReactiveController, ReactiveControllerHost } from "lit";

const SMALL = "(max-width: 760px), (max-height: 520px)";

/** Follows the size of the page. */
export class CompactController implements ReactiveController {
  private readonly query = matchMedia(SMALL);
  private readonly changed = (): void => this.host.requestUpdate();

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }
  hostConnected(): void {
    this.query.addEventListener("change", this.changed);
  }
  hostDisconnected(): void {
    this.query.removeEventListener("change", this.changed);
  }
  get on(): boolean {
    return this.query.matches;
  }
}
