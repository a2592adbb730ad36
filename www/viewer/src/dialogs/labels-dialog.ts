/** Labels: read from a file beside the dataset, and written in the format of a labeling tool. */
import { LitElement, css, html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type {
  Dataset,
  ExportedLabels,
  FolderSink,
  LabelAnnotation,
  LabelPicture,
  Labels,
  Progress,
  Project,
  WrittenLabelFormat,
  WrittenLabels,
} from "../../../lib/src/model/index.ts";
import type { DrawnJournal } from "../drawing/journal.ts";
import type { KeepLabels, LabelsKept } from "../drawing/keeping.ts";
import { blobSink, type BlobSink } from "../files/blob-sink.ts";
import type { Engine } from "../files/engine.ts";
import { isEdited } from "../files/edited.ts";
import { TarFile } from "../files/tar.ts";
import { download } from "../files/targets.ts";
import type { FindBoxes } from "../samples/box-source.ts";
import { isGuess, type Meaning, type Question } from "../../../lib/src/base/boxes.ts";
import type { GivenLabels } from "../samples/label-matching.ts";
import { DrawnLabels } from "../samples/drawn-labels.ts";
import { framed, showModal } from "../ui/modal.ts";
import { choiceStyles, controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count, isAbort, stem, trouble, type Trouble } from "../ui/wording.ts";
import { joined, meaningForm } from "./meaning-form.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/dialogs.ts";

/** What is written, and whether it is one file. */
const FORMATS: readonly (readonly [WrittenLabelFormat, string, string | null])[] = [
  ["coco", "COCO", "json"],
  ["yolo", "YOLO", null],
  ["voc", "Pascal VOC", null],
  ["cvat", "CVAT", "xml"],
  ["labelstudio", "Label Studio", "json"],
  ["labelme", "LabelMe", null],
  ["via", "VIA", "json"],
  ["createml", "CreateML", "json"],
];

/** What is to be written. */
interface Wanted {
  readonly data: Dataset;
  readonly indexes: ArrayLike<number> | null;
  readonly to: WrittenLabelFormat;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Samples that are looked at for what the file does not state. */
const LOOKED_AT = 16;

/** What was written, and the file to save. */
interface Made {
  readonly written: WrittenLabels;
  readonly file: Blob;
}

/** What keeps a picture out of a file altogether. */
const LEFT_OUT: ReadonlySet<string> = new Set(["size_missing", "unlabelled", "empty"]);
const leftOut = ({ losses }: WrittenLabels): number =>
  losses.reduce((sum, { cause, count }) => sum + (LEFT_OUT.has(cause) ? count : 0), 0);

/** Where a format goes to, and the file that comes of it: several files are an archive. */
function outputOf(to: WrittenLabelFormat): { output: BlobSink | FolderSink; file: () => Blob } {
  if (FORMATS.some(([format, , extension]) => format === to && extension)) {
    const sink = blobSink();
    return { output: sink, file: sink.blob };
  }
  const tar = new TarFile();
  const put = async (path: string, content: Uint8Array): Promise<void> =>
    tar.add(path, new Blob([content as BlobPart]));
  return { output: { put }, file: () => tar.blob() };
}

/** `<forebay-labels>`: sends `choose` where a label file is to be chosen, and `mean` with what boxes mean. */
@customElement("forebay-labels")
export class LabelsDialog extends LitElement {
  static override styles = [
    controls,
    choiceStyles,
    css`
      section + section { margin-top: 18px; }
      ul { margin: 6px 0 0; padding-inline-start: 20px; font-size: 13px; color: var(--ink-2); }
      /* Whatever is above it, what one came for is in sight. */
      .export {
        position: sticky; bottom: -18px; margin: 0 -18px; padding: 10px 18px 18px; border-top: 1px solid var(--line);
        background: var(--card);
      }
      .meaning { display: block; margin-top: 8px; }
    `,
  ];
  @property({ attribute: false }) engine!: Engine;
  @property({ attribute: false }) data: Dataset | null = null;
  @property({ attribute: false }) kept: Uint32Array | null = null;
  @property({ attribute: false }) picked: ReadonlySet<number> = new Set();
  /** What is drawn over the pictures. */
  @property({ attribute: false }) find: FindBoxes | null = null;
  /** A label file that lies over the dataset: what it says is written. */
  @property({ attribute: false }) given: GivenLabels | null = null;
  /** Keeps the label file's boxes as edits, if that can be. */
  @property({ attribute: false }) keep: KeepLabels | null = null;
  /** What people said that the boxes in the metadata mean, */
  @property({ attribute: false }) meaning: Meaning = {};
  /** What gives the classes their numbers. */
  @property({ attribute: false }) project: Project | null = null;
  /** and what is asked of it. */
  @state() private questions: readonly Question[] = [];
  /** The edits that were made. */
  @property({ attribute: false }) journal: DrawnJournal | null = null;
  @state() private keeping: { readonly done: number } | { readonly kept: LabelsKept } | null = null;
  @state() private to: WrittenLabelFormat = "coco";
  @state() private progress: { done: number; total: number } | null = null;
  @state() private done: { readonly name: string; readonly written: WrittenLabels } | null = null;
  @state() private failure: Trouble | null = null;
  @query("dialog") private dialog!: HTMLDialogElement;
  private work: AbortController | undefined;
  /** Labels become edits. */
  private keepWork: AbortController | undefined;

  show(questions: readonly Question[] = []): void {
    this.done = this.failure = this.keeping = null;
    this.questions = questions;
    showModal(this.dialog);
    const { data } = this;
    if (data) void this.look(Array.from({ length: Math.min(LOOKED_AT, data.length) }, (_, i) => i));
  }
  /** Finds out what the file does not state of some samples. */
  private async look(samples: readonly number[]): Promise<void> {
    const { data, find, given } = this;
    if (!data || !find || given || data.format === "warehouse") return;
    for (const i of samples) {
      // What cannot be read is said where it is needed.
      const record = await data.record(i).catch(() => null);
      if (this.data !== data || !this.dialog.open) return;
      const { width, height } = data.info(i);
      const { questions = [] } = find(i, record, width, height);
      if (questions.length > 0) this.questions = joined(this.questions, questions);
    }
  }
  private readonly stop = (): void => {
    this.work?.abort();
    this.keepWork?.abort();
  };
  private close(): void {
    this.stop();
    this.dialog.close();
  }
  private get indexes(): number[] | Uint32Array | null {
    return this.picked.size > 0 ? [...this.picked].sort((a, b) => a - b) : this.kept;
  }

  private async keepAll(): Promise<void> {
    const { keep } = this;
    if (!keep) return;
    const work = (this.keepWork = new AbortController());
    this.failure = null;
    this.keeping = { done: 0 };
    try {
      this.keeping = { kept: await keep(work.signal, (done) => (this.keeping = { done })) };
    } catch (e) {
      this.keeping = null;
      if (!isAbort(e)) this.failure = trouble(e);
    }
  }
  private async export(): Promise<void> {
    const { data, to, indexes } = this;
    if (!data) return;
    const work = (this.work = new AbortController());
    const { signal } = work;
    this.done = this.failure = null;
    const total = indexes?.length ?? data.length;
    this.progress = { done: 0, total };
    try {
      const onProgress = ({ samples }: Progress): void => {
        this.progress = { done: samples, total };
      };
      const wanted = { data, indexes, to, signal, onProgress };
      const { file, written } = (await this.directly(wanted)) ?? (await this.throughPage(wanted));
      if (total > 0 && leftOut(written) >= total) {
        const losses = written.losses.map((loss) => `${visible(loss.meaning)}: ${count(loss.count)}`).join("; ");
        throw new Error(msg("everyPictureLeftOut", { losses }));
      }
      const [, , extension] = FORMATS.find(([format]) => format === to)!;
      const name = `${stem(data.name, "dataset")}-${to}.${extension ?? "tar"}`;
      download(file, name);
      this.done = { name, written };
    } catch (e) {
      if (!isAbort(e)) this.failure = trouble(e);
      // The sample that it is about may be another than those that were looked at.
      const { sample } = e as { sample?: unknown };
      if (isAmbiguous(e) && typeof sample === "number") void this.look([sample]);
    } finally {
      if (this.work === work) this.progress = null;
    }
  }

  /**
   * In one go, as the package does it, with the changes that were made; nothing where more is drawn than the package finds by
   * itself. What could mean several things is refused, as everywhere, until somebody says what it means.
   */
  private async directly({ data, indexes, to, signal, onProgress }: Wanted): Promise<Made | null> {
    const { find, given, journal, meaning, project } = this;
    const changed = journal?.changes === true;
    // A journal stands for all samples.
    if (given || !isEdited(data) || (changed && indexes)) return null;
    const { output, file } = outputOf(to);
    const how = { signal, onProgress, ...meaning, ...(project && { project }) };
    try {
      const write = this.engine.labels.export;
      const written: ExportedLabels | null = changed
        ? await journal.with((edits) => write(edits, to, output, how))
        : await write(data, to, output, { ...how, ...(indexes && { indexes }) });
      return written && (changed || !find || written.unlabelled === 0) ? { written, file: file() } : null;
    } catch (e) {
      if (isAmbiguous(e) || !trouble(e).code?.startsWith("label.")) throw e;
      return null;
    }
  }

  /** The same through objects in the page. */
  private async throughPage({ data, indexes, to, signal, onProgress }: Wanted): Promise<Made> {
    const { labels } = this.engine;
    const { journal, project } = this;
    const options = { signal, onProgress, ...(indexes && { indexes }) };
    // A picture that was changed has all that its record says then, and not only what is drawn of it.
    const edited = journal?.changes
      ? await journal.with(async (edits) => {
          const { editedDataset } = await import("../drawing/edited-dataset.ts");
          const of = editedDataset(data, edits, journal.history, indexes);
          return { ...of, found: await labels.of(of.dataset, { ...options, indexes: of.indexes }) };
        })
      : null;
    const found = edited?.found ?? (await labels.of(data, options));
    const { output, file } = outputOf(to);
    const drawn = await this.drawn(data, edited?.indexes ?? indexes, found, edited !== null, signal);
    const written = await labels.write(drawn, to, output, { signal, ...(project && { project }) });
    return { written, file: file() };
  }

  /** What is drawn where the package finds nothing, or where a label file lies over it. */
  private async drawn(
    data: Dataset,
    indexes: ArrayLike<number> | null,
    found: Labels,
    edited: boolean,
    signal: AbortSignal,
  ): Promise<Labels> {
    const { find, given, journal } = this;
    if (!find || data.format === "warehouse") return found;
    const all = new DrawnLabels(given?.classes ?? found.classes);
    const pictures: LabelPicture[] = [];
    for (const [k, picture] of found.pictures.entries()) {
      const i = indexes?.[k] ?? k;
      // What was changed is as it is drawn.
      const changed = journal !== null && journal.history.shapesOf(i) !== null;
      if (changed && edited) {
        const nameOf = ({ class: k }: LabelAnnotation): string =>
          k === undefined ? "" : (found.classes[k]?.name ?? "");
        pictures.push({ ...picture, annotations: picture.annotations.map((one) => all.named(one, nameOf(one))) });
        continue;
      }
      if (!given && !changed && (!picture.unlabelled || picture.annotations.length > 0)) {
        pictures.push(picture);
        continue;
      }
      // The index of a TAR does not say it, and what the labels were read with does.
      const { width = 0, height = 0 } = picture;
      const annotations = find(i, await data.record(i, { signal }), width, height);
      if (isGuess(annotations)) throw Object.assign(new Error(msg("sayHowBoxesRead")), { code: AMBIGUOUS, sample: i });
      const { boxes, looked } = annotations;
      const { unlabelled: _, ...rest } = picture;
      // Who took all boxes away has looked.
      pictures.push(
        boxes.length > 0 || changed || looked
          ? { ...rest, annotations: all.of(boxes) }
          : { ...rest, unlabelled: true, annotations: [] },
      );
    }
    return { classes: all.classes, pictures };
  }

  override render(): TemplateResult {
    const body = html`
          ${this.data?.format === "warehouse" ? nothing : this.renderImport()}
          ${this.given && this.keep ? this.renderKeep(this.given.matched) : nothing}
          ${meaningForm(this.given ? [] : this.questions, this.meaning, (detail) => this.dispatchEvent(new CustomEvent("mean", { detail })))}
          ${this.renderExport()}`;
    return framed(common("labels"), () => this.close(), body);
  }
  private choose(what: "labels" | "project"): void {
    this.close();
    this.dispatchEvent(new CustomEvent("choose", { detail: what }));
  }
  private renderImport(): TemplateResult {
    return html`<section><h3>${msg("showThoseFile")}</h3>
      <p class="muted">${msg("cocoCvatLabelStudioVia")}</p>
      <button @click=${() => this.choose("labels")}>${msg("chooseLabelFile")}</button></section>
      <section><h3>${msg("projectOfClasses")}</h3>
      <p class="muted">${this.project ? msg("projectInUse", { classes: this.project.classes.length }) : msg("projectGivesNumbers")}</p>
      <button @click=${() => this.choose("project")}>${msg("chooseProject")}</button>
      ${this.project ? html`<button @click=${() => this.dispatchEvent(new CustomEvent("follow"))}>${common("remove")}</button>` : nothing}</section>`;
  }
  private renderKeep(matched: number): TemplateResult {
    const { keeping: k } = this;
    return html`<section><h3>${msg("keepTheseLabelsEdits")}</h3>
      <p class="muted">${msg("boxesPicturesBecomeEditsDataset", { matched })}</p>
      ${
        k && "done" in k
          ? html`<progress aria-label=${msg("labelsKept")} max=${Math.max(1, matched)} .value=${k.done}></progress>
      <p>${msg("ofDoneMatched", { done: k.done, matched })} <button @click=${() => this.keepWork?.abort()}>${common("cancel")}</button></p>`
          : html`<button @click=${this.keepAll}>${msg("keepTheseLabelsEdits")}</button>`
      }
      <div aria-live="polite">${k && "kept" in k ? html`<p class="good">${msg("pictures", { kept: k.kept.pictures })}</p>` : nothing}
        ${k && "kept" in k && k.kept.lost > 0 ? html`<p>${msg("annotationsNotKept", { lost: k.kept.lost })}</p>` : nothing}</div></section>`;
  }
  /** Where what is written comes from. */
  private get source(): string {
    if (this.given) return msg("fromLabelFile");
    return this.journal?.changes ? msg("fromDatasetChanged") : msg("fromDatasetItself");
  }
  private renderExport(): TemplateResult {
    const { progress: p, indexes } = this;
    const many = indexes?.length ?? this.data?.length ?? 0;
    const which =
      this.picked.size > 0
        ? msg("pickedSamples", { many })
        : this.kept
          ? msg("filtersSamples", { many })
          : msg("allSamples", { many });
    return html`<section>
      <fieldset ?disabled=${p !== null}><legend>${msg("writeThem")}</legend><div class="choices">${FORMATS.map(
        ([format, title, extension]) => html`<label><input type="radio" name="to" .checked=${format === this.to}
          @change=${() => (this.to = format)} />${title}${extension ? "" : html` <span class="muted">${common("tar")}</span>`}</label>`,
      )}</div></fieldset>
      <p class="muted">${msg("everythingHappensOnMachine2", { which, rest: this.source })}</p>
      ${
        p
          ? html`<progress aria-label=${msg("labelsRead")} max=${Math.max(1, p.total)} .value=${p.done}></progress>
        <p>${msg("ofDoneTotal", { done: p.done, total: p.total })} <button @click=${() => this.work?.abort()}>${common("cancel")}</button></p>`
          : html`<p class="export"><button class="primary" @click=${this.export}>${msg("exportLabels")}</button></p>`
      }
      <div aria-live="polite">${this.done ? this.renderDone(this.done.name, this.done.written) : nothing}</div>
      ${this.failure ? html`<p class="bad" role="alert">${this.failure.message} ${this.failure.code ? html`<code>${this.failure.code}</code>` : nothing}</p>` : nothing}
    </section>`;
  }
  private renderDone(name: string, { files, bytes: size, losses }: WrittenLabels): TemplateResult {
    return html`<p class="good">✓ ${visible(name)}</p><p class="muted">${msg("filesBrowserDownloads", { files, size: bytes(size) })}</p>
      ${
        losses.length > 0
          ? html`<p>${msg("whatFormatCannotSayWas")}</p>
        <ul>${losses.map((loss) => html`<li>${visible(loss.meaning)}: ${count(loss.count)}</li>`)}</ul>`
          : nothing
      }`;
  }
}

/** What the core and the command say of boxes that could mean several things. */
const AMBIGUOUS = "label.ambiguous";
const isAmbiguous = (e: unknown): boolean => trouble(e).code === AMBIGUOUS;
