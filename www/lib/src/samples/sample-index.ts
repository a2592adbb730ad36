import type { Opened } from "../worker/protocol.js";
import type { IndexColumns } from "../model/index.js";

/** The first look at a growing dataset comes after this many milliseconds: most archives are whole by then. */
const FIRST = 120;
/** Further looks come at least this many milliseconds apart, */
const APART = 350;
/** and this many times the time that the last one took: looking costs a small part of the scan, however large it is. */
const SHARE = 8;

/** Says when it is time to look at what a scan has found. */
export class LookTimer {
  #due = performance.now() + FIRST;

  get due(): boolean {
    return performance.now() >= this.#due;
  }
  /** Looks, and sets the time of the next look. */
  async look<T>(body: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await body();
    const now = performance.now();
    this.#due = now + Math.max(APART, (now - started) * SHARE);
    return result;
  }
}

type Column = Uint8Array | Uint32Array | Float64Array;

/** The index of a dataset that may grow: columns with room behind them, and names. */
export class SampleIndex {
  length = 0;
  #columns: IndexColumns;
  #room: Record<keyof IndexColumns, Column> | undefined;
  #names: (string | undefined)[] | Map<number, string>;
  /** Names not yet taken apart: most datasets are never asked for them. */
  #joined: string[] = [];

  constructor(first: Opened) {
    this.#columns = first.columns;
    this.length = first.columns.format.length;
    this.#names = first.names === null ? new Map() : [];
    if (first.names !== null && this.length > 0) this.#joined.push(first.names);
  }

  get columns(): IndexColumns {
    return this.#columns;
  }
  /** Puts others in the place of the columns: sizes became known. */
  set columns(columns: IndexColumns) {
    if (columns.format.length !== this.length) return;
    this.#columns = columns;
    this.#room = undefined;
  }

  /** Adds what comes after. */
  append(more: Opened): void {
    const added = more.columns.format.length;
    if (added === 0) return;
    const length = this.length + added;
    const names = Object.keys(more.columns) as (keyof IndexColumns)[];
    if (!this.#room || this.#room.format.length < length) {
      const room = Math.ceil(length * 1.5);
      this.#room = Object.fromEntries(
        names.map((name) => {
          const old = this.#columns[name] as Column;
          const larger = new (old.constructor as new (length: number) => Column)(room);
          larger.set(old);
          return [name, larger];
        }),
      ) as Record<keyof IndexColumns, Column>;
    }
    const room = this.#room;
    for (const name of names) room[name].set(more.columns[name], this.length);
    this.#columns = Object.fromEntries(
      names.map((name) => [name, room[name].subarray(0, length)]),
    ) as unknown as IndexColumns;
    if (more.names !== null) this.#joined.push(more.names);
    this.length = length;
  }

  /** Frees all but the count: somebody may keep the dataset long after it was closed. */
  clear(): void {
    const names = Object.keys(this.#columns) as (keyof IndexColumns)[];
    const empty = (column: Column): Column => new (column.constructor as new (length: number) => Column)(0);
    this.#columns = Object.fromEntries(
      names.map((name) => [name, empty(this.#columns[name] as Column)]),
    ) as unknown as IndexColumns;
    this.#room = undefined;
    this.#names = [];
    this.#joined = [];
  }

  name(i: number): string | undefined {
    if (this.#names instanceof Map) return this.#names.get(i);
    for (const joined of this.#joined) for (const name of joined.split("\0")) this.#names.push(name);
    this.#joined = [];
    return this.#names[i];
  }
  /** Remembers a name that only the metadata told. */
  named(i: number, name: string): void {
    if (this.#names instanceof Map) this.#names.set(i, name);
  }
}
