/** Files that can be opened with a click: those that the server offers, and those that were open before. */
import { css, html, nothing, type TemplateResult } from "lit";
import type { Recent } from "../files/recent.ts";
import { visible } from "../ui/visible.ts";
import { bytes, moment } from "../ui/wording.ts";
import { msg } from "../messages/shell.ts";

/** A file that the server of the page offers. */
export interface Offer {
  readonly name: string;
  readonly url: string;
  readonly bytes: number | null;
}

/** How they look. */
export const placeStyles = css`
  ul { list-style: none; margin: 8px 0 0; padding: 0; display: grid; gap: 6px; }
  li button { width: 100%; justify-content: space-between; }
  li span { overflow: hidden; text-overflow: ellipsis; }
  .title { display: flex; justify-content: space-between; align-items: center; }
  .title button { min-height: 26px; font-size: 12.5px; color: var(--ink-2); }
`;

/** What can be done with them. */
export interface Going {
  readonly url: (address: string) => void;
  readonly recent: (entry: Recent) => void;
}

const row = (name: string, size: number | null, act: () => void, where = ""): TemplateResult => html`
  <li><button title=${where || nothing}
    @click=${act}><span>${visible(name)}${where ? html` <span class="muted">${visible(where)}</span>` : nothing}</span><span class="muted">${size === null ? "" : bytes(size)}</span></button></li>`;

/** What the server offers. */
export const offerList = (offers: readonly Offer[], go: Going): TemplateResult | typeof nothing =>
  offers.length === 0
    ? nothing
    : html`<section><h2>${msg("servedHere")}</h2>
        <ul>${offers.map((o) => row(o.name, o.bytes, () => go.url(o.url)))}</ul></section>`;

/** What was open before; `more` stands beside its title. */
export function recentList(
  entries: readonly Recent[],
  go: Going,
  more: TemplateResult | typeof nothing,
): TemplateResult | typeof nothing {
  const again = entries.filter((r) => r.url || r.handle);
  if (again.length === 0 && more === nothing) return nothing;
  const twice = (name: string): boolean => again.filter((r) => r.name === name).length > 1;
  return html`<section>
    <div class="title"><h2>${msg("recent")}</h2>${more}</div>
    <ul>${again.map((r) => row(r.name, r.bytes, () => go.recent(r), twice(r.name) ? placeOf(r) : ""))}</ul></section>`;
}

/** What tells files of one name apart: the address, or when one was opened. */
function placeOf({ url, when }: Recent): string {
  return url === undefined
    ? msg("opened", { when: moment(when) })
    : url.replace(/^https?:\/\//, "").replace(/[^/]*$/, "");
}
