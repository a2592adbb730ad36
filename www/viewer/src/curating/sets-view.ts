/** Named sets at the side: kept in the browser, shown as facets, taken along as a file. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Dataset } from "../../../lib/src/model/index.ts";
import { download } from "../files/targets.ts";
import { bar, barStyles } from "../ui/bars.ts";
import type { Clause } from "../ui/clause.ts";
import type { Rows } from "../ui/rows.ts";
import { controls, facetStyles } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { stem } from "../ui/wording.ts";
import { keepSets, readSets, recallSets, setsFile, setsKept, withSet, type Sets, type SetsOf } from "./sets.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/curating.ts";
import { isEnter } from "../ui/typing.ts";

/** What a clause of a set is called among the others. */
const keyOf = (name: string): string => `set:${name}`;

/** `<forebay-sets>`: sends `clause` with `{ key, clause }`, and `pick` with the numbers of samples. */
@customElement("forebay-sets")
export class SetsView extends LitElement {
  static override styles = [
    controls,
    barStyles,
    facetStyles,
    css`
      :host { display: block; margin-top: 18px; }
      .row { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 6px; }
      .row input.name { min-width: 0; flex: 1 0 100%; }
      .set { display: flex; gap: 4px; }
      .set .bar { flex: 1; min-width: 0; }
      .set .icon { min-height: 28px; width: 28px; }
    `,
  ];
  @property({ attribute: false }) data: Dataset | null = null;
  @property({ attribute: false }) picked: ReadonlySet<number> = new Set();
  @property({ attribute: false }) clauses: ReadonlyMap<string, Clause> = new Map();
  @property({ attribute: false }) rows!: Rows;
  @state() private sets: Sets = new Map();
  @state() private trouble = "";
  @query("input.name") private field!: HTMLInputElement | null;
  @query("input[type=file]") private file!: HTMLInputElement | null;
  /** One change after the other. */
  private work: Promise<unknown> = Promise.resolve();
  /** The sets that are shown are not kept. */
  private loose = false;
  /** What the filter keeps, to look samples up in. */
  private inFilter: { readonly kept: Uint32Array; readonly all: ReadonlySet<number> } | null = null;

