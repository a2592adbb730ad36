/** The columns of the table of samples: what the index knows, what the metadata says, and how they are sorted. */
import type { Dataset, IndexColumns, Json, SampleInfo } from "../../../lib/src/model/index.ts";
import { inOrder, type Sortable } from "../../../lib/src/base/ordering.ts";
import { valueAt } from "../ui/fields.ts";
import { visible } from "../ui/visible.ts";
import { bytes, count } from "../ui/wording.ts";
import type { FindBoxes } from "./box-source.ts";
import { classOf } from "./meaning.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/samples.ts";

/** What a cell can look at. */
export interface Row {
  /** Its own number: that of the sample, or of a box. */
  readonly at: number;
  readonly i: number;
  readonly info: SampleInfo;
  readonly name: string | undefined;
  /** `undefined` while it is not read. */
  readonly record: Json | undefined;
  readonly classField: string;
  readonly find: FindBoxes;
}

/** Values of a column, by sample; `null` comes last. */
export type Values = (i: number, record: Json) => Sortable;

/** A column. */
export interface Column {
  /** What links and choices call it. */
  readonly id: string;
  readonly title: string;
  /** As CSS writes it in a grid. */
  readonly width: string;
  readonly number?: boolean;
  readonly text: (row: Row) => string;
  /** The class in it, which has a color. */
  readonly label?: (row: Row) => string | undefined;
  /** What the index says, for sorting without reading anything. */
  readonly index?: (columns: IndexColumns) => ArrayLike<number>;
  /** What the package calls it, which sorts by it then: a field of the index or a path in the metadata. */
  readonly by?: string;
  /** What must be read of each sample for sorting by what only the page knows. */
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
    by: "name",
  },
  {
    id: "class",
    get title() {
      return common("class");
    },
    width: "minmax(100px, 1fr)",
    label: ({ record, classField }) => classOf(record, classField),
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
    by: "format",
  },
  {
    id: "width",
    get title() {
      return common("width");
    },
    width: "76px",
    number: true,
    text: ({ info }) => known(info.width),
    by: "width",
  },
  {
    id: "height",
    get title() {
      return common("height");
    },
    width: "82px",
    number: true,
    text: ({ info }) => known(info.height),
    by: "height",
  },
  {
    id: "aspect",
    get title() {
      return msg("aspect");
    },
    width: "82px",
    number: true,
    text: ({ info }) => (info.width > 0 && info.height > 0 ? (info.width / info.height).toFixed(2) : "–"),
    by: "aspect",
  },
  {
    id: "bytes",
    get title() {
      return common("bytes");
    },
    width: "92px",
    number: true,
    text: ({ info }) => bytes(info.bytes),
    by: "bytes",
  },
  {
    id: "stored",
    get title() {
      return msg("stored");
    },
    width: "92px",
    number: true,
    text: ({ info }) => bytes(info.storedBytes),
    by: "stored_bytes",
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
    by: field,
  };
}

/** All columns that there are: the common ones, then the fields of the metadata. */
export const allColumns = (fields: readonly string[]): Column[] => [
  ...COMMON,
  ...fields.filter((f) => !COMMON.some((c) => c.id === f)).map(fieldColumn),
];

/** The place of each sample in an order. */
export function ranksOf(order: Uint32Array): Uint32Array {
  const rank = new Uint32Array(order.length);
  order.forEach((i, place) => {
    rank[i] = place;
  });
  return rank;
}

/** The place of each sample in the order of its value. */
export const ranks = (values: ArrayLike<Sortable>, down: boolean): Uint32Array =>
  ranksOf(
    inOrder(
      Uint32Array.from({ length: values.length }, (_, i) => i),
      (i) => values[i]!,
      down,
    ),
  );
