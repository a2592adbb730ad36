/** What is said above the samples: damage, and how far the headers of a growing file are read. */
import { html, nothing, type TemplateResult } from "lit";
import type { Dataset, OpenProgress } from "../../../lib/src/model/index.ts";
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
