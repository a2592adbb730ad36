/** What is done to many samples at once: another class, tags, and leaving them out. Fetched when editing begins. */
import { LitElement, css, html, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import type { Json } from "../../../lib/src/model/index.ts";
import { walkRecords } from "../samples/walk.ts";
import "../ui/menu.ts";
import type { DrawingController } from "./drawing-controller.ts";
import type { Marked, Review, Said } from "./history.ts";
import { relabeled, type Shape } from "./shape.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/drawing.ts";

/** Classes that are offered; of more one is written. */
const OFFERED = 200;

/** `<forebay-bulk>`. */
@customElement("forebay-bulk")
export class Bulk extends LitElement {
  static override styles = [
    controls,
    css`
      :host { display: contents; }
      .sheet { display: grid; gap: 12px; width: 260px; }
      form { display: grid; gap: 6px; }
    `,
  ];
  @property({ attribute: false }) drawing!: DrawingController;
  @property({ attribute: false }) picked: ReadonlySet<number> = new Set();
  @state() private from = "";
  @state() private text = "";
  @state() private tags = "";

  private mark(kind: Marked, said: Said | null = null): void {
    this.drawing.many(this.picked, { index: null, kind: "other" }, (journal, i, group) =>
      journal.mark(kind, i, group, said),
    );
  }
  private judge(review: Review): void {
    this.drawing.many(this.picked, { index: null, kind: "review", review }, (journal, i, group) =>
      journal.review(i, review, group),
    );
  }
  private tag(e: Event): void {
    e.preventDefault();
    const add = this.tags.split(",").flatMap((tag) => tag.trim() || []);
    if (add.length > 0) this.mark("tag", { add, remove: [] });
  }
  /** Gives the boxes of a class, or all, another class; an image with boxes that cannot be drawn stays as it is. */
  private async relabel(e: Event): Promise<void> {
    e.preventDefault();
    const { drawing, from } = this;
    const [to, data] = [this.text.trim(), drawing.of.data()];
    if (to === "" || !data) return;
    const found = new Map<number, readonly Shape[]>();
    let lost = 0;
    const visit = (i: number, record: Json): void => {
      const { width, height } = data.info(i);
      const { shapes, whole } = drawing.shapesIn(i, record, width, height);
      const isMeant = ({ label }: Shape): boolean => label !== to && (from === "" || label === from);
      if (!shapes.some(isMeant)) return;
      if (whole)
        found.set(
          i,
          shapes.map((shape) => (isMeant(shape) ? relabeled(shape, to) : shape)),
        );
      else lost++;
    };
    await drawing.tried(async () => {
      const samples = Uint32Array.from(this.picked).sort();
      await walkRecords(data, visit, { signal: drawing.of.signal(), samples });
      drawing.learn([to]);
      drawing.many(found.keys(), { index: null, kind: "labels" }, (journal, i, group) =>
        journal.draw(i, found.get(i)!, null, { group }),
      );
      if (lost > 0) drawing.of.warn(msg("samplesLeft", { lost }));
    });
  }
  override render(): TemplateResult {
    const names = this.drawing.classes.names.slice(0, OFFERED);
    const gone = [...this.picked].every((i) => this.drawing.history?.isRemoved(i));
    return html`
      <button @click=${() => this.judge("accepted")}>${common("accept")}</button><button @click=${() => this.judge("rejected")}>${common("reject")}</button>
      <forebay-menu label=${common("change")}><div class="sheet">
      <form @submit=${this.relabel}>
        <select aria-label=${msg("boxesOf")} @change=${(e: Event) => (this.from = (e.target as HTMLSelectElement).value)}>
          <option value="">${msg("everyBox")}</option>${names.map((name) => html`<option value=${name}>${visible(name)}</option>`)}</select>
        <input list="names" aria-label=${msg("newClassOfBoxes")} placeholder=${msg("newClassOfBoxes")} .value=${this.text}
          @input=${(e: Event) => (this.text = (e.target as HTMLInputElement).value)} />
        <datalist id="names">${names.map((name) => html`<option value=${name}></option>`)}</datalist>
        <button>${msg("relabel")}</button>
      </form>
      <form @submit=${this.tag}>
        <input aria-label=${msg("tags")} placeholder=${msg("tags")} .value=${this.tags}
          @input=${(e: Event) => (this.tags = (e.target as HTMLInputElement).value)} />
        <button>${msg("addTags")}</button>
      </form>
      <button @click=${() => this.mark(gone ? "restore" : "remove")}>${gone ? msg("restoreSamples") : msg("deleteSamples")}</button>
      <p class="muted">${msg("allUndoneAsOne", { undo: common("undo") })}</p></div></forebay-menu>`;
  }
}
