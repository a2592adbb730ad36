/** A button with what it opens: a sheet over the page, which goes when one clicks elsewhere or presses Esc. */
import { LitElement, css, html, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { controls } from "./styles.ts";

/** Pixels between the sheet and the edges of the page. */
const EDGE = 8;

/** `<forebay-menu>`: what is in it is in the sheet. */
@customElement("forebay-menu")
export class Menu extends LitElement {
  static override styles = [
    controls,
    css`
      :host { display: inline-flex; }
      button::after {
        content: ""; width: 7px; height: 7px; margin: -4px 0 0 3px; border: solid currentColor;
        border-width: 0 1.5px 1.5px 0; transform: rotate(45deg);
      }
      button.icon::after { content: none; }
      [popover] {
        position: fixed; margin: 0; padding: 12px; min-width: 200px; max-width: calc(100vw - 16px);
        max-height: calc(100vh - 70px); overflow: auto; border: 1px solid var(--line); border-radius: 12px;
        background: var(--card); color: var(--ink); box-shadow: var(--shadow);
      }
    `,
  ];

  /** What the button says. */
  @property() label = "";
  /** What it says to those who linger, or, with an icon, to those who listen. */
  @property() hint = "";
  /** Stands in the place of the label. */
  @property() icon = "";
  @state() private open = false;
  @query("button") private button!: HTMLButtonElement;
  @query("[popover]") private sheet!: HTMLElement;

  hide(): void {
    if (this.open) this.sheet.hidePopover();
  }
  private toggle(): void {
    if (this.open) return this.hide();
    this.sheet.showPopover();
    const { top, bottom, left } = this.button.getBoundingClientRect();
    const room = document.documentElement.clientWidth - this.sheet.offsetWidth - EDGE;
    this.sheet.style.left = `${Math.max(EDGE, Math.min(left, room))}px`;
    // Where there is no room below the button, it opens above.
    const [below, height] = [bottom + 6, this.sheet.offsetHeight];
    const above = below + height > document.documentElement.clientHeight - EDGE && top > height;
    this.sheet.style.top = `${above ? top - 6 - height : below}px`;
    this.querySelector<HTMLElement>("button, input, select, a")?.focus();
  }
  /** Comes while the sheet is being shown or hidden; `toggle` comes a task later, and a key in between would go astray. */
  private readonly onToggle = (e: ToggleEvent): void => {
    this.open = e.newState === "open";
  };
  /** Keys are its own while it is open. */
  private readonly onKey = (e: KeyboardEvent): void => {
    if (!this.open) return;
    e.stopPropagation();
    if (e.key !== "Escape") return;
    e.preventDefault();
    this.hide();
    this.button.focus();
  };

  override render(): TemplateResult {
    return html`
      <button class=${this.icon ? "icon bare" : ""} title=${this.hint} aria-expanded=${this.open}
        aria-label=${this.label} @click=${this.toggle} @keydown=${this.onKey}>${this.icon || this.label}</button>
      <div popover role="group" aria-label=${this.label} @keydown=${this.onKey}
        @beforetoggle=${this.onToggle}><slot></slot></div>`;
  }
}
