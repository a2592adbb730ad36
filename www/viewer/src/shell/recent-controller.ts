/** What the empty page offers: files that were open before, and those of the server that it comes from. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { indexStore } from "../files/index-store.ts";
import { forgetRecents, recents, remember, type Recent } from "../files/recent.ts";
import { fileUrl } from "./link.ts";
import type { Offer } from "./places.ts";

/** Keeps the list, and reads it again where it may have changed; on other people's pages there is none. */
export class RecentController implements ReactiveController {
  list: readonly Recent[] = [];
  offers: readonly Offer[] = [];
  /** Indexes that are kept for archives. */
  keptIndexes = 0;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly ownPage: () => boolean,
  ) {
    host.addController(this);
  }
  hostConnected(): void {
    if (!this.ownPage()) return;
    void this.recall();
    void this.findOffers();
  }

  async recall(): Promise<void> {
    if (!this.ownPage()) return;
    [this.list, this.keptIndexes] = await Promise.all([recents(), indexStore.size().catch(() => 0)]);
    this.host.requestUpdate();
  }
  /** Remembers what was opened; `file` is what links call it. */
  async remember(entry: Omit<Recent, "id" | "url">, file: string): Promise<void> {
    if (!this.ownPage()) return;
    const url = file.startsWith("local:") ? null : fileUrl(file, location.href);
    await remember({ ...entry, ...(url && { url: url.href }) });
    await this.recall();
  }
  async forget(): Promise<void> {
    await Promise.all([forgetRecents(), indexStore.forget()]);
    await this.recall();
  }

  /** What `forebay serve` offers; other servers have no such list and say so, which is not a fault. */
  private async findOffers(): Promise<void> {
    if (!document.querySelector('link[rel="forebay-files"]')) return;
    try {
      const answer = await fetch("files.json");
      const list = (await answer.json()) as { files?: Offer[] };
      this.offers = Array.isArray(list.files) ? list.files : [];
    } catch {
      this.offers = [];
    }
    this.host.requestUpdate();
  }
}
