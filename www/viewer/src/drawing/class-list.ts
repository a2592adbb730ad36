/** The classes to draw: searched, chosen and given keys. As many as there are, only those in sight are on the page. */
import { LitElement, css, html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { ClassColors, colorOf } from "../samples/colors.ts";
import { Scroller } from "../ui/scroller.ts";
import { controls } from "../ui/styles.ts";
import { visible } from "../ui/visible.ts";
import { count } from "../ui/wording.ts";
import { KEYS, type Classes } from "./classes.ts";
import { msg as common } from "../messages/common.ts";
import { msg, rich } from "../messages/drawing.ts";
import { isComposing } from "../ui/typing.ts";

/** Pixels of a row, and the most of them in sight. */
const ROW = 30;
const SHOWN = 7;

/** `<forebay-classes>`: sends `choose` with a class that is to be drawn, `give` with a key and its class, and `leave`. */
@customElement("forebay-classes")
export class ClassList extends LitElement {
  static override styles = [
    controls,
    css`
      :host { display: grid; gap: 6px; }
      input { width: 100%; min-width: 0; }
      .scroll {
        position: relative; overflow-x: hidden; overflow-y: auto; border: 1px solid var(--line); border-radius: 8px;
        overscroll-behavior: contain;
      }
      .layer { position: sticky; top: 0; overflow: hidden; }
      .row {
        position: absolute; inset: 0 0 auto; display: flex; align-items: center; gap: 8px; height: ${ROW}px;
        padding: 0 10px; cursor: pointer; font-size: 13px;
      }
      .row:hover, .row.current { background: var(--soft); }
      .row[aria-selected="true"] { background: var(--accent-soft); font-weight: 600; }
      .row.current { box-shadow: inset 3px 0 0 var(--accent); }
      .row.current:dir(rtl) { box-shadow: inset -3px 0 0 var(--accent); }
      kbd {
        flex: none; width: 18px; text-align: center; font-family: var(--mono); font-size: 12px; color: var(--ink-2);
      }
      bdi { margin-inline-end: auto; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      .row span { flex: none; color: var(--ink-2); font-weight: 400; font-variant-numeric: tabular-nums; }
      p { margin: 0; font-size: 12px; }
    `,
  ];
  @property({ attribute: false }) classes!: Classes;
  /** The class that is drawn. */
  @property() label = "";
  /** How many boxes of a class this picture has. */
  @property({ attribute: false }) boxes: ReadonlyMap<string, number> = new Map();
  /** Changes with the classes. */
  @property({ attribute: false }) version = 0;
  @state() private text = "";
  @state() private current = 0;
  @state() private tick = 0;
  @query(".scroll") private scrolled!: HTMLElement | null;
  @query("input") private input!: HTMLInputElement;
  private scroller: Scroller | undefined;
  private found: readonly string[] = [];
  readonly colors = new ClassColors(this);

  /** Gives the keys to the search. */
  search(): void {
    this.input.focus();
    this.input.select();
  }
  override willUpdate(changed: PropertyValues): void {
    if (changed.has("version") || changed.has("text" as never) || changed.has("classes"))
      this.found = this.classes.search(this.text);
    if (changed.has("text" as never)) this.current = 0;
  }
  override firstUpdated(): void {
    this.scroller = new Scroller(this.scrolled!, () => this.tick++);
    this.requestUpdate();
  }
  override updated(): void {
    const { scroller, found } = this;
    if (!scroller || !this.scrolled) return;
    const { track } = scroller;
    const [before, top] = [track.content, track.top];
    scroller.measure(found.length * ROW, this.scrolled.clientHeight);
    if (track.content !== before || track.top !== top) this.tick++;
  }
  private send(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
  private choose(name: string | undefined): void {
    if (name !== undefined) this.send("choose", name);
  }
  private go(to: number): void {
    this.current = Math.min(this.found.length - 1, Math.max(0, to));
    this.scroller?.track.reveal(this.current, ROW);
    this.scroller?.sync();
  }
  /** The class that the text would be, if there is none. */
  private get fresh(): string | null {
    const name = this.text.trim();
    return name !== "" && !this.classes.has(name) ? name : null;
  }
  private readonly onSearch = (e: KeyboardEvent): void => {
    e.stopPropagation();
    if (isComposing(e)) return;
    if (e.key === "Enter") {
      this.choose(e.ctrlKey && this.fresh !== null ? this.fresh : (this.found[0] ?? this.fresh ?? undefined));
      this.clear();
    } else if (e.key === "ArrowDown") this.scrolled?.focus();
    else if (e.key === "Escape") this.clear();
    else return;
    e.preventDefault();
  };
  private add(): void {
    this.choose(this.fresh ?? undefined);
    this.clear();
  }
  private clear(): void {
    this.text = "";
    this.send("leave");
  }
  private readonly onKey = (e: KeyboardEvent): void => {
    const page = Math.max(1, SHOWN - 1);
    const steps: Record<string, number> = {
      ArrowDown: this.current + 1,
      ArrowUp: this.current - 1,
      PageDown: this.current + page,
      PageUp: this.current - page,
      Home: 0,
      End: this.found.length - 1,
    };
    const key = Number(e.key);
    const name = this.found[this.current];
    if (steps[e.key] !== undefined) this.go(steps[e.key]!);
    else if (e.key === "Enter" || e.key === " ") this.choose(name);
    else if (key >= 1 && key <= KEYS && name !== undefined) this.send("give", { key, name });
    else if (e.key === "Escape") this.send("leave");
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  override render(): TemplateResult {
    const { found, fresh, current, text } = this;
    const keys = this.classes.keys;
    const track = this.scroller?.track;
    const height = Math.min(SHOWN, Math.max(1, found.length)) * ROW;
    const [first, end] = track ? track.rows(ROW, found.length) : [0, 0];
    const rows = Array.from({ length: end - first }, (_, k) => first + k);
    return html`
      <input type="search" aria-label=${msg("searchClassNameNew")} placeholder=${msg("searchClassS")}
        .value=${text} @keydown=${this.onSearch}
        @input=${(e: Event) => (this.text = (e.target as HTMLInputElement).value)} />
      ${fresh === null ? nothing : html`<button @click=${this.add}>${rich("newClass", { fresh: html`<bdi>${visible(fresh)}</bdi>` })}</button>`}
      <div class="scroll" role="listbox" tabindex="0" aria-label=${common("classes")} .style=${`height:${height + 2}px`}
        aria-activedescendant=${found.length > 0 ? `c${current}` : nothing} @keydown=${this.onKey}>
        <div role="presentation" .style=${`height:${track?.height ?? 0}px`}>
          <div class="layer" role="presentation" .style=${`height:${Math.min(height, track?.height ?? 0)}px`}>
            ${rows.map((row) => this.renderRow(row, found[row]!, keys, track!.top))}
          </div>
        </div>
      </div>
      <p class="muted">${found.length === 0 ? (text ? msg("noClassHasName") : msg("noClassKnownNameAbove")) : text ? msg("foundNumberOnClassGives", { found: found.length }) : msg("knownNumberOnClassGives", { found: found.length })}</p>`;
  }
  private renderRow(row: number, name: string, keys: ReadonlyMap<string, number>, top: number): TemplateResult {
    const many = this.boxes.get(name);
    const key = keys.get(name);
    return html`
      <div id="c${row}" class="row ${row === this.current ? "current" : ""}" role="option"
        aria-selected=${name === this.label} aria-posinset=${row + 1} aria-setsize=${this.found.length}
        title=${visible(name)} .style=${`transform:translateY(${row * ROW - top}px)`}
        @click=${() => {
          this.current = row;
          this.choose(name);
        }}><kbd aria-hidden="true">${key ?? ""}</kbd><i class="dot" .style=${`background:${colorOf(name)}`}></i><bdi>${visible(name)}</bdi>${key ? html`<span class="visually-hidden">${msg("key", { key })}</span>` : nothing}${many ? html`<span>${count(many)}</span>` : nothing}</div>`;
  }
}
