/** How much of the file was read so far. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Telemetry } from "../../../lib/src/model/index.ts";
import { bytes } from "../ui/wording.ts";
import { msg } from "../messages/shell.ts";

/** Milliseconds between two looks. */
const APART = 400;

/** Looks again and again, and says it in words. */
export class ReadMeter implements ReactiveController {
  words = "";
  private timer = 0;

  /** `wholeBytes` is the length of what was read as a whole, else null. */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: { telemetry: () => Telemetry | undefined; wholeBytes: () => number | null },
  ) {
    host.addController(this);
  }
  hostConnected(): void {
    this.timer = window.setInterval(() => {
      if (this.read() !== this.words) this.host.requestUpdate();
    }, APART);
  }
  hostDisconnected(): void {
    clearInterval(this.timer);
  }
  hostUpdate(): void {
    this.words = this.read();
  }

  private read(): string {
    // A text was read whole; what is counted since then is the table that was made of it.
    const whole = this.of.wholeBytes();
    if (whole !== null) return msg("allRead", { whole: bytes(whole) });
    const t = this.of.telemetry();
    if (!t) return "";
    // Bytes that were looked at twice count twice, so that "of" would be wrong where they are more than there are.
    return t.bytesRead <= t.byteLength
      ? msg("requestsRead", { requests: t.requests, bytesRead: bytes(t.bytesRead), byteLength: bytes(t.byteLength) })
      : msg("requestsRead2", { requests: t.requests, bytesRead: bytes(t.bytesRead) });
  }
}
