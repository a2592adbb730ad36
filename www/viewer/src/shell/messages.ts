/** Words to those who look and to those who listen. */
import type { ReactiveController, ReactiveControllerHost } from "lit";

/** Milliseconds that a warning stays. */
const WARNED = 8000;

/** What was said last. */
export class Messages implements ReactiveController {
  /** For screen readers. */
  said = "";
  warning = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }
  hostConnected(): void {}

  say(text: string): void {
    // A screen reader says what changed: the same words again are other words by a space that nobody hears.
    this.said = text === this.said ? `${text}\u00a0` : text;
    this.host.requestUpdate();
  }
  /** Shows why nothing came of what was just tried, for as long as it takes to read. */
  warn(text: string): void {
    this.warning = text;
    this.host.requestUpdate();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.warning = "";
      this.host.requestUpdate();
    }, WARNED);
  }
}
