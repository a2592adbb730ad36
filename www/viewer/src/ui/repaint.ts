/** Draws everything again that is inside of an element, whatever it stands on: its words are others now. */
export function repaint(root: Element | ShadowRoot): void {
  for (const element of root.querySelectorAll("*")) {
    (element as Partial<{ requestUpdate(): void }>).requestUpdate?.();
    if (element.shadowRoot) repaint(element.shadowRoot);
  }
}
