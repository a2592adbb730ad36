/** How the viewer is laid out. */
import { css } from "lit";

export const viewerStyles = css`
  :host { display: block; height: 100%; background: var(--page); color: var(--ink); }
  .app { height: 100%; display: grid; grid-template-rows: auto minmax(0, 1fr); }
  /* What is said above a table takes a line, and not the place of the rows. */
  .app:has(> .labels) { grid-template-rows: auto auto minmax(0, 1fr); }
  .app > .labels { margin: 8px 10px; }
  .top {
    display: flex; align-items: center; gap: 10px; padding: 8px 14px; background: var(--card);
    border-bottom: 1px solid var(--line); min-width: 0;
  }
  .skip { position: absolute; z-index: 30; inset-inline-start: 8px; top: 8px; }
  .skip:not(:focus) { width: 1px; height: 1px; min-height: 0; padding: 0; overflow: hidden; clip-path: inset(50%); }
  .brand {
    display: flex; align-items: center; gap: 8px; font-weight: 700; font-size: 15px; letter-spacing: -0.01em; border: 0;
    background: transparent; padding: 0 6px;
  }
  .brand svg { width: 24px; height: 24px; }
  /* What can be done stands side by side as words: borders around each would be louder than what is open. */
  .top > button:not(.skip, .brand, .icon) { padding: 0 9px; }
  .top > button:not(.skip, .brand, .icon, [aria-pressed="true"]) { border-color: transparent; background: transparent; }
  .top > button:not(.skip, .brand):hover:not(:disabled) { background: var(--soft); }
  .crowded { gap: 6px; }
  .file { display: flex; align-items: center; gap: 10px; min-width: 0; flex: 1; }
  .file h1 {
    unicode-bidi: plaintext; flex: none; max-width: 50%; margin: 0; font-size: 14px; font-weight: 600; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  .badge {
    min-height: 24px; border-color: transparent; padding: 2px 9px; border-radius: 999px; background: var(--accent-soft);
    font-size: 12px; font-weight: 650; white-space: nowrap;
  }
  .facts {
    flex: 0 20 auto; min-width: 0; color: var(--ink-2); font-size: 12.5px; white-space: nowrap; overflow: hidden;
    text-overflow: ellipsis; font-variant-numeric: tabular-nums;
  }
  .work { display: grid; grid-template-columns: 268px minmax(0, 1fr); min-height: 0; }
  .work.sample-open { grid-template-columns: 268px minmax(0, 1fr) minmax(380px, 42%); }
  .work.row-open { grid-template-columns: 268px minmax(0, 1fr) minmax(300px, 27%); }
  /* The image that is drawn on has the page; the samples are a strip beside it. */
  .app.whole { grid-template-rows: minmax(0, 1fr); }
  .app.drawing forebay-facets, .app.drawing .main > :not(forebay-gallery), .app.drawing .no-strip > .main {
    display: none;
  }
  .app.drawing .work { grid-template-columns: 92px minmax(0, 1fr); }
  .app.drawing .work.no-strip { grid-template-columns: minmax(0, 1fr); }
  forebay-facets, .side { border-inline-end: 1px solid var(--line); background: var(--card); min-height: 0; }
  .main {
    position: relative; display: flex; flex-direction: column; min-width: 0; min-height: 0; container-type: inline-size;
  }
  .main > * { flex: none; }
  .main > :last-child { flex: 1; min-height: 0; }
  .bar { display: flex; align-items: center; gap: 10px; padding: 10px; border-bottom: 1px solid var(--line); }
  forebay-filter { flex: 1; min-width: 160px; }
  .sheet { display: grid; gap: 10px; }
  .sheet input[type="range"] { width: 100%; }
  .sheet .views button { flex: 1; }
  @container (max-width: 620px) {
    .bar:not(.compact) { flex-wrap: wrap; }
    .bar:not(.compact) forebay-filter { flex: 1 1 100%; order: -1; }
    .bar .counts { flex: 1; }
  }
  .views { display: flex; }
  .views button:not(:last-child) { border-start-end-radius: 0; border-end-end-radius: 0; }
  .views button:not(:first-child) {
    border-start-start-radius: 0; border-end-start-radius: 0; margin-inline-start: -1px;
  }
  .views button[aria-pressed="true"] { z-index: 1; }
  .counts { font-variant-numeric: tabular-nums; white-space: nowrap; color: var(--ink-2); font-size: 13px; }
  .selection {
    position: absolute; z-index: 5; left: 50%; bottom: 14px; translate: -50%; display: flex; flex-wrap: wrap;
    justify-content: center; align-items: center; gap: 8px; width: max-content; max-width: calc(100% - 24px);
    padding: 8px 12px; border: 1px solid var(--accent); border-radius: 12px; background: var(--card);
    box-shadow: var(--shadow); font-size: 13px; font-variant-numeric: tabular-nums;
  }
  .selection b { padding: 0 6px; }
  .selection button { min-height: 30px; }
  .labels {
    flex: 1 1 100%; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; padding: 6px 12px;
    border-radius: 9px; background: var(--accent-soft); font-size: 13px; overflow-wrap: anywhere;
  }
  .labels ul { max-height: 140px; margin: 4px 0; padding-inline-start: 20px; overflow: auto; }
  .labels button { margin-inline-start: auto; }
  .chips { display: flex; flex-wrap: wrap; gap: 6px; padding: 0 10px; }
  .chips:not(:empty) { padding-block: 8px; border-bottom: 1px solid var(--line); }
  .chips button { min-height: 26px; border-radius: 999px; font-size: 12.5px; background: var(--accent-soft); }
  .notice {
    flex: 1 1 100%; display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: center; padding: 8px 12px;
    border-radius: 9px; background: var(--warn-soft); color: var(--warn); font-size: 13px; overflow-wrap: anywhere;
  }
  .notice b { font-weight: 650; }
  @media (forced-colors: active) {
    .notice { border: 1px solid CanvasText; }
  }
  .warning:not([hidden]) {
    position: fixed; inset: auto 12px 16px; z-index: 20; width: fit-content; max-width: min(560px, calc(100% - 24px));
    margin: 0 auto; padding: 10px 14px; border: 1px solid var(--warn); border-radius: 9px; background: var(--warn-soft);
    color: var(--warn); box-shadow: 0 6px 24px rgb(0 0 0 / 0.18);
  }
  forebay-sample, .panel { border-inline-start: 1px solid var(--line); min-height: 0; min-width: 0; }
  input[type="range"] { width: 90px; padding: 0; accent-color: var(--accent); }
  .empty { display: grid; place-items: center; align-content: center; gap: 6px; color: var(--ink-2); }
  :host([dragging]) .app { outline: 3px solid var(--accent); outline-offset: -3px; }
  forebay-table-view { display: grid; min-height: 0; }
  .document { overflow: auto; padding: 18px 22px; background: var(--card); }
  .growing {
    display: flex; align-items: center; gap: 12px; padding: 7px 12px; border-bottom: 1px solid var(--line);
    background: var(--accent-soft); font-size: 12.5px; font-variant-numeric: tabular-nums;
  }
  .growing span { flex: none; }
  .growing progress { flex: 1; min-width: 60px; height: 6px; }
  .narrow-only { display: none; }
  /* By the size of the viewer, not of the page. "main" is a container of widths alone: what names a height passes it by. */
  @container (max-width: 1400px) and (min-height: 0px) {
    /* What was read is behind the badge too; cut off in the middle it says nothing. */
    .crowded .facts.more { display: none; }
  }
  @container (max-width: 1100px) and (min-height: 0px) {
    .work.row-open { grid-template-columns: minmax(0, 1fr) minmax(300px, 40%); }
    .facts.more { display: none; }
    .work.sample-open { grid-template-columns: minmax(0, 1fr) minmax(360px, 46%); }
    .work.sample-open forebay-facets, .work.row-open .side { display: none; }
  }
  @container (max-width: 760px) or (max-height: 520px) {
    .top { gap: 6px; padding: 5px 8px; }
    .brand span, .facts, .top .spacer { display: none; }
    .file { gap: 6px; }
    .file h1 { flex: 0 1 auto; max-width: none; }
    .bar { gap: 8px; padding: 6px 8px; }
    forebay-filter { min-width: 0; }
  }
  @container (max-width: 480px) and (min-height: 0px) {
    .file .badge { display: none; }
  }
  @container (max-width: 760px) and (min-height: 0px) {
    .narrow-only { display: inline-flex; }
    .work, .work.sample-open, .work.row-open, .app.drawing .work {
      grid-template-columns: minmax(0, 1fr); position: relative;
    }
    forebay-facets:not(.shown), .side:not(.shown) { display: none; }
    forebay-facets.shown, .side.shown { position: absolute; inset: 0 20% 0 0; z-index: 15; box-shadow: var(--shadow); }
    forebay-sample, .panel { position: absolute; inset: 0; z-index: 16; border: 0; }
  }
`;
