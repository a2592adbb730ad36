/** Whether the viewer is so small that what is not needed at once is folded into menus: on a phone, at 200 %, in a column of a page. */
import type { ReactiveController, ReactiveControllerHost } from "lit";

/** Pixels; the styles say the same of their containers. */
const NARROW = 760;
const LOW = 520;

/** Follows the size of the viewer. */
export class CompactController implements ReactiveController {
  on = false;
  private observer: ResizeObserver | null = null;

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this);
  }
  hostConnected(): void {
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.host);
    this.measure();
  }
  hostDisconnected(): void {
    this.observer?.disconnect();
  }

  private measure(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    // What is not laid out has no size, and none to be too small.
    const on = width > 0 && (width <= NARROW || height <= LOW);
    if (on === this.on) return;
    this.on = on;
    this.host.requestUpdate();
  }
}
