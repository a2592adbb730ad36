/** What a warehouse says of itself: how it was built, what became of the frames, and which thresholds that breaks. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import type { WarehouseCounts, WarehouseManifest } from "../../../lib/src/model/index.ts";
import { framed, showModal } from "../ui/modal.ts";
import { controls, factStyles, figureStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { count, moment, percent } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/dialogs.ts";

/** A threshold with what was found. */
interface Held {
  readonly what: string;
  readonly most: number | null;
  readonly found: number;
  readonly ratio: boolean;
}

/** Every threshold against the frames of all runs; ratios are of all frames, the bad ones included, as a trainer counts them. */
export function heldTo({ summary: { totals: t }, thresholds: m }: WarehouseManifest): Held[] {
  const missing = t.missingImage + t.missingFile;
  const all = Math.max(1, t.total + missing + t.invalid);
  return [
    { what: msg("invalidFrames"), most: m.maxInvalid, found: t.invalid, ratio: false },
    { what: msg("missingFrames"), most: m.maxMissing, found: missing, ratio: false },
    { what: msg("emptyFrames"), most: m.maxEmpty, found: t.empty, ratio: false },
    { what: msg("invalidAll"), most: m.maxInvalidRatio, found: t.invalid / all, ratio: true },
    { what: msg("missingAll"), most: m.maxMissingRatio, found: missing / all, ratio: true },
    { what: msg("emptyAll"), most: m.maxEmptyRatio, found: t.empty / all, ratio: true },
  ];
}

/** `<forebay-warehouse>`. */
@customElement("forebay-warehouse")
export class WarehouseDialog extends LitElement {
  static override styles = [
    controls,
    factStyles,
    figureStyles,
    css`
      dialog { width: min(860px, calc(100vw - 24px)); }
      td:first-child { white-space: normal; overflow-wrap: anywhere; }
      tfoot td { font-weight: 650; border-bottom: 0; }
      .broken { background: var(--bad-soft); }
      dl { font-size: 13px; }
    `,
  ];
  @property({ attribute: false }) manifest: WarehouseManifest | null = null;
  @query("dialog") private dialog!: HTMLDialogElement;

  show(): void {
    showModal(this.dialog);
  }
  override render(): TemplateResult {
    const { manifest } = this;
    return framed(msg("validation"), () => this.dialog.close(), manifest ? this.renderAll(manifest) : nothing);
  }
  private renderAll(m: WarehouseManifest): TemplateResult {
    const { violations, summary } = m;
    const some = violations.length > 0;
    return html`
      <p class="verdict ${some ? "bad" : "good"}">${some ? msg("breaksThresholdsTrainerRefuses", { violations: violations.length }) : msg("withinThresholds")}</p>
      ${violations.map((text) => html`<p class="bad">${visible(text)}</p>`)}
      <h3>${msg("thresholds")}</h3>
      <div class="wide" tabindex="0" role="group" aria-label=${msg("thresholds")}><table>
        <thead><tr><th>${msg("allRuns")}</th><th>${msg("found")}</th><th>${msg("atMost")}</th><th><span class="visually-hidden">${msg("verdict")}</span></th></tr></thead>
        <tbody>${heldTo(m).map((held) => this.renderHeld(held))}</tbody>
      </table></div>
      <h3>${msg("framesCause")}</h3>
      <div class="wide" tabindex="0" role="group" aria-label=${msg("framesCause")}><table>
        <thead><tr><th>${msg("run")}</th><th>${msg("good")}</th><th>${msg("withBoxes")}</th><th>${msg("empty")}</th><th>${msg("notNamed")}</th><th>${msg("notThere")}</th><th>${msg("invalid")}</th></tr></thead>
        <tbody>${summary.runs.map((run) => this.renderCounts(run, visible(run.runDir) || "–"))}</tbody>
        <tfoot>${this.renderCounts(summary.totals, msg("allRuns2"))}</tfoot>
      </table></div>
      <h3>${msg("howWasBuilt")}</h3>
      <dl>${this.facts(m).map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>`;
  }
  private renderHeld({ what, most, found, ratio }: Held): TemplateResult {
    // As a trainer compares them: as numbers of 32 bits.
    const broken = most !== null && (ratio ? Math.fround(found) > Math.fround(most) : found > most);
    const text = (n: number): string => (ratio ? percent(n, 2) : count(n));
    return html`<tr class=${broken ? "broken" : ""}><td>${what}</td><td>${text(found)}</td>
      <td>${most === null ? "–" : text(most)}</td><td>${most === null ? "" : broken ? html`<span class="bad">${msg("broken2")}</span>` : html`<span class="good">✓</span>`}</td></tr>`;
  }
  private renderCounts(c: WarehouseCounts, name: string): TemplateResult {
    const bad = (n: number): TemplateResult => html`<td class=${n > 0 ? "bad" : ""}>${count(n)}</td>`;
    return html`<tr><td>${name}</td><td>${count(c.total)}</td><td>${count(c.nonEmpty)}</td><td>${count(c.empty)}</td>
      ${bad(c.missingImage)}${bad(c.missingFile)}${bad(c.invalid)}</tr>`;
  }
  private facts(m: WarehouseManifest): [string, string][] {
    const { targetSize, resizeMode, maxBoxes } = m.transform;
    return [
      [msg("version2"), m.version],
      [msg("built"), moment(m.createdAtMs)],
      [msg("by"), msg("codeVersion", { codeVersion: visible(m.codeVersion) })],
      [msg("from"), visible(m.datasetRoot)],
      [
        msg("pictures2"),
        `${targetSize ? `${targetSize[0]} × ${targetSize[1]}, ` : ""}${resizeMode}, ${m.defaultDtype}`,
      ],
      [msg("placesBoxes"), count(maxBoxes)],
      [msg("shards"), count(m.shards.length)],
      [common("classes"), m.classes ? visible(m.classes.join(", ")) : msg("notNamed2")],
    ];
  }
}
