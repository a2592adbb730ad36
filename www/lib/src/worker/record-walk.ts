/** Records of many samples, batch by batch: one message for each batch where one for each record would cost more than reading it. */
import type * as wasm from "../../wasm/forebay.js";
import { digitsOf, parseExactly, stringifyExactly } from "../base/exact.js";
import { stepsOf, valueBy } from "../base/metadata-path.js";
import type { Json } from "../model/index.js";
import type { Chunk } from "../source/ranges.js";

/** A sample's reader, and what it waits for. */
interface Reading {
  readonly reader: wasm.RecordReader;
  need: ArrayLike<number> | null;
}

/** The parts of chunks that lie in a range. */
function* partsIn(chunks: readonly Chunk[], start: number, end: number): Generator<Chunk> {
  // The last chunk that begins at or before the range.
  let [low, high] = [0, chunks.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (chunks[middle]![0] <= start) low = middle;
    else high = middle;
  }
  for (let k = low; k < chunks.length && chunks[k]![0] < end; k++) {
    const [at, bytes] = chunks[k]!;
    const [from, to] = [Math.max(start, at), Math.min(end, at + bytes.length)];
    if (from < to) yield [from, bytes.subarray(from - at, to - at)];
  }
}

/** What a record has where these names lead, as JSON. */
function textBy(record: Json, steps: readonly string[]): string {
  const holder = valueBy(record, steps.slice(0, -1));
  const digits = typeof holder === "object" && holder !== null ? digitsOf(holder, steps.at(-1) ?? "") : undefined;
  return digits ?? stringifyExactly(valueBy(record, steps) ?? null);
}

/** Work that ends each of its turns with a batch of records. */
export class RecordWalk {
  /** Samples whose records are read. */
  done = 0;
  #next = 0;
  #chunks: Chunk[] = [];
  #batch: Reading[] = [];
  #found: string | null = null;
  readonly #fields: readonly (readonly [string, readonly string[]])[] | null;

  constructor(
    readonly dataset: wasm.Dataset,
    readonly indexes: Uint32Array,
    readonly size: number,
    fields: readonly string[] | null,
  ) {
    this.#fields = fields?.map((field) => [field, stepsOf(field) ?? []] as const) ?? null;
  }

  push(start: number, bytes: Uint8Array): void {
    this.#chunks.push([start, bytes]);
  }

  /** What must be read next; nothing when all is read. A batch may be there then in any case. */
  step(): Float64Array | undefined {
    this.#chunks.sort((a, b) => a[0] - b[0]);
    if (this.#batch.length === 0 && !this.#begin()) return undefined;
    const missing = this.#advance();
    this.#chunks = [];
    if (missing) return missing;
    this.#found = `[${this.#batch.map(({ reader }) => this.#text(reader)).join()}]`;
    this.done += this.#batch.length;
    this.#drop();
    // What the next batch needs is read while somebody looks at this one.
    return this.#begin() ? (this.#advance() ?? new Float64Array()) : undefined;
  }

  /** The records of the batch that was finished, as a JSON list. */
  takeRecords(): string | null {
    const found = this.#found;
    this.#found = null;
    return found;
  }

  free(): void {
    this.#drop();
    this.#chunks = [];
  }

  #drop(): void {
    for (const { reader } of this.#batch) reader.free();
    this.#batch = [];
  }

  /** Begins the next batch. The very first record comes alone: what it needs beside itself is of use to all others. */
  #begin(): boolean {
    const end = Math.min(this.indexes.length, this.#next + (this.#next === 0 ? 1 : this.size));
    for (; this.#next < end; this.#next++)
      this.#batch.push({ reader: this.dataset.record(this.indexes[this.#next]!), need: new Float64Array() });
    return this.#batch.length > 0;
  }

  /** Hands over what was read, and says what is missing. */
  #advance(): Float64Array | null {
    const missing: number[] = [];
    for (const one of this.#batch) {
      while (one.need) {
        const { need, reader } = one;
        let all = true;
        for (let k = 0; k < need.length; k += 2) {
          let length = 0;
          for (const [at, bytes] of partsIn(this.#chunks, need[k]!, need[k + 1]!)) {
            length += bytes.length;
            reader.push(at, bytes);
          }
          all &&= length >= need[k + 1]! - need[k]!;
        }
        if (!all) {
          for (let k = 0; k < need.length; k++) missing.push(need[k]!);
          break;
        }
        one.need = reader.step() ?? null;
      }
    }
    return missing.length > 0 ? Float64Array.from(missing) : null;
  }

  /** A record, or the fields of it that are wanted. */
  #text(reader: wasm.RecordReader): string {
    const text = reader.finish() ?? "null";
    const fields = this.#fields;
    if (!fields) return text;
    const record = parseExactly(text) as Json;
    return `{${fields.map(([name, steps]) => `${JSON.stringify(name)}:${textBy(record, steps)}`).join()}}`;
  }
}
