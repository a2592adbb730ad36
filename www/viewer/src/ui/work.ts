/** Work that takes its time: the last wish counts, and what was begun before is given up. */
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";
import type { Progress } from "../../../lib/src/model/index.ts";
import { isAbort, trouble, type Trouble } from "./wording.ts";

/** What is done for an element, how far that is, and what went wrong; it ends with the element. */
export class Work implements ReactiveController {
  running = false;
  progress: Progress | null = null;
  failure: Trouble | null = null;
  private controller = new AbortController();

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }
  hostDisconnected(): void {
    this.stop();
  }
  stop(): void {
    this.controller.abort();
  }
  /** Ends it, and forgets what became of it. */
  reset(): void {
    this.stop();
    this.running = false;
    this.progress = this.failure = null;
    this.host.requestUpdate();
  }
  /** Begins; once its signal is aborted, `body` has nothing more to say. */
  async run(body: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<void>): Promise<void> {
    this.reset();
    const controller = (this.controller = new AbortController());
    const { signal } = controller;
    this.running = true;
    try {
      await body(signal, (progress) => {
        if (signal.aborted) return;
        this.progress = progress;
        this.host.requestUpdate();
      });
    } catch (e) {
      if (this.controller === controller && !isAbort(e)) this.failure = trouble(e);
    } finally {
      if (this.controller === controller) this.running = false;
      this.host.requestUpdate();
    }
  }
  /** What went wrong, for those who look and those who listen. */
  get alert(): TemplateResult | typeof nothing {
    if (!this.failure) return nothing;
    const { message, code } = this.failure;
    return html`<p class="bad" role="alert">${message} ${code ? html`<code>${code}</code>` : nothing}</p>`;
  }
}
