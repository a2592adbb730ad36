/** What a warehouse says of itself: how it was built, what became of the frames, and which thresholds that breaks. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import type { WarehouseCounts, WarehouseManifest } from "../../../lib/src/model/index.ts";
import { controls, factStyles, figureStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { count, plural } from "../ui/wording.ts";

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
    { what: "invalid frames", most: m.maxInvalid, found: t.invalid, ratio: false },
    { what: "missing frames", most: m.maxMissing, found: missing, ratio: false },
    { what: "empty frames", most: m.maxEmpty, found: t.empty, ratio: false },
    { what: "invalid of all", most: m.maxInvalidRatio, found: t.invalid / all, ratio: true },
    { what: "missing of all", most: m.maxMissingRatio, found: missing / all, ratio: true },
    { what: "empty of all", most: m.maxEmptyRatio, found: t.empty / all, ratio: true },
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
    dialog {
      width: min(860px, calc(100vw - 24px));
    }
    .body {
      overflow: auto;
      max-height: min(640px, calc(100vh - 120px));
    }
    .verdict {
      margin: 0 0 6px;
      font-size: 17px;
      font-weight: 650;
    }
    .good {
      color: var(--good);
    }
    td:first-child {
      white-space: normal;
      overflow-wrap: anywhere;
    }
    tfoot td {
      font-weight: 650;
      border-bottom: 0;
    }
    .broken {
      background: var(--bad-soft);
    }
    dl {
      font-size: 13px;
    }
  `,
  ];
  @property({ attribute: false }) manifest: WarehouseManifest | null = null;
  @query("dialog") private dialog!: HTMLDialogElement;

  show(): void {
    this.dialog.showModal();
  }
  override render(): TemplateResult {
    return html`
      <dialog aria-labelledby="title" @keydown=${(e: Event) => {
        if (this.dialog.open) e.stopPropagation();
      }}>
        <div class="head"><h2 id="title">Validation</h2><button class="bare icon" aria-label="Close"
          @click=${() => this.dialog.close()}>✕</button></div>
        <div class="body" tabindex="0" role="group" aria-label="Validation">${this.manifest ? this.renderAll(this.manifest) : nothing}</div>
      </dialog>`;
  }
  private renderAll(m: WarehouseManifest): TemplateResult {
    const { violations, summary } = m;
    const some = violations.length > 0;
    return html`
      <p class="verdict ${some ? "bad" : "good"}">${some ? `✗ Breaks ${plural(violations.length, "threshold")}: a trainer refuses it` : "✓ Within its thresholds"}</p>
      ${violations.map((text) => html`<p class="bad">${visible(text)}</p>`)}
      <h3>Thresholds</h3>
      <div class="wide" tabindex="0" role="group" aria-label="Thresholds"><table>
        <thead><tr><th>Of all runs</th><th>Found</th><th>At most</th><th><span class="visually-hidden">Verdict</span></th></tr></thead>
        <tbody>${heldTo(m).map((held) => this.renderHeld(held))}</tbody>
      </table></div>
      <h3>Frames by cause</h3>
      <div class="wide" tabindex="0" role="group" aria-label="Frames by cause"><table>
        <thead><tr><th>Run</th><th>Good</th><th>With boxes</th><th>Empty</th><th>Not named</th><th>Not there</th><th>Invalid</th></tr></thead>
        <tbody>${summary.runs.map((run) => this.renderCounts(run, visible(run.runDir) || "–"))}</tbody>
        <tfoot>${this.renderCounts(summary.totals, "all")}</tfoot>
      </table></div>
      <h3>How it was built</h3>
      <dl>${this.facts(m).map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>`;
  }
  private renderHeld({ what, most, found, ratio }: Held): TemplateResult {
    // As a trainer compares them: as numbers of 32 bits.
    const broken = most !== null && (ratio ? Math.fround(found) > Math.fround(most) : found > most);
    const text = (n: number): string => (ratio ? `${+(100 * n).toFixed(2)} %` : count(n));
    return html`<tr class=${broken ? "broken" : ""}><td>${what}</td><td>${text(found)}</td>
      <td>${most === null ? "–" : text(most)}</td><td>${most === null ? "" : broken ? html`<span class="bad">✗ broken</span>` : html`<span class="good">✓</span>`}</td></tr>`;
  }
  private renderCounts(c: WarehouseCounts, name: string): TemplateResult {
    const bad = (n: number): TemplateResult => html`<td class=${n > 0 ? "bad" : ""}>${count(n)}</td>`;
    return html`<tr><td>${name}</td><td>${count(c.total)}</td><td>${count(c.nonEmpty)}</td><td>${count(c.empty)}</td>
      ${bad(c.missingImage)}${bad(c.missingFile)}${bad(c.invalid)}</tr>`;
  }
  private facts(m: WarehouseManifest): [string, string][] {
    const { targetSize, resizeMode, maxBoxes } = m.transform;
    return [
      ["Version", m.version],
      ["Built", new Date(m.createdAtMs).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })],
      ["By", `code version ${visible(m.codeVersion)}`],
      ["From", visible(m.datasetRoot)],
      ["Pictures", `${targetSize ? `${targetSize[0]} × ${targetSize[1]}, ` : ""}${resizeMode}, ${m.defaultDtype}`],
      ["Places for boxes", count(maxBoxes)],
      ["Shards", count(m.shards.length)],
      ["Classes", m.classes ? visible(m.classes.join(", ")) : "not named"],
    ];
  }
}
