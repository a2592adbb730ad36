/** Filters that got a name: chips above the samples or rows, in each of which one is applied or forgotten. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { ICONS } from "../ui/icons.ts";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { LONGEST, keepFilters, recallFilters, withFilter, withoutFilter, type Filters } from "./filters.ts";
import type { SetsOf } from "./sets.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/curating.ts";
import { isComposing } from "../ui/typing.ts";

/** `<forebay-saved>`: sends `filter` with the expression of the one that is clicked. */
@customElement("forebay-saved")
export class SavedFilters extends LitElement {
  static override styles = [
    controls,
    css`
      .row {
        display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding: 8px 10px;
        border-bottom: 1px solid var(--line); font-size: 12.5px;
      }
      .chip { display: inline-flex; max-width: 100%; }
      .chip button, .asks button, .asks input { min-height: 28px; }
      .chip button:first-child {
        min-width: 0; padding-inline-end: 8px; border-radius: 999px; border-start-end-radius: 0;
        border-end-end-radius: 0;
      }
      .chip button:last-child {
        width: 28px; padding: 0; margin-inline-start: -1px; border-radius: 999px; border-start-start-radius: 0;
        border-end-start-radius: 0;
      }
      .chip bdi { overflow: hidden; text-overflow: ellipsis; }
      .chip svg { width: 12px; height: 12px; }
      .asks { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; }
      .asks input { flex: 0 1 240px; min-width: 0; }
      p { flex: 1 1 100%; margin: 0; color: var(--bad); }
    `,
  ];
  /** What they are filters of; nothing while that is not known. */
  @property({ attribute: false }) of: SetsOf | null = null;
  /** The filter that is applied now. */
  @property() expression = "";
  @state() private filters: Filters = new Map();
  @state() private asking = false;
  @state() private trouble = "";
  @query("input") private field!: HTMLInputElement | null;
  private known = "";
  private work: Promise<unknown> = Promise.resolve();

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("of")) return;
    const key = JSON.stringify(this.of);
    if (key === this.known) return;
    this.known = key;
    this.filters = new Map();
    this.trouble = "";
    this.asking = false;
    void this.recall();
  }
  private async recall(): Promise<void> {
    const { of, known } = this;
    const filters = of && (await recallFilters(of));
    if (filters && this.known === known) this.filters = filters;
  }
  /** Asks for the name of the filter that is applied. */
  async ask(): Promise<void> {
    this.asking = true;
    this.trouble = "";
    await this.updateComplete;
    this.field?.select();
  }
  private change(make: (filters: Filters) => Filters): Promise<boolean> {
    const { of, known } = this;
    const done = this.work.then(async () => {
      if (!of || this.known !== known) return false;
      try {
        // Another page may have kept some meanwhile.
        const filters = make((await recallFilters(of)) ?? this.filters);
        const kept = await keepFilters(of, filters);
        if (this.known !== known) return false;
        this.filters = filters;
        this.trouble = kept ? "" : msg("filtersLost");
        return true;
      } catch (e) {
        this.trouble = (e as Error).message;
        return false;
      }
    });
    this.work = done;
    return done;
  }
  private async save(): Promise<void> {
    const { field, expression } = this;
    if (!field || expression === "") return;
    if (!(await this.change((filters) => withFilter(filters, field.value, expression)))) return;
    this.end();
  }
  /** Where the keys go when the question is gone. */
  private end(): void {
    this.asking = false;
    this.dispatchEvent(new CustomEvent("done"));
  }
  private readonly onKey = (e: KeyboardEvent): void => {
    if (isComposing(e)) return;
    if (e.key === "Enter") void this.save();
    else if (e.key === "Escape") this.end();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  private async drop(name: string): Promise<void> {
    await this.change((filters) => withoutFilter(filters, name));
    await this.updateComplete;
    const next = this.renderRoot.querySelector<HTMLElement>(".chip button");
    if (next) next.focus();
    else this.end();
  }

  override render(): TemplateResult | typeof nothing {
    const { filters, asking, trouble, expression, of } = this;
    if (!of || (filters.size === 0 && !asking && !trouble)) return nothing;
    return html`<div class="row" role="group" aria-label=${msg("filtersKept")}>
      ${[...filters].map(
        ([name, text]) => html`<span class="chip"><button title=${visible(text)} aria-pressed=${text === expression}
          @click=${() => this.dispatchEvent(new CustomEvent("filter", { detail: text === expression ? "" : text }))}><bdi>${visible(name)}</bdi></button><button
          aria-label=${msg("filterForget", { name: visible(name) })} title=${msg("filterForgetIt")}
          @click=${() => void this.drop(name)}>${ICONS.close}</button></span>`,
      )}
      ${
        asking
          ? html`<span class="asks"><input aria-label=${msg("filterName")} maxlength=${LONGEST} .value=${expression.slice(0, LONGEST)} @keydown=${this.onKey} />
          <button class="primary" @click=${() => void this.save()}>${msg("filterKeep")}</button>
          <button @click=${() => this.end()}>${common("cancel")}</button></span>`
          : nothing
      }
      ${trouble ? html`<p role="alert">${trouble}</p>` : nothing}</div>`;
  }
}
