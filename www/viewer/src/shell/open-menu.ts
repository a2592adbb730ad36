/** The way to another file while one is open. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import type { Recent } from "../files/recent.ts";
import "../ui/menu.ts";
import type { Menu } from "../ui/menu.ts";
import { controls } from "../ui/styles.ts";
import { offerList, placeStyles, recentList, type Offer } from "./places.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/shell.ts";
import { isEnter } from "../ui/typing.ts";

/** `<forebay-open>`: sends `choose`, `folder`, `url` with a text, and `recent` with an entry. */
@customElement("forebay-open")
export class OpenMenu extends LitElement {
  static override styles = [
    controls,
    placeStyles,
    css`
      .sheet { width: min(340px, calc(100vw - 42px)); display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; }
      .url { display: flex; gap: 8px; }
      .url button.primary, .url input { flex: 1; min-width: 0; }
    `,
  ];
  @property({ attribute: false }) offers: readonly Offer[] = [];
  @property({ attribute: false }) recent: readonly Recent[] = [];
  @query("forebay-menu") private menu!: Menu;
  @query("input") private address!: HTMLInputElement;

  private send(type: string, detail?: unknown): void {
    this.menu.hide();
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
  override render(): TemplateResult {
    const go = {
      url: (address: string): void => this.send("url", address),
      recent: (entry: Recent): void => this.send("recent", entry),
    };
    const open = (): void => go.url(this.address.value);
    return html`
      <forebay-menu label=${common("open")} hint=${msg("openAnotherFileO")}>
        <div class="sheet">
          <div class="url"><button class="primary" @click=${() => this.send("choose")}>${msg("chooseFile2")}</button>
            <button title=${msg("tensorWarehouseLabelsWhatOpen")} @click=${() => this.send("folder")}>${msg("aFolder")}</button></div>
          <div class="url">
            <input type="url" aria-label=${msg("addressFile")} placeholder=${msg("httpsAddressFile")}
              @keydown=${(e: KeyboardEvent) => isEnter(e) && open()} />
            <button aria-label=${msg("openAddress")} @click=${open}>${common("open")}</button>
          </div>
          ${offerList(this.offers, go)}
          ${recentList(this.recent, go, nothing)}
        </div>
      </forebay-menu>`;
  }
}
