/** A label file beside the open dataset: which of its pictures are which samples, and which are none. */
import type { ReactiveControllerHost } from "lit";
import type { Dataset, LabelInput, Project, Table } from "../../../lib/src/model/index.ts";
import type { Engine } from "../files/engine.ts";
import type { FindBoxes, boxesOf } from "../samples/box-source.ts";
import type { Meaning } from "../../../lib/src/base/boxes.ts";
import type { GivenLabels } from "../samples/label-matching.ts";
import { keep, recall } from "../ui/remembered.ts";
import { giveColors } from "../samples/colors.ts";
import { isAbort, trouble, type Trouble } from "../ui/wording.ts";
import { msg } from "../messages/shell.ts";

/** What it needs of the page around it. */
export interface LabelHost {
  readonly engine: () => Engine;
  readonly data: () => Dataset | null;
  readonly signal: () => AbortSignal;
  readonly say: (text: string) => void;
  /** Boxes come from elsewhere now. */
  readonly changed: () => void;
  /** A project says which classes there are, or none does any more. */
  readonly followed: () => void;
}

/** Whether a file says that it is a project. */
const isProject = async (file: Blob): Promise<boolean> => /"forebay_project"/.test(await file.slice(0, 4096).text());

/** Reads labels, and finds the samples of their pictures. */
export class LabelController {
  given: GivenLabels | null = null;
  reading: string | null = null;
  /** How far the names of the samples are read, once the labels are. */
  progress: { readonly done: number; readonly total: number } | null = null;
  failure: Trouble | null = null;
  /** What people said that the boxes in the metadata mean: for drawing, counting and exporting. */
  meaning: Meaning = {};
  /** What the next file was asked for as. */
  private asked: "labels" | "project" = "labels";
  /** The classes of the dataset, with their numbers, colors and keys. */
  project: Project | null = null;
  private own: { readonly of: Dataset; readonly find: FindBoxes } | null = null;

  /** Counts wishes: what came before the last is not shown any more. */
  private turn = 0;
  private work: AbortController | undefined;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly of: LabelHost,
  ) {}

  /** A dataset is open: the project of an earlier visit counts. */
  settle({ name }: Dataset | Table): void {
    const kept = recall(`project ${name}`);
    if (kept) this.use(JSON.parse(kept) as Project);
  }
  private use(project: Project | null): void {
    this.project = project;
    giveColors(project?.classes ?? []);
    this.of.followed();
    this.host.requestUpdate();
  }
  /** Takes another project, or none, and remembers that. */
  follow(project: Project | null): void {
    keep(`project ${this.of.data()?.name}`, project ? JSON.stringify(project) : "");
    this.use(project);
  }
  /** Another dataset. */
  reset(): void {
    this.meaning = {};
    this.use(null);
    this.own = null;
    this.clear();
  }
  private clear(): void {
    this.turn++;
    this.work?.abort();
    this.given = this.reading = this.failure = this.progress = null;
    this.host.requestUpdate();
  }
  /** The dataset's own boxes again. */
  remove(): void {
    this.clear();
    this.of.changed();
  }
  /** Where the boxes of a dataset come from; `own` finds its own. */
  find(dataset: Dataset, own: typeof boxesOf): FindBoxes {
    if (this.given) return this.given.find;
    if (this.own?.of !== dataset) this.own = { of: dataset, find: own(dataset, this.meaning) };
    return this.own.find;
  }
  /** Somebody says what the boxes in the metadata mean. */
  mean(meaning: Meaning): void {
    this.meaning = meaning;
    this.own = null;
    this.host.requestUpdate();
    this.of.changed();
  }

  /** Ends the reading; what lay over the dataset before stays. */
  cancel(): void {
    this.turn++;
    this.work?.abort();
    this.reading = this.progress = null;
    this.host.requestUpdate();
  }
  /** Asks for a file of labels, or for a project. */
  ask(what: "labels" | "project", input: HTMLInputElement | null): void {
    this.asked = what;
    if (!input) return;
    input.oncancel = () => (this.asked = "labels");
    input.click();
  }
  async open(input: LabelInput, name: string): Promise<void> {
    const dataset = this.of.data();
    const { labels } = this.of.engine();
    if (!dataset || !labels) return;
    const { asked } = this;
    this.asked = "labels";
    const turn = ++this.turn;
    const late = (): boolean => turn !== this.turn || this.of.data() !== dataset;
    this.work?.abort();
    const work = (this.work = new AbortController());
    this.failure = this.progress = null;
    this.reading = name;
    this.host.requestUpdate();
    try {
      if (dataset.format === "warehouse") throw new Error(msg("warehousesPicturesWereResizedWhen"));
      if (input instanceof Blob && (asked === "project" || (await isProject(input)))) {
        const project = await labels.project(input);
        if (late()) return;
        this.follow(project);
        return this.of.say(msg("projectClasses", { name, classes: project.classes.length }));
      }
      const signal = AbortSignal.any([work.signal, this.of.signal()]);
      const read = await labels.read(input, { name, signal });
      await dataset.whole;
      const { matched } = await import("../samples/label-matching.ts");
      const given = await matched(labels, dataset, read, name, signal, (done, total) => {
        if (late()) return;
        this.progress = { done, total };
        this.host.requestUpdate();
      });
      if (late()) return;
      this.given = given;
      this.of.say(msg("labelsSamples", { name, matched: given.matched }));
      this.of.changed();
    } catch (e) {
      if (!isAbort(e) && !late()) this.failure = trouble(e);
    } finally {
      if (turn === this.turn) this.reading = this.progress = null;
      this.host.requestUpdate();
    }
  }
}
