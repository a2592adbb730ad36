/** The columns of the table of samples: what the index knows, what the metadata says, and how they are sorted. */
import type { Dataset, IndexColumns, Json, SampleInfo } from "../../../lib/src/model/index.ts";
import { valueAt } from "../ui/fields.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count } from "../ui/wording.ts";
import type { FindBoxes } from "./box-source.ts";
import { classOf } from "./meaning.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/samples.ts";

/** What a cell can look at. */
export interface Row {
  readonly i: number;
  readonly info: SampleInfo;
  readonly name: string | undefined;
  /** `undefined` while it is not read. */
  readonly record: Json | undefined;
  readonly classField: string;
  readonly find: FindBoxes;
}

/** Values of a column, by sample; `null` comes last. */
export type Values = (i: number, record: Json) => number | string | null;

/** A column. */
export interface Column {
  /** What links and choices call it. */
  readonly id: string;
  readonly title: string;
  /** As CSS writes it in a grid. */
  readonly width: string;
  readonly number?: boolean;
  readonly text: (row: Row) => string;
  /** What the index says, for sorting without reading anything. */
  readonly index?: (columns: IndexColumns) => ArrayLike<number>;
  /** What must be read of each sample for sorting. */
  readonly values?: (dataset: Dataset, classField: string, find: FindBoxes) => Values;
}

const known = (n: number): string => (n > 0 ? count(n) : "–");

/** Columns that every file has. */
const COMMON: readonly Column[] = [
  {
    id: "index",
    get title() {
      return common("sample");
    },
    width: "92px",
    number: true,
    text: ({ i }) => count(i),
  },
  {
    id: "picture",
    get title() {
      return msg("picture");
    },
    width: "68px",
    text: () => "",
  },
  {
    id: "name",
    get title() {
      return common("name");
    },
    width: "minmax(130px, 1.4fr)",
    text: ({ name }) => visible(name ?? ""),
    values: (dataset) => (i) => dataset.nameOf(i) ?? null,
  },
  {
    id: "class",
    get title() {
      return common("class");
    },
    width: "minmax(100px, 1fr)",
    text: ({ record, classField }) => visible(classOf(record, classField) ?? ""),
    values: (_, classField) => (_i, record) => classOf(record, classField) ?? null,
  },
  {
    id: "boxes",
    get title() {
      return common("boxes");
    },
    width: "76px",
    number: true,
    text: ({ i, record, info, find }) => {
      if (record === undefined) return "";
      const { boxes } = find(i, record, info.width, info.height);
      return boxes.length > 0 ? count(boxes.length) : "–";
    },
    values: (dataset, _, find) => (i, record) => {
      const { width, height } = dataset.info(i);
      return find(i, record, width, height).boxes.length;
    },
  },
  {
    id: "format",
    get title() {
      return common("format");
    },
    width: "84px",
    text: ({ info }) => info.format,
    index: (c) => c.format,
  },
  {
    id: "width",
    get title() {
      return common("width");
    },
    width: "76px",
    number: true,
    text: ({ info }) => known(info.width),
    index: (c) => c.width,
  },
  {
    id: "height",
    get title() {
      return common("height");
    },
    width: "82px",
    number: true,
    text: ({ info }) => known(info.height),
    index: (c) => c.height,
  },
  {
    id: "aspect",
    get title() {
      return msg("aspect");
    },
    width: "82px",
    number: true,
    text: ({ info }) => (info.width > 0 && info.height > 0 ? (info.width / info.height).toFixed(2) : "–"),
    index: (c) => Float64Array.from(c.width, (w, i) => (c.height[i]! > 0 ? w / c.height[i]! : 0)),
  },
  {
    id: "bytes",
    get title() {
      return common("bytes");
    },
    width: "92px",
    number: true,
    text: ({ info }) => bytes(info.bytes),
    index: (c) => c.bytes,
  },
  {
    id: "stored",
    get title() {
      return msg("stored");
    },
    width: "92px",
    number: true,
    text: ({ info }) => bytes(info.storedBytes),
    index: (c) => c.storedBytes,
  },
  {
    id: "offset",
    get title() {
      return msg("offset");
    },
    width: "124px",
    number: true,
    text: ({ info }) => count(info.offset),
    index: (c) => c.offset,
  },
  {
    id: "codec",
    get title() {
      return msg("codec");
    },
    width: "76px",
    text: ({ info }) => info.codec,
    index: (c) => c.codec,
  },
];

/** Columns that are shown until somebody chooses others. */
export const USUAL_COLUMNS: readonly string[] = [
  "index",
  "picture",
  "name",
  "class",
  "boxes",
  "format",
  "width",
  "height",
  "bytes",
];

/** Characters of a cell. */
const LONGEST = 200;

/** A field of the metadata as a column. */
function fieldColumn(field: string): Column {
  const text = (record: Json | undefined): string => {
    const value = valueAt(record, field);
    return value === undefined || value === null
      ? ""
      : visible((typeof value === "object" ? JSON.stringify(value) : String(value)).slice(0, LONGEST));
  };
  return {
    id: field,
    title: visible(field),
    width: "minmax(110px, 1fr)",
    text: ({ record }) => text(record),
    values: () => (_, record) => {
      const value = valueAt(record, field);
      return typeof value === "number" ? value : value === undefined || value === null ? null : text(record);
    },
  };
}

/** All columns that there are: the common ones, then the fields of the metadata. */
export const allColumns = (fields: readonly string[]): Column[] => [
  ...COMMON,
  ...fields.filter((f) => !COMMON.some((c) => c.id === f)).map(fieldColumn),
];

/** Numbers before texts, and what is missing at the end; `collator` puts `b9` before `b10`. */
const collator = new Intl.Collator("en", { numeric: true });
function compare(a: number | string | null, b: number | string | null): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return collator.compare(a, b);
  return (a === null ? 2 : typeof a === "string" ? 1 : 0) - (b === null ? 2 : typeof b === "string" ? 1 : 0);
}

/** The place of each sample in the order of its value; equal ones stay in the order of the file. */
export function ranks(values: ArrayLike<number | string | null>, down: boolean): Uint32Array {
  const order = Uint32Array.from({ length: values.length }, (_, i) => i);
  const numeric = !Array.isArray(values);
  order.sort((a, b) => {
    const [x, y] = [values[a]!, values[b]!];
    // What is missing comes last, whichever way one sorts.
    const by = numeric ? (x as number) - (y as number) : compare(x, y);
    return (down && x !== null && y !== null ? -by : by) || a - b;
  });
  const rank = new Uint32Array(values.length);
  order.forEach((i, place) => {
    rank[i] = place;
  });
  return rank;
}
