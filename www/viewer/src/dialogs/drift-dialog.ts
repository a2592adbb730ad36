/** How far the open warehouse is from an earlier one that was dropped beside it. */
import { Work } from "../ui/work.ts";
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { DriftRow, Folder, Warehouse, WarehouseDrift } from "../../../lib/src/model/index.ts";
import type { Engine } from "../files/engine.ts";
import { framed, showModal } from "../ui/modal.ts";
import { controls, figureStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { percent, short } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/dialogs.ts";

/** Rows whose shares are drawn. */
const DRAWN = 8;
/** Bars of a row: what changed most. */
const BARS = 12;

/** What was handed over. */
interface Given {
  readonly folder: Folder;
  readonly name: string;
}

/** `<forebay-drift>`: sends `open` where the other warehouse is to be opened instead. */
@customElement("forebay-drift")
export class DriftDialog extends LitElement {
  static override styles = [
    controls,
    figureStyles,
    css`
      dialog { width: min(860px, calc(100vw - 24px)); }
      .far { font-weight: 650; }
      .pairs {
        display: grid; grid-template-columns: minmax(70px, auto) 1fr auto; align-items: center; gap: 3px 10px;
        margin: 4px 0 16px; font-size: 12.5px; font-variant-numeric: tabular-nums;
      }
      .pairs > span { overflow-wrap: anywhere; }
      .pair { display: grid; gap: 1px; }
      .pair i { height: 6px; border-radius: 3px; background: var(--ink-2); forced-color-adjust: none; }
      .pair i + i { background: var(--accent); }
      h3 { margin: 12px 0 2px; font-size: 13px; }
    `,
  ];
  @property({ attribute: false }) engine!: Engine;
  /** The open warehouse. */
  @property({ attribute: false }) data: Warehouse | null = null;
  @state() private given: Given | null = null;
  @state() private found: WarehouseDrift | null = null;
  @query("dialog") private dialog!: HTMLDialogElement;
  private readonly work = new Work(this);

  /** The other file is another one, or none. */
  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has("data") && this.dialog?.open) this.close();
  }
  /** Compares with a warehouse that lies in this folder. */
  show(folder: Folder, name: string): void {
    this.given = { folder, name };
    if (!this.dialog.open) showModal(this.dialog);
    void this.run(folder, name);
  }
  private async run(folder: Folder, name: string): Promise<void> {
    const { data } = this;
    this.found = null;
    await this.work.run(async (signal, onProgress) => {
      const earlier = await this.engine.open(folder, { name, signal });
      try {
        if (earlier.kind !== "samples" || earlier.format !== "warehouse") throw new Error(msg("folderNotWarehouse"));
        const found = await data!.drift(earlier as Warehouse, { signal, onProgress });
        if (!signal.aborted) this.found = found;
      } finally {
        earlier.close();
      }
    });
  }
  private close(): void {
    this.work.stop();
    this.dialog.close();
  }

  override render(): TemplateResult {
    const { given, found, work } = this;
    const { failure, progress: p } = work;
    const body = html`
          ${given ? html`<p>${rich("besideEarlier", { name: html`<b>${visible(this.data?.name ?? "")}</b>`, given: html`<b>${visible(given.name)}</b>` })}</p>` : nothing}
          ${work.alert}
          ${
            found || failure
              ? nothing
              : html`<p>${p ? msg("countingBoxesClassesRunsPixels", { samples: p.samples }) : msg("countingBoxesClassesRunsPixels2")}</p>
          <progress aria-label=${msg("counted")} max="1" .value=${p?.totalSamples ? p.samples / p.totalSamples : 0}></progress>`
          }
          ${found ? this.renderFound(found) : nothing}`;
    const foot = html`
          <button @click=${() => {
            this.close();
            this.dispatchEvent(new CustomEvent("open", { detail: given }));
          }}>${msg("openInstead")}</button>
          <button class="primary" @click=${this.close}>${found || failure ? common("done") : common("cancel")}</button>`;
    return framed(msg("drift"), () => this.close(), body, { live: true, foot });
  }
  private renderFound({ versions, samples, boxes, rows, notes }: WarehouseDrift): TemplateResult {
    const same = versions[0] === versions[1];
    return html`
      <p class="muted">${same ? html`<span>${msg("bothHaveVersion")}</span> ` : nothing}${msg("samplesBeforeNowBoxesBefore", { samples: samples[0], samples2: samples[1], boxes: boxes[0], boxes2: boxes[1] })}</p>
      ${notes.map((note) => html`<p class="muted">${msg("note", { note: visible(note) })}</p>`)}
      <div class="wide" tabindex="0" role="group" aria-label=${msg("distances")}><table>
        <thead><tr><th>${msg("whatDiffersMostFirst")}</th><th>${msg("distance")}</th><th>${msg("byChance")}</th><th>${msg("before")}</th><th>${msg("now")}</th></tr></thead>
        <tbody>${rows.map((row) => renderRow(row))}</tbody>
      </table></div>
      ${rows.filter(hasBars).slice(0, DRAWN).map(renderBars)}`;
  }
}

const words = (name: string): string => visible(name.replaceAll("_", " "));
const number = (n: number | null): string => (n === null ? "–" : short(n));

/** What is farther apart than chance explains stands out. */
function renderRow({ name, distance, chance, old, new: now }: DriftRow): TemplateResult {
  const far = distance !== null && distance > (chance ?? 0);
  return html`<tr class=${far ? "far" : ""}><td>${words(name)}</td><td>${number(distance)}</td><td>${number(chance)}</td>
    <td>${number(old)}</td><td>${number(now)}</td></tr>`;
}

const hasBars = ({ distance, parts }: DriftRow): boolean => (distance ?? 0) > 0 && parts.length > 1;

/** The names or buckets whose shares changed the most, in their order. */
function renderBars({ name, parts, values }: DriftRow): TemplateResult {
  const share = (n: number, k: 0 | 1): number => (values[k] > 0 ? n / values[k] : 0);
  const shares = parts.map((part) => ({ name: part.name, shares: [share(part.old, 0), share(part.new, 1)] as const }));
  const change = ({ shares: [a, b] }: { shares: readonly [number, number] }): number => Math.abs(b - a);
  const shown = new Set([...shares].sort((a, b) => change(b) - change(a)).slice(0, BARS));
  const most = Math.max(...shares.flatMap((one) => one.shares), 1e-9);
  const written = (part: number): string => percent(part, 1);
  return html`<h3>${words(name)}</h3>
    <div class="pairs" role="list">${shares
      .filter((one) => shown.has(one))
      .map(
        ({ name: part, shares: [old, now] }) => html`<span role="listitem">${visible(part) || "none"}</span>
        <div class="pair" aria-hidden="true"><i .style=${`width:${(100 * old) / most}%`}></i><i .style=${`width:${(100 * now) / most}%`}></i></div>
        <span>${written(old)} → ${written(now)}</span>`,
      )}</div>`;
}
