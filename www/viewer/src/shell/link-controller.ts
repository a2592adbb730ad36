/**
 * The address of a page of the viewer's own says what is open and how it is shown; whoever changes it, or goes back, sees
 * what it says. The address of other people's pages is theirs.
 */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { namesakes, type Recent } from "../files/recent.ts";
import { visible } from "../ui/visible.ts";
import { bytes, day } from "../ui/wording.ts";
import { formatLink, parseLink, pointTo, type Link } from "./link.ts";
import type { Failure } from "./welcome.ts";
import { msg } from "../messages/shell.ts";

/** What links need of the page around them. */
export interface LinkHost {
  /** The page is the viewer's own. */
  readonly ownPage: () => boolean;
  /** What links call the file that is open. */
  readonly file: () => string;
  /** Something could not be opened, and the page says so. */
  readonly failed: () => boolean;
  /** Shows what is open as a link says. */
  readonly show: (link: Link) => Promise<void>;
  readonly openUrl: (address: string) => void;
  readonly openRecent: (entry: Recent) => void;
  readonly choose: () => void;
  /** Closes what is open; `left` where no other file follows. */
  readonly close: (left: boolean) => void;
  readonly ask: (failure: Failure) => void;
}

/** Follows the address, and writes it. */
export class LinkController implements ReactiveController {
  constructor(
    host: ReactiveControllerHost,
    private readonly of: LinkHost,
  ) {
    host.addController(this);
  }
  hostConnected(): void {
    if (!this.of.ownPage()) return;
    window.addEventListener("hashchange", this.follow);
    this.follow();
  }
  hostDisconnected(): void {
    window.removeEventListener("hashchange", this.follow);
  }

  /** What the address says. */
  get asked(): Link {
    return this.of.ownPage() ? parseLink(location.hash) : {};
  }
  /** Shows what is open as the address says. */
  apply(): Promise<void> {
    return this.of.show(this.asked);
  }
  /** Makes the address that of a file, shown as `more` says. */
  point(file: string, more?: Omit<Link, "file">): void {
    if (this.of.ownPage()) pointTo(file, more);
  }
  /** Nothing is open any more, and the address says so. */
  leave(): void {
    if (this.of.ownPage()) history.replaceState(null, "", location.pathname + location.search);
  }
  /** Writes what is shown into the address. */
  update(link: Omit<Link, "file">): void {
    const file = this.of.file();
    // Whoever opens a file points to it first. An address without one is that of a step back, which is followed in a moment.
    if (!this.of.ownPage() || (file !== "" && !this.asked.file)) return;
    history.replaceState(null, "", formatLink({ file, ...link }));
  }

  private readonly follow = (): void => {
    const { file } = parseLink(location.hash);
    if (!file) {
      if (this.of.file() !== "" || this.of.failed()) this.of.close(true);
      return;
    }
    if (file === this.of.file()) void this.apply();
    else if (file.startsWith("local:")) void this.askFor(file.slice("local:".length));
    else {
      // Opening an address makes it the page's: what else the link says stays.
      const { hash } = location;
      this.of.openUrl(file);
      history.replaceState(null, "", hash);
    }
  };
  /** A link to a file of this machine, which a page cannot open by itself. */
  private async askFor(name: string): Promise<void> {
    this.of.close(false);
    const known = await namesakes(name);
    // A link knows a file by its name, which others may have too.
    const several = known.length > 1;
    const message = msg("linkFileYourOwnMachine");
    const more = several ? msg("thereName", { known: known.length }) : "";
    const words = (entry: Recent): string =>
      several
        ? msg("openOf", { name: visible(name), bytes: bytes(entry.bytes), when: day(entry.when) })
        : msg("open", { name: visible(name) });
    const ways = known.map((entry) => ({
      words: words(entry),
      go: () => this.of.openRecent(entry),
    }));
    this.of.ask({
      name,
      trouble: { message: [message, more].filter(Boolean).join(" "), code: undefined, offset: undefined },
      ways: [...ways, { words: msg("chooseFile"), go: this.of.choose }],
      kind: "asks",
    });
  }
}
