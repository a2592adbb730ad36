/** Cells of tables as text. */
import type { Cell, SparseVector } from "../../../lib/src/model/table-batch.ts";
import type { TableField } from "../../../lib/src/model/index.ts";
import { visible } from "../ui/visible.ts";
import { msg } from "../messages/tables.ts";

/** Characters of a cell that a row of a table shows. */
const SHORT = 160;
/** Items of a vector that a row of a table shows. */
const ITEMS = 12;

const isTyped = (cell: object): cell is ArrayLike<number | bigint> & { BYTES_PER_ELEMENT: number } =>
  ArrayBuffer.isView(cell) && "length" in cell;
const isSparse = (cell: object): cell is SparseVector => "indices" in cell && !Array.isArray(cell);

/** The shortest text that is this number, even if it was stored in 32 bits. */
function numberText(value: number, type: string): string {
  if (!Number.isFinite(value) || Number.isInteger(value) || !/\bf32\b/.test(type)) return String(value);
  for (let digits = 6; digits < 10; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return String(text);
  }
  return String(value);
}

/** A cell in one line; `short` cuts what is long. */
export function cellText(cell: Cell, type: string, short = true): string {
  const text = textOf(cell, type, short ? ITEMS : Infinity);
  return short && text.length > SHORT ? `${visible(text.slice(0, SHORT))}…` : visible(text);
}
/** A cell whole and as it is, for a copy. */
export const wholeText = (cell: Cell, type: string): string => textOf(cell, type, Infinity);

function textOf(cell: Cell, type: string, items: number): string {
  if (cell === null) return "null";
  if (typeof cell === "number") return numberText(cell, type);
  if (typeof cell !== "object") return String(cell);
  if (cell instanceof Uint8Array && /^(bytes|binary|blob)/.test(type)) {
    const some = Array.from(cell.subarray(0, items === Infinity ? 4096 : 16), (b) =>
      b.toString(16).padStart(2, "0"),
    ).join(" ");
    return msg("bytes", { some, rest: cell.length > 16 && items !== Infinity ? "…" : "", cell: cell.length });
  }
  if (isSparse(cell)) {
    const shown = Array.from(
      cell.indices.slice(0, items),
      (at, k) => `${at}: ${textOf((cell.values as ArrayLike<Cell>)[k] ?? null, type, items)}`,
    );
    return `{${shown.join(", ")}${cell.indices.length > shown.length ? ", …" : ""}} ${msg("ofCell", { count: cell.length })}`;
  }
  const list = isTyped(cell) || Array.isArray(cell) ? (cell as ArrayLike<Cell>) : [];
  const shown = Array.from({ length: Math.min(items, list.length) }, (_, k) => textOf(list[k] ?? null, type, items));
  return `[${shown.join(", ")}${list.length > shown.length ? `, … ${msg("inAll", { list: list.length })}` : ""}]`;
}

/** Numbers stand to the right. */
export const isNumeric = ({ type }: Pick<TableField, "type">): boolean =>
  /^([iu](8|16|32|64)|f32|f64|u?int\d*|float\d*|single|double|number)$/i.test(type);

/** A column as filters name it. */
export const fieldName = (name: string): string =>
  /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;

/** How wide a column is drawn, by what it holds. */
export function widthOf(field: TableField): number {
  const byType = isNumeric(field)
    ? 104
    : /^bool/.test(field.type)
      ? 84
      : /^(date|time)/.test(field.type)
        ? 190
        : /^vector/.test(field.type)
          ? 280
          : 200;
  return Math.max(byType, Math.min(260, 34 + 7.6 * Math.max(field.name.length, field.type.length * 0.9)));
}
