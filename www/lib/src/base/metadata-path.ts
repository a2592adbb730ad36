/** Paths to what metadata says, as filters write them: `label`, `json.label`, and anything else between backticks. */
import type { Json } from "../model/index.js";

/** One step of a path: a plain name, or anything between backticks. */
const STEP = /(?:^|\.)(?:([\p{L}_][\p{L}\p{N}_]*)|`((?:[^`]|``)*)`)/uy;

/** The names that lead along a path; `null` where it is none. */
export function stepsOf(path: string): string[] | null {
  const steps: string[] = [];
  for (let at = 0; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const step = STEP.exec(path);
    if (!step) return null;
    steps.push(step[1] ?? step[2]!.replaceAll("``", "`"));
  }
  return steps.length > 0 ? steps : null;
}

/** What a record has where these names lead; `undefined` where it has nothing there. */
export function valueBy(record: Json | undefined, steps: readonly string[]): Json | undefined {
  let value = record;
  for (const name of steps) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** What a record has at a path; `undefined` where it has nothing there, or if that is not a path. */
export function valueAt(record: Json | undefined, path: string): Json | undefined {
  const steps = stepsOf(path);
  return steps ? valueBy(record, steps) : undefined;
}
