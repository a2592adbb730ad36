/** The keyboard's map and the filter's language. */
import { LitElement, css, html, type TemplateResult } from "lit";
import { customElement, query } from "lit/decorators.js";
import { controls, factStyles } from "../ui/styles.ts";

const KEYS = [
  ["/", "write a filter"],
  ["g  t", "gallery, table"],
  ["↑ ↓ ← →", "move"],
  ["Page ↑ ↓, Home, End", "move far"],
  ["Enter", "open the sample"],
  ["Space", "pick the sample"],
  ["Shift + arrows, Shift + click", "pick a range"],
  ["Ctrl + A", "pick all that the filter keeps"],
  ["← →  or  j k", "previous, next sample while one is open"],
  ["+ − 0", "zoom the picture"],
  ["b", "boxes on and off, on tiles and picture"],
  ["Esc", "close the sample"],
  ["o", "open a file"],
  ["i", "about the file"],
  ["c", "check the file"],
  ["e", "convert or export"],
  ["l", "labels of a file, labels as a file"],
  ["u", "curate: duplicates, outliers, parts for training"],
  ["m", "compare with another version of the file"],
  ["v", "what became of a warehouse's frames"],
  ["d", "dark or light"],
  ["?", "this page"],
] as const;
/** While a dataset is edited and a sample is open. */
const DRAWING = [
  ["drag, click", "draw a box; select one: inside it moves, by its handles it is resized"],
  ["n  p", "a box in the middle; an outline: arrows, Space sets a point, Enter ends"],
  ["[  ]", "the box before, the next"],
  ["↑ ↓ ← →", "move it by a pixel, with Ctrl by ten"],
  ["Shift + arrows", "make it larger and smaller"],
  [",  .", "its points and handles: arrows move them, Delete takes one of an outline away"],
  ["1 … 9", "its class, and that of what comes"],
  ["s", "search a class"],
  ["f", "the boxes of the picture before this one"],
  ["Delete, Ctrl + A", "delete what is selected, select all"],
  ["a  r  w", "accept, reject, neither"],
  ["Ctrl + Z, Ctrl + Shift + Z", "undo, do it again"],
  ["Alt + drag, wheel", "move the picture, zoom"],
  ["Esc", "end what is being drawn, select nothing, close"],
] as const;
const LANGUAGE = [
  ["width >= 224 && height >= 224", "comparisons: == != < <= > >="],
  ['format == "jpeg" || format == "png"', "and is &&, or is ||, not is !"],
  ['name ~ "cats/*.jpg"', "patterns with * and ?"],
  ["cls in [1, 3, 5]", "one of a list"],
  ['json.label == "boat"', "any field of the metadata, by its path"],
] as const;

/** `<forebay-help>`. */
@customElement("forebay-help")
export class HelpDialog extends LitElement {
  static override styles = [
    controls,
    factStyles,
    css`
    dl {
      gap: 6px 18px;
      margin: 8px 0 18px;
      font-size: 13.5px;
    }
    dt {
      color: inherit;
    }
    kbd {
      padding: 1px 7px;
      border: 1px solid var(--line);
      border-radius: 5px;
      background: var(--soft);
      font-family: var(--mono);
      font-size: 12px;
    }
    .body {
      overflow: auto;
      max-height: min(600px, calc(100vh - 120px));
    }
    @media (max-width: 560px) {
      dl {
        grid-template-columns: 1fr;
      }
    }
  `,
  ];
  @query("dialog") private dialog!: HTMLDialogElement;
  show(): void {
    this.dialog.showModal();
  }
  override render(): TemplateResult {
    return html`
      <dialog aria-labelledby="title" @keydown=${(e: Event) => {
        if (this.dialog.open) e.stopPropagation();
      }}>
        <div class="head"><h2 id="title">Keys and filters</h2><button class="bare icon" aria-label="Close"
          @click=${() => this.dialog.close()}>✕</button></div>
        <div class="body" tabindex="0" role="group" aria-label="Help">
          <h3>Keys</h3><dl>${KEYS.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
          <h3>While editing</h3><dl>${DRAWING.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
          <h3>Filters</h3><dl>${LANGUAGE.map(([text, means]) => html`<dt><code>${text}</code></dt><dd>${means}</dd>`)}</dl>
        </div>
      </dialog>`;
  }
}
