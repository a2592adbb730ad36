/** What servers were told so that they hand out their files: in memory, by server, for as long as the page is open. */
import type { ReactiveControllerHost } from "lit";
import type { AuthDialog } from "../dialogs/auth-dialog.ts";
import type { Folder, HttpOptions, Input } from "../../../lib/src/model/index.ts";
import type { Trouble } from "../ui/wording.ts";

/** Statuses with which servers say that they want to know who asks. */
const ASKS = /\b(401|403)\b/;

/** Where an input is fetched from; `null` if it is not an address. */
function serverOf(input: Input | Folder): URL | null {
  if (typeof input !== "string" && !(input instanceof URL)) return null;
  try {
    const url = new URL(String(input), location.href);
    return /^https?:$/.test(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

/** Asks for headers, and knows where they go. */
export class Access {
  private readonly headers = new Map<string, Record<string, string>>();
  private dialog: AuthDialog | null = null;

  constructor(private readonly host: ReactiveControllerHost) {}

  /** What goes along with requests for an input: nothing, for every server that was not signed in to. */
  http(input: Input | Folder): { readonly http?: HttpOptions } {
    const headers = this.headers.get(serverOf(input)?.origin ?? "");
    return headers ? { http: { headers } } : {};
  }
  /** Whether a server wants to know who asks. */
  isAsked(input: Input | Folder, { code, message }: Trouble): boolean {
    return code === "http.status" && ASKS.test(message) && serverOf(input) !== null;
  }
  /** Asks; whether there is something new to send. */
  async ask(input: Input | Folder): Promise<boolean> {
    const server = serverOf(input);
    const root = (this.host as unknown as { renderRoot?: ParentNode }).renderRoot;
    if (!server || !root) return false;
    // Fetched here: few servers ask.
    await import("../dialogs/auth-dialog.ts");
    if (!this.dialog) {
      this.dialog = document.createElement("forebay-auth") as AuthDialog;
      root.append(this.dialog);
    }
    const headers = await this.dialog.ask(server.host);
    if (headers) this.headers.set(server.origin, headers);
    return headers !== null;
  }
}
