/** What the map looks like around its pictures. */
import { css } from "lit";

export const mapStyles = css`
  :host { position: relative; display: flex; flex-direction: column; min-height: 0; overflow: hidden; }
  .scroll {
    position: relative;
    flex: 1;
    min-height: 0;
    cursor: crosshair;
    outline-offset: -3px;
    touch-action: none;
    user-select: none;
    /* What is picked, and the edge of a picture, as they are drawn. */
    color: var(--accent);
    border: 0 solid var(--card);
    background: var(--page);
  }
  .scroll.moves { cursor: grab; }
  .scroll.moves:active { cursor: grabbing; }
  canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
  .tools {
    display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; padding: 6px 10px;
    border-bottom: 1px solid var(--line);
  }
  .tools button { min-height: 30px; }
  .pair { display: flex; gap: 4px; }
  .facts {
    flex: 1 1 120px; min-width: 0; color: var(--ink-2); font-size: 12.5px; font-variant-numeric: tabular-nums;
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: plaintext;
  }
  .ask {
    position: absolute; inset: 0; display: grid; place-content: center; justify-items: center; gap: 12px; padding: 16px;
    text-align: center; overflow: auto;
  }
  .ask p { max-width: 460px; margin: 0; color: var(--ink-2); overflow-wrap: anywhere; }
  .ask .bad { color: var(--bad); }
  .ask progress { width: min(320px, 80%); min-width: 180px; }
  @media (forced-colors: active) {
    .scroll { color: Highlight; border-color: Canvas; }
  }
`;
