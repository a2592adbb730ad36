/** How the panel of a sample looks. */
import { css } from "lit";

export const sampleStyles = css`
  :host { grid-template-rows: auto minmax(180px, 55%) auto minmax(0, 1fr); }
  /* Who draws looks at the image: everything else lies beside it, or is folded. */
  :host([drawing]) {
    grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr) 224px;
    grid-template-areas: "head head" "stage tabs" "stage page";
  }
  :host([drawing][wide]) { grid-template: auto minmax(0, 1fr) / minmax(0, 1fr); grid-template-areas: "head" "stage"; }
  :host([drawing][wide]) :is(.tabs, .page) { display: none; }
  :host([drawing]) .head { grid-area: head; padding-block: 5px; }
  :host([drawing]) .head .title { flex: 0 1 auto; flex-wrap: nowrap; min-width: 84px; }
  @container (max-width: 1300px) and (min-height: 0px) {
    :host([drawing]) .title bdi { display: none; }
  }
  :host([drawing]) .stage { grid-area: stage; }
  :host([drawing]) .tabs { grid-area: tabs; padding: 0 4px; }
  :host([drawing]) .tabs button { padding: 0 4px; font-size: 12px; }
  :host([drawing]) .page { grid-area: page; padding: 8px; }
  :host([drawing]) :is(.tabs, .page) { border-inline-start: 1px solid var(--line); }
  @container (min-width: 761px) and (min-height: 0px) {
    :host([drawing]) .sum { display: none; }
  }
  @container (max-width: 760px) and (min-height: 0px) {
    :host([drawing]:not([wide])) {
      grid-template: auto minmax(180px, 55%) auto minmax(0, 1fr) / minmax(0, 1fr);
      grid-template-areas: "head" "stage" "tabs" "page";
    }
    :host([drawing]) .head { flex-wrap: wrap; }
    :host([drawing]) .head .title { flex: 1; }
    forebay-edit-bar { order: 1; }
  }
  /* One line, or two where there is little room; what needs a third is not seen. */
  .head .title {
    flex: 1; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 8px; min-width: 0; max-height: 46px;
    overflow: hidden; white-space: nowrap;
  }
  .title bdi { flex: 1 1 70px; min-width: 0; overflow: hidden; text-overflow: ellipsis; }
  .class {
    display: inline-flex; align-items: baseline; gap: 5px; max-width: 100%; overflow: hidden; padding: 1px 9px;
    border-radius: 999px; background: var(--soft); font-weight: 600;
  }
  h3:not(:first-child) { margin-top: 14px; }
  .stage {
    position: relative; overflow: hidden; background: var(--page); display: grid; place-items: center; cursor: grab;
    touch-action: none; outline-offset: -3px;
  }
  .sheet { position: absolute; left: 50%; top: 50%; transform-origin: 0 0; }
  /* For looking only: the light that people set. */
  .sheet { filter: var(--light, none); }
  .sheet canvas { position: absolute; left: 0; top: 0; }
  .sheet .picture[data-clear] { background: repeating-conic-gradient(#b6bec6 0 25%, #e4e8ec 0 50%); }
  .boxes { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
  video { position: absolute; inset: 0; width: 100%; height: 100%; }
  .part {
    position: absolute; left: 8px; top: 8px; max-width: calc(100% - 16px); padding: 4px 10px; border-radius: 7px;
    font-size: 12.5px; background: var(--warn-soft); color: var(--warn);
  }
  .tools { position: absolute; right: 8px; bottom: 8px; display: flex; gap: 4px; }
  .legend {
    position: absolute;
    left: 8px;
    bottom: 8px;
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    max-width: calc(100% - 170px);
    /* Two lines, and none of them by half. */
    max-height: 57px;
    overflow: auto;
  }
  .legend.beside { max-width: calc(100% - 262px); }
  /* Not beside the buttons: there is no room for both. */
  @media (max-width: 560px) {
    .legend, .legend.beside { bottom: 44px; flex-wrap: nowrap; max-width: calc(100% - 16px); }
  }
  .legend button { flex: none; min-height: 26px; padding: 0 8px; font-size: 12px; }
  .legend button[aria-pressed="false"] { opacity: 0.75; text-decoration: line-through; }
  .legend .wrong {
    padding: 4px 8px; border-radius: 7px; font-size: 12px; color: var(--ink); background: var(--bad-soft);
  }
  .tabs {
    display: flex; flex-wrap: wrap; gap: 2px; padding: 6px 8px 0; border-block: 1px solid var(--line);
    border-bottom: 1px solid var(--line); align-items: center;
  }
  .tabs > div { display: flex; }
  .tabs button {
    padding: 0 9px; border: 0; border-radius: 0; border-bottom: 2px solid transparent; background: transparent;
  }
  .tabs button[aria-selected="true"] { border-bottom-color: var(--accent); font-weight: 600; }
  .sum {
    margin-inline-start: auto; font-size: 12.5px; padding: 2px 9px; border-radius: 999px; background: var(--soft);
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  }
  @media (max-width: 400px) {
    .tabs button { padding: 0 6px; }
  }
  .sum.good { color: var(--good); }
  .sum.bad { background: var(--bad-soft); }
  @media (forced-colors: active) {
    .tabs button { border: 0; }
    .part { border: 1px solid CanvasText; }
  }
  pre { margin: 0; font-family: var(--mono); font-size: 12px; line-height: 1.5; }
  .trouble { padding: 14px; text-align: center; overflow-wrap: anywhere; }
`;
