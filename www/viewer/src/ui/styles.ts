/** Colors, sizes and the few controls that every part shares. */
import { css } from "lit";

/** The dark values, for those who ask for them and for systems that do. */
const dark = css`
  --ink: var(--forebay-text, #e6ebf0);
  --ink-2: var(--forebay-muted, #a3b0bd);
  --page: var(--forebay-background, #0f151b);
  --card: var(--forebay-surface, #171f27);
  --line: var(--forebay-line, #2c3742);
  --soft: var(--forebay-soft, #222c36);
  --accent: var(--forebay-accent, #58c9bd);
  --accent-ink: var(--forebay-accent-text, #06211f);
  --accent-soft: var(--forebay-accent-soft, #15403d);
  --bad: #ff9b92;
  --bad-soft: #43211f;
  --good: #76d397;
  --warn-soft: #3b3016;
  --warn: #f3cb75;
  --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 8px 28px rgb(0 0 0 / 45%);
  color-scheme: dark;
`;

/** The names of colors; light and dark give them values, and pages others by the names that begin with `--forebay-`. Set once, on the outermost element. */
export const tokens = css`
  :host {
    --ink: var(--forebay-text, #17212b); --ink-2: var(--forebay-muted, #4d5b69);
    --page: var(--forebay-background, #f4f6f8); --card: var(--forebay-surface, #ffffff);
    --line: var(--forebay-line, #d8dee5); --soft: var(--forebay-soft, #e9edf1);
    --accent: var(--forebay-accent, #0b6e69); --accent-ink: var(--forebay-accent-text, #ffffff);
    --accent-soft: var(--forebay-accent-soft, #d5ece9); --bad: #b3261e; --bad-soft: #fbe6e4; --good: #1b6e3c;
    --warn-soft: #fdf1d3; --warn: #7a4d00; --shadow: 0 1px 2px rgb(16 30 44 / 8%), 0 8px 28px rgb(16 30 44 / 12%);
    --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; color-scheme: light;
  }
  @media (prefers-color-scheme: dark) {
    :host(:not([theme="light"])) { ${dark}; }
  }
  :host([theme="dark"]) { ${dark}; }
`;

export const controls = css`
  *, *::before, *::after { box-sizing: border-box; }
  canvas, code, pre { direction: ltr; unicode-bidi: isolate; }
  button, input, select { font: inherit; color: inherit; }
  button, .button {
    display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 34px; padding: 0 12px;
    border: 1px solid var(--line); border-radius: 8px; background: var(--card); cursor: pointer; white-space: nowrap;
  }
  button:hover:not(:disabled) { background: var(--soft); }
  button:disabled { opacity: 0.5; cursor: default; }
  button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); font-weight: 600; }
  button.primary:hover:not(:disabled) { background: var(--accent); filter: brightness(1.08); }
  button.bare { border-color: transparent; background: transparent; }
  button.icon { width: 34px; padding: 0; }
  button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
  input, select {
    min-height: 34px; padding: 0 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--card);
  }
  input::placeholder { color: var(--ink-2); opacity: 1; }
  input[type="checkbox"], input[type="radio"] { min-height: 0; accent-color: var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  h2, h3 { margin: 0; font-size: 13px; font-weight: 650; }
  code, .mono { font-family: var(--mono); font-size: 0.92em; }
  .muted { color: var(--ink-2); }
  /* The color of a class, beside its name. */
  .dot {
    flex: none; display: inline-block; width: 9px; height: 9px; margin-inline-end: 4px; border-radius: 3px;
    forced-color-adjust: none;
  }
  .bad { color: var(--bad); }
  .visually-hidden {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
  }
  dialog {
    width: min(680px, calc(100vw - 24px)); max-height: min(760px, calc(100vh - 24px)); padding: 0;
    border: 1px solid var(--line); border-radius: 14px; background: var(--card); color: var(--ink);
    box-shadow: var(--shadow);
  }
  /* It has the focus until somebody tabs. */
  dialog:focus-visible { outline: 0; }
  dialog::backdrop { background: rgb(8 14 20 / 45%); }
  dialog .head {
    display: flex; align-items: center; justify-content: space-between; padding: 14px 18px;
    border-bottom: 1px solid var(--line);
  }
  dialog .head h2 { font-size: 16px; }
  dialog .body { overflow: auto; max-height: min(600px, calc(100vh - 170px)); padding: 16px 18px; }
  .verdict { margin: 0 0 8px; font-size: 17px; font-weight: 650; }
  .good { color: var(--good); }
  dialog .foot {
    display: flex; justify-content: flex-end; gap: 8px; padding: 12px 18px; border-top: 1px solid var(--line);
  }
  progress { width: 100%; height: 8px; border: 0; border-radius: 4px; background: var(--soft); overflow: hidden; }
  progress::-webkit-progress-bar { background: var(--soft); }
  progress::-webkit-progress-value { background: var(--accent); }
  progress::-moz-progress-bar { background: var(--accent); }
  /* Where the user's few colors take the place of all others, backgrounds and shadows say nothing any more. */
  @media (forced-colors: active) {
    .current, .on, [aria-pressed="true"], [role="tab"][aria-selected="true"] {
      outline: 2px solid Highlight; outline-offset: -2px;
    }
    [aria-selected="true"]:not(.current, [role="tab"]) { outline: 2px dashed Highlight; outline-offset: -2px; }
    :focus-visible { outline: 3px solid CanvasText; outline-offset: 1px; }
    .current:focus-visible, [aria-pressed="true"]:focus-visible, [aria-selected="true"]:focus-visible {
      outline-style: double; outline-width: 5px;
    }
    button:disabled { color: GrayText; border-color: GrayText; opacity: 1; }
    progress { border: 1px solid CanvasText; forced-color-adjust: none; background: Canvas; }
    progress::-webkit-progress-bar { background: Canvas; }
    progress::-webkit-progress-value { background: Highlight; }
    progress::-moz-progress-bar { background: Highlight; }
    mark { outline: 1px solid CanvasText; }
  }
  @media (prefers-reduced-motion: reduce) {
    *, *::before, *::after {
      animation: none !important; transition: none !important; scroll-behavior: auto !important;
    }
  }
`;