  /** Another part of the page may keep sets too. */
  private readonly kept = (): void => void this.again();
  override connectedCallback(): void {
    super.connectedCallback();
    setsKept.addEventListener("change", this.kept);
  }
  override disconnectedCallback(): void {
    super.disconnectedCallback();
    setsKept.removeEventListener("change", this.kept);
  }
  private async again(): Promise<void> {
    const { data, of } = this;
    const sets = of && (await recallSets(of));
    if (!sets || this.data !== data) return;
    this.sets = sets;
    this.follow();
  }
  private get of(): SetsOf | null {
    const { data } = this;
    return data && !data.growing ? { name: data.name ?? "", bytes: data.byteLength, samples: data.length } : null;
  }
  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("data")) return;
    this.sets = new Map();
    this.trouble = "";
    this.loose = false;
    void this.recall();
  }
  private async recall(): Promise<void> {
    const { data, of } = this;
    if (!of) return;
    const sets = await recallSets(of);
    // Meanwhile another file may be open, or a set was made.
    if (sets && this.data === data && this.sets.size === 0) this.sets = sets;
  }
  /** Whether it was done. Other pages may have kept sets meanwhile, and this one may not have heard yet of those that are kept. */
  private change(make: (sets: Sets) => Sets | Promise<Sets>): Promise<boolean> {
    const { data, of } = this;
    const done = this.work.then(async () => {
      if (!of || this.data !== data) return false;
      this.trouble = "";
      try {
        const kept = this.loose ? null : await recallSets(of);
        const sets = await make(kept ?? this.sets);
        const loose = !(await keepSets(of, sets));
        if (this.data !== data) return true;
        this.loose = loose;
        this.sets = sets;
        this.follow();
        if (loose) this.trouble = msg("browserKeepsNothingSetsGone");
        return true;
      } catch (e) {
        if (this.data === data) this.trouble = (e as Error).message;
        return false;
      }
    });
    this.work = done;
    return done;
  }
  /** A set that filters and has other samples now filters by those. */
  private follow(): void {
    for (const [name, samples] of this.sets) {
      const key = keyOf(name);
      const clause = this.clauses.get(key);
      const same = clause?.samples?.length === samples.length && clause.samples.every((i, k) => i === samples[k]);
      if (clause && !same) this.send(key, { ...clause, samples });
    }
  }
  private send(key: string, clause: Clause | null): void {
    this.dispatchEvent(new CustomEvent("clause", { detail: { key, clause } }));
  }
  /** The name of what is picked is asked for. */
  name(): void {
    this.field?.focus();
    this.field?.scrollIntoView({ block: "nearest" });
  }
  private async save(): Promise<void> {
    const { field, picked } = this;
    if (!field) return;
    const name = field.value;
    const done = await this.change((sets) => withSet(sets, name, [...(sets.get(name.trim()) ?? []), ...picked]));
    if (done && field.value === name) field.value = "";
  }
  private drop(name: string): void {
    if (this.clauses.has(keyOf(name))) this.toggle(name, new Uint32Array());
    void this.change((sets) => {
      const rest = new Map(sets);
      rest.delete(name);
      return rest;
    });
  }
  private toggle(name: string, samples: Uint32Array): void {
    const key = keyOf(name);
    this.send(key, this.clauses.has(key) ? null : { label: `set: ${name}`, expression: "", samples });
  }
  private async read(): Promise<void> {
    const { file, of } = this;
    const chosen = file?.files?.[0];
    if (!chosen || !of) return;
    file.value = "";
    // Of the dataset that is open now, whatever is when it is read.
    await this.change(async (sets) => {
      const text = await chosen.text();
      return [...readSets(text, of)].reduce(
        (all, [name, more]) => withSet(all, name, [...(all.get(name) ?? []), ...more]),
        sets,
      );
    });
  }
  /** How many of a set the filter keeps. */
  private keptOf(samples: Uint32Array): number {
    const { kept } = this.rows;
    if (!kept) return samples.length;
    if (this.inFilter?.kept !== kept) this.inFilter = { kept, all: new Set(kept) };
    const { all } = this.inFilter;
    return samples.reduce((sum, i) => sum + (all.has(i) ? 1 : 0), 0);
  }

  override render(): TemplateResult | typeof nothing {
    const { sets, of, picked } = this;
    if (!of) return nothing;
    const most = Math.max(1, ...[...sets.values()].map(({ length }) => length));
    return html`
      <section aria-label=${msg("sets")}>
        <h2>${msg("sets")}</h2>
        ${[...sets].map(([name, samples]) => {
          const key = keyOf(name);
          const all = samples.length;
          const one = { label: name, all, kept: this.keptOf(samples), most, on: this.clauses.has(key) };
          return html`<div class="set">${bar(one, () => this.toggle(name, samples))}
            <button class="bare icon" aria-label=${msg("pickSet", { name: visible(name) })} title=${msg("pickThem")}
              @click=${() => this.dispatchEvent(new CustomEvent("pick", { detail: [...samples] }))}>✓</button>
            <button class="bare icon" aria-label=${msg("removeSet", { name: visible(name) })} title=${msg("removeSet2")} @click=${() => this.drop(name)}>✕</button></div>`;
        })}
        ${sets.size === 0 ? html`<p class="note">${msg("pickSamplesGiveThemName")}</p>` : nothing}
        ${
          picked.size > 0
            ? html`<div class="row"><input class="name" aria-label=${msg("nameSet")} placeholder=${msg("nameFromAbove")} maxlength="100"
          @keydown=${(e: KeyboardEvent) => isEnter(e) && void this.save()} />
          <button title=${msg("savePickedSamples", { picked: picked.size })} @click=${this.save}>${msg("saveSamples", { picked: picked.size })}</button></div>`
            : nothing
        }
        <div class="row">
          ${sets.size > 0 ? html`<button @click=${() => download(setsFile(of, sets), `${stem(of.name, "dataset")}-sets.json`)}>${common("export")}</button>` : nothing}
          <button @click=${() => this.file?.click()}>${msg("import")}</button>
          <input type="file" hidden aria-label=${msg("fileSets")} accept=".json" @change=${this.read} /></div>
        <div aria-live="polite">${this.trouble ? html`<p class="note bad">${this.trouble}</p>` : nothing}</div>
      </section>`;
  }
}
