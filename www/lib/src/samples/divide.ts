/** Parts for training, validation and test: the same as the command and Python make of the same file, options and seed. */
import * as argument from "../base/arguments.js";
import { chosenAll } from "./chosen.js";
import { stepsOf } from "../base/metadata-path.js";
import { type ForebayError, hostError } from "../model/errors.js";
import type { Divided, DivideOptions, DividedPart, Fault, Json } from "../model/index.js";
import { call, client } from "../pool/pool.js";
import { KEPT, distanceOf, faultOf, groupsOf, lookAt, type Curated, type Looks } from "./curate.js";
import { fieldsOf, type Fields } from "./fields.js";

/** What the metadata says of a sample. */
interface Said {
  readonly label: string | null;
  readonly group: string | null;
}

/** A single value as the name of a class. */
const word = (value: Json | undefined): string | null =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null;

const firstOf = (found: Fields, names: readonly string[]): string | null =>
  names.map((name) => word(found[name])).find((one) => one !== null) ?? null;

/** Reads what the metadata says of each sample; one that does not read says nothing. */
async function saidOf(
  dataset: Curated,
  samples: Uint32Array,
  of: { labels: readonly string[]; groups: readonly string[] },
  signal: AbortSignal,
  fault: (sample: number, e: ForebayError) => void,
): Promise<Said[]> {
  const fields = [...new Set([...of.labels, ...of.groups])];
  if (fields.length === 0) return Array.from(samples, () => ({ label: null, group: null }));
  const said: Said[] = [];
  for await (const [, found] of fieldsOf(dataset, samples, fields, { signal }, fault))
    said.push({ label: firstOf(found, of.labels), group: firstOf(found, of.groups) });
  return said;
}

/** Sets that are joined. */
class Sets {
  readonly #up: Uint32Array;
  constructor(length: number) {
    this.#up = Uint32Array.from({ length }, (_, at) => at);
  }
  /** The first of the set that this one is in. */
  find(at: number): number {
    const up = this.#up;
    while (up[at] !== at) {
      // Half the way for whoever asks next.
      up[at] = up[up[at]!]!;
      at = up[at]!;
    }
    return at;
  }
  join(a: number, b: number): void {
    const [one, other] = [this.find(a), this.find(b)];
    this.#up[Math.max(one, other)] = Math.min(one, other);
  }
}

/** Samples that stay together, as the module takes them: the lowest number, how many, the class; and of each sample its unit. */
function unitsOf(sets: Sets, samples: Uint32Array, classes: Uint32Array): { units: Uint32Array; of: Uint32Array } {
  const number = new Map<number, number>();
  const [firsts, counts]: [number[], Map<number, number>[]] = [[], []];
  const of = Uint32Array.from(samples, (sample, at) => {
    const root = sets.find(at);
    let unit = number.get(root);
    if (unit === undefined) {
      number.set(root, (unit = firsts.push(sample) - 1));
      counts.push(new Map());
    }
    const label = classes[at]!;
    counts[unit]!.set(label, (counts[unit]!.get(label) ?? 0) + 1);
    return unit;
  });
  const units = new Uint32Array(firsts.length * 3);
  for (const [unit, first] of firsts.entries()) {
    let [all, most, label] = [0, 0, 0];
    for (const [one, samples] of counts[unit]!) {
      all += samples;
      // Of several classes that are as frequent the first.
      if (samples > most || (samples === most && one < label)) [most, label] = [samples, one];
    }
    units.set([first, all, label], unit * 3);
  }
  return { units, of };
}

/** Divides a dataset. */
export async function dividedOf(
  dataset: Curated,
  looks: Looks,
  options: DivideOptions,
  signal: AbortSignal,
): Promise<Divided> {
  const { parts, by, group, near, seed = 0 } = options;
  const names = Object.keys(argument.options(parts, "the parts and their shares"));
  const fractions = Float64Array.from(names, (name) => parts[name]!);
  argument.whole(seed, "the seed");
  if (near !== undefined) distanceOf(near);
  const samples = await chosenAll(dataset, options, signal);
  const faults: Fault[] = [];
  let faultCount = 0;
  const fault = (sample: number, e: ForebayError) => {
    faultCount++;
    if (faults.length < KEPT) faults.push(faultOf(sample, e));
  };
  const fields = {
    labels: by === undefined ? [] : argument.text(by, "the field of the class") === "class" ? ["class", "cls"] : [by],
    groups: group === undefined ? [] : [argument.text(group, "the field of the group")],
  };
  for (const path of [...fields.labels, ...fields.groups])
    if (!stepsOf(path))
      throw hostError("usage.argument", `${JSON.stringify(path)} is not a path to a field`, { file: dataset.name });
  const said = await saidOf(dataset, samples, fields, signal, fault);
  for (const [what, names, of] of [
    ["class", fields.labels, "label"],
    ["group", fields.groups, "group"],
  ] as const)
    if (names.length > 0 && said.length > 0 && said.every((one) => one[of] === null))
      throw hostError("usage.argument", `no sample has a ${what} in the field that was named for it`, {
        file: dataset.name,
      });
  const sets = new Sets(samples.length);
  const byGroup = new Map<string, number>();
  said.forEach(({ group }, at) => {
    if (group === null) return;
    const first = byGroup.get(group);
    if (first === undefined) byGroup.set(group, at);
    else sets.join(at, first);
  });
  if (near !== undefined) {
    const found = await lookAt(dataset, looks, { bytes: true, look: true }, options, signal);
    const place = new Map(Array.from(samples, (sample, at) => [sample, at]));
    for (const [best, ...others] of await groupsOf(dataset, found, near))
      for (const other of others) sets.join(place.get(best!.sample)!, place.get(other.sample)!);
    faultCount += found.faultCount;
    faults.push(...found.faults.slice(0, KEPT - faults.length));
  }
  // Classes by the order in which they first come.
  const known = new Map<string, number>();
  const classes = Uint32Array.from(said, ({ label }) => {
    const name = label ?? "";
    if (!known.has(name)) known.set(name, known.size);
    return known.get(name)!;
  });
  const { units, of } = unitsOf(sets, samples, classes);
  const numbers = await call(await client(), dataset.name, "divideUnits", [units, fractions, seed]);
  const labels = [...known.keys()];
  const made = names.map((name, part): DividedPart => {
    const mine = Array.from(samples.keys()).filter((at) => numbers[of[at]!] === part);
    const counts = new Map<number, number>();
    for (const at of mine) counts.set(classes[at]!, (counts.get(classes[at]!) ?? 0) + 1);
    return {
      part: name,
      samples: Uint32Array.from(mine, (at) => samples[at]!),
      classes: labels.flatMap((label, k) => (counts.has(k) ? [{ label, samples: counts.get(k)! }] : [])),
    };
  });
  let groups = 0;
  for (let at = 1; at < units.length; at += 3) if (units[at]! > 1) groups++;
  return { parts: made, groups, faultCount, faults };
}
