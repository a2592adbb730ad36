/** What is said above the samples: damage, and how far the headers of a growing file are read. */
import { html, nothing, type TemplateResult } from "lit";
import type { Dataset, OpenProgress, Table, WarehouseManifest } from "../../../lib/src/model/index.ts";
import { visible } from "../ui/visible.ts";
import type { ListedBy } from "../files/picture-lists.ts";
import type { LabelController } from "./label-controller.ts";
import { bytes, percent, trouble } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/shell.ts";

/** What is wrong with the file, as far as opening it tells; `lost` samples have damaged entries in the index. */
export function damageNotice(dataset: Dataset, lost: number, check: () => void): TemplateResult | typeof nothing {
  const { damage, length } = dataset;
  if (damage) {
    const what =
      // Of samples, only those of a list know the line that they come from.
      damage.line !== undefined
        ? msg("linesHaveNoPicture")
        : damage.kind === "damaged"
          ? msg("fileDamagedWhatComesBefore")
          : msg("readingEndedEarlyWhatWas");
    return notice(what, trouble(damage).message, html`<code>${damage.code}</code>`);
  }
  if (holdsZeros(dataset)) {
    const why = msg("fileLikeIfDownloadEnded");
    return notice(msg("fileHoldsOnlyZeros"), why);
  }
  if (lost === 0) return nothing;
  const why = msg("samplesCannotReadTheirEntries", { lost, length });
  return notice(msg("fileDamagedEndsTooEarly"), why, html`<button @click=${check}>${msg("checkIt")}</button>`);
}

const notice = (what: string, why: string, more: unknown = nothing): TemplateResult =>
  html`<div class="notice" role="alert"><span><b>${what}</b> ${why}</span>${more}</div>`;

/** How far the headers are read. */
export function growthNotice({ bytes: at, totalBytes, samples }: OpenProgress): TemplateResult {
  const part = totalBytes > 0 ? at / totalBytes : 0;
  return html`
    <div class="growing">
      <span>${msg("readingHeadersFilesFound", { samples })}</span>
      <progress aria-label=${msg("headersRead")} max="1" .value=${part}></progress>
      <span>${msg("ofAtTotalBytesPart", { at: bytes(at), totalBytes: bytes(totalBytes), part: percent(part) })}</span>
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
  const what = msg("warehouseBreaksThresholds", { violations: violations.length });
  return notice(what, msg("trainerRefuses"), html`<button @click=${show}>${msg("validation")}</button>`);
}

/** The column of a table that holds pictures, or names them, which can be shown as samples. */
export function picturesNotice(
  table: Table,
  listed: ListedBy | null,
  show: (column: string) => void,
): TemplateResult | typeof nothing {
  if (listed) {
    const name = { name: html`<b>${visible(listed.field)}</b>` };
    if (!listed.reachable)
      return html`<div class="labels" role="status"><span>${rich("fieldNamesPicturesBeside", name)}</span></div>`;
    return html`<div class="labels" role="status"><span>${rich("fieldNamesPictures", name)}</span>
    <button @click=${() => show(listed.field)}>${msg("showAsSamples")}</button></div>`;
  }
  const column = table.schema[table.metadata.pictures?.[0] ?? -1];
  if (!column) return nothing;
  return html`<div class="labels" role="status"><span>${rich("columnMayHoldPictures", { name: html`<b>${visible(column.name)}</b>` })}</span>
    <button @click=${() => show(column.name)}>${msg("showAsSamples")}</button></div>`;
}

/** Names that are listed. */
const LISTED = 200;

/** The label file that lies over the dataset, and what of it is not a sample. */
export function labelNotice(
  { given, reading, progress, failure }: LabelController,
  remove: () => void,
  cancel: () => void,
): TemplateResult | typeof nothing {
  if (failure)
    return notice(
      msg("labelsCannotRead"),
      failure.message,
      html`${failure.code ? html`<code>${failure.code}</code>` : nothing}<button @click=${remove}>${common("close")}</button>`,
    );
  if (reading)
    return html`<div class="labels" role="group" aria-label=${common("labels")}>
      <span role="status">${msg("readingLabels", { reading: visible(reading) })}</span>
      ${
        progress
          ? html`<progress aria-label=${msg("namesRead")} max=${progress.total} .value=${progress.done}></progress>`
          : nothing
      }
      <button @click=${cancel}>${common("cancel")}</button></div>`;
  if (!given) return nothing;
  const { name, format, matched, unmatched, unlabelled, notes } = given;
  const list = (title: string, lines: readonly string[]): TemplateResult | typeof nothing =>
    lines.length === 0
      ? nothing
      : html`<details><summary>${title}</summary><ul>${lines.slice(0, LISTED).map((line) => html`<li>${visible(line)}</li>`)}</ul>
        ${lines.length > LISTED ? html`<p>${msg("andMore", { lines: lines.length - LISTED })}</p>` : nothing}</details>`;
  const of = { name: html`<b>${visible(name)}</b>`, format, matched };
  return html`<div class="labels" role="group" aria-label=${common("labels")}>
    <span>${unlabelled > 0 ? rich("boxesSamplesNothingOf", { ...of, unlabelled }) : rich("boxesSamples", of)}</span>
    ${list(msg("namesWithoutSample", { unmatched: unmatched.length }), unmatched)}
    ${list(msg("notes", { notes: notes.length }), notes)}
    <button @click=${remove}>${common("remove")}</button></div>`;
}
