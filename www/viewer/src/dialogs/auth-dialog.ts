/** What a server wants to see before it hands out a file: a token or a header, for this visit alone. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/shell.ts";

/** Headers for a server, by their names. */
type Sent = Record<string, string>;

/** `<forebay-auth>`: asks, and keeps nothing itself. */
@customElement("forebay-auth")
export class AuthDialog extends LitElement {
  static override styles = [
    controls,
    css`
      dialog { width: min(480px, calc(100vw - 24px)); }
      form { display: grid; gap: 14px; padding: 16px 18px 18px; }
      p { margin: 0; font-size: 13.5px; }
      label { display: grid; gap: 4px; font-size: 13.5px; }
      input { font: inherit; padding: 6px 8px; }
      .ways { display: flex; gap: 8px; justify-content: flex-end; }
    `,
  ];
  @query("dialog") private dialog!: HTMLDialogElement;
  @query("#token") private token!: HTMLInputElement;
  @query("#name") private name_!: HTMLInputElement;
  @state() private server = "";
  @state() private trouble = "";
  private done: (headers: Sent | null) => void = () => undefined;

  /** Asks for what the server wants; `null` if somebody does not say it. */
  async ask(server: string): Promise<Sent | null> {
    this.server = server;
    this.trouble = "";
    await this.updateComplete;
    this.dialog.showModal();
    this.token.focus();
    return new Promise((resolve) => (this.done = resolve));
  }

  private submit(e: Event): void {
    e.preventDefault();
    const token = this.token.value.trim();
    const name = this.name_.value.trim() || "Authorization";
    try {
      // A token by itself is what most servers call a bearer's; whoever writes a word in front of it means that.
      const value = /^authorization$/i.test(name) && !token.includes(" ") ? `Bearer ${token}` : token;
      const headers = Object.fromEntries(new Headers({ [name]: value }));
      if (token === "") throw new TypeError();
      this.close(headers);
    } catch {
      this.trouble = msg("cannotSentHeadersNameHas");
    }
  }
  private close(headers: Sent | null): void {
    const { done } = this;
    this.done = () => undefined;
    // Nobody finds it in the page afterwards.
    this.token.value = "";
    this.dialog.close();
    done(headers);
  }

  override render(): TemplateResult {
    return html`
      <dialog aria-labelledby="title" @close=${() => this.close(null)} @keydown=${(e: Event) => e.stopPropagation()}>
        <div class="head"><h2 id="title">${msg("signInTo", { server: visible(this.server) })}</h2></div>
        <form autocomplete="off" @submit=${this.submit}>
          <label>${msg("token")} <input id="token" type="password" autocomplete="off" spellcheck="false" required></label>
          <label>${msg("sentHeader")} <input id="name" type="text" value="Authorization" autocomplete="off"
            spellcheck="false"></label>
          <p class="muted">${msg("sentAloneForgottenWhenPage", { server: visible(this.server) })}</p>
          ${this.trouble ? html`<p class="bad" role="alert">${this.trouble}</p>` : nothing}
          <div class="ways"><button type="button" @click=${() => this.close(null)}>${common("cancel")}</button>
            <button type="submit" class="primary">${msg("signInNow")}</button></div>
        </form>
      </dialog>`;
  }
}
