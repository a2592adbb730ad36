/** A table made of nothing. */
import { TableBatch, type RawColumn } from "../../lib/src/model/table-batch.ts";
import type {
  CheckReport,
  ColumnName,
  ColumnSummary,
  RowsOptions,
  Table,
  TableField,
  TableStats,
  TableStatsOptions,
} from "../../lib/src/model/index.ts";

const CITIES = ["Basel", "Kyoto", "Lima", "<b>Oslo</b>", "Turin"];
const random = (i: number): number => (Math.imul(i + 1, 2654435761) >>> 0) / 2 ** 32;

const SCHEMA: TableField[] = [
  { name: "id", type: "u64", nullable: false, annotations: [] },
  { name: "city", type: "string", nullable: true, encoding: "dictionary", annotations: [] },
  { name: "age", type: "u8", nullable: false, annotations: [] },
  { name: "score", type: "f32", nullable: true, annotations: [] },
  { name: "ok", type: "bool", nullable: false, annotations: [] },
  { name: "my tag", type: "vector<f32, 3>", nullable: false, annotations: [] },
  ...Array.from({ length: 30 }, (_, k) => ({ name: `feature_${k}`, type: "f64", nullable: false, annotations: [] })),
];

function columnOf(c: number, rows: ArrayLike<number>): RawColumn {
  const n = rows.length;
  const at = <T>(of: (i: number) => T): T[] => Array.from({ length: n }, (_, k) => of(rows[k]!));
  const type = SCHEMA[c]!.type;
  if (c === 0)
    return { type, kind: "number", length: n, values: BigUint64Array.from(at((i) => BigInt(i) * 1_000_003n)) };
  if (c === 1) {
    const texts = CITIES.map((text) => new TextEncoder().encode(text));
    const offsets = new Uint32Array(texts.length + 1);
    for (const [k, text] of texts.entries()) offsets[k + 1] = offsets[k]! + text.length;
    const bytes = new Uint8Array(offsets.at(-1)!);
    for (const [k, text] of texts.entries()) bytes.set(text, offsets[k]);
    return {
      type,
      kind: "text",
      length: n,
      offsets,
      bytes,
      codes: Uint8Array.from(at((i) => i % CITIES.length)),
      valid: Uint8Array.from(at((i) => (i % 13 === 4 ? 0 : 1))),
    };
  }
  if (c === 2)
    return { type, kind: "number", length: n, values: Uint8Array.from(at((i) => Math.floor(random(i) * 90))) };
  if (c === 3)
    return {
      type,
      kind: "number",
      length: n,
      values: Float32Array.from(at((i) => random(i * 3))),
      valid: Uint8Array.from(at((i) => (i % 7 === 3 ? 0 : 1))),
    };
  if (c === 4) return { type, kind: "bool", length: n, values: Uint8Array.from(at((i) => i & 1)) };
  if (c === 5) {
    const items: RawColumn = {
      type: "f32",
      kind: "number",
      length: 3 * n,
      values: Float32Array.from({ length: 3 * n }, (_, k) => (k % 3) / 4),
    };
    return {
      type,
      kind: "vector",
      length: n,
      lengths: new Uint32Array(n).fill(3),
      starts: Uint32Array.from({ length: n + 1 }, (_, k) => 3 * k),
      items,
    };
  }
  return { type, kind: "number", length: n, values: Float64Array.from(at((i) => random(i * c))) };
}

/** A table of this many rows. */
export function fakeTable(name: string, length: number): Table {
  const telemetry = { requests: 2, bytesRead: 4000, byteLength: length * 60 };
  const schema = name.startsWith("turn")
    ? SCHEMA.map((field) => ({ ...field, name: `\u202e${field.name}\u001b` }))
    : SCHEMA;
  const places = (columns?: readonly ColumnName[]): number[] =>
    (columns ?? SCHEMA.map((_, k) => k)).map((c) =>
      typeof c === "number" ? c : SCHEMA.findIndex((f) => f.name === c),
    );
  const batch = (rows: ArrayLike<number>, columns?: readonly ColumnName[]): TableBatch => {
    const wanted = places(columns);
    telemetry.requests++;
    return new TableBatch(
      wanted.map((c) => schema[c]!.name),
      { length: rows.length, numbers: Float64Array.from(rows), columns: wanted.map((c) => columnOf(c, rows)) },
    );
  };
  const range = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, k) => start + k);
  const table: Partial<Table> = {
    kind: "table",
    format: "tbf",
    length,
    name,
    byteLength: telemetry.byteLength,
    telemetry,
    schema,
    metadata: { layout: "D", groups: 10, document: false, pictures: [], notes: [], createdBy: "a test" },
    columns: async (start, end, columns) => batch(range(start, end), columns),
    take: async (rows, columns) => batch(rows, columns),
    async *batches({ start = 0, end = length, columns, signal }: RowsOptions = {}) {
      for (let at = start; at < end; at += 4096) {
        signal?.throwIfAborted();
        yield batch(range(at, Math.min(end, at + 4096)), columns);
      }
    },
    async matches(where) {
      const m = /^\(?age >= (\d+)(?: && age <=? ?(\d+))?\)?$/.exec(where) ?? /^city == "(\w+)"$/.exec(where);
      if (!m)
        throw Object.assign(new Error("expected an operator, found the end"), {
          code: "filter.syntax",
          offset: where.length,
        });
      const keep = (i: number): boolean =>
        where.startsWith("city")
          ? i % 13 !== 4 && CITIES[i % CITIES.length] === m[1]
          : Math.floor(random(i) * 90) >= Number(m[1]);
      return Uint32Array.from(range(0, length).filter(keep));
    },
    async stats({ columns = [], first = length }: TableStatsOptions = {}): Promise<TableStats> {
      const rows = Math.min(first, length, 20_000);
      const of = places(columns).map((c): ColumnSummary => {
        const {
          columns: [column],
        } = batch(range(0, rows), [c]);
        const cells = Array.from({ length: rows }, (_, i) => column!.get(i)).filter((cell) => cell !== null);
        const counts = new Map<string, number>();
        for (const cell of cells) counts.set(String(cell), (counts.get(String(cell)) ?? 0) + 1);
        const numbers = cells.filter((cell) => typeof cell === "number");
        const base = {
          name: SCHEMA[c]!.name,
          type: SCHEMA[c]!.type,
          count: cells.length,
          nulls: rows - cells.length,
          min: null,
          max: null,
          mean: null,
          distinct: counts.size,
        };
        if (numbers.length === 0) return { ...base, top: [...counts].slice(0, 10) };
        const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
        const histogram = Array.from({ length: 9 }, (_, b) => ({
          from: 10 * b,
          to: 10 * b + 10,
          count: numbers.filter((n) => Math.floor(n / 10) === b).length,
        }));
        return { ...base, min, max, mean: numbers.reduce((a, b) => a + b, 0) / numbers.length, histogram };
      });
      return { rows, columns: of };
    },
    document: async () => null,
    check: async () =>
      ({
        ok: false,
        samples: length,
        faultCount: 1,
        notes: [],
        faults: [
          {
            code: "tbf.checksum",
            message: "the checksum differs",
            kind: "damaged",
            section: "group",
            sample: null,
            row: 17,
            block: 0,
            offset: 99,
          },
        ],
      }) satisfies CheckReport,
    close: () => undefined,
  };
  return table as Table;
}
