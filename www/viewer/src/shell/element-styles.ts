/** How the element stands on a page: as large as its container lets it be, and laid out by its own size, not by the page's. */
import { css } from "lit";

export const elementStyles = css`
  :host {
    container-type: size;
    position: relative;
    overflow: hidden;
    min-height: 240px;
    /* What a page says of its text is not said of this. */
    font: 400 14px / 1.45 sans-serif;
    letter-spacing: normal;
    text-align: start;
    text-indent: 0;
    text-transform: none;
    white-space: normal;
    word-spacing: normal;
    font-family: var(--forebay-font, system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif);
  }
  :host([hidden]) { display: none; }
  .beside { display: flex; min-height: 0; min-width: 0; }
  .beside > .work, .beside > forebay-table-view { flex: 1; min-width: 0; }
  .work.no-facets { grid-template-columns: minmax(0, 1fr); }
  .work.no-facets.sample-open { grid-template-columns: minmax(0, 1fr) minmax(360px, 46%); }
  slot[name="panel"]::slotted(*) { flex: none; overflow: auto; border-inline-start: 1px solid var(--line); }
  @container (max-width: 760px) and (min-height: 0px) {
    .work.no-facets, .work.no-facets.sample-open { grid-template-columns: minmax(0, 1fr); }
  }
`;
