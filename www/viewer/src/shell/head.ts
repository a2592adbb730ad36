/** The line at the top: what is open, and what can be done with all of it. */
import { html, nothing, type TemplateResult } from "lit";
import type { Dataset, Table } from "../../../lib/src/model/index.ts";
import type { Recent } from "../files/recent.ts";
import type { HiddenPart } from "../public/element.ts";
import { ICONS } from "../ui/icons.ts";
import type { Menu } from "../ui/menu.ts";
import { visible } from "../ui/visible.ts";
import type { DialogName } from "./dialog-controller.ts";
import type { Offer } from "./places.ts";
import { LOGO } from "./welcome.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/shell.ts";

const BRAND = html`<svg viewBox="0 0 32 32" aria-hidden="true">${LOGO}</svg><span>Forebay</span>`;

/** What is open, as the line says it. */
export interface Opened {
  readonly found: Dataset | Table;
  readonly format: string;
  /** What is said of it, in words or as a count. */
  readonly facts: TemplateResult;
  /** What was read so far. */
  readonly read: string;
}

/** What stands in it, and what is done by it. */
export interface Head {
  /** None where nothing is open. */
  readonly opened: Opened | null;
  /** Little room: what is not needed at once is in a menu. */
  readonly compact: boolean;
  /** The page is the viewer's own. */
  readonly ownPage: boolean;
  readonly warehouse: boolean;
  /** What is open is not read to its end yet. */
  readonly growing: boolean;
  /** The button that begins editing, if what is open can be edited. */
  readonly edit: TemplateResult | string | typeof nothing;
  readonly offers: readonly Offer[];
  readonly recent: readonly Recent[];
  readonly hides: (part: HiddenPart) => boolean;
  readonly show: (dialog: DialogName) => void;
  readonly close: () => void;
  readonly toggleTheme: () => void;
  readonly focusList: () => void;
  readonly choose: () => void;
  readonly chooseFolder: () => void;
  readonly url: (address: string) => void;
  readonly openRecent: (entry: Recent) => void;
}

/** The whole line. */
export function renderHead(head: Head): TemplateResult | typeof nothing {
  if (head.hides("header")) return nothing;
  const { opened } = head;
  return html`
    <header class="top ${opened && opened.found.kind !== "table" ? "crowded" : ""}" part="header" role=${head.ownPage ? nothing : "group"}
      aria-label=${head.ownPage ? nothing : msg("file")}>${opened ? renderOpened(head, opened) : renderEmpty(head)}</header>`;
}

function renderEmpty(head: Head): TemplateResult {
  return html`${head.hides("brand") ? nothing : html`<span class="brand" part="brand">${BRAND}</span>`}<div
    class="file"></div><slot name="toolbar"></slot>${renderTools(head)}`;
}

function renderOpened(head: Head, { found, format, facts, read }: Opened): TemplateResult {
  const { hides, compact } = head;
  return html`
    <button class="skip" @click=${head.focusList}>${found.kind === "table" ? msg("toTheRows") : msg("toTheSamples")}</button>
    ${hides("brand") ? nothing : renderBrand(head)}
    <div class="file">
      <button class="badge" title=${msg("aboutFileI")}
        @click=${() => head.show("about")}>${format.toUpperCase()}</button>
      <h1 title=${visible(found.name ?? "")}>${visible(found.name ?? msg("dataset"))}</h1>
      ${facts}
      <span class="facts more" title=${msg("whatWasReadSoFar")}>${read}</span>
    </div>
    <span class="spacer"></span>
    ${hides("open") ? nothing : renderOpen(head)}
    <slot name="toolbar"></slot>
    ${compact ? renderMenu(head, found) : html`${renderActions(head, found)}${renderTools(head)}`}`;
}

/** On a page of its own a click on it leads back to the empty page. */
function renderBrand(head: Head): TemplateResult {
  return head.hides("open")
    ? html`<span class="brand" part="brand">${BRAND}</span>`
    : html`<button class="brand" part="brand" title=${msg("closeFile")} aria-label=${msg("forebayCloseFile")}
        @click=${head.close}>${BRAND}</button>`;
}

function renderOpen(head: Head): TemplateResult {
  return html`<forebay-open .offers=${head.offers} .recent=${head.recent}
    @choose=${head.choose} @folder=${head.chooseFolder}
    @url=${(e: CustomEvent<string>) => head.url(e.detail)}
    @recent=${(e: CustomEvent<Recent>) => head.openRecent(e.detail)}></forebay-open>`;
}

/** What was chosen is done, and not under the menu. */
const hideMenu = (e: Event): void => (e.currentTarget as Element).closest<Menu>("forebay-menu")!.hide();

function renderMenu(head: Head, found: Dataset | Table): TemplateResult {
  const { hides } = head;
  return html`<forebay-menu label=${common("more")} icon="⋯"><div class="sheet" @click=${hideMenu}>
    ${renderActions(head, found)}
    <button @click=${() => head.show("about")}>${msg("aboutFile")}</button>
    ${hides("theme") ? nothing : html`<button @click=${head.toggleTheme}>${msg("darkLight")}</button>`}
    ${hides("help") ? nothing : html`<button @click=${() => head.show("help")}>${common("keysFilters")}</button>`}</div></forebay-menu>`;
}

function renderActions({ hides, show, warehouse, growing, edit }: Head, { kind }: Dataset | Table): TemplateResult {
  const convert = (): void => show(kind === "table" ? "convert-table" : "convert");
  return html`
    ${hides("check") ? nothing : html`<button title=${msg("checkC")} @click=${() => show("check")}>${msg("check")}</button>`}
    ${hides("convert") ? nothing : html`<button title=${msg("convertExportE")} @click=${convert}>${msg("convert")}</button>`}
    ${edit}
    ${kind === "table" || hides("labels") ? nothing : html`<button title=${msg("labelsFileLabelsFileL")} @click=${() => show("labels")}>${common("labels")}</button>`}
    ${kind === "table" || hides("curate") ? nothing : html`<button title=${msg("duplicatesOutliersU")} ?disabled=${growing} @click=${() => show("curate")}>${msg("curate")}</button>`}
    ${kind === "table" || warehouse || hides("compare") ? nothing : html`<button title=${msg("compareAnotherVersionM")} ?disabled=${growing} @click=${() => show("compare")}>${msg("compare")}</button>`}
    ${warehouse ? html`<button title=${msg("whatBecameFramesV")} @click=${() => show("warehouse")}>${msg("validation")}</button>` : nothing}`;
}

function renderTools(head: Head): TemplateResult {
  const { hides } = head;
  return html`
    ${hides("theme") ? nothing : html`<button class="icon bare" aria-label=${msg("darkLight")} title=${msg("darkLightD")} @click=${head.toggleTheme}>${ICONS.theme}</button>`}
    ${hides("help") ? nothing : html`<button class="icon bare" aria-label=${common("keysFilters")} title=${msg("keysFilters2")} @click=${() => head.show("help")}>${ICONS.help}</button>`}`;
}
