/** What the look at one column found, as filters: one for each of its usual values, one for each range of its numbers. */
import type { ColumnSummary, TableField } from "../../../lib/src/model/index.ts";
import { quote } from "../ui/literals.ts";
import { fieldName } from "./cells.ts";
import { spoken } from "../messages/language.ts";
import { count } from "../ui/wording.ts";

/** Rows that are looked at: enough for a picture of the column, few enough to wait for. */
export const LOOKED_AT = 2_000_000;
/** Characters of a text after which a summary cuts it; what is cut is not a filter. */
const CUT = 64;

/** A usual value, and the filter for it where there is one. */
export interface Usual {
  readonly text: string;
  readonly rows: number;
  readonly expression: string | null;
}

/** The usual values of a column. */
export function usualOf({ top = [] }: ColumnSummary, field: TableField): readonly Usual[] {
  const name = fieldName(field.name);
  return top.map(([value, rows]) => {
    const cut = typeof value === "string" && value.length > CUT;
    const literal =
      typeof value === "string"
        ? quote(value)
        : ["boolean", "number", "bigint"].includes(typeof value)
          ? String(value)
          : null;
    return {
      text: value === "" ? '""' : String(value),
      rows,
      expression: literal === null || cut ? null : `${name} == ${literal}`,
    };
  });
}

/** The filter for a range of buckets, both included. */
export function bucketExpression({ name, histogram = [] }: ColumnSummary, from: number, to: number): string {
  const field = fieldName(name);
  return `${field} >= ${histogram[from]!.from} && ${field} < ${histogram[to]!.to}`;
}

/** A bound or mean in words: integers of any size with all their digits. */
export function numberText(value: unknown): string {
  if (typeof value === "bigint") return value.toLocaleString(spoken());
  if (typeof value !== "number") return String(value);
  return Number.isSafeInteger(value)
    ? count(value)
    : Math.abs(value) >= 1e15
      ? value.toPrecision(6)
      : String(Number(value.toPrecision(6)));
}
