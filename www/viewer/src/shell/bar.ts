/** The line above the samples: the filter, how many samples it keeps, and how they are shown; and what is picked. */
import { html, nothing, type TemplateResult } from "lit";
import type { FilterField, Values } from "../ui/complete.ts";
import type { Trouble } from "../ui/wording.ts";
import type { View } from "./link.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/shell.ts";

/** What stands in it, and what is done by it. */
export interface Bar {
  readonly compact: boolean;
  readonly text: string;
  readonly error: Trouble | null;
  readonly fields: readonly FilterField[];
  readonly values: Values;
  /** How many samples the filter keeps, in words. */
  readonly counted: TemplateResult;
  readonly view: View;
  readonly boxes: boolean;
  readonly tileSize: number;
  /** The columns of the table, and the fields of metadata that may be more of them. */
  readonly columns: readonly string[];
  readonly columnFields: readonly string[];
  /** The facets are shown; nothing where there are none. */
  readonly facets: boolean | null;
  readonly toggleFacets: () => void;
  /** The filter that is applied can be kept under a name. */
  readonly keepable: boolean;
  readonly keep: () => void;
  readonly setText: (text: string) => void;
  readonly setView: (view: View) => void;
  readonly toggleBoxes: () => void;
  readonly setTileSize: (size: number) => void;
  readonly setColumns: (columns: readonly string[]) => void;
}

export function renderBar(bar: Bar): TemplateResult {
  const { compact, facets } = bar;
  return html`
    <div class="bar ${compact ? "compact" : ""}" part="bar">
      ${facets === null ? nothing : html`<button class="narrow-only" aria-expanded=${facets} @click=${bar.toggleFacets}>${common("facets")}</button>`}
      <forebay-filter .value=${bar.text} .fields=${bar.fields} .values=${bar.values} .error=${bar.error} ?keepable=${bar.keepable} @keep=${bar.keep}
        @filter=${(e: CustomEvent<string>) => bar.setText(e.detail)}></forebay-filter>
      ${compact ? nothing : bar.counted}
      ${
        compact
          ? html`<forebay-menu label=${msg("view")}><div class="sheet">${renderViews(bar)}${renderLook(bar, true)}</div></forebay-menu>`
          : html`${renderLook(bar, false)}${renderViews(bar)}`
      }
    </div>`;
}

function renderViews(bar: Bar): TemplateResult {
  const view = (name: View, title: string, key: string): TemplateResult =>
    html`<button aria-pressed=${bar.view === name || (name === "table" && bar.view === "boxes")} title="${title} (${key})"
      @click=${() => bar.setView(name)}>${title}</button>`;
  return html`<div class="views" role="group" aria-label=${msg("view")}>${view("gallery", msg("gallery"), "g")}${view("table", msg("table"), "t")}${view("map", msg("map"), "h")}</div>`;
}

/** How gallery or table look; `folded` where they are in a menu. */
function renderLook(bar: Bar, folded: boolean): TemplateResult {
  const columns = html`<forebay-columns .columns=${bar.columns} .fields=${bar.columnFields}
    @columns=${(e: CustomEvent<readonly string[]>) => bar.setColumns(e.detail)}></forebay-columns>`;
  const boxes = bar.view === "boxes";
  const byBox = html`<button aria-pressed=${boxes} title=${msg("rowForEachBox")}
    @click=${() => bar.setView(boxes ? "table" : "boxes")}>${common("boxes")}</button>`;
  if (boxes) return byBox;
  if (bar.view === "table")
    return html`${byBox}${folded ? columns : html`<forebay-menu label=${common("columns")}>${columns}</forebay-menu>`}`;
  if (bar.view !== "gallery") return html``;
  return html`
    <button aria-pressed=${bar.boxes} title=${msg("boxesOnPicturesB")} @click=${bar.toggleBoxes}>${common("boxes")}</button>
    <input type="range" aria-label=${msg("sizePictures")} min="90" max="360" step="6" .value=${String(bar.tileSize)}
      @input=${(e: Event) => bar.setTileSize(Number((e.target as HTMLInputElement).value))} />`;
}

/** What is picked, and what can be done with it; `length` is how many the filter keeps. */
export interface Picked {
  readonly size: number;
  readonly length: number;
  /** Nothing where exporting is left out. */
  readonly exporting: (() => void) | null;
  readonly all: () => void;
  /** Goes to where they get a name; nothing where no sets are kept. */
  readonly naming: (() => void) | null;
  readonly clear: () => void;
  /** What can be changed of them; nothing while nothing is edited. */
  readonly changes: TemplateResult | null;
}

export function renderPicked({ size, length, exporting, all, naming, clear, changes }: Picked): TemplateResult {
  return html`
    <div class="selection" role="group" aria-label=${msg("pickedSamples")}>
      <b>${msg("picked", { size })}</b>
      ${changes}
      ${exporting ? html`<button @click=${exporting}>${common("export")}</button>` : nothing}
      ${size < length ? html`<button title="Ctrl+A" @click=${all}>${msg("all", { length })}</button>` : nothing}
      ${naming ? html`<button title=${msg("keepPickedAsSet")} @click=${naming}>${msg("nameThem")}</button>` : nothing}
      <button @click=${clear}>${msg("clear")}</button>
    </div>`;
}
