/** The dialogs: each is fetched when it is first asked for. */
import type { LitElement, ReactiveControllerHost } from "lit";
import { html, type TemplateResult } from "lit";
import type { Folder, Input, Warehouse } from "../../../lib/src/model/index.ts";
import type { DrawingController } from "../drawing/drawing-controller.ts";
import type { Engine } from "../files/engine.ts";
import type { FindBoxes } from "../samples/box-source.ts";
import type { Counts } from "../samples/counts.ts";
import type { Meaning } from "../../../lib/src/base/boxes.ts";
import type { ShownTable } from "../tables/table-view.ts";
import type { Clause } from "../ui/clause.ts";
import type { Rows } from "../ui/rows.ts";
import { trouble } from "../ui/wording.ts";
import type { LabelController } from "./label-controller.ts";
import type { OpenController } from "./open-controller.ts";
import { msg } from "../messages/shell.ts";

/** The element of each, and where it comes from. */
const DIALOGS = {
  about: () => import("../dialogs/about-dialog.ts"),
  check: () => import("../dialogs/check-dialog.ts"),
  curate: () => import("../curating/curate-dialog.ts"),
  convert: () => import("../dialogs/convert-dialog.ts"),
  "convert-table": () => import("../dialogs/convert-table-dialog.ts"),
  drift: () => import("../dialogs/drift-dialog.ts"),
  help: () => import("../dialogs/help-dialog.ts"),
  labels: () => import("../dialogs/labels-dialog.ts"),
  thumbs: () => import("../dialogs/thumbs-dialog.ts"),
  compare: () => import("../comparing/compare-dialog.ts"),
  "save-edits": () => import("../dialogs/save-edits-dialog.ts"),
  warehouse: () => import("../dialogs/warehouse-dialog.ts"),
} as const;
export type DialogName = keyof typeof DIALOGS;

/** Those that write what the samples are, with their edits. */
const WRITES: ReadonlySet<DialogName> = new Set(["convert", "labels"]);

/** What they are about. */
export interface DialogState {
  readonly engine: Engine;
  readonly opener: OpenController;
  readonly shown: ShownTable;
  /** What the filter and the facets keep. */
  readonly rows: Rows;
  readonly picked: ReadonlySet<number>;
  readonly find: FindBoxes | null;
  readonly labels: LabelController;
  readonly edits: DrawingController | null;
  readonly counts: Counts;
  /** The page is the viewer's own, and keeps sets of samples. */
  readonly ownPage: boolean;
}

/** What becomes of what is done in them. */
export interface DialogHost {
  readonly state: () => DialogState;
  readonly warn: (text: string) => void;
  /** Edits that nobody saved are gone on with. */
  readonly resume: () => Promise<void> | undefined;
  /** A file that was made is to be looked at. */
  readonly file: (file: File) => void;
  readonly warehouse: (folder: Folder, name: string) => void;
  readonly jump: (i: number) => void;
  readonly reread: () => void;
  readonly chooseLabels: (what: "labels" | "project") => void;
  readonly mean: (meaning: Meaning) => void;
  readonly pick: (samples: number[]) => void;
  /** Shows only these. */
  readonly only: (clause: Pick<Clause, "label" | "samples">) => void;
}

/** Shows them, and draws them. */
export class DialogController {
  constructor(
    private readonly host: ReactiveControllerHost & { readonly renderRoot: ParentNode },
    private readonly of: DialogHost,
  ) {}

  /** Whether one of them has the viewer to itself; one that lost the focus has it still. */
  get busy(): boolean {
    const all = [...this.host.renderRoot.querySelectorAll(Object.keys(DIALOGS).map(elementOf).join())];
    return all.some((one) => one.shadowRoot?.querySelector("dialog[open]"));
  }
  /** Opens one; what it is shown for goes along. */
  readonly show = (name: DialogName, ...about: unknown[]): void => {
    void this.bring(name, about);
  };
  private async bring(name: DialogName, about: unknown[]): Promise<void> {
    try {
      await Promise.all([DIALOGS[name](), WRITES.has(name) && this.of.resume()]);
    } catch (e) {
      return this.of.warn(msg("partViewerCouldNotLoaded", { message: trouble(e).message }));
    }
    const dialog = this.host.renderRoot.querySelector<LitElement & { show(...about: unknown[]): void }>(
      elementOf(name),
    );
    await dialog?.updateComplete;
    if (dialog?.isConnected) dialog.show(...about);
  }

