/** What a look at one column of a table shows: how many values are missing, extremes, the usual values, a histogram. */
import type { Cell, TypedArray } from "../../lib/src/table-column.ts";
import type { Table } from "../../lib/src/types.ts";
import { quote } from "./facets.ts";
import { cellText, fieldName, isNumeric } from "./cells.ts";

/** Rows that are looked at: enough for a picture of the column, few enough to wait for. */
export const LOOKED_AT = 2_000_000;
/** Different values that are counted. */
const DISTINCT = 20_000;
const TOP = 12;
const BUCKETS = 24;

/** What was found. */
export interface ColumnStats {
  readonly column: number;
  readonly name: string;
  readonly rows: number;
  /** Whether these are all rows. */
  readonly whole: boolean;
  readonly missing: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** Different values; `null` where there are too many to count. */
  readonly distinct: number | null;
  /** The most frequent values, and the filter for each. */
  readonly top: readonly { readonly text: string; readonly rows: number; readonly expression: string }[];
  /** Equal steps from `min` to `max`. */
  readonly buckets: readonly number[];
}

/** The filter for one value; `null` where the language has no literal for it. */
function literal(name: string, cell: Cell): string | null {
  const field = fieldName(name);
  if (cell === null) return null;
  if (typeof cell === "string") return `${field} == ${quote(cell)}`;
  if (typeof cell === "boolean") return `${field} == ${cell}`;
  if (typeof cell === "bigint" || (typeof cell === "number" && Number.isFinite(cell))) return `${field} == ${cell}`;
  return null;
}

/** The filter for a range of buckets. */
export function bucketExpression(stats: ColumnStats, from: number, to: number): string {
  const [min, max] = [stats.min ?? 0, stats.max ?? 0];
  const step = (max - min) / stats.buckets.length;
  const field = fieldName(stats.name);
  const edge = (k: number): string => String(Number((min + step * k).toPrecision(12)));
  return to >= stats.buckets.length - 1 ? `${field} >= ${edge(from)} && ${field} <= ${max}` : `${field} >= ${edge(from)} && ${field} < ${edge(to + 1)}`;
}

/** Looks through one column, group by group. */
export async function lookAt(table: Table, column: number, signal: AbortSignal, onProgress: (part: number) => void): Promise<ColumnStats> {
  const field = table.schema[column]!;
  const numeric = isNumeric(field);
  const end = Math.min(table.length, LOOKED_AT);
  const counts = new Map<Cell, number>();
  const kept: (Float64Array | TypedArray)[] = [];
  let [rows, missing, sum, seen, min, max] = [0, 0, 0, 0, Infinity, -Infinity];
  let many = false;
  for await (const batch of table.batches({ columns: [column], end, signal })) {
    const it = batch.columns[0]!;
    const numbers = numeric ? new Float64Array(it.length) : null;
    let n = 0;
    for (let i = 0; i < it.length; i++) {
      if (it.isNull(i)) {
        missing++;
        continue;
      }
      const value = numbers ? it.values![i]! : it.get(i);
      if (numbers) {
        const number = Number(value);
        if (Number.isFinite(number)) {
          numbers[n++] = number;
          sum += number;
          seen++;
          if (number < min) min = number;
          if (number > max) max = number;
        }
      }
      if (many || (typeof value === "object" && value !== null)) continue;
      counts.set(value, (counts.get(value) ?? 0) + 1);
      if (counts.size > DISTINCT) many = true;
    }
    if (numbers) kept.push(numbers.subarray(0, n));
    rows += it.length;
    onProgress(end > 0 ? rows / end : 1);
    // The page gets its turn.
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
  }
  const buckets: number[] = [];
  if (seen > 0 && max > min) {
    for (let k = 0; k < BUCKETS; k++) buckets.push(0);
    const scale = BUCKETS / (max - min);
    for (const part of kept) for (let k = 0; k < part.length; k++) buckets[Math.min(BUCKETS - 1, Math.floor((Number(part[k]) - min) * scale))]!++;
  }
  const top = many ? [] : [...counts].sort((a, b) => b[1] - a[1]).slice(0, TOP).flatMap(([cell, n]) => {
    const expression = literal(field.name, cell);
    return expression === null ? [] : [{ text: cellText(cell, field.type), rows: n, expression }];
  });
  return {
    column, name: field.name, rows, whole: end === table.length, missing,
    min: seen > 0 ? min : null, max: seen > 0 ? max : null, mean: seen > 0 ? sum / seen : null,
    distinct: many || (counts.size === 0 && rows > missing) ? null : counts.size, top, buckets,
  };
}
