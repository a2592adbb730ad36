/** What is said above the samples: damage, and how far the headers of a growing file are read. */
import { html, nothing, type TemplateResult } from "lit";
import type { Dataset, OpenProgress, WarehouseManifest } from "../../../lib/src/model/index.ts";
import { visible } from "../ui/visible.ts";
import type { LabelController } from "./label-controller.ts";
import { bytes, count, plural, trouble } from "../ui/wording.ts";

/** What is wrong with the file, as far as opening it tells; `lost` samples have damaged entries in the index. */
export function damageNotice(dataset: Dataset, lost: number, check: () => void): TemplateResult | typeof nothing {
  const { damage, length } = dataset;
  if (damage) {
    const what =
      damage.kind === "damaged"
        ? "This file is damaged. What comes before the damage is shown."
        : "Reading ended early. What was found before is shown.";
    return notice(what, trouble(damage).message, html`<code>${damage.code}</code>`);
  }
  if (holdsZeros(dataset)) {
    const why = "A file is like this if its download ended before it began, or if only its place was made.";
    return notice("This file holds only zeros.", why);
  }
  if (lost === 0) return nothing;
  const many = `${count(lost)} of ${plural(length, "sample")} cannot be read`;
  const why = `${many}: their entries in the index are wrong, or they lie behind the end of the file.`;
  return notice("This file is damaged, or ends too early.", why, html`<button @click=${check}>Check it</button>`);
}

const notice = (what: string, why: string, more: unknown = nothing): TemplateResult =>
  html`<div class="notice" role="alert"><span><b>${what}</b> ${why}</span>${more}</div>`;

/** How far the headers are read. */
export function growthNotice({ bytes: at, totalBytes, samples }: OpenProgress): TemplateResult {
  const part = totalBytes > 0 ? at / totalBytes : 0;
  return html`
    <div class="growing">
      <span>Reading headers: ${plural(samples, "file")} found</span>
      <progress aria-label="Headers read" max="1" .value=${part}></progress>
      <span>${bytes(at)} of ${bytes(totalBytes)}, ${Math.floor(part * 100)} %</span>
    </div>`;
}

/** Bytes that an archive without members has at most, of all zeros: a tape's record. */
const EMPTY_ARCHIVE = 10_240;

/** Zeros alone are a TAR's end, and so an archive in which nothing is: larger than that nobody makes one. */
function holdsZeros({ format, length, damage, growing, byteLength, metadata: m }: Dataset): boolean {
  if (format !== "tar" || length > 0 || damage || growing || byteLength <= EMPTY_ARCHIVE) return false;
  return !m.members && !m.skippedMembers && m.notes.length === 0;
}

/** Thresholds that a warehouse breaks. */
export function thresholdNotice({ violations }: WarehouseManifest, show: () => void): TemplateResult | typeof nothing {
  if (violations.length === 0) return nothing;
  const what = `This warehouse breaks ${plural(violations.length, "threshold")}.`;
  return notice(what, "A trainer refuses it.", html`<button @click=${show}>Validation</button>`);
}

/** Names that are listed. */
const LISTED = 200;

/** The label file that lies over the dataset, and what of it is not a sample. */
export function labelNotice(
  { given, reading, failure }: LabelController,
  remove: () => void,
): TemplateResult | typeof nothing {
  if (failure)
    return notice(
      "The labels cannot be read.",
      failure.message,
      html`${failure.code ? html`<code>${failure.code}</code>` : nothing}<button @click=${remove}>Close</button>`,
    );
  if (reading) return html`<div class="labels" role="status">Reading the labels of ${visible(reading)}…</div>`;
  if (!given) return nothing;
  const { name, format, matched, unmatched, unlabelled, notes } = given;
  const list = (title: string, lines: readonly string[]): TemplateResult | typeof nothing =>
    lines.length === 0
      ? nothing
      : html`<details><summary>${title}</summary><ul>${lines.slice(0, LISTED).map((line) => html`<li>${visible(line)}</li>`)}</ul>
        ${lines.length > LISTED ? html`<p>and ${count(lines.length - LISTED)} more</p>` : nothing}</details>`;
  return html`<div class="labels" role="group" aria-label="Labels">
    <span>Boxes of <b>${visible(name)}</b> (${format}): ${plural(matched, "sample")}${unlabelled > 0 ? `, nothing of ${count(unlabelled)}` : ""}</span>
    ${list(`${plural(unmatched.length, "name")} without a sample`, unmatched)}
    ${list(plural(notes.length, "note"), notes)}
    <button @click=${remove}>Remove</button></div>`;
}
