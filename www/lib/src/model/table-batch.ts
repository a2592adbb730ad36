/** Columns of a table as they cross from the module, and as the package gives them. */

/** Numbers of one column. */
export type TypedArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** One column as arrays. */
export interface RawColumn {
  type: string;
  kind: "bool" | "number" | "text" | "bytes" | "vector";
  length: number;
  /** A byte a row, 0 if the value is missing; absent if none is. */
  valid?: Uint8Array;
  values?: TypedArray;
  /** Texts and bytes: where each begins, one more than there are. */
  offsets?: Uint32Array;
  bytes?: Uint8Array;
  /** Texts that stand once each: which one a row has. */
  codes?: Uint8Array | Uint16Array | Uint32Array;
  /** Vectors: how long each is, and where its items begin. */
  lengths?: Uint32Array;
  starts?: Uint32Array;
  /** Where some are sparse: where the places of each begin, and the places. */
  indexStarts?: Uint32Array;
  indices?: Uint32Array;
  items?: RawColumn | null;
}

/** Rows as columns. */
export interface RawBatch {
  length: number;
  numbers: Float64Array;
  columns: RawColumn[];
}

/** A vector of which only some items are stored; the others are 0, false or empty. */
export interface SparseVector {
  /** How long the vector is. */
  readonly length: number;
  /** Where the stored items belong, rising. */
  readonly indices: Uint32Array;
  /** The stored items. */
  readonly values: TypedArray | readonly Cell[];
}

/**
 * One cell. Integers of 64 bits are `bigint`, other numbers `number`; dates, times and row ids are their text; JSON is
 * its text, so that its integers stay exact; a missing value or key is `null`.
 */
export type Cell = null | boolean | number | bigint | string | Uint8Array | TypedArray | readonly Cell[] | SparseVector;

// A text may begin with U+FEFF, which is a character like any other here.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** One column of some rows. */
export class TableColumn {
  /** Its name in the schema. */
  readonly name: string;
  /** Its type, as in the schema: `u8`, `string`, `vector<f32, 3>`. */
  readonly type: string;
  /** How many rows. */
  readonly length: number;
  readonly #raw: RawColumn;
  readonly #items: TableColumn | null;
  #texts: string[] | undefined;

  /** @internal */
  constructor(name: string, raw: RawColumn) {
    this.name = name;
    this.type = raw.type;
    this.length = raw.length;
    this.#raw = raw;
    this.#items = raw.items ? new TableColumn(name, raw.items) : null;
  }

  /**
   * The numbers as they are stored: days or ticks for dates and times, 0 and 1 for booleans, 0 for no key. The slot of
   * a missing value means nothing. `null` for texts, bytes and vectors.
   */
  get values(): TypedArray | null {
    return this.#raw.values ?? null;
  }

  /** A byte a row, 0 if the value is missing; `null` if none is. */
  get valid(): Uint8Array | null {
    return this.#raw.valid ?? null;
  }

  /** The texts of all rows, for texts, dates and times; `null` for everything else. A missing one is empty. */
  get texts(): readonly string[] | null {
    if (this.#raw.kind !== "text") return null;
    return (this.#texts ??= Array.from({ length: this.length }, (_, i) => this.#text(i)));
  }

  /** The explicit items of all vectors, one after the other; `null` where the column holds no vectors. */
  get items(): TableColumn | null {
    return this.#items;
  }

  /** Whether row `i` has no value. */
  isNull(i: number): boolean {
    return this.#raw.valid !== undefined && this.#raw.valid[i] === 0;
  }

  /** The cell in row `i`; `null` past the end. */
  get(i: number): Cell {
    if (!(i >= 0 && i < this.length) || this.isNull(i)) return null;
    const raw = this.#raw;
    switch (raw.kind) {
      case "bool":
        return raw.values![i] !== 0;
      case "number":
        return raw.values![i]!;
      case "text":
        return this.#texts?.[i] ?? this.#text(i);
      case "bytes":
        return raw.bytes!.slice(raw.offsets![i], raw.offsets![i + 1]);
      case "vector":
        return this.#vector(i);
    }
  }

  #text(i: number): string {
    const { offsets, bytes, codes } = this.#raw;
    const k = codes ? codes[i]! : i;
    return decoder.decode(bytes!.subarray(offsets![k], offsets![k + 1]));
  }

  #vector(i: number): Cell {
    const { lengths, starts, indexStarts, indices } = this.#raw;
    const [start, end] = [starts![i]!, starts![i + 1]!];
    const items = this.#items!;
    const plain = items.#raw.kind === "number" && !items.#raw.valid;
    const values = plain
      ? items.values!.slice(start, end)
      : Array.from({ length: end - start }, (_, k) => items.get(start + k));
    if (lengths![i] === end - start) return values;
    const first = indexStarts![i]!;
    return { length: lengths![i]!, indices: indices!.slice(first, first + (end - start)), values };
  }
}

/** A row: its cells by column name. */
export type Row = { readonly [name: string]: Cell };

/** The place of the last that has a name; -1 where none has. */
export function lastNamed(all: readonly { readonly name: string }[], name: string): number {
  for (let place = all.length - 1; place >= 0; place--) if (all[place]!.name === name) return place;
  return -1;
}

/** Some rows, column by column. */
export class TableBatch {
  /** How many rows. */
  readonly length: number;
  /** The columns that were asked for, in that order. */
  readonly columns: readonly TableColumn[];
  /** The number of each row in the file. */
  readonly numbers: Float64Array;

  /** @internal */
  constructor(names: readonly string[], raw: RawBatch) {
    this.length = raw.length;
    this.numbers = raw.numbers;
    this.columns = raw.columns.map((column, k) => new TableColumn(names[k] ?? "", column));
  }

  /** The column of a name: the last that has it. */
  column(name: string): TableColumn | undefined {
    return this.columns[lastNamed(this.columns, name)];
  }

  /** Row `i` of these, as an object. */
  row(i: number): Row {
    // Without a prototype, so that a column may have any name.
    const row = Object.create(null) as { [name: string]: Cell };
    for (const column of this.columns) row[column.name] = column.get(i);
    return row;
  }
}
