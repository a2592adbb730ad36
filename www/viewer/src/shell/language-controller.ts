/** The language that the viewer speaks: that of its own `lang`, else that of what it stands in, as for any element. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { addMessages, speak, spoken, type Translated } from "../messages/language.ts";
import { repaint } from "../ui/repaint.ts";

/** Words are those of the page, not of an element: viewers on one page speak as the last one was told to. */
const viewers = new Set<LanguageController>();

export class LanguageController implements ReactiveController {
  private readonly observer = new MutationObserver(() => this.listen());
  /** Messages that were handed to this viewer, and are known already. */
  private known: Translated | null = null;

  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    private readonly messages: () => Translated | null,
  ) {
    host.addController(this);
  }
  hostConnected(): void {
    viewers.add(this);
    const observed = { attributes: true, attributeFilter: ["lang"] };
    this.observer.observe(this.host, observed);
    for (let at = above(this.host); at; at = above(at)) this.observer.observe(at, observed);
    this.listen();
  }
  hostDisconnected(): void {
    viewers.delete(this);
    this.observer.disconnect();
  }
  hostUpdate(): void {
    if (this.messages() !== this.known) this.listen();
  }

  /** What is wanted here is spoken from now on. */
  private listen(): void {
    const tag = tagOf(this.host);
    const given = this.messages();
    const fresh = given !== null && given !== this.known;
    this.known = given;
    if (fresh) addMessages(tag, given);
    if (speak(tag) || fresh) for (const one of viewers) one.repaint();
  }
  private repaint(): void {
    this.host.requestUpdate();
    if (this.host.shadowRoot) repaint(this.host.shadowRoot);
  }
}

/** What an element stands in, out of shadows too. */
function above(element: Element): Element | null {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}
function tagOf(element: Element): string {
  for (let at: Element | null = element; at; at = above(at)) {
    const tag = at.getAttribute("lang");
    if (tag) return tag;
  }
  return spoken();
}