  /** What goes along with requests for an input. */
  private readonly http = (input: Input) => this.of.state().opener.http(input);

  /** All of them; those that were never asked for are empty. */
  render(): TemplateResult {
    const { engine, opener, shown, picked, find, labels, edits, counts, ownPage } = this.of.state();
    const { kept, where, narrowed } = this.of.state().rows;
    const { data, table, found, textual, tooLarge, listed } = opener;
    const [text, growing, journal] = [textual?.text ?? null, opener.growth !== null, edits?.journal ?? null];
    const warehouse = data?.format === "warehouse" ? (data as Warehouse) : null;
    const made = (e: CustomEvent<File>): void => this.of.file(e.detail);
    return html`
      <forebay-convert-table .engine=${engine} .data=${table} .text=${text ?? tooLarge}
        .shown=${shown.columns} .filter=${shown.filter} @open=${made}></forebay-convert-table>
      <forebay-about .data=${found} .text=${text} ?growing=${growing} ?listed=${listed} @forget=${this.of.reread}
        @thumbs=${() => this.show("thumbs")}></forebay-about>
      <forebay-thumbs .engine=${engine} .data=${data}></forebay-thumbs>
      <forebay-compare .engine=${engine} .data=${growing ? null : data} .http=${this.http}
        @jump=${(e: CustomEvent<number>) => this.of.jump(e.detail)}
        @show=${(e: CustomEvent<Pick<Clause, "label" | "samples">>) => this.of.only(e.detail)}></forebay-compare>
      <forebay-check .engine=${engine} .data=${found} .text=${text} ?growing=${growing}
        @jump=${(e: CustomEvent<number>) => this.of.jump(e.detail)}></forebay-check>
      <forebay-convert .engine=${engine} .data=${data} ?growing=${growing} ?edited=${journal?.changes}
        .kept=${kept} .picked=${picked} @open=${made} @save=${() => this.show("save-edits")}></forebay-convert>
      <forebay-labels .engine=${engine} .data=${data} .kept=${kept} .picked=${picked}
        .find=${find} .given=${labels.given} .keep=${edits?.keeper ?? null} .journal=${journal}
        .meaning=${labels.meaning} @mean=${(e: CustomEvent<Meaning>) => this.of.mean(e.detail)} 
        .project=${labels.project} @follow=${() => labels.follow(null)} @choose=${(e: CustomEvent<"labels" | "project">) => this.of.chooseLabels(e.detail)}></forebay-labels>
      <forebay-save-edits .engine=${engine} .data=${data} .journal=${journal} .project=${labels.project} @open=${made}></forebay-save-edits>
      <forebay-curate .engine=${engine} .data=${growing ? null : data} .where=${where} .narrowed=${narrowed ? kept : null} .fields=${counts.metadataFields} .classField=${counts.labelField} ?keeps=${ownPage}
        @pick=${(e: CustomEvent<number[]>) => this.of.pick(e.detail)} @jump=${(e: CustomEvent<number>) => this.of.jump(e.detail)}
        @show=${(e: CustomEvent<Pick<Clause, "label" | "samples">>) => this.of.only(e.detail)}></forebay-curate>
      <forebay-warehouse .manifest=${warehouse?.manifest ?? null}></forebay-warehouse>
      <forebay-drift .engine=${engine} .data=${warehouse}
        @open=${({ detail: d }: CustomEvent<{ folder: Folder; name: string }>) => this.of.warehouse(d.folder, d.name)}></forebay-drift>
      <forebay-help></forebay-help>`;
  }
}

const elementOf = (name: string): string => `forebay-${name}`;
