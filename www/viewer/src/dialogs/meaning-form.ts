/** Asks what the boxes in the metadata mean, where the file does not state it. */
import { html, nothing, type TemplateResult } from "lit";
import { LAYOUTS, halvesOf, type Meaning, type Question } from "../../../lib/src/base/boxes.ts";
import { layoutText } from "../samples/box-source.ts";
import { visible } from "../ui/visible.ts";
import { msg } from "../messages/dialogs.ts";

type About = Question["about"];

/** What was asked of some samples, each question once. */
export function joined(before: readonly Question[], more: readonly Question[]): readonly Question[] {
  const all = new Map<About, Question>(before.map((one) => [one.about, one]));
  for (const one of more) {
    const fields = [...new Set([...(all.get(one.about)?.fields ?? []), ...(one.fields ?? [])])];
    all.set(one.about, { ...one, fields });
  }
  return [...all.values()];
}

/** The questions with what was said; `say` hears all of it again when something of it changes. */
export function meaningForm(
  questions: readonly Question[],
  meaning: Meaning,
  say: (meaning: Meaning) => void,
): TemplateResult | typeof nothing {
  if (questions.length === 0) return nothing;
  const { boxes, vocBase, task, scores } = meaning;
  const { field, layout } = halvesOf(meaning);
  const others = { ...(vocBase !== undefined && { vocBase }), ...(task && { task }), ...(scores && { scores }) };
  const boxed = (field: string, layout: string): void => {
    const text = `${field}${layout && `:${layout}`}`;
    say({ ...others, ...(text && { boxes: text }) });
  };
  const rest = (changed: Partial<Meaning>): void => say({ ...(boxes && { boxes }), ...others, ...changed });
  const choice = (
    title: string,
    value: string,
    options: readonly (readonly [value: string, title: string])[],
    choose: (value: string) => void,
  ): TemplateResult => html`
    <label class="meaning">${title} <select @change=${(e: Event) => choose((e.target as HTMLSelectElement).value)}>
      ${value === "" ? html`<option value="" selected>${msg("notStated")}</option>` : nothing}
      ${options.map(([one, title]) => html`<option value=${one} ?selected=${one === value}>${title}</option>`)}
    </select></label>`;
  const forms: Readonly<Record<About, (question: Question) => TemplateResult>> = {
    field: ({ fields = [] }) =>
      choice(
        msg("boxesAreIn"),
        field,
        fields.map((path) => [path, visible(path)]),
        (path) => boxed(path, layout ?? ""),
      ),
    layout: () =>
      choice(
        msg("numbersOfBoxAre"),
        layout ?? "",
        LAYOUTS.map((one) => [one, layoutText(one)]),
        (word) => boxed(field, word),
      ),
    vocBase: () =>
      choice(
        msg("firstPixelHasNumber"),
        vocBase === undefined ? "" : String(vocBase),
        [
          ["0", "0"],
          ["1", "1"],
        ],
        (base) => rest({ vocBase: base === "1" ? 1 : 0 }),
      ),
    task: () =>
      choice(
        msg("longYoloLinesAre"),
        task ?? "",
        [
          ["segment", msg("outlines")],
          ["obb", msg("turnedBoxes")],
        ],
        (word) => rest({ task: word as "segment" | "obb" }),
      ),
    scores: () =>
      choice(msg("sixthNumberIs"), scores ? "score" : "", [["score", msg("score")]], () => rest({ scores: true })),
  };
  return html`<section><h3>${msg("howBoxesRead")}</h3>
    <p class="muted">${msg("fileDoesNotState")}</p>
    ${questions.map((question) => forms[question.about](question))}</section>`;
}