/** Choices in a dialog, each a frame around its mark. */
export const choiceStyles = css`
  fieldset { margin: 0 0 14px; padding: 0; border: 0; }
  .choices + fieldset { margin-top: 14px; }
  legend { padding: 0 0 6px; font-weight: 650; font-size: 13px; }
  .choices { display: flex; flex-wrap: wrap; gap: 8px; }
  .choices label {
    display: flex; align-items: center; gap: 8px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 9px;
    cursor: pointer;
  }
  .choices label:has(:checked) { border-color: var(--accent); background: var(--accent-soft); }
  .choices label:has(:disabled) { opacity: 0.5; }
`;

/** A large dialog that is asked something: what it says scrolls, what it is told stands in rows. */
export const questionStyles = css`
  dialog .body { max-height: calc(100vh - 150px); }
  .row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin: 0 0 12px; }
  .row label { display: flex; align-items: center; gap: 8px; }
`;

/** Tables of figures in a dialog: what they are of at the left, the numbers under each other. */
export const figureStyles = css`
  .wide { overflow-x: auto; margin: 8px 0 18px; }
  table { width: 100%; border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
  th, td { padding: 5px 10px; border-bottom: 1px solid var(--line); text-align: end; white-space: nowrap; }
  th:first-child, td:first-child { text-align: start; }
  thead th { color: var(--ink-2); font-weight: 600; }
`;

/** Rows of a window over many: what samples and tables have in common. */
export const rowStyles = css`
  .scroll { overflow-x: auto; background: var(--card); }
  .row {
    position: absolute; left: 0; right: 0; align-items: center; border-bottom: 1px solid var(--line); font-size: 13px;
    font-variant-numeric: tabular-nums; cursor: pointer; contain: strict;
  }
  /* What a file holds reads as it is written there, whatever the page's language. */
  .row > *, .row small { unicode-bidi: plaintext; }
  .row > * { padding: 0 10px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .row:hover { background: var(--soft); }
  .row.current { box-shadow: inset 3px 0 0 var(--accent); background: var(--soft); }
  .head { z-index: 1; background: var(--card); font-weight: 600; cursor: default; border-bottom-width: 2px; }
  .number { text-align: end; }
`;

/** Facts: a term and what is known of it. A part that wants other gaps sets `gap`. */
export const factStyles = css`
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 0; }
  dt { color: var(--ink-2); }
  dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
`;

/** The panel of one sample or row: a head, and below it what is known. */
export const panelStyles = css`
  :host {
    display: grid; grid-template-rows: auto minmax(0, 1fr); grid-template-columns: minmax(0, 1fr); min-height: 0;
    background: var(--card);
  }
  .head { display: flex; align-items: center; gap: 6px; padding: 8px 10px; border-bottom: 1px solid var(--line); }
  .head h2 { font-size: 15px; }
  .page { overflow: auto; padding: 10px 14px; font-size: 13px; }
`;

/** A group of facets: a title, what is counted, and what can be asked for. */
export const facetStyles = css`
  section + section { margin-top: 18px; }
  h2 { display: flex; justify-content: space-between; margin-bottom: 6px; }
  h2 button { font-weight: 400; min-height: 22px; padding: 0 6px; font-size: 12px; }
  h2 span { font-weight: 400; color: var(--ink-2); }
  h2 .title {
    display: inline-flex; align-items: center; gap: 2px; margin-inline-start: -5px; font-weight: 600; color: var(--ink);
  }
  h2 .fold { width: 22px; padding: 0; }
  h2 .fold svg { width: 12px; height: 12px; }
  .fold.folded svg { rotate: -90deg; }
  .note { font-size: 12px; color: var(--ink-2); }
  .note.bad { color: var(--bad); }
  .more { min-height: 28px; font-size: 12px; }
`;
